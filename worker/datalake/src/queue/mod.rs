//! The durable queue: what was acknowledged is on disk and leaves it only when every sink has settled it.
//!
//! One thread writes ([`writer`]); everyone else sends it commands and reads copies of the small state. Many waiting
//! requests share one commit.
//!
//! | module | what |
//! |---|---|
//! | [`store`] | the narrow floor: an ordered map with durable commits |
//! | [`sled_store`] | sled as that floor |
//! | [`folder`], [`damaged`] | which database is the queue; moving damage aside |
//! | [`keys`], [`ids`], [`chunk`](crate::chunk) | where things stand in the store, and how events and ids are packed |
//! | [`state`] | how far the queue and each sink are |
//! | [`open`] | reading it back at start, sinks that came and went |
//! | [`writer`], [`write_batch`] | the one thread that changes anything, and what it changes together |
//! | [`requeue`], [`redact`], [`rotate`] | putting dead letters back; removing a person; moving to a fresh folder |
//! | [`reopen`] | going on after a write that failed |
//! | [`reading`] | what sinks read |

pub(crate) mod damaged;
pub(crate) mod folder;
mod ids;
mod keys;
mod open;
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

use crate::dead_letters::{self, DeadLetter, DeadLetterFilter, Refusal, Requeued};
use crate::erase::Person;
use crate::table::{Priority, Table};
use crate::viewings::quality::{self, Figures, Quality, Watched};
use damaged::DamagedQueue;
use state::{OpenBatch, State};
use store::{Store, StoreError};

pub(crate) use open::{Opened, open};

/// An event that asks to be queued.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) table: Table,
    pub(crate) priority: Priority,
    pub(crate) event: crate::event::QueuedEvent,
    /// It waited longer than ids are remembered.
    pub(crate) too_old: bool,
}

/// What became of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is truly on disk.
    Accepted,
    /// Its id was accepted before.
    Duplicate,
    /// It is a dead letter now.
    TooOld,
    /// There is no room for its kind in the queue.
    Full,
    /// There is no space for its kind on the disk.
    NoSpace,
    /// Its sender sent more than an hour's bytes; worth trying again after so many seconds.
    OverBudget(u64),
    /// The queue no longer writes, or is too busy.
    Unavailable,
}

/// Why a batch could not be settled.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum SettleError {
    /// The dead letters that it would add are too many.
    #[error("there are {0} dead letters, as many as may be: put them back, or raise the limit")]
    TooManyDeadLetters(u64),
    /// The queue no longer writes.
    #[error(transparent)]
    Queue(#[from] Stopped),
}

/// The queue does not write: it was closed, or a write failed and it is being opened anew.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the queue does not write")]
pub(crate) struct Stopped;

/// What readers see, after each commit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    pub(crate) state: Arc<State>,
    pub(crate) epoch: String,
    pub(crate) disk_bytes: u64,
    pub(crate) remembered_ids: u64,
    /// Windows of remembered ids that ended early.
    pub(crate) shortened_windows: u64,
    /// Why the queue does not write at the moment: it is being opened anew.
    pub(crate) broken: Option<String>,
    /// Why it will not write again in this process.
    pub(crate) ended: Option<String>,
}

enum Command {
    Accept { events: Vec<Candidate>, reply: oneshot::Sender<Vec<Verdict>> },
    Open { sink: String, table: Table, batch: OpenBatch, reply: oneshot::Sender<()> },
    Settle { sink: String, table: Table, refused: Vec<Refusal>, reply: oneshot::Sender<Result<(), SettleError>> },
    Requeue { filter: DeadLetterFilter, reply: oneshot::Sender<Requeued> },
    Redact { person: Person, reply: oneshot::Sender<u64> },
    EndViewings { reply: oneshot::Sender<()> },
    Close,
}

/// Commands that may wait for the writer; beyond that a request is told to come again.
const WAITING_COMMANDS: usize = 1024;

/// A handle on the queue.
#[derive(Clone)]
pub(crate) struct Queue {
    commands: mpsc::Sender<Command>,
    store: Arc<RwLock<Arc<dyn Store>>>,
    snapshot: watch::Receiver<Snapshot>,
    folder: PathBuf,
    /// The worker's name.
    node: Arc<str>,
    figures: Arc<RwLock<Vec<Figures>>>,
}

