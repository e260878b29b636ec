//! The only thread that changes the queue. It takes all waiting commands, commits once, and answers them.
//!
//! A failed commit is the last one of an open store: the content on disk is unknown, and a second sync could wrongly
//! report success. Nothing is acknowledged until the queue is reopened ([`super::reopen`]), which reads what is on
//! disk.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::RwLock;
use tokio::sync::{mpsc, oneshot, watch};
use touchline_disk::Refusals;
use touchline_protocol::ambient::{SharedClock, SharedEntropy};

use super::open_counts::DailyCounts;
use super::open_viewings::Viewings;
use super::state::{OpenBatch, State};
use super::store::{Changes, Entry, Store, StoreError, Visit};
use super::write_batch::WriteBatch;
use super::{Candidate, Command, SettleError, Snapshot, Verdict, keys};
use crate::dead_letters::{DeadReason, INGEST, Refusal};
use crate::dedupe::Dedupe;
use crate::erase::marks::Marks;
use crate::options::Limits;
use crate::pressure::{self, PRIORITIES, Room, Shortage};
use crate::table::Table;

/// Events per commit: enough to share a sync, few enough to answer soon.
const EVENTS_PER_COMMIT: usize = 4000;

/// Called when the commit is durable; dropped if it failed.
type Answer = Box<dyn FnOnce()>;

fn answer<T: 'static>(reply: oneshot::Sender<T>, value: T) -> Answer {
    Box::new(move || {
        // The caller may have left.
        let _ = reply.send(value);
    })
}

/// The store that readers see after the end, when sled and its lock are released.
struct ClosedStore;

impl Store for ClosedStore {
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
    /// The configured sinks.
    pub(super) sinks: Vec<String>,
    pub(super) epoch: String,
    pub(super) store: Arc<RwLock<Arc<dyn Store>>>,
    pub(super) state: State,
    pub(super) dedupe: Dedupe,
    /// Erased people.
    pub(super) marks: Marks,
    pub(super) viewings: Viewings,
    pub(super) counts: DailyCounts,
    /// The folder may contain erased bytes.
    pub(super) holds_erased: bool,
    /// When a failed move to another folder is retried, Unix milliseconds.
    pub(super) retry_move_ms: i64,
    pub(super) id_sequence: u64,
    pub(super) shortened_windows: u64,
    /// Size of the folder after the last move. Another move cannot make it smaller.
    pub(super) fresh_bytes: u64,
    pub(super) limits: Limits,
    /// Events that the full queue refused.
    pub(super) refusals: Arc<Refusals>,
    pub(super) clock: SharedClock,
    pub(super) entropy: SharedEntropy,
    pub(super) snapshot: watch::Sender<Snapshot>,
}

impl Writer {
    /// Runs until it is closed, or all handles are dropped.
    pub(super) fn run(mut self, mut commands: mpsc::Receiver<Command>) {
        // The move that an erasure requires may not have happened before the last exit.
        if self.holds_erased
            && let Err(error) = self.rotate_when_due()
            && self.reopen(&error, &mut commands).is_break()
        {
            self.close_store();
            return;
        }
        loop {
            // sled panics on some failures. The outcome is then as unknown as after a failed sync.
            let served = catch_unwind(AssertUnwindSafe(|| self.serve_group(&mut commands)))
                .unwrap_or_else(|_| Err(StoreError::Unsynced("it panicked".to_owned())));
            let flow = match served {
                Ok(flow) => flow,
                Err(error) => self.reopen(&error, &mut commands),
            };
            if flow.is_break() {
                break;
            }
        }
        self.close_store();
    }

    /// Releases the store and its lock.
    pub(super) fn close_store(&mut self) {
        let store = std::mem::replace(&mut *self.store.write(), Arc::new(ClosedStore));
        // sled syncs once more when dropped, and panics if that fails.
        let _ended = catch_unwind(AssertUnwindSafe(|| drop(store))).is_ok();
    }

