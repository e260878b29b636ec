//! One task for each sink and table: closes a batch, makes its bounds durable, ships it until it is accepted, and
//! settles it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use touchline_protocol::ambient::{SharedClock, SharedEntropy};

use crate::backoff;
use crate::caught::caught;
use crate::dead_letters::Refusal;
use crate::erasing::{Attempts, Erasing};
use crate::event::QueuedEvent;
use crate::options::Limits;
use crate::queue::reading::{Fill, Plan};
use crate::queue::state::OpenBatch;
use crate::queue::{Queue, SettleError, Snapshot, Stopped};
use crate::sinks::{Batch, Progress, Sink, Unavailable};
use crate::table::Table;

/// Pause before a retry when there is no space. Shipping continues within 5 s after space is freed.
const NO_SPACE_PAUSE: Duration = Duration::from_secs(2);

/// The latest failure of a sink.
#[derive(Debug, Default)]
pub(crate) struct Trouble(Mutex<Option<String>>);

impl Trouble {
    pub(crate) fn last(&self) -> Option<String> {
        self.0.lock().clone()
    }

    fn set(&self, reason: Option<String>) {
        *self.0.lock() = reason;
    }
}

/// Moves one table's events to one sink.
pub(crate) struct Shipper {
    pub(crate) queue: Queue,
    pub(crate) sink: Arc<dyn Sink>,
    pub(crate) table: Table,
    pub(crate) limits: Limits,
    pub(crate) clock: SharedClock,
    pub(crate) entropy: SharedEntropy,
    pub(crate) trouble: Arc<Trouble>,
    pub(crate) erasing: Arc<Erasing>,
    pub(crate) attempts: Arc<Attempts>,
    /// Batches close at once, because the worker is shutting down.
    pub(crate) draining: CancellationToken,
    /// Nothing new is started.
    pub(crate) stopped: CancellationToken,
}

impl Shipper {
    /// Runs until it is stopped or the queue closes.
    pub(crate) async fn run(self) {
        let stopped = self.stopped.clone();
        let shipping = async {
            let mut panics = 0;
            loop {
                match caught(self.ship_forever()).await {
                    // A stopped queue is reopened; the waiting events are read again.
                    Ok(Err(Stopped)) => {
                        if self.queue.reopened().await.is_err() {
                            return;
                        }
                    }
                    Err(why) => {
                        if self.trouble.last().is_none() {
                            panics = 0;
                        }
                        self.back_off(&mut panics, &Unavailable::because(why)).await;
                    }
                }
            }
        };
        // Stopping between any two steps is safe: a crash could do the same.
        let _ = stopped.run_until_cancelled(shipping).await;
    }

    async fn ship_forever(&self) -> Result<Infallible, Stopped> {
        loop {
            let batch = match self.open_batch() {
                Some(batch) => batch,
                None => self.close_next().await?,
            };
            self.ship(&batch).await?;
        }
    }

    fn open_batch(&self) -> Option<OpenBatch> {
        self.queue.snapshot().state.sink(self.sink.name(), self.table)?.batch.clone()
    }

    /// Waits until a batch is full or old enough, and makes its bounds durable.
    async fn close_next(&self) -> Result<OpenBatch, Stopped> {
        let mut commits = self.queue.watch();
        loop {
            commits.borrow_and_update();
            match self.plan().await {
                Some(plan) if plan.full || self.draining.is_cancelled() || plan.batch.events == 0 => {
                    self.queue.open_batch(self.sink.name(), self.table, plan.batch.clone()).await?;
                    return Ok(plan.batch);
                }
                Some(plan) => {
                    let age_us = self.clock.now().as_microsecond() - plan.oldest_us;
                    // A clock that was set back must not delay a batch by more than its maximum age.
                    let age = Duration::from_micros(u64::try_from(age_us).unwrap_or(0));
                    let remaining = self.limits.close_age.saturating_sub(age);
                    if remaining.is_zero() {
                        self.queue.open_batch(self.sink.name(), self.table, plan.batch.clone()).await?;
                        return Ok(plan.batch);
                    }
                    tokio::select! {
                        () = sleep(remaining) => {}
                        () = self.wait_for_full_batch(&mut commits, plan.full_at_bytes) => {}
                        () = self.draining.cancelled() => {}
                    }
                }
                None => {
                    tokio::select! {
                        changed = commits.changed() => changed.map_err(|_| Stopped)?,
                        () = self.stopped.cancelled() => return Err(Stopped),
                    }
                }
            }
        }
    }

