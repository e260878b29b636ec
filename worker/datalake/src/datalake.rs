//! The datalake as the worker holds it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio::sync::{RwLock, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use touchline_protocol::ambient::{SharedClock, SharedEntropy};
use uuid::Uuid;

use crate::budget::Budgets;
use crate::dead_letters::{DeadLetter, DeadLetterFilter, Requeued};
use crate::drift::Drift;
use crate::erase::{EraseError, Erased, Person};
use crate::event::QueuedEvent;
use crate::lake::Lake;
use crate::lake::join::Joined;
use crate::ledger::{self, LedgerRow};
use crate::options::Limits;
use crate::queue::{Candidate, Queue, Verdict};
use crate::sales::{Claims, Sales};
use crate::shipper::Trouble;
use crate::status::Status;
use crate::table::{Priority, Table};
use crate::viewings::quality::{Quality, Watched};

/// What an event takes on the disk beside its body, bytes: its id, its times.
const EVENT_EXTRA: u64 = 64;

/// Who sent a request: an address, or the network that one household has. Whoever knows that tells it by an extension
/// of the request; without it no budget is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sender(pub u128);

/// The most dead letters shown at once.
const LETTERS_SHOWN: usize = 1000;

/// A row of a table that the worker fills itself.
#[derive(Debug, Clone)]
pub struct OwnRow {
    /// The table, none of the browsers'.
    pub table: Table,
    /// Made of what the row tells, so that the same row is queued once.
    pub id: Uuid,
    /// When it happened.
    pub at: Timestamp,
    /// Its columns by name, at most [`touchline_protocol::analytics::MAX_EVENT_BYTES`] as JSON.
    pub body: Map<String, Value>,
}

/// The queue did not take a row now: it is to be given again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the analytics queue takes no row now")]
pub struct NotQueued;

/// What an operator asks for failed.
#[derive(Debug, thiserror::Error)]
pub enum OperationError {
    /// The queue no longer writes.
    #[error("the queue no longer writes")]
    QueueStopped,
    /// The queue, or a lake, could not be read.
    #[error("{0}")]
    Unreadable(String),
}

/// The datalake: cheap to clone, one behind all clones.
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
    /// How many erasures there were; held for writing by each.
    pub(crate) erasing: Arc<RwLock<u64>>,
    /// What each sender may still send.
    pub(crate) budgets: Budgets,
    pub(crate) drift: Drift,
    /// Who knows the sales, and the sales that used their room.
    pub(crate) sales: OnceLock<Arc<dyn Sales>>,
    pub(crate) claims: Claims,
    /// KiB that requests may hold in memory while they wait for the disk.
    pub(crate) waiting: Semaphore,
    /// Held while the gauges change or are read.
    pub(crate) measuring: Mutex<()>,
    pub(crate) closing: AtomicBool,
    pub(crate) draining: CancellationToken,
    pub(crate) stopped: CancellationToken,
    pub(crate) tasks: TaskTracker,
    pub(crate) writer: Mutex<Option<std::thread::JoinHandle<()>>>,
}

impl Datalake {
    /// Whether events are acknowledged; if not, why.
    pub fn ready(&self) -> Result<(), String> {
        if self.0.closing.load(Ordering::Relaxed) {
            return Err("the datalake is closing".to_owned());
        }
        self.0.queue.snapshot().broken.map_or(Ok(()), Err)
    }

    /// Waits until the queue cannot be opened anew after a failed write, and tells why: the worker has to end.
    pub async fn gave_up(&self) -> String {
        self.0.queue.gave_up().await
    }

    /// Queues rows of the worker's own, with the room that is meant for sales; they are truly on disk when it returns. A
    /// row that was queued before is not queued again.
    ///
    /// # Errors
    /// When one of them was not taken: all may be given again.
    pub async fn record(&self, rows: Vec<OwnRow>) -> Result<(), NotQueued> {
        let received_us = self.0.clock.now().as_microsecond();
        let candidate = |OwnRow { table, id, at, body }: OwnRow| {
            let occurred_us = at.as_microsecond();
            let body = Value::Object(body).to_string().into();
            let event = QueuedEvent { id, at_us: occurred_us, received_us, occurred_us, body };
            Candidate { table, priority: Priority::Purchase, event, too_old: false }
        };
        let verdicts = self.0.accept(rows.into_iter().map(candidate).collect()).await;
        let is_there = |verdict: &Verdict| matches!(verdict, Verdict::Accepted | Verdict::Duplicate);
        if verdicts.iter().all(is_there) { Ok(()) } else { Err(NotQueued) }
    }

    /// Has `sales` tell which events of sales are of sales: those alone use the room that is meant for sales. Without
    /// it each is believed.
    pub fn judge_sales_by(&self, sales: Arc<dyn Sales>) {
        // The first one judges.
        let _ = self.0.sales.set(sales);
    }

    /// The quality of playback a few seconds ago, by the `label` of each content, those with the most viewers first.
    /// Contents without a label share one line.
    pub fn quality(&self, label: impl Fn(&Watched) -> Option<String>) -> Vec<Quality> {
        self.0.queue.quality(label)
    }

    /// How the datalake is.
    pub fn status(&self) -> Status {
        self.0.status()
    }

    /// The ledger: one row for each sink and table.
    pub fn ledger(&self) -> Vec<LedgerRow> {
        self.0.ledger()
    }

