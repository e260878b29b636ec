//! The public handle of the datalake.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use touchline_protocol::ambient::{SharedClock, SharedEntropy};

use crate::budget::Budgets;
use crate::dead_letters::{DeadLetter, DeadLetterFilter, Requeued};
use crate::drift::Drift;
use crate::erase::{EraseError, Erased, Person};
use crate::erasing::{Erasing, Waiting};
use crate::lake::Lake;
use crate::lake::compaction::Compaction;
use crate::ledger::{self, LedgerRow};
use crate::options::Limits;
use crate::queue::{Candidate, Queue, Verdict};
use crate::sales::{Claims, Sales};
use crate::shipper::Trouble;
use crate::status::Status;
use crate::table::Table;
use crate::viewings::quality::{Quality, Watched};

/// Bytes that an event occupies on disk besides its body: its id and times.
const EVENT_EXTRA: u64 = 64;

/// The sender of a request: an address, or the network of one household. The server sets it as a request extension;
/// without it no budget applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sender(pub u128);

/// The largest page of dead letters.
const MAX_PAGE: usize = 1000;

/// An operator's request failed.
#[derive(Debug, thiserror::Error)]
pub enum OperationError {
    /// The queue no longer accepts writes.
    #[error("the queue no longer accepts writes")]
    QueueStopped,
    /// The queue or a lake could not be read.
    #[error("{0}")]
    Unreadable(String),
}

/// Handle to the datalake. Clones are cheap and share one datalake.
#[derive(Clone)]
pub struct Datalake(pub(crate) Arc<Inner>);

impl std::fmt::Debug for Datalake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Datalake").field("node", &self.0.node).finish_non_exhaustive()
    }
}

pub(crate) struct Inner {
    pub(crate) limits: Limits,
    pub(crate) clock: SharedClock,
    pub(crate) entropy: SharedEntropy,
    pub(crate) node: String,
    pub(crate) queue: Queue,
    pub(crate) lakes: Vec<Lake>,
    pub(crate) troubles: Vec<(String, Table, Arc<Trouble>)>,
    pub(crate) erasing: Arc<Erasing>,
    pub(crate) budgets: Budgets,
    pub(crate) drift: Drift,
    /// Looks up sales, to distinguish real ones from claims.
    pub(crate) sales: OnceLock<Arc<dyn Sales>>,
    pub(crate) claims: Claims,
    /// Failures of the last compaction.
    pub(crate) compaction_failures: AtomicU64,
    /// Permits for the KiB of memory that requests may use while they wait for the disk.
    pub(crate) waiting: Semaphore,
    /// Held while the gauges are updated or read.
    pub(crate) measuring: Mutex<()>,
    pub(crate) closing: AtomicBool,
    pub(crate) draining: CancellationToken,
    pub(crate) stopped: CancellationToken,
    pub(crate) tasks: TaskTracker,
    pub(crate) writer: Mutex<Option<std::thread::JoinHandle<()>>>,
}

impl Datalake {
    /// Returns `Ok` while events are acknowledged, otherwise the reason.
    pub fn ready(&self) -> Result<(), String> {
        if self.0.closing.load(Ordering::Relaxed) {
            return Err("the datalake is closing".to_owned());
        }
        self.0.queue.snapshot().broken.map_or(Ok(()), Err)
    }

    /// Waits until the queue cannot be reopened after a failed write, and returns the reason. The worker has to exit
    /// then.
    pub async fn gave_up(&self) -> String {
        self.0.queue.gave_up().await
    }

    /// Lets `sales` decide which sales events are genuine. Only those use the room reserved for sales. Without it every
    /// one counts as genuine.
    pub fn set_sales(&self, sales: Arc<dyn Sales>) {
        // Only the first one is used.
        let _ = self.0.sales.set(sales);
    }

    /// The quality of playback a few seconds ago, grouped by the `label` of each content, those with the most viewers
    /// first. Contents without a label share one line.
    pub fn quality(&self, label: impl Fn(&Watched) -> Option<String>) -> Vec<Quality> {
        self.0.queue.quality(label)
    }

    /// The current status.
    pub fn status(&self) -> Status {
        self.0.status()
    }

    /// The ledger: one row for each sink and table.
    pub fn ledger(&self) -> Vec<LedgerRow> {
        self.0.ledger()
    }

    /// Updates the metrics, then reads them with `read`. The values belong to one moment, so the ledger in them
    /// balances.
    pub fn measured<T>(&self, read: impl FnOnce() -> T) -> T {
        self.0.measured(read)
    }

    /// Returns how many dead letters match, and a page of at most 1,000 of them, ordered by sink, table and id.
    pub async fn dead_letters(
        &self,
        filter: DeadLetterFilter,
        limit: usize,
        offset: usize,
    ) -> Result<(u64, Vec<DeadLetter>), OperationError> {
        let queue = self.0.queue.clone();
        tokio::task::spawn_blocking(move || queue.dead_letters(&filter, limit.min(MAX_PAGE), offset))
            .await
            .map_err(|e| OperationError::Unreadable(e.to_string()))?
            .map_err(|e| OperationError::Unreadable(e.to_string()))
    }

    /// Requeues dead letters for the sink that refused them.
    pub async fn requeue(&self, filter: DeadLetterFilter) -> Result<Requeued, OperationError> {
        self.0.queue.requeue(filter).await.map_err(|_| OperationError::QueueStopped)
    }

    /// Removes a person from the queue, the dead letters and the lakes. Events that were already sent to an HTTP sink
    /// are not affected. Safe to repeat.
    pub async fn erase_person(&self, person: Person) -> Result<Erased, EraseError> {
        self.0.erase(person.checked()?).await
    }

