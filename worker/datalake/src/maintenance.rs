//! Background work besides shipping: status, gauges and compaction.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval, interval_at};

use crate::caught::caught;
use crate::datalake::Inner;
use crate::drift;
use crate::lake::compaction::Compaction;
use crate::ledger::{self, LedgerRow};
use crate::pressure::{self, PRIORITIES};
use crate::shipper::Trouble;
use crate::status::{SinkTrouble, Status};
use crate::table::Table;

const REPORT_INTERVAL: Duration = Duration::from_secs(5);
/// Interval of compaction and cleanup.
const COMPACTION_INTERVAL: Duration = Duration::from_secs(3600);
/// Shortest delay of the first compaction after the start; the longest is twice this.
const MIN_COMPACTION_DELAY: Duration = Duration::from_secs(60);
/// Interval of the search for erased files that are due for removal.
const ERASED_SWEEP_INTERVAL: Duration = Duration::from_secs(300);

impl Inner {
    /// Updates gauges, compacts and cleans up until it is dropped.
    pub(crate) async fn run_maintenance(&self) {
        tokio::join!(self.report(), self.clean_up());
    }

    async fn report(&self) {
        let mut report = interval(REPORT_INTERVAL);
        report.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            report.tick().await;
            if let Err(error) = caught(self.queue.end_viewings()).await {
                tracing::error!(%error, "could not write the rows of finished viewings");
            }
            if let Err(error) = caught(async { self.measured(|| ()) }).await {
                tracing::error!(%error, "could not update the datalake's gauges");
            }
        }
    }

    async fn clean_up(&self) {
        if let Err(error) = caught(self.create_tables()).await {
            tracing::error!(%error, "could not create the lake's tables yet");
        }
        for lake in &self.lakes {
            lake.remove_leftovers().await;
        }
        // Workers that start together compact their shared lake at different times.
        let wait = MIN_COMPACTION_DELAY.mul_f64(1.0 + self.entropy.next_f64());
        let mut compact = interval_at(Instant::now() + wait, COMPACTION_INTERVAL);
        let mut sweep_erased = interval_at(Instant::now() + MIN_COMPACTION_DELAY, ERASED_SWEEP_INTERVAL);
        for ticks in [&mut compact, &mut sweep_erased] {
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        }
        loop {
            tokio::select! {
                _ = compact.tick() => self.compact_and_sweep().await,
                _ = sweep_erased.tick() => self.sweep_erased().await,
            }
        }
    }

    /// Creates missing tables, so that they can be queried before they have rows. Unreachable lakes are reported by
    /// their shippers.
    async fn create_tables(&self) {
        for lake in &self.lakes {
            for table in Table::ALL {
                if let Err(error) = lake.log(table).await {
                    tracing::debug!(table = table.name(), %error, "could not create a table of the lake yet");
                }
            }
        }
    }

    async fn compact_and_sweep(&self) {
        let Compaction { written, merged, duplicates, failed } = self.compact().await;
        if written > 0 {
            tracing::info!(written, merged, duplicates, "compacted small files of the lake");
        }
        if failed > 0 {
            tracing::warn!(failed, "a part of the lake was not compacted; retrying in an hour");
        }
        match caught(self.sweep()).await.flatten() {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "removed files of the lake that no version needs"),
            Err(error) => tracing::warn!(%error, "could not remove old files of the lake; retrying in an hour"),
        }
    }

    async fn sweep_erased(&self) {
        for lake in &self.lakes {
            for table in Table::ALL {
                let swept = caught(async { lake.sweep_erased(table).await.map_err(|error| error.to_string()) }).await;
                if let Err(error) = swept.flatten() {
                    tracing::warn!(%error, "could not remove files of an erased person; retrying in five minutes");
                }
            }
        }
    }

    /// The ledger, with ages.
    pub(crate) fn ledger(&self) -> Vec<LedgerRow> {
        let now_us = self.clock.now().as_microsecond();
        let mut rows = ledger::rows(&self.queue.snapshot().state);
        for row in rows.iter_mut().filter(|row| row.queued > 0) {
            // An unreadable queue is reported elsewhere.
            let oldest = self.queue.oldest_us(&row.sink, row.table).ok().flatten();
            row.oldest_age_s = oldest.map(|us| u64::try_from((now_us - us) / 1_000_000).unwrap_or(0));
        }
        rows
    }

    pub(crate) fn status(&self) -> Status {
        let snapshot = self.queue.snapshot();
        let ledger = self.ledger();
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
            queue_full: self.queue.refused(),
            oldest_age_s: ledger.iter().filter_map(|row| row.oldest_age_s).max(),
            over_budget: self.budgets.refused(),
            broken: snapshot.broken,
            damaged: self.queue.damaged(),
            ledger,
            troubles: self.troubles.iter().filter_map(trouble).collect(),
            drift: self.drift.evaluate(self.clock.now_ms()),
        }
    }

    /// Updates the gauges and keeps them unchanged while `read` runs.
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
        for purpose in PRIORITIES.map(pressure::purpose) {
            let refuses = status.queue_full.iter().any(|refused| refused.purpose == purpose && refused.now);
            metrics::gauge!("touchline_datalake_refusing", "purpose" => purpose.name())
                .set(f64::from(u8::from(refuses)));
        }
        metrics::gauge!("touchline_datalake_disk_bytes").set(status.disk_bytes as f64);
        metrics::gauge!("touchline_datalake_remembered_ids").set(status.remembered_ids as f64);
        metrics::gauge!("touchline_datalake_shortened_windows").set(status.shortened_windows as f64);
        metrics::gauge!("touchline_datalake_dead_letters").set(status.dead_letters as f64);
        let compaction_failures = self.compaction_failures.load(Ordering::Relaxed);
        metrics::gauge!("touchline_datalake_compaction_failures").set(compaction_failures as f64);
        metrics::gauge!("touchline_datalake_damaged_queues").set(status.damaged.len() as f64);
        let damaged_bytes = status.damaged.iter().map(|damaged| damaged.bytes).sum::<u64>();
        metrics::gauge!("touchline_datalake_damaged_bytes").set(damaged_bytes as f64);
        metrics::gauge!("touchline_datalake_broken").set(f64::from(u8::from(status.broken.is_some())));
        drift::measure(&status.drift);
    }

    /// Compacts small files. A table that fails is logged and counted (`ANA-12`).
    pub(crate) async fn compact(&self) -> Compaction {
        let mut done = Compaction::default();
        for lake in &self.lakes {
            for table in Table::ALL {
                match caught(async { lake.compact(table).await.map_err(|error| error.to_string()) }).await.flatten() {
                    Ok(compacted) => done += compacted,
                    Err(error) => {
                        done.failed += 1;
                        tracing::warn!(table = table.name(), %error, "could not compact a table of the lake");
                    }
                }
            }
        }
        self.compaction_failures.store(done.failed, Ordering::Relaxed);
        done
    }

    /// Removes files that no table version needs.
    pub(crate) async fn sweep(&self) -> Result<u64, String> {
        let mut removed = 0;
        for lake in &self.lakes {
            for table in Table::ALL {
                removed += lake.sweep(table).await.map_err(|error| error.to_string())?;
            }
        }
        Ok(removed)
    }
}
