//! The one thread that changes the queue. It takes every command that waits, commits once, and answers all of them.
//!
//! A commit that fails is the last: what is on disk is then unknown, and a second sync would lie about it. From then on
//! nothing is acknowledged until the worker is started again.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::RwLock;
use tokio::sync::{mpsc, oneshot, watch};
use touchline_protocol::ambient::{SharedClock, SharedEntropy};

use super::draft::Draft;
use super::state::{OpenBatch, State};
use super::store::{Changes, Entry, Store, StoreError, Visit};
use super::{Candidate, Command, SettleError, Snapshot, Verdict, damaged, folder, keys};
use crate::dead_letters::{DeadReason, INGEST, Refusal};
use crate::dedupe::Dedupe;
use crate::options::Limits;
use crate::pressure::Room;
use crate::table::Table;

/// Events of one commit: enough to share a sync, few enough to answer soon.
const EVENTS_PER_COMMIT: usize = 4000;

/// Called when the commit is on disk; dropped when it failed.
type Answer = Box<dyn FnOnce()>;

fn answer<T: 'static>(reply: oneshot::Sender<T>, value: T) -> Answer {
    Box::new(move || {
        // Whoever went away needs no answer.
        let _ = reply.send(value);
    })
}

/// What readers find after the end: sled, and its lock, are let go of.
struct Closed;

impl Store for Closed {
    fn commit(&self, _: Changes) -> Result<(), StoreError> {
        Err(closed())
    }

    fn get(&self, _: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Err(closed())
    }

    fn scan(&self, _: &[u8], _: &[u8], _: Visit<'_>) -> Result<(), StoreError> {
        Err(closed())
    }

    fn last_before(&self, _: &[u8]) -> Result<Option<Entry>, StoreError> {
        Err(closed())
    }

    fn disk_bytes(&self) -> Result<u64, StoreError> {
        Err(closed())
    }
}

fn closed() -> StoreError {
    StoreError::Disk("it was closed".to_owned())
}

pub(super) struct Writer {
    pub(super) folder: PathBuf,
    pub(super) epoch: String,
    pub(super) store: Arc<RwLock<Arc<dyn Store>>>,
    pub(super) state: State,
    pub(super) dedupe: Dedupe,
    pub(super) id_sequence: u64,
    pub(super) shortened_windows: u64,
    /// What the folder took after the last move to it: less is not to be had by another.
    pub(super) fresh_bytes: u64,
    pub(super) limits: Limits,
    pub(super) clock: SharedClock,
    pub(super) entropy: SharedEntropy,
    pub(super) snapshot: watch::Sender<Snapshot>,
}