    /// Compacts small files, as the hourly task does. Fails if a part of them failed; the others are compacted.
    pub async fn compact(&self) -> Result<Compaction, OperationError> {
        let done = self.0.compact().await;
        match done.failed {
            0 => Ok(done),
            failed => Err(OperationError::Unreadable(format!("compaction failures: {failed}; the log names them"))),
        }
    }

    /// Writes the rows of finished viewings, as the task does every five seconds.
    pub async fn end_viewings(&self) -> Result<(), OperationError> {
        self.0.queue.end_viewings().await.map_err(|_| OperationError::QueueStopped)
    }

    /// Removes files that no table version needs, as the hourly task does. Returns how many.
    pub async fn sweep(&self) -> Result<u64, OperationError> {
        self.0.sweep().await.map_err(OperationError::Unreadable)
    }

    /// Stops accepting events, ships the queue for at most `deadline`, and closes it. The remaining events are shipped
    /// after the next start.
    pub async fn shutdown(&self, deadline: Duration) {
        let inner = &self.0;
        inner.closing.store(true, Ordering::Relaxed);
        inner.draining.cancel();
        let mut commits = inner.queue.watch();
        let empty = commits.wait_for(|snapshot| ledger::rows(&snapshot.state).iter().all(|row| row.queued == 0));
        if timeout(deadline, empty).await.is_err() {
            tracing::info!("the datalake closed with events in its queue; they are shipped after the next start");
        }
        self.stop().await;
    }

    /// Closes the queue at once. Queued events are shipped after the next start.
    pub async fn stop(&self) {
        let inner = &self.0;
        inner.closing.store(true, Ordering::Relaxed);
        inner.stopped.cancel();
        inner.tasks.close();
        inner.tasks.wait().await;
        inner.queue.close().await;
        let writer = inner.writer.lock().take();
        if let Some(writer) = writer {
            // A writer that panicked has already logged it.
            let _ = tokio::task::spawn_blocking(move || writer.join()).await;
        }
    }
}

impl Inner {
    /// Erases a person together with all others who wait.
    pub(crate) async fn erase(self: &Arc<Self>, person: Person) -> Result<Erased, EraseError> {
        let (reply, erased) = oneshot::channel();
        self.erasing.waiting.lock().push(Waiting { person, reply });
        // In its own task, because other people's erasures depend on it.
        let inner = Arc::clone(self);
        self.tasks.spawn(async move {
            inner.stopped.run_until_cancelled(inner.erase_waiting()).await;
        });
        match self.stopped.run_until_cancelled(erased).await {
            Some(Ok(erased)) => erased,
            _ => Err(EraseError::QueueStopped),
        }
    }

    async fn erase_waiting(&self) {
        let _running = self.erasing.running.lock().await;
        let waiting = std::mem::take(&mut *self.erasing.waiting.lock());
        let (people, replies): (Vec<_>, Vec<_>) =
            waiting.into_iter().map(|waiting| (waiting.person, waiting.reply)).unzip();
        if people.is_empty() {
            return;
        }
        let results = match self.erase_all(people).await {
            Ok(erased) => erased.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error); replies.len()],
        };
        for (reply, result) in replies.into_iter().zip(results) {
            // A client that hung up needs no answer.
            let _ = reply.send(result);
        }
    }

    async fn erase_all(&self, people: Vec<Person>) -> Result<Vec<Erased>, EraseError> {
        let queued = {
            let mut count = self.erasing.count.write().await;
            *count += 1;
            self.queue.redact(people.clone()).await.map_err(|_| EraseError::QueueStopped)?
        };
        self.erasing.running_attempts_end().await;
        let mut erased: Vec<_> = queued.into_iter().map(|queued| Erased { queued, ..Erased::default() }).collect();
        for lake in &self.lakes {
            let from_lake = lake.erase(&people).await?;
            erased = erased.into_iter().zip(from_lake).map(|(before, more)| before + more).collect();
        }
        Ok(erased)
    }

    /// Queues as many events as the sender's budget allows and defers the rest.
    pub(crate) async fn accept_from(&self, sender: Option<Sender>, mut candidates: Vec<Candidate>) -> Vec<Verdict> {
        if let Some(sales) = self.sales.get() {
            self.claims.verify(&**sales, &mut candidates).await;
        }
        let Some(sender) = sender else { return self.accept(candidates).await };
        let sizes: Vec<_> =
            candidates.iter().map(|candidate| candidate.event.body.len() as u64 + EVENT_EXTRA).collect();
        let admission = self.budgets.admit(sender.0, &sizes, self.clock.steady_ms());
        let over = candidates.split_off(admission.events);
        let mut verdicts = self.accept(candidates).await;
        verdicts.extend(over.iter().map(|_| Verdict::OverBudget(admission.retry_after_s)));
        verdicts
    }

    /// Queues candidates, unless the worker is shutting down.
    pub(crate) async fn accept(&self, candidates: Vec<Candidate>) -> Vec<Verdict> {
        let count = candidates.len();
        if count == 0 {
            return Vec::new();
        }
        if self.closing.load(Ordering::Relaxed) {
            return vec![Verdict::Unavailable; count];
        }
        // Rounded up for each event, which covers its overhead.
        let kib: usize = candidates.iter().map(|candidate| candidate.event.body.len() / 1024 + 1).sum();
        let Ok(_permits) = self.waiting.try_acquire_many(u32::try_from(kib).unwrap_or(u32::MAX)) else {
            return vec![Verdict::Unavailable; count];
        };
        timeout(self.limits.answer_within, self.queue.accept(candidates))
            .await
            .unwrap_or_else(|_| vec![Verdict::Unavailable; count])
    }
}
