//! Viewings in the queue's store. A report and the change of its viewing are one commit; so are a viewing's row and the
//! mark that it has one. Each viewing therefore gets its row once, even if the process is killed.

use std::ops::ControlFlow;

use super::keys;
use super::store::StoreError;
use super::write_batch::WriteBatch;
use super::writer::Writer;
use crate::event::QueuedEvent;
use crate::table::Table;
use crate::viewings::{MAX_OPEN, Report, Viewing};

/// Rows written in one commit.
const ROWS_PER_COMMIT: usize = 500;
const FORGET_INTERVAL_US: i64 = 60 * 60 * 1_000_000;

fn put(writes: &mut WriteBatch, sid: &str, viewing: &Viewing) {
    // Numbers and short texts always serialise.
    writes.changes.put(keys::viewing(sid), serde_json::to_vec(viewing).unwrap_or_default());
}

impl Writer {
    /// Adds an accepted report to its viewing.
    pub(super) fn add_report(&mut self, writes: &mut WriteBatch, event: &QueuedEvent) -> Result<(), StoreError> {
        let Some(report) = Report::of(&event.body) else { return Ok(()) };
        let sid = report.sid.clone();
        if let Some(viewing) = self.viewings.open.get_mut(&sid) {
            viewing.take(report, event);
            put(writes, &sid, viewing);
            return Ok(());
        }
        let stored = self.current_store().get(&keys::viewing(&sid))?;
        let viewing = match stored.and_then(|value| serde_json::from_slice::<Viewing>(&value).ok()) {
            Some(mut viewing) => {
                viewing.take(report, event);
                viewing
            }
            None => Viewing::starting_with(report, event),
        };
        put(writes, &sid, &viewing);
        self.viewings.open.insert(sid, viewing);
        Ok(())
    }

    /// Writes the rows of finished viewings, and forgets those that can no longer be amended.
    pub(super) fn end_viewings(&mut self) -> Result<(), StoreError> {
        let now_us = self.clock.now().as_microsecond();
        let mut over: Vec<String> = Vec::new();
        for (sid, viewing) in &self.viewings.open {
            if viewing.is_over(now_us) {
                over.push(sid.clone());
            }
        }
        over.extend(self.excess_viewings(over.len()));
        for sids in over.chunks(ROWS_PER_COMMIT) {
            let mut writes = WriteBatch::default();
            for sid in sids {
                let Some(mut viewing) = self.viewings.open.remove(sid) else { continue };
                writes.stage(Table::Viewing, None, &viewing.row(sid, now_us));
                viewing.has_row = true;
                put(&mut writes, sid, &viewing);
                self.viewings.ended.push(&viewing, now_us);
            }
            self.commit(writes, &mut Vec::new())?;
        }
        if now_us - self.viewings.checked_us >= FORGET_INTERVAL_US {
            self.viewings.checked_us = now_us;
            self.forget_viewings(now_us)?;
        }
        let figures = self.viewings.ended.with(self.viewings.open.values(), now_us);
        *self.viewings.figures.write() = figures;
        Ok(())
    }

    /// The finished viewings and those beyond the limit, longest silent first, if there are more than the limit.
    fn excess_viewings(&self, over: usize) -> Vec<String> {
        let too_many = (self.viewings.open.len() - over).saturating_sub(MAX_OPEN);
        if too_many == 0 {
            return Vec::new();
        }
        let mut by_sign: Vec<_> =
            self.viewings.open.iter().map(|(sid, viewing)| (viewing.received_us(), sid.clone())).collect();
        by_sign.sort_unstable();
        by_sign.into_iter().take(over + too_many).map(|(_, sid)| sid).collect()
    }

    fn forget_viewings(&mut self, now_us: i64) -> Result<(), StoreError> {
        let mut expired_keys = Vec::new();
        self.current_store().scan(b"v", b"w", &mut |key, value| {
            if serde_json::from_slice::<Viewing>(value)
                .is_ok_and(|viewing| viewing.has_row && viewing.is_forgotten(now_us))
            {
                expired_keys.push(key.to_vec());
            }
            ControlFlow::Continue(())
        })?;
        for keys in expired_keys.chunks(ROWS_PER_COMMIT) {
            let mut writes = WriteBatch::default();
            for key in keys {
                writes.changes.remove(key.clone());
            }
            self.commit(writes, &mut Vec::new())?;
        }
        Ok(())
    }
}