    fn serve_group(&mut self, commands: &mut mpsc::Receiver<Command>) -> Result<ControlFlow<()>, StoreError> {
        let Some(mut command) = commands.blocking_recv() else { return Ok(ControlFlow::Break(())) };
        let mut writes = self.new_write_batch()?;
        let mut answers: Vec<Answer> = Vec::new();
        let mut settled = false;
        let room = self.room();
        let flow = loop {
            match command {
                Command::Accept { events, reply } => {
                    let verdicts = self.accept(&mut writes, &room, events)?;
                    answers.push(answer(reply, verdicts));
                }
                Command::Open { sink, table, batch, reply } => {
                    self.open_batch(&mut writes, &sink, table, batch);
                    answers.push(answer(reply, ()));
                }
                Command::Settle { sink, table, refused, reply } => {
                    let outcome = self.settle(&mut writes, &sink, table, &refused)?;
                    settled = true;
                    answers.push(answer(reply, outcome));
                }
                Command::Requeue { filter, reply } => {
                    self.commit(std::mem::take(&mut writes), &mut answers)?;
                    let requeued = self.requeue(&filter)?;
                    answers.push(answer(reply, requeued));
                }
                Command::Redact { people, reply } => {
                    self.commit(std::mem::take(&mut writes), &mut answers)?;
                    let changed = self.redact(&people)?;
                    answers.push(answer(reply, changed));
                }
                Command::EndViewings { reply } => {
                    self.commit(std::mem::take(&mut writes), &mut answers)?;
                    self.end_viewings()?;
                    self.end_days()?;
                    answers.push(answer(reply, ()));
                }
                Command::Close => break ControlFlow::Break(()),
            }
            match commands.try_recv() {
                Ok(next) if writes.count < EVENTS_PER_COMMIT => command = next,
                Ok(next) => {
                    self.commit(std::mem::take(&mut writes), &mut answers)?;
                    command = next;
                }
                Err(_) => break ControlFlow::Continue(()),
            }
        };
        self.commit(writes, &mut answers)?;
        if settled {
            self.rotate_when_due()?;
        }
        Ok(flow)
    }