    /// Waits until enough events or bytes are queued for a full batch. Dead letters requeued for other sinks count too,
    /// so the batch may turn out not to be full yet.
    async fn wait_for_full_batch(&self, commits: &mut watch::Receiver<Snapshot>, full_at_bytes: u64) {
        let enough = |snapshot: &Snapshot| {
            snapshot.state.queued(self.sink.name(), self.table) >= self.limits.close_events
                || snapshot.state.table(self.table).queued_bytes >= full_at_bytes
        };
        if commits.wait_for(enough).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Plans the next batch. Read failures are reported and retried.
    async fn plan(&self) -> Option<Plan> {
        let fill = Fill { events: self.limits.close_events, bytes: self.limits.close_bytes };
        let mut failures = 0;
        loop {
            let (queue, sink, table) = (self.queue.clone(), Arc::clone(&self.sink), self.table);
            match tokio::task::spawn_blocking(move || queue.plan(sink.name(), table, fill)).await {
                Ok(Ok(plan)) => return plan,
                Ok(Err(e)) => {
                    self.queue.note(&e);
                    self.back_off(&mut failures, &Unavailable::because(e.to_string())).await;
                }
                Err(e) => self.back_off(&mut failures, &Unavailable::because(e.to_string())).await,
            }
        }
    }

    /// Ships an unchanged batch until it is settled.
    async fn ship(&self, bounds: &OpenBatch) -> Result<(), Stopped> {
        let mut progress = Progress::default();
        let mut erasures = 0;
        let mut failures = 0;
        loop {
            let done = progress.count();
            match self.try_once(bounds, &mut progress, &mut erasures).await {
                Ok(()) => {
                    self.trouble.set(None);
                    return Ok(());
                }
                Err(AttemptError::Stopped) => return Err(Stopped),
                Err(AttemptError::Again(unavailable)) => {
                    // A sink that accepted some events is lossy, not unreachable.
                    if progress.count() > done {
                        failures = 0;
                    }
                    self.back_off(&mut failures, &unavailable).await;
                }
            }
        }
    }

    /// `erasures` is the number of erasures before the previous attempt.
    async fn try_once(
        &self,
        bounds: &OpenBatch,
        progress: &mut Progress,
        erasures: &mut u64,
    ) -> Result<(), AttemptError> {
        let _attempt = self.attempts.begin().await;
        self.notice_erasures(*self.erasing.count.read().await, progress, erasures);
        let mut events = Arc::default();
        if bounds.events > 0 {
            events = Arc::new(self.read(bounds).await?);
            let batch = Batch { table: self.table, bounds, events: Arc::clone(&events) };
            self.sink.ship(&batch, progress).await.map_err(AttemptError::Again)?;
        }
        // Nobody is erased from the queue until the refused events are dead letters.
        let count = self.erasing.count.read().await;
        if self.notice_erasures(*count, progress, erasures) && !progress.refused.is_empty() {
            events = Arc::new(self.read(bounds).await?);
        }
        let refused = refusals(&events, progress);
        self.queue.settle(self.sink.name(), self.table, refused).await.map_err(|e| match e {
            SettleError::Queue(_) => AttemptError::Stopped,
            full @ SettleError::TooManyDeadLetters(_) => AttemptError::Again(Unavailable::because(full.to_string())),
        })
    }

    /// Returns whether the queue was changed by an erasure since `erasures`. The details of refused events may contain
    /// the person.
    fn notice_erasures(&self, count: u64, progress: &mut Progress, erasures: &mut u64) -> bool {
        let is_changed = std::mem::replace(erasures, count) != count;
        if is_changed {
            progress.forget_details();
        }
        is_changed
    }

    /// Reads the events again for each attempt: an erasure may have changed them.
    async fn read(&self, bounds: &OpenBatch) -> Result<Vec<(u64, QueuedEvent)>, AttemptError> {
        let (queue, sink, table, bounds) = (self.queue.clone(), Arc::clone(&self.sink), self.table, bounds.clone());
        match tokio::task::spawn_blocking(move || queue.read(sink.name(), table, &bounds)).await {
            Ok(Ok(events)) => Ok(events),
            Ok(Err(e)) => {
                self.queue.note(&e);
                Err(AttemptError::Again(Unavailable::because(e.to_string())))
            }
            Err(e) => Err(AttemptError::Again(Unavailable::because(e.to_string()))),
        }
    }

    async fn back_off(&self, failures: &mut u32, unavailable: &Unavailable) {
        if self.queue.snapshot().broken.is_some() {
            // A queue that cannot be read is not the sink's fault.
            if self.queue.reopened().await.is_err() {
                sleep(NO_SPACE_PAUSE).await;
            }
            return;
        }
        *failures = failures.saturating_add(1);
        if touchline_disk::is_passing_text(&unavailable.reason) || unavailable.no_space {
            // The disk monitor logs it once.
            self.trouble.set(Some(unavailable.reason.clone()));
            tracing::debug!(sink = self.sink.name(), reason = %unavailable.reason, "a sink has no space");
            sleep(NO_SPACE_PAUSE).await;
            return;
        }
        let wait = backoff::wait(*failures, &*self.entropy).max(unavailable.after.unwrap_or_default());
        tracing::warn!(
            sink = self.sink.name(),
            table = self.table.name(),
            failures,
            wait_ms = wait.as_millis(),
            reason = %unavailable.reason,
            "a sink did not accept a batch; retrying"
        );
        metrics::counter!("touchline_datalake_sink_failures_total", "sink" => self.sink.name().to_owned()).increment(1);
        self.trouble.set(Some(unavailable.reason.clone()));
        sleep(wait).await;
    }
}

/// The refused events, as last read.
fn refusals(events: &[(u64, QueuedEvent)], progress: &Progress) -> Vec<Refusal> {
    let refusal = |(offset, event): &(u64, QueuedEvent)| {
        let refused = progress.refused.get(offset)?;
        Some(Refusal { event: event.clone(), reason: refused.reason, detail: refused.detail.clone() })
    };
    events.iter().filter_map(refusal).collect()
}

enum AttemptError {
    Again(Unavailable),
    Stopped,
}

#[cfg(test)]
mod tests;
