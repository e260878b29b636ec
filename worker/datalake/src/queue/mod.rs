//! The durable queue. An acknowledged event is on disk, and leaves the queue only when every sink has settled it.
//!
//! Only one thread writes ([`writer`]). All others send it commands and read copies of the small state. Requests that
//! wait share one commit.
//!
//! | module | content |
//! |---|---|
//! | [`store`] | an ordered map with durable commits |
//! | [`sled_store`] | its implementation with sled |
//! | [`folder`], [`damaged`] | finding the current database; moving damaged ones aside |
//! | [`keys`], [`ids`], [`chunk`](crate::chunk) | keys of the store, and how ids and events are packed |
//! | [`state`] | progress of the queue and of each sink |
//! | [`open`], [`moved`] | reading the queue at start; added and removed sinks; a lake that moved |
//! | [`writer`], [`write_batch`] | the writer thread, and the changes of one commit |
//! | [`viewings`], [`daily_counts`] | rows that the queue derives from events |
//! | [`requeue`], [`redact`], [`rotate`] | requeueing dead letters; removing people; moving to a fresh folder |
//! | [`reopen`] | recovery from a failed write |
//! | [`reading`] | reads for sinks |

mod daily_counts;
pub(crate) mod damaged;
pub(crate) mod folder;
mod ids;
mod keys;
mod moved;
mod open;
mod open_counts;
mod open_viewings;
pub(crate) mod reading;
mod redact;
mod reopen;
mod requeue;
mod rotate;
mod sled_store;
pub(crate) mod state;
pub(crate) mod store;
mod viewings;
mod write_batch;
mod writer;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::RwLock;
use tokio::sync::{mpsc, oneshot, watch};
use touchline_disk::{Refusals, Refused};

use crate::dead_letters::{self, DeadLetter, DeadLetterFilter, Refusal, Requeued};
use crate::erase::Person;
use crate::table::{Priority, Table};
use crate::viewings::quality::{self, Figures, Quality, Watched};
use damaged::DamagedQueue;
use state::{OpenBatch, State};
use store::{Store, StoreError};

pub(crate) use open::{Opened, open};

/// An event to queue.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) table: Table,
    pub(crate) priority: Priority,
    pub(crate) event: crate::event::QueuedEvent,
    /// It waited longer than ids are remembered.
    pub(crate) too_old: bool,
}

/// The outcome for a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is durable.
    Accepted,
    /// Its id was accepted before.
    Duplicate,
    /// It became a dead letter.
    TooOld,
    /// The queue has no room for its priority.
    Full,
    /// The disk has no space for its priority.
    NoSpace,
    /// Its sender has used its hourly budget. Seconds until a retry can succeed.
    OverBudget(u64),
    /// The queue does not accept writes, or is too busy.
    Unavailable,
}

/// A batch could not be settled.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum SettleError {
    /// It would add too many dead letters.
    #[error("there are {0} dead letters, the maximum: requeue them or raise the limit")]
    TooManyDeadLetters(u64),
    #[error(transparent)]
    Queue(#[from] Stopped),
}

/// The queue accepts no writes: it was closed, or is being reopened after a failed write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the queue accepts no writes")]
pub(crate) struct Stopped;

/// State published to readers after each commit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    pub(crate) state: Arc<State>,
    pub(crate) epoch: String,
    pub(crate) disk_bytes: u64,
    pub(crate) remembered_ids: u64,
    /// Windows of remembered ids that ended early.
    pub(crate) shortened_windows: u64,
    /// Why the queue accepts no writes while it is being reopened.
    pub(crate) broken: Option<String>,
    /// Why it will not accept writes again in this process.
    pub(crate) ended: Option<String>,
}

enum Command {
    Accept { events: Vec<Candidate>, reply: oneshot::Sender<Vec<Verdict>> },
    Open { sink: String, table: Table, batch: OpenBatch, reply: oneshot::Sender<()> },
    Settle { sink: String, table: Table, refused: Vec<Refusal>, reply: oneshot::Sender<Result<(), SettleError>> },
    Requeue { filter: DeadLetterFilter, reply: oneshot::Sender<Requeued> },
    Redact { people: Vec<Person>, reply: oneshot::Sender<Vec<u64>> },
    EndViewings { reply: oneshot::Sender<()> },
    Close,
}

/// Commands that may wait for the writer. Further requests are refused.
const MAX_WAITING_COMMANDS: usize = 1024;

/// A handle to the queue.
#[derive(Clone)]
pub(crate) struct Queue {
    commands: mpsc::Sender<Command>,
    store: Arc<RwLock<Arc<dyn Store>>>,
    snapshot: watch::Receiver<Snapshot>,
    folder: PathBuf,
    /// The worker's name.
    node: Arc<str>,
    figures: Arc<RwLock<Vec<Figures>>>,
    refusals: Arc<Refusals>,
}