impl Queue {
    /// Queues events; answers when they are on disk.
    pub(crate) async fn accept(&self, events: Vec<Candidate>) -> Vec<Verdict> {
        let count = events.len();
        let (reply, answer) = oneshot::channel();
        match self.commands.try_send(Command::Accept { events, reply }) {
            Ok(()) => answer.await.unwrap_or_else(|_| vec![Verdict::Unavailable; count]),
            Err(_) => vec![Verdict::Unavailable; count],
        }
    }

    async fn ask<T>(&self, command: impl FnOnce(oneshot::Sender<T>) -> Command) -> Result<T, Stopped> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(command(reply)).await.map_err(|_| Stopped)?;
        answer.await.map_err(|_| Stopped)
    }

    /// Makes a batch's bounds durable.
    pub(crate) async fn open_batch(&self, sink: &str, table: Table, batch: OpenBatch) -> Result<(), Stopped> {
        let sink = sink.to_owned();
        self.ask(|reply| Command::Open { sink, table, batch, reply }).await
    }

    /// Settles the open batch: what is not in `refused` was shipped.
    pub(crate) async fn settle(&self, sink: &str, table: Table, refused: Vec<Refusal>) -> Result<(), SettleError> {
        let sink = sink.to_owned();
        self.ask(|reply| Command::Settle { sink, table, refused, reply }).await?
    }

    /// Puts dead letters back.
    pub(crate) async fn requeue(&self, filter: DeadLetterFilter) -> Result<Requeued, Stopped> {
        self.ask(|reply| Command::Requeue { filter, reply }).await
    }

    /// Removes a person from what waits and from dead letters; gives how many events changed.
    pub(crate) async fn redact(&self, person: Person) -> Result<u64, Stopped> {
        self.ask(|reply| Command::Redact { person, reply }).await
    }

    /// Writes the rows of viewings that are over.
    pub(crate) async fn end_viewings(&self) -> Result<(), Stopped> {
        self.ask(|reply| Command::EndViewings { reply }).await
    }

    /// How well what is watched plays, as of the last [`Queue::end_viewings`].
    pub(crate) fn quality(&self, label: impl Fn(&Watched) -> Option<String>) -> Vec<Quality> {
        quality::by_content(&self.figures.read(), label)
    }

    /// Ends the writer; it finishes what it was told before.
    pub(crate) async fn close(&self) {
        // A writer that is already gone is closed.
        let _ = self.commands.send(Command::Close).await;
        self.commands.closed().await;
    }

    /// What readers see now.
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.snapshot.borrow().clone()
    }

    /// Tells of each commit.
    pub(crate) fn watch(&self) -> watch::Receiver<Snapshot> {
        self.snapshot.clone()
    }

    /// Whether its writer was closed, or ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.commands.is_closed()
    }

    /// Waits while the queue is being opened anew.
    pub(crate) async fn opened_again(&self) -> Result<(), Stopped> {
        let mut commits = self.snapshot.clone();
        let opened = commits.wait_for(|snapshot| snapshot.broken.is_none()).await;
        if opened.is_err() || self.is_closed() { Err(Stopped) } else { Ok(()) }
    }

    /// Waits until the queue gives up, and tells why; for ever where it was closed as it should be.
    pub(crate) async fn gave_up(&self) -> String {
        let mut commits = self.snapshot.clone();
        let ended = commits.wait_for(|snapshot| snapshot.ended.is_some()).await.map(|snapshot| snapshot.ended.clone());
        match ended {
            Ok(Some(why)) => why,
            _ => std::future::pending().await,
        }
    }

    /// Has a queue that was read as damaged moved aside at the next start.
    pub(crate) fn note(&self, error: &StoreError) {
        if matches!(error, StoreError::Corrupt(_)) {
            folder::mark(&self.folder.join(folder::name(&self.snapshot.borrow().epoch)), &error.to_string());
        }
    }

    /// The damaged queues that stand beside this one.
    pub(crate) fn damaged(&self) -> Vec<DamagedQueue> {
        damaged::standing(&self.folder)
    }

    fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store.read())
    }

    /// Dead letters that match, in the order of sink, table and id, with how many there are in all.
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