    /// Brings the metrics up to date and reads them with `read`, so that what is read is of one moment: in it the ledger
    /// balances.
    pub fn measured<T>(&self, read: impl FnOnce() -> T) -> T {
        self.0.measured(read)
    }

    /// Dead letters, in the order of sink, table and id, at most 1,000 at once; and how many match in all.
    pub async fn dead_letters(
        &self,
        filter: DeadLetterFilter,
        limit: usize,
        offset: usize,
    ) -> Result<(u64, Vec<DeadLetter>), OperationError> {
        let queue = self.0.queue.clone();
        tokio::task::spawn_blocking(move || queue.dead_letters(&filter, limit.min(LETTERS_SHOWN), offset))
            .await
            .map_err(|e| OperationError::Unreadable(e.to_string()))?
            .map_err(|e| OperationError::Unreadable(e.to_string()))
    }

    /// Puts dead letters back into the queue of the sink that had refused them.
    pub async fn requeue(&self, filter: DeadLetterFilter) -> Result<Requeued, OperationError> {
        self.0.queue.requeue(filter).await.map_err(|_| OperationError::QueueStopped)
    }

    /// Removes a person from what waits, from dead letters and from the lakes. What already went to an HTTP sink is
    /// there. Doing it again is harmless.
    pub async fn erase_person(&self, person: Person) -> Result<Erased, EraseError> {
        let person = person.checked()?;
        let mut alone = self.0.erasing.write().await;
        *alone += 1;
        let queued = self.0.queue.redact(person.clone()).await.map_err(|_| EraseError::QueueStopped)?;
        let mut erased = Erased { queued, ..Erased::default() };
        for lake in &self.0.lakes {
            let from_lake = lake.erase(&person).await?;
            erased.rows += from_lake.rows;
            erased.files += from_lake.files;
            erased.passed_over += from_lake.passed_over;
        }
        Ok(erased)
    }

    /// Joins small files, as the hourly task does.
    pub async fn join(&self) -> Result<Joined, OperationError> {
        self.0.join().await.map_err(OperationError::Unreadable)
    }

    /// Writes the rows of viewings that are over, as the task does every five seconds.
    pub async fn end_viewings(&self) -> Result<(), OperationError> {
        self.0.queue.end_viewings().await.map_err(|_| OperationError::QueueStopped)
    }

    /// Removes files that no version of a table needs, as the hourly task does, and gives how many.
    pub async fn sweep(&self) -> Result<u64, OperationError> {
        self.0.sweep().await.map_err(OperationError::Unreadable)
    }

    /// Takes nothing more, ships what waits for at most `deadline`, and closes the queue; what still waits then waits
    /// for the next start.
    pub async fn shutdown(&self, deadline: Duration) {
        let inner = &self.0;
        inner.closing.store(true, Ordering::Relaxed);
        inner.draining.cancel();
        let mut commits = inner.queue.watch();
        let empty = commits.wait_for(|snapshot| ledger::rows(&snapshot.state).iter().all(|row| row.queued == 0));
        if timeout(deadline, empty).await.is_err() {
            tracing::info!("the datalake closes with events in its queue: they are shipped after the next start");
        }
        self.stop().await;
    }

    /// Closes the queue at once. Events that wait are shipped after the next start.
    pub async fn stop(&self) {
        let inner = &self.0;
        inner.closing.store(true, Ordering::Relaxed);
        inner.stopped.cancel();
        inner.tasks.close();
        inner.tasks.wait().await;
        inner.queue.close().await;
        let writer = inner.writer.lock().take();
        if let Some(writer) = writer {
            // A writer that panicked has said so already.
            let _ = tokio::task::spawn_blocking(move || writer.join()).await;
        }
    }
}

impl Inner {
    /// Queues what its sender may still send today; what it may not is put off.
    pub(crate) async fn accept_from(&self, sender: Option<Sender>, mut candidates: Vec<Candidate>) -> Vec<Verdict> {
        if let Some(sales) = self.sales.get() {
            self.claims.judge(&**sales, &mut candidates).await;
        }
        let Some(sender) = sender else { return self.accept(candidates).await };
        let sizes: Vec<_> =
            candidates.iter().map(|candidate| candidate.event.body.len() as u64 + EVENT_EXTRA).collect();
        let taken = self.budgets.take(sender.0, &sizes, self.clock.steady_ms());
        let over = candidates.split_off(taken.events);
        let mut verdicts = self.accept(candidates).await;
        verdicts.extend(over.iter().map(|_| Verdict::OverBudget(taken.retry_after_s)));
        verdicts
    }

    /// Queues candidates, unless the worker is about to end.
    pub(crate) async fn accept(&self, candidates: Vec<Candidate>) -> Vec<Verdict> {
        let count = candidates.len();
        if count == 0 {
            return Vec::new();
        }
        if self.closing.load(Ordering::Relaxed) {
            return vec![Verdict::Unavailable; count];
        }
        // Rounded up by event: what is counted is what may be held, with its surroundings.
        let kib: usize = candidates.iter().map(|candidate| candidate.event.body.len() / 1024 + 1).sum();
        let Ok(_held) = self.waiting.try_acquire_many(u32::try_from(kib).unwrap_or(u32::MAX)) else {
            return vec![Verdict::Unavailable; count];
        };
        timeout(self.limits.answer_within, self.queue.accept(candidates))
            .await
            .unwrap_or_else(|_| vec![Verdict::Unavailable; count])
    }
}
