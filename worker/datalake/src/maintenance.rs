//! What goes on beside shipping: the status, its gauges, and the compaction of closed days.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::compact::{self, Compacted};
use crate::datalake::Inner;
use crate::drift;
use crate::event::date_of;
use crate::ledger::{self, LedgerRow};
use crate::shipper::Trouble;
use crate::sinks::Sink;
use crate::status::{SinkTrouble, Status};
use crate::table::Table;

/// How often the gauges are brought up to date.
const REPORT_EVERY: Duration = Duration::from_secs(5);
/// How often closed days are looked for.
const COMPACT_EVERY: Duration = Duration::from_secs(3600);

impl Inner {
    /// Gauges and compaction.
    pub(crate) async fn look_after(&self) {
        let mut report = interval(REPORT_EVERY);
        let mut compact = interval(COMPACT_EVERY);
        for ticks in [&mut report, &mut compact] {
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        }
        loop {
            tokio::select! {
                _ = report.tick() => self.measured(|| ()),
                _ = compact.tick() => match self.compact().await {
                    Ok(done) if done == Compacted::default() => {}
                    Ok(done) => tracing::info!(joined = done.joined, removed = done.removed, "closed days were compacted"),
                    Err(error) => tracing::warn!(%error, "closed days were not compacted: tried again in an hour"),
                },
            }
        }
    }

    /// The ledger with ages.
    pub(crate) fn ledger(&self) -> Vec<LedgerRow> {
        let now_us = self.clock.now().as_microsecond();
        let mut rows = ledger::rows(&self.queue.snapshot().state);
        for row in rows.iter_mut().filter(|row| row.queued > 0) {
            // A queue that cannot be read says so elsewhere.
            let oldest = self.queue.oldest_us(&row.sink, row.table).ok().flatten();
            row.oldest_age_s = oldest.map(|us| u64::try_from((now_us - us) / 1_000_000).unwrap_or(0));
        }
        rows
    }

    /// How the datalake is.
    pub(crate) fn status(&self) -> Status {
        let snapshot = self.queue.snapshot();
        let trouble = |(sink, table, trouble): &(String, Table, Arc<Trouble>)| {
            Some(SinkTrouble { sink: sink.clone(), table: *table, reason: trouble.last()? })
        };
        Status {
            node: self.node.clone(),
            epoch: snapshot.epoch,
            pending_bytes: snapshot.state.pending_bytes(),
            pending_limit_bytes: self.limits.queue_bytes,
            disk_bytes: snapshot.disk_bytes,
            remembered_ids: snapshot.remembered_ids,
            shortened_windows: snapshot.shortened_windows,
            dead_letters: snapshot.state.dead_letters,
            refused: self.limits.disk.refused(),
            over_budget: self.budgets.refused(),
            broken: snapshot.broken,
            damaged: self.queue.damaged(),
            ledger: self.ledger(),
            troubles: self.troubles.iter().filter_map(trouble).collect(),
            drift: self.drift.judge(self.clock.now_ms()),
        }
    }

    /// Brings the gauges up to date; they stay as they are while `read` runs.
    pub(crate) fn measured<T>(&self, read: impl FnOnce() -> T) -> T {
        let _one_at_a_time = self.measuring.lock();
        self.measure();
        read()
    }

    #[expect(clippy::cast_precision_loss, reason = "a gauge is a float; counts stay far below 2^53")]
    fn measure(&self) {
        let status = self.status();
        for row in &status.ledger {
            let labels = [("sink", row.sink.clone()), ("table", row.table.name().to_owned())];
            metrics::gauge!("touchline_datalake_accepted", &labels).set(row.accepted as f64);
            metrics::gauge!("touchline_datalake_shipped", &labels).set(row.shipped as f64);
            metrics::gauge!("touchline_datalake_queued", &labels).set(row.queued as f64);
            metrics::gauge!("touchline_datalake_dead_lettered", &labels).set(row.dead_lettered as f64);
            metrics::gauge!("touchline_datalake_oldest_age_seconds", &labels).set(row.oldest_age_s.unwrap_or(0) as f64);
            if !row.balances() {
                tracing::error!(?row, "the datalake's ledger does not balance");
                metrics::counter!("touchline_datalake_imbalances_total", &labels).increment(1);
            }
        }
        metrics::gauge!("touchline_datalake_pending_bytes").set(status.pending_bytes as f64);
        metrics::gauge!("touchline_datalake_disk_bytes").set(status.disk_bytes as f64);
        metrics::gauge!("touchline_datalake_remembered_ids").set(status.remembered_ids as f64);
        metrics::gauge!("touchline_datalake_shortened_windows").set(status.shortened_windows as f64);
        metrics::gauge!("touchline_datalake_dead_letters").set(status.dead_letters as f64);
        metrics::gauge!("touchline_datalake_damaged_queues").set(status.damaged.len() as f64);
        let damaged_bytes = status.damaged.iter().map(|damaged| damaged.bytes).sum::<u64>();
        metrics::gauge!("touchline_datalake_damaged_bytes").set(damaged_bytes as f64);
        metrics::gauge!("touchline_datalake_broken").set(f64::from(u8::from(status.broken.is_some())));
        drift::measure(&status.drift);
    }

    /// Joins the files of closed days.
    pub(crate) async fn compact(&self) -> Result<Compacted, String> {
        let _shipping = self.erasing.read().await;
        let now = self.clock.now();
        let mut done = Compacted::default();
        for lake in &self.lakes {
            for table in Table::ALL {
                let oldest = self.queue.oldest_us(lake.name(), table).map_err(|e| e.to_string())?;
                let waiting = oldest.map_or(now.as_microsecond(), |us| us.min(now.as_microsecond()));
                let compacted = compact::compact(lake, table, date_of(waiting), now.as_millisecond()).await?;
                done.joined += compacted.joined;
                done.removed += compacted.removed;
            }
        }
        Ok(done)
    }
}