impl Writer {
    /// Serves until it is told to close, or nobody can tell it anything any more.
    pub(super) fn run(mut self, mut commands: mpsc::Receiver<Command>) {
        loop {
            match self.serve_group(&mut commands) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => break,
                Err(error) => {
                    self.refuse_all(&error, &mut commands);
                    break;
                }
            }
        }
        *self.store.write() = Arc::new(Closed);
    }

    /// Says once what happened, then lets every command go unanswered.
    fn refuse_all(&self, error: &StoreError, commands: &mut mpsc::Receiver<Command>) {
        tracing::error!(%error, "the analytics queue stopped: nothing is acknowledged until the worker is restarted");
        if matches!(error, StoreError::Corrupt(_)) {
            damaged::mark(&self.folder.join(folder::name(&self.epoch)), &error.to_string());
        }
        self.snapshot.send_modify(|snapshot| snapshot.broken = Some(error.to_string()));
        while let Some(command) = commands.blocking_recv() {
            if matches!(command, Command::Close) {
                return;
            }
        }
    }

    fn serve_group(&mut self, commands: &mut mpsc::Receiver<Command>) -> Result<ControlFlow<()>, StoreError> {
        let Some(mut command) = commands.blocking_recv() else { return Ok(ControlFlow::Break(())) };
        let mut draft = self.new_draft()?;
        let mut answers: Vec<Answer> = Vec::new();
        let mut settled = false;
        let room = self.room();
        let flow = loop {
            match command {
                Command::Accept { events, reply } => {
                    let verdicts = self.accept(&mut draft, &room, events)?;
                    answers.push(answer(reply, verdicts));
                }
                Command::Open { sink, table, batch, reply } => {
                    self.open_batch(&mut draft, &sink, table, batch);
                    answers.push(answer(reply, ()));
                }
                Command::Settle { sink, table, refused, reply } => {
                    let outcome = self.settle(&mut draft, &sink, table, &refused)?;
                    settled = true;
                    answers.push(answer(reply, outcome));
                }
                Command::Requeue { filter, reply } => {
                    self.commit(std::mem::take(&mut draft), &mut answers)?;
                    let requeued = self.requeue(&filter)?;
                    answers.push(answer(reply, requeued));
                }
                Command::Redact { person, reply } => {
                    self.commit(std::mem::take(&mut draft), &mut answers)?;
                    let changed = self.redact(&person)?;
                    answers.push(answer(reply, changed));
                }
                Command::Close => break ControlFlow::Break(()),
            }
            match commands.try_recv() {
                Ok(next) if draft.count < EVENTS_PER_COMMIT => command = next,
                Ok(next) => {
                    self.commit(std::mem::take(&mut draft), &mut answers)?;
                    command = next;
                }
                Err(_) => break ControlFlow::Continue(()),
            }
        };
        self.commit(draft, &mut answers)?;
        if settled {
            self.roll_when_oversized()?;
        }
        Ok(flow)
    }

    pub(super) fn current_store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store.read())
    }

    fn now_us(&self) -> i64 {
        self.clock.now().as_microsecond()
    }

    /// A draft that begins by forgetting the ids whose window has passed.
    fn new_draft(&mut self) -> Result<Draft, StoreError> {
        let mut draft = Draft::default();
        if let Some(rotation) = self.dedupe.rotate(self.clock.now_ms()) {
            if rotation.early {
                self.shortened_windows += 1;
                tracing::warn!(ids = self.dedupe.len(), "more ids than can be remembered: a window ended early");
            }
            self.current_store().scan(&keys::ids(0, 0), &keys::ids(rotation.forget_before_ms, 0), &mut |key, _| {
                draft.changes.remove(key.to_vec());
                ControlFlow::Continue(())
            })?;
        }
        Ok(draft)
    }

    fn room(&self) -> Room {
        let free = rustix::fs::statvfs(&self.folder).map_or(u64::MAX, |volume| volume.f_bavail * volume.f_frsize);
        let Limits { queue_bytes: limit, free_bytes: keep_free, .. } = self.limits;
        Room { pending: self.state.pending_bytes(), limit, free, keep_free }
    }

    fn accept(&mut self, draft: &mut Draft, room: &Room, events: Vec<Candidate>) -> Result<Vec<Verdict>, StoreError> {
        events.into_iter().map(|candidate| self.accept_one(draft, room, candidate)).collect()
    }

    fn accept_one(&mut self, draft: &mut Draft, room: &Room, candidate: Candidate) -> Result<Verdict, StoreError> {
        let Candidate { table, priority, event, too_old } = candidate;
        if self.dedupe.knows(&event.id) {
            return Ok(Verdict::Duplicate);
        }
        if too_old {
            // Anyone may send these: they take a tenth of the room for dead letters; the others are refused unkept.
            if self.state.dead_letters < self.limits.dead_letters.div_ceil(10) && room.admits(priority, draft.bytes) {
                let refusal = Refusal { event, reason: DeadReason::TooOld, detail: String::new() };
                let new = draft.bury(&*self.current_store(), (INGEST, table), &refusal, self.now_us())?;
                self.state.dead_letters += u64::from(new);
            }
            return Ok(Verdict::TooOld);
        }
        if !room.admits(priority, draft.bytes + event.body.len() as u64) {
            return Ok(Verdict::Full);
        }
        self.dedupe.learn(event.id);
        draft.remember(event.id);
        draft.stage(table, None, &event);
        Ok(Verdict::Accepted)
    }

    fn open_batch(&mut self, draft: &mut Draft, sink: &str, table: Table, batch: OpenBatch) {
        if let Some(tables) = self.state.sinks.get_mut(sink) {
            tables[table.index()].batch = Some(batch);
            draft.touch_sink(sink, table);
        }
    }

    fn settle(
        &mut self,
        draft: &mut Draft,
        sink: &str,
        table: Table,
        refused: &[Refusal],
    ) -> Result<Result<(), SettleError>, StoreError> {
        let store = self.current_store();
        let dead = refused.len() as u64;
        if dead > 0 && self.state.dead_letters + dead > self.limits.dead_letters {
            return Ok(Err(SettleError::TooManyDeadLetters(self.state.dead_letters)));
        }
        let before = self.state.needed_from(table);
        let Some(sink_state) = self.state.sinks.get_mut(sink).map(|tables| &mut tables[table.index()]) else {
            return Ok(Ok(()));
        };
        let Some(batch) = sink_state.batch.take() else { return Ok(Ok(())) };
        sink_state.cursor = batch.last + 1;
        sink_state.foreign = sink_state.foreign.saturating_sub(batch.last + 1 - batch.first - batch.events);
        sink_state.shipped += batch.events.saturating_sub(dead);
        sink_state.dead += dead;
        draft.touch_sink(sink, table);
        for refusal in refused {
            let new = draft.bury(&*store, (sink, table), refusal, self.clock.now().as_microsecond())?;
            self.state.dead_letters += u64::from(new);
        }
        let after = self.state.needed_from(table);
        draft.drop_settled(&*store, &mut self.state, table, (before, after))?;
        Ok(Ok(()))
    }

    /// Commits, tells readers, then answers.
    pub(super) fn commit(&mut self, draft: Draft, answers: &mut Vec<Answer>) -> Result<(), StoreError> {
        let changes = draft.finish(&mut self.state, self.dedupe.window_ms(), &mut self.id_sequence);
        if !changes.is_empty() {
            self.current_store().commit(changes)?;
            self.tell_readers()?;
        }
        for answer in answers.drain(..) {
            answer();
        }
        Ok(())
    }

    pub(super) fn tell_readers(&self) -> Result<(), StoreError> {
        let snapshot = Snapshot {
            state: Arc::new(self.state.clone()),
            epoch: self.epoch.clone(),
            disk_bytes: self.current_store().disk_bytes()?,
            remembered_ids: self.dedupe.len() as u64,
            shortened_windows: self.shortened_windows,
            broken: None,
        };
        self.snapshot.send_replace(snapshot);
        Ok(())
    }
}