impl Queue {
    /// Queues events. Returns when they are durable.
    pub(crate) async fn accept(&self, events: Vec<Candidate>) -> Vec<Verdict> {
        let count = events.len();
        let (reply, answer) = oneshot::channel();
        match self.commands.try_send(Command::Accept { events, reply }) {
            Ok(()) => answer.await.unwrap_or_else(|_| vec![Verdict::Unavailable; count]),
            Err(_) => vec![Verdict::Unavailable; count],
        }
    }

    async fn request<T>(&self, command: impl FnOnce(oneshot::Sender<T>) -> Command) -> Result<T, Stopped> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(command(reply)).await.map_err(|_| Stopped)?;
        answer.await.map_err(|_| Stopped)
    }

    /// Makes a batch's bounds durable.
    pub(crate) async fn open_batch(&self, sink: &str, table: Table, batch: OpenBatch) -> Result<(), Stopped> {
        let sink = sink.to_owned();
        self.request(|reply| Command::Open { sink, table, batch, reply }).await
    }

    /// Settles the open batch. Events not in `refused` were shipped.
    pub(crate) async fn settle(&self, sink: &str, table: Table, refused: Vec<Refusal>) -> Result<(), SettleError> {
        let sink = sink.to_owned();
        self.request(|reply| Command::Settle { sink, table, refused, reply }).await?
    }

    pub(crate) async fn requeue(&self, filter: DeadLetterFilter) -> Result<Requeued, Stopped> {
        self.request(|reply| Command::Requeue { filter, reply }).await
    }

    /// Removes people from queued events and dead letters. Returns how many changed, for each person.
    pub(crate) async fn redact(&self, people: Vec<Person>) -> Result<Vec<u64>, Stopped> {
        self.request(|reply| Command::Redact { people, reply }).await
    }

    /// Writes the rows of finished viewings, and the counts of days that have ended.
    pub(crate) async fn end_viewings(&self) -> Result<(), Stopped> {
        self.request(|reply| Command::EndViewings { reply }).await
    }

    /// Current playback quality, as of the last [`Queue::end_viewings`].
    pub(crate) fn quality(&self, label: impl Fn(&Watched) -> Option<String>) -> Vec<Quality> {
        quality::by_content(&self.figures.read(), label)
    }

    /// Events refused because the queue was full, since the start.
    pub(crate) fn refused(&self) -> Vec<Refused> {
        self.refusals.list()
    }

    /// Stops the writer after it has handled all earlier commands.
    pub(crate) async fn close(&self) {
        // A writer that has already stopped counts as closed.
        let _ = self.commands.send(Command::Close).await;
        self.commands.closed().await;
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        self.snapshot.borrow().clone()
    }

    /// Notifies of each commit.
    pub(crate) fn watch(&self) -> watch::Receiver<Snapshot> {
        self.snapshot.clone()
    }

    /// Whether the writer was closed or has stopped.
    pub(crate) fn is_closed(&self) -> bool {
        self.commands.is_closed()
    }

    /// Waits while the queue is being reopened.
    pub(crate) async fn reopened(&self) -> Result<(), Stopped> {
        let mut commits = self.snapshot.clone();
        let opened = commits.wait_for(|snapshot| snapshot.broken.is_none()).await;
        if opened.is_err() || self.is_closed() { Err(Stopped) } else { Ok(()) }
    }

    /// Waits until the queue fails permanently, and returns the reason. Never returns if the queue is closed normally.
    pub(crate) async fn gave_up(&self) -> String {
        let mut commits = self.snapshot.clone();
        let ended = commits.wait_for(|snapshot| snapshot.ended.is_some()).await.map(|snapshot| snapshot.ended.clone());
        match ended {
            Ok(Some(why)) => why,
            _ => std::future::pending().await,
        }
    }

    /// Marks a queue that was found damaged, so that the next start moves it aside.
    pub(crate) fn note(&self, error: &StoreError) {
        if matches!(error, StoreError::Corrupt(_)) {
            folder::mark(&self.folder.join(folder::name(&self.snapshot.borrow().epoch)), &error.to_string());
        }
    }

    /// The damaged queues that were moved aside.
    pub(crate) fn damaged(&self) -> Vec<DamagedQueue> {
        damaged::list(&self.folder)
    }

    fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store.read())
    }

    /// Returns how many dead letters match, and a page of them, ordered by sink, table and id.
    pub(crate) fn dead_letters(
        &self,
        filter: &DeadLetterFilter,
        limit: usize,
        offset: usize,
    ) -> Result<(u64, Vec<DeadLetter>), StoreError> {
        let mut total = 0_usize;
        let mut letters = Vec::new();
        self.store().scan(b"d", b"e", &mut |key, value| {
            if let Some((sink, table, id)) = keys::read_dead_letter(key)
                && filter.matches(sink, table, id)
            {
                if total >= offset
                    && letters.len() < limit
                    && let Some((refusal, died_us)) = dead_letters::decode(value)
                {
                    letters.push(dead_letters::present(sink, table, refusal, died_us));
                }
                total += 1;
            }
            ControlFlow::Continue(())
        })?;
        Ok((total as u64, letters))
    }
}
