//! Requeues dead letters, each for the sink that refused it, under a new offset.

use std::ops::ControlFlow;

use super::keys;
use super::store::StoreError;
use super::write_batch::WriteBatch;
use super::writer::Writer;
use crate::dead_letters::{self, DeadLetterFilter, INGEST, Requeued};

/// Letters requeued in one commit.
const LETTERS_PER_COMMIT: usize = 500;

impl Writer {
    pub(super) fn requeue(&mut self, filter: &DeadLetterFilter) -> Result<Requeued, StoreError> {
        let store = self.current_store();
        let mut letters = Vec::new();
        store.scan(b"d", b"e", &mut |key, _| {
            if keys::read_dead_letter(key).is_some_and(|(sink, table, id)| filter.matches(sink, table, id)) {
                letters.push(key.to_vec());
            }
            ControlFlow::Continue(())
        })?;
        let mut requeued = Requeued::default();
        for keys in letters.chunks(LETTERS_PER_COMMIT) {
            let mut writes = WriteBatch::default();
            for key in keys {
                let Some(value) = store.get(key)? else { continue };
                self.put_back(&mut writes, key, &value, &mut requeued)?;
            }
            self.commit(writes, &mut Vec::new())?;
        }
        Ok(requeued)
    }

    fn put_back(
        &mut self,
        writes: &mut WriteBatch,
        key: &[u8],
        value: &[u8],
        requeued: &mut Requeued,
    ) -> Result<(), StoreError> {
        let damaged = || StoreError::Corrupt("a dead letter cannot be read".to_owned());
        let (sink, table, id) = keys::read_dead_letter(key).ok_or_else(damaged)?;
        let (refusal, _) = dead_letters::decode(value).ok_or_else(damaged)?;
        if sink == INGEST {
            if self.dedupe.remember(id) {
                writes.remember(id);
                writes.stage(table, None, &refusal.event);
                requeued.requeued += 1;
            } else {
                requeued.duplicates += 1;
            }
        } else if let Some(tables) = self.state.sinks.get_mut(sink) {
            let sink_state = &mut tables[table.index()];
            sink_state.dead = sink_state.dead.saturating_sub(1);
            writes.touch_sink(sink, table);
            writes.stage(table, Some(sink), &refusal.event);
            requeued.requeued += 1;
        } else {
            requeued.without_sink += 1;
            return Ok(());
        }
        self.state.dead_letters = self.state.dead_letters.saturating_sub(1);
        writes.changes.remove(key.to_vec());
        Ok(())
    }
}