    pub(super) fn current_store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store.read())
    }

    fn now_us(&self) -> i64 {
        self.clock.now().as_microsecond()
    }

    /// A write batch that starts by forgetting ids of expired windows.
    fn new_write_batch(&mut self) -> Result<WriteBatch, StoreError> {
        let mut writes = WriteBatch::default();
        if let Some(rotation) = self.dedupe.rotate(self.clock.now_ms()) {
            if rotation.early {
                self.shortened_windows += 1;
                tracing::warn!(ids = self.dedupe.len(), "the deduplication window is full and was closed early");
            }
            self.current_store().scan(&keys::ids(0, 0), &keys::ids(rotation.forget_before_ms, 0), &mut |key, _| {
                writes.changes.remove(key.to_vec());
                ControlFlow::Continue(())
            })?;
        }
        Ok(writes)
    }

    fn room(&self) -> Room {
        let Limits { queue_bytes: limit, disk, .. } = &self.limits;
        let free = touchline_disk::free(&self.folder);
        let room = Room { pending: self.state.pending_bytes(), limit: *limit, free, reserve: disk.reserve() };
        for priority in PRIORITIES {
            if room.has_space(priority, 0) {
                disk.note(pressure::purpose(priority), &self.folder, true, free);
            }
        }
        room.note_relief(&self.refusals);
        room
    }

    fn accept(
        &mut self,
        writes: &mut WriteBatch,
        room: &Room,
        events: Vec<Candidate>,
    ) -> Result<Vec<Verdict>, StoreError> {
        events.into_iter().map(|candidate| self.accept_one(writes, room, candidate)).collect()
    }

    fn accept_one(
        &mut self,
        writes: &mut WriteBatch,
        room: &Room,
        candidate: Candidate,
    ) -> Result<Verdict, StoreError> {
        let Candidate { table, priority, mut event, too_old } = candidate;
        if self.dedupe.contains(&event.id) {
            return Ok(Verdict::Duplicate);
        }
        // Late events of an erased person are stored without them.
        if let Some(person) = self.marks.person_in(&event.body, event.occurred_us)
            && let Some(stripped) = person.strip_body(table, &event.body)
        {
            event.body = stripped.into();
        }
        // A count as a dead letter would have a time.
        if too_old && table == Table::EventCount {
            return Ok(Verdict::TooOld);
        }
        if too_old {
            // Anyone may send these, so they may use a tenth of the room for dead letters; the rest are not stored.
            if self.state.dead_letters < self.limits.dead_letters.div_ceil(10)
                && room.admit(priority, writes.bytes).is_ok()
            {
                let refusal = Refusal { event, reason: DeadReason::TooOld, detail: String::new() };
                let new = writes.add_dead_letter(&*self.current_store(), (INGEST, table), &refusal, self.now_us())?;
                self.state.dead_letters += u64::from(new);
            }
            return Ok(Verdict::TooOld);
        }
        match room.admit(priority, writes.bytes + event.body.len() as u64) {
            Ok(()) => {}
            Err(Shortage::Queue) => {
                room.note_refusal(&self.refusals, priority);
                return Ok(Verdict::Full);
            }
            Err(Shortage::Disk) => {
                self.limits.disk.note(pressure::purpose(priority), &self.folder, false, room.free);
                return Ok(Verdict::NoSpace);
            }
        }
        if table == Table::EventCount {
            if !self.count(writes, &event) {
                return Ok(Verdict::Full);
            }
        } else {
            writes.stage(table, None, &event);
        }
        self.dedupe.insert(event.id);
        writes.remember(event.id);
        if table == Table::Cmcd {
            self.add_report(writes, &event)?;
        }
        Ok(Verdict::Accepted)
    }

    fn open_batch(&mut self, writes: &mut WriteBatch, sink: &str, table: Table, batch: OpenBatch) {
        if let Some(tables) = self.state.sinks.get_mut(sink) {
            tables[table.index()].batch = Some(batch);
            writes.touch_sink(sink, table);
        }
    }

    fn settle(
        &mut self,
        writes: &mut WriteBatch,
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
        writes.touch_sink(sink, table);
        for refusal in refused {
            let new = writes.add_dead_letter(&*store, (sink, table), refusal, self.clock.now().as_microsecond())?;
            self.state.dead_letters += u64::from(new);
        }
        let after = self.state.needed_from(table);
        writes.drop_settled(&*store, &mut self.state, table, (before, after))?;
        Ok(Ok(()))
    }

    /// Commits, notifies readers, then answers.
    pub(super) fn commit(&mut self, writes: WriteBatch, answers: &mut Vec<Answer>) -> Result<(), StoreError> {
        let changes = writes.finish(&mut self.state, self.dedupe.window_ms(), &mut self.id_sequence);
        if !changes.is_empty() {
            // Readers learn of the failure before the answers are dropped.
            self.current_store().commit(changes).inspect_err(|error| self.mark_broken(error))?;
            self.publish()?;
        }
        for answer in answers.drain(..) {
            answer();
        }
        Ok(())
    }

    /// Tells readers that the queue accepts no writes until it is reopened.
    pub(super) fn mark_broken(&self, error: &StoreError) {
        self.snapshot.send_modify(|snapshot| snapshot.broken = Some(error.to_string()));
    }

    pub(super) fn publish(&self) -> Result<(), StoreError> {
        let snapshot = Snapshot {
            state: Arc::new(self.state.clone()),
            epoch: self.epoch.clone(),
            disk_bytes: self.current_store().disk_bytes()?,
            remembered_ids: self.dedupe.len() as u64,
            shortened_windows: self.shortened_windows,
            broken: None,
            ended: None,
        };
        self.snapshot.send_replace(snapshot);
        Ok(())
    }
}
