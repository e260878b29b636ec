//! A lake whose location changed: the default lake moves with the data folder. It retains its progress, its open
//! batches and the events that only it gets.

use std::ops::ControlFlow;

use super::keys;
use super::store::StoreError;
use super::write_batch::WriteBatch;
use super::writer::Writer;
use crate::chunk;
use crate::table::Table;

/// Dead letters renamed in one commit.
const LETTERS_PER_COMMIT: usize = 500;

impl Writer {
    /// Renames the lake that moved: the only one that is no longer configured, if only one is new.
    pub(super) fn rename_moved_lake(&mut self) -> Result<(), StoreError> {
        let is_lake = |sink: &&String| sink.starts_with("lake:");
        let former: Vec<_> =
            self.state.sinks.keys().filter(is_lake).filter(|sink| !self.sinks.contains(sink)).cloned().collect();
        let new: Vec<_> =
            self.sinks.iter().filter(is_lake).filter(|sink| !self.state.sinks.contains_key(*sink)).cloned().collect();
        let ([from], [to]) = (&former[..], &new[..]) else { return Ok(()) };
        tracing::info!(%from, %to, "the lake moved");
        // The lake's own name changes last, so that an interrupted start repeats the rest.
        self.rename_letters(from, to)?;
        let mut writes = WriteBatch::default();
        self.readdress_chunks(&mut writes, from, to)?;
        if let Some(tables) = self.state.sinks.remove(from) {
            self.state.sinks.insert(to.clone(), tables);
        }
        for table in Table::ALL {
            writes.touch_sink(from, table);
            writes.touch_sink(to, table);
        }
        self.commit(writes, &mut Vec::new())
    }

    fn rename_letters(&mut self, from: &str, to: &str) -> Result<(), StoreError> {
        let store = self.current_store();
        let mut letters = Vec::new();
        store.scan(b"d", b"e", &mut |key, _| {
            if let Some((sink, table, id)) = keys::read_dead_letter(key)
                && sink == from
            {
                letters.push((key.to_vec(), keys::dead_letter(to, table, id)));
            }
            ControlFlow::Continue(())
        })?;
        for renamed in letters.chunks(LETTERS_PER_COMMIT) {
            let mut writes = WriteBatch::default();
            for (old, new) in renamed {
                if let Some(value) = store.get(old)? {
                    writes.changes.put(new.clone(), value);
                    writes.changes.remove(old.clone());
                }
            }
            self.commit(writes, &mut Vec::new())?;
        }
        Ok(())
    }

    /// Readdresses requeued dead letters that wait for the lake.
    fn readdress_chunks(&mut self, writes: &mut WriteBatch, from: &str, to: &str) -> Result<(), StoreError> {
        let (store, state) = (self.current_store(), &mut self.state);
        store.scan(b"c", b"d", &mut |key, value| {
            // A damaged chunk is reported when it is read.
            if chunk::head(value).is_some_and(|head| head.only == Some(from))
                && let Some(((table, _), chunk)) = keys::read_chunk(key).zip(chunk::unpack(value))
            {
                let readdressed = chunk::encode(Some(to), &chunk.events);
                let table_state = &mut state.tables[table.index()];
                table_state.pending_bytes =
                    (table_state.pending_bytes + readdressed.len() as u64).saturating_sub(value.len() as u64);
                writes.touch_table(table);
                writes.changes.put(key.to_vec(), readdressed);
            }
            ControlFlow::Continue(())
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use touchline_protocol::ambient::{ManualClock, SeededEntropy, SharedClock};
    use uuid::Uuid;

    use super::super::state::OpenBatch;
    use super::super::{Candidate, Opened, Verdict, open};
    use crate::dead_letters::{DeadLetterFilter, DeadReason, Refusal};
    use crate::event::{self, QueuedEvent};
    use crate::options::Limits;
    use crate::table::{Priority, Table};

    const NOW_MS: i64 = 1_795_255_200_000;

    fn opened(folder: &Path, sinks: &[&str]) -> Opened {
        let sinks: Vec<_> = sinks.iter().map(|sink| (*sink).to_owned()).collect();
        let clock: SharedClock = ManualClock::at_ms(NOW_MS);
        open((folder.to_owned(), "n1"), &sinks, Limits::default(), clock, SeededEntropy::new(1)).unwrap()
    }

    async fn closed(opened: Opened) {
        opened.queue.close().await;
        drop(opened.queue);
        opened.writer.join().unwrap();
    }

    fn visit(n: u128) -> QueuedEvent {
        let us = NOW_MS * 1000;
        let body = r#"{"event":"visit"}"#.into();
        QueuedEvent { id: Uuid::from_u128(n), at_us: us, received_us: us, occurred_us: us, body }
    }

    fn batch(first: u64, last: u64, events: u64) -> OpenBatch {
        OpenBatch {
            epoch: "e".to_owned(),
            node: "n1".to_owned(),
            date: event::date_of(NOW_MS * 1000),
            first,
            last,
            events,
        }
    }

    #[tokio::test]
    async fn what_waits_for_a_moved_lake_goes_to_its_new_path() {
        let folder = tempfile::tempdir().unwrap();
        let http = "http:http://127.0.0.1:9/";
        let Opened { queue, writer } = opened(folder.path(), &["lake:/a", http]);
        for n in 0..5 {
            let candidate =
                Candidate { table: Table::Event, priority: Priority::Ordinary, event: visit(n), too_old: false };
            assert_eq!(queue.accept(vec![candidate]).await, [Verdict::Accepted]);
        }
        // Two events are dead letters of the lake, one of them requeued. A batch of two is open.
        queue.open_batch("lake:/a", Table::Event, batch(0, 2, 3)).await.unwrap();
        let refused =
            (0..2).map(|n| Refusal { event: visit(n), reason: DeadReason::Unreadable, detail: String::new() });
        queue.settle("lake:/a", Table::Event, refused.collect()).await.unwrap();
        let first = DeadLetterFilter { id: Some(Uuid::from_u128(0)), ..DeadLetterFilter::default() };
        assert_eq!(queue.requeue(first).await.unwrap().requeued, 1);
        queue.open_batch("lake:/a", Table::Event, batch(3, 4, 2)).await.unwrap();
        let before = queue.snapshot().state.sink("lake:/a", Table::Event).unwrap().clone();
        closed(Opened { queue, writer }).await;

        let Opened { queue, writer } = opened(folder.path(), &["lake:/b", http]);
        let state = queue.snapshot().state;
        assert_eq!(state.sink("lake:/b", Table::Event), Some(&before));
        assert_eq!(state.sink("lake:/a", Table::Event), None);
        assert_eq!(state.queued("lake:/b", Table::Event), 3);
        assert_eq!(queue.read("lake:/b", Table::Event, &batch(5, 5, 1)).unwrap()[0].1.id, Uuid::from_u128(0));
        assert_eq!(queue.requeue(DeadLetterFilter::default()).await.unwrap().requeued, 1);
        closed(Opened { queue, writer }).await;

        // Two new lakes for one missing lake aren't a move.
        let Opened { queue, writer } = opened(folder.path(), &["lake:/c", "lake:/d", http]);
        assert_eq!(queue.snapshot().state.sink("lake:/c", Table::Event).unwrap().batch, None);
        closed(Opened { queue, writer }).await;
    }
}
