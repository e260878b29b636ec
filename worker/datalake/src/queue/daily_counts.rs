//! Counts of events by day, channel and kind. An accepted event and its count are one commit; so are a day's rows and
//! the removal of their counts. Each event is therefore counted once, even if the process is killed (`ANA-14`).

use serde::Deserialize;
use serde_json::json;

use super::open_counts::Counted;
use super::store::StoreError;
use super::write_batch::WriteBatch;
use super::writer::Writer;
use crate::event::{DAY_US, QueuedEvent};
use crate::options::MAX_COUNTS;
use crate::table::Table;

/// A body of the table, as [`crate::ingest`] writes it.
#[derive(Deserialize)]
struct CountBody {
    event: String,
    channel: Option<String>,
}

impl Writer {
    /// Counts an event. Returns whether there was room.
    pub(super) fn count(&mut self, writes: &mut WriteBatch, event: &QueuedEvent) -> bool {
        let Ok(CountBody { event: name, channel }) = serde_json::from_slice(&event.body) else { return false };
        let counted = Counted { day: event.received_day(), channel, event: name };
        let counts = &mut self.counts.0;
        if counts.len() >= MAX_COUNTS && !counts.contains_key(&counted) {
            return false;
        }
        let key = counted.key();
        let count = counts.entry(counted).or_default();
        *count += 1;
        writes.changes.put(key, count.to_be_bytes().to_vec());
        true
    }

    /// Writes the rows of days that have ended.
    pub(super) fn end_days(&mut self) -> Result<(), StoreError> {
        let now_us = self.clock.now().as_microsecond();
        let today = now_us.div_euclid(DAY_US);
        let is_over = |counted: &Counted| counted.day < today;
        let ended: Vec<_> =
            self.counts.0.iter().filter(|(counted, _)| is_over(counted)).map(|(key, n)| (key.clone(), *n)).collect();
        if ended.is_empty() {
            return Ok(());
        }
        let mut writes = WriteBatch::default();
        for (counted, count) in ended {
            let Counted { day, channel, event } = &counted;
            let row = QueuedEvent {
                id: self.entropy.uuid_v7(&*self.clock),
                at_us: day * DAY_US,
                received_us: now_us,
                occurred_us: day * DAY_US,
                body: json!({ "event": event, "channel": channel, "count": count }).to_string().into(),
            };
            writes.stage(Table::EventCount, None, &row);
            writes.changes.remove(counted.key());
            self.counts.0.remove(&counted);
        }
        self.commit(writes, &mut Vec::new())
    }
}
