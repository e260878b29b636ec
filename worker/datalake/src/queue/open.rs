//! Opens the queue at start. A damaged database is moved aside and reported. New sinks start at the oldest waiting
//! event. Events waiting only for removed sinks are dropped, except those of a lake that [moved](super::moved).

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use parking_lot::RwLock;
use serde::de::DeserializeOwned;
use tokio::sync::{mpsc, watch};
use touchline_protocol::ambient::{SharedClock, SharedEntropy};

use super::folder::{self, QueueFolder};
use super::open_counts::DailyCounts;
use super::open_viewings::Viewings;
use super::state::{SinkState, State};
use super::store::{Store, StoreError};
use super::write_batch::WriteBatch;
use super::writer::Writer;
use super::{MAX_WAITING_COMMANDS, Queue, Snapshot, damaged, ids, keys};
use crate::chunk;
use crate::dedupe::Dedupe;
use crate::erase::marks::Marks;
use crate::options::Limits;
use crate::table::Table;

pub(crate) struct Opened {
    pub(crate) queue: Queue,
    pub(crate) writer: thread::JoinHandle<()>,
}

pub(super) struct LoadedQueue {
    pub(super) state: State,
    pub(super) dedupe: Dedupe,
    pub(super) id_sequence: u64,
    pub(super) marks: Marks,
    pub(super) viewings: Viewings,
    pub(super) counts: DailyCounts,
    pub(super) holds_erased: bool,
}

/// Opens or creates the queue in `folder` for `sinks`. Blocks on the disk.
pub(crate) fn open(
    (folder, node): (PathBuf, &str),
    sinks: &[String],
    limits: Limits,
    clock: SharedClock,
    entropy: SharedEntropy,
) -> Result<Opened, StoreError> {
    let (database, loaded) = find(&folder, &limits, &clock, &entropy)?;
    let params = OpenParams { folder, node, sinks, limits, clock, entropy };
    let (queue, writer) = start(params, database.epoch, Arc::new(database.store), loaded)?;
    Ok(Opened { queue, writer })
}

struct OpenParams<'a> {
    folder: PathBuf,
    node: &'a str,
    sinks: &'a [String],
    limits: Limits,
    clock: SharedClock,
    entropy: SharedEntropy,
}

/// Starts the writer on a loaded store.
fn start(
    params: OpenParams<'_>,
    epoch: String,
    store: Arc<dyn Store>,
    loaded: LoadedQueue,
) -> Result<(Queue, thread::JoinHandle<()>), StoreError> {
    let OpenParams { folder, node, sinks, limits, clock, entropy } = params;
    let sinks = sinks.to_vec();
    let LoadedQueue { state, dedupe, id_sequence, marks, viewings, counts, holds_erased } = loaded;
    let figures = viewings.figures();
    let refusals = Arc::default();
    let store = Arc::new(RwLock::new(store));
    let (snapshot, watched) = watch::channel(Snapshot::default());
    let (commands, waiting) = mpsc::channel(MAX_WAITING_COMMANDS);
    let queue = Queue {
        commands,
        store: Arc::clone(&store),
        snapshot: watched,
        folder: folder.clone(),
        node: node.into(),
        figures,
        refusals: Arc::clone(&refusals),
    };
    let shortened_windows = 0;
    let mut writer = Writer {
        folder,
        sinks,
        epoch,
        store,
        state,
        dedupe,
        marks,
        viewings,
        counts,
        holds_erased,
        retry_move_ms: 0,
        id_sequence,
        shortened_windows,
        fresh_bytes: 0,
        limits,
        refusals,
        clock,
        entropy,
        snapshot,
    };
    writer.attach()?;
    writer.publish()?;
    let writer = thread::Builder::new()
        .name("datalake-queue".to_owned())
        .spawn(move || writer.run(waiting))
        .map_err(|e| StoreError::Disk(e.to_string()))?;
    Ok((queue, writer))
}

/// Opens the newest readable database, or a fresh one.
pub(super) fn find(
    folder: &std::path::Path,
    limits: &Limits,
    clock: &SharedClock,
    entropy: &SharedEntropy,
) -> Result<(QueueFolder, LoadedQueue), StoreError> {
    let epochs = folder::epochs(folder)?;
    if let Some((newest, older)) = epochs.split_last() {
        match read(folder, newest, limits, clock) {
            Ok(found) => {
                // Left over from a move to the newest one.
                for epoch in older {
                    folder::remove(folder, epoch)?;
                }
                return Ok(found);
            }
            Err(StoreError::Corrupt(why)) => {
                let to = damaged::move_aside(folder, newest, &why)?;
                tracing::error!(to = %to.display(), %why, "the analytics queue was damaged and moved aside");
                // Their content was shipped or copied to the newest one, so they cannot replace it.
                for epoch in older {
                    damaged::move_aside(folder, epoch, "it was older than a damaged database")?;
                }
            }
            Err(other) => return Err(other),
        }
    }
    let epoch = folder::new_epoch(&**clock, &**entropy, epochs.last().map(String::as_str));
    drop(folder::create(folder, &epoch, |_| Ok(()))?);
    read(folder, &epoch, limits, clock)
}

/// Opens and reads one database. sled panics on some damage, which counts as any other damage.
fn read(
    folder: &std::path::Path,
    epoch: &str,
    limits: &Limits,
    clock: &SharedClock,
) -> Result<(QueueFolder, LoadedQueue), StoreError> {
    catch_unwind(AssertUnwindSafe(|| {
        let database = folder::open(folder, epoch)?;
        let loaded = load(&database.store, limits, clock)?;
        Ok((database, loaded))
    }))
    .unwrap_or_else(|_| Err(StoreError::Corrupt("it could not be read".to_owned())))
}

fn parse<T: DeserializeOwned>(what: &str, value: &[u8]) -> Result<T, StoreError> {
    serde_json::from_slice(value).map_err(|e| StoreError::Corrupt(format!("the record of {what}: {e}")))
}

fn load(store: &dyn Store, limits: &Limits, clock: &SharedClock) -> Result<LoadedQueue, StoreError> {
    let mut state = State::default();
    for table in Table::ALL {
        if let Some(value) = store.get(&keys::table(table))? {
            state.tables[table.index()] = parse(table.name(), &value)?;
        }
    }
    let mut fault = None;
    store.scan(b"s", b"t", &mut |key, value| {
        match (keys::read_sink(key), parse::<SinkState>("a sink", value)) {
            (Some((table, sink)), Ok(sink_state)) => {
                state.sinks.entry(sink.to_owned()).or_default()[table.index()] = sink_state;
            }
            (_, Err(e)) => fault = Some(e),
            (None, _) => fault = Some(StoreError::Corrupt("a key of a sink".to_owned())),
        }
        ControlFlow::Continue(())
    })?;
    store.scan(b"d", b"e", &mut |_, _| {
        state.dead_letters += 1;
        ControlFlow::Continue(())
    })?;
    let mut dedupe = Dedupe::new(clock.now_ms(), limits.remembered_ids);
    let mut id_sequence = 0;
    store.scan(b"i", b"j", &mut |key, value| {
        let record = keys::read_ids(key).and_then(|key| Some((key, ids::read(value, key.packed)?)));
        match record {
            Some((key, ids)) => {
                dedupe.reload(key.window, ids.into_iter());
                id_sequence = id_sequence.max(key.sequence + 1);
            }
            None => fault = Some(StoreError::Corrupt("a record of ids".to_owned())),
        }
        ControlFlow::Continue(())
    })?;
    let mut deleted_us = HashMap::new();
    store.scan(b"x", b"y", &mut |key, value| {
        match keys::read_mark(key).zip(value.try_into().ok()) {
            Some((mark, us)) => drop(deleted_us.insert(mark, i64::from_be_bytes(us))),
            None => fault = Some(StoreError::Corrupt("the record of an erased person".to_owned())),
        }
        ControlFlow::Continue(())
    })?;
    let secret = store.get(keys::MARK_SECRET)?.and_then(|secret| secret.try_into().ok());
    let marks = Marks::new(secret, deleted_us);
    let holds_erased = store.get(keys::HOLDS_ERASED)?.is_some();
    if let Some(fault) = fault {
        return Err(fault);
    }
    for table in Table::ALL {
        check_ends(store, &state, table)?;
    }
    let viewings = Viewings::load(store)?;
    let counts = DailyCounts::load(store)?;
    Ok(LoadedQueue { state, dedupe, id_sequence, marks, viewings, counts, holds_erased })
}

/// Checks that the waiting chunks start at the oldest needed offset and end before the next one. Gaps in between are
/// found when they are read: checking them here would mean reading everything.
fn check_ends(store: &dyn Store, state: &State, table: Table) -> Result<(), StoreError> {
    let (from, next) = (state.needed_from(table), state.table(table).next);
    let mut first = None;
    store.scan(&keys::chunk(table, 0), &keys::chunk(table, u64::MAX), &mut |key, _| {
        first = keys::read_chunk(key).map(|(_, first)| first);
        ControlFlow::Break(())
    })?;
    let last = store.last_before(&keys::chunk(table, u64::MAX))?;
    let end = last.as_ref().and_then(|(key, value)| Some(keys::read_chunk(key)?.1 + chunk::head(value)?.count));
    let end = end.filter(|_| first.is_some());
    if (first, end) == if from < next { (Some(from), Some(next)) } else { (None, None) } {
        return Ok(());
    }
    Err(StoreError::Corrupt(format!(
        "{} should contain {from} to {next}, but contains {first:?} to {end:?}",
        table.name()
    )))
}

impl Writer {
    /// Aligns the queue's sinks with the configured ones.
    pub(super) fn attach(&mut self) -> Result<(), StoreError> {
        self.rename_moved_lake()?;
        let sinks = self.sinks.clone();
        let store = self.current_store();
        let mut writes = WriteBatch::default();
        let needed = Table::ALL.map(|table| self.state.needed_from(table));
        for sink in &sinks {
            if self.state.sinks.contains_key(sink) {
                continue;
            }
            let mut tables: [SinkState; Table::COUNT] = Default::default();
            for table in Table::ALL {
                tables[table.index()] = self.new_sink_state(&*store, sink, table, needed[table.index()])?;
                writes.touch_sink(sink, table);
            }
            self.state.sinks.insert(sink.clone(), tables);
        }
        let removed: Vec<_> = self.state.sinks.keys().filter(|sink| !sinks.contains(sink)).cloned().collect();
        for sink in removed {
            let waiting: u64 = Table::ALL.iter().map(|table| self.state.queued(&sink, *table)).sum();
            if waiting > 0 {
                tracing::warn!(%sink, waiting, "a sink is no longer configured; events waiting only for it are dropped");
            }
            self.state.sinks.remove(&sink);
            for table in Table::ALL {
                writes.touch_sink(&sink, table);
            }
        }
        for table in Table::ALL {
            let range = (needed[table.index()], self.state.needed_from(table));
            writes.drop_settled(&*store, &mut self.state, table, range)?;
        }
        self.commit(writes, &mut Vec::new())
    }

    /// The state of a new sink, which receives everything that still waits for another.
    fn new_sink_state(&self, store: &dyn Store, sink: &str, table: Table, from: u64) -> Result<SinkState, StoreError> {
        let table_state = self.state.table(table);
        let mut foreign = 0;
        store.scan(&keys::chunk(table, from), &keys::chunk(table, u64::MAX), &mut |_, value| {
            if let Some(head) = chunk::head(value)
                && head.only.is_some_and(|only| only != sink)
            {
                foreign += head.count;
            }
            ControlFlow::Continue(())
        })?;
        let waiting = table_state.next - from - foreign;
        let accepted_before = table_state.accepted.cast_signed() - waiting.cast_signed();
        Ok(SinkState { cursor: from, accepted_before, foreign, ..SinkState::default() })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use touchline_protocol::ambient::{ManualClock, SeededEntropy};
    use uuid::Uuid;

    use super::super::sled_store::SledStore;
    use super::super::store::{Changes, Entry, Visit};
    use super::super::{Candidate, Verdict};
    use super::*;
    use crate::event::QueuedEvent;
    use crate::table::Priority;

    /// A disk whose `failing`-th commit is applied and then fails, as a sync can.
    struct FaultyStore {
        disk: SledStore,
        failing: u32,
        error: StoreError,
        commits: Arc<AtomicU32>,
    }

    impl Store for FaultyStore {
        fn commit(&self, changes: Changes) -> Result<(), StoreError> {
            self.disk.commit(changes)?;
            if self.commits.fetch_add(1, Ordering::SeqCst) + 1 == self.failing {
                return Err(self.error.clone());
            }
            Ok(())
        }

        fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
            self.disk.get(key)
        }

        fn scan(&self, from: &[u8], until: &[u8], visit: Visit<'_>) -> Result<(), StoreError> {
            self.disk.scan(from, until, visit)
        }

        fn last_before(&self, until: &[u8]) -> Result<Option<Entry>, StoreError> {
            self.disk.last_before(until)
        }

        fn disk_bytes(&self) -> Result<u64, StoreError> {
            self.disk.disk_bytes()
        }
    }

    fn visit(n: u128) -> Vec<Candidate> {
        let body = r#"{"event":"visit"}"#.into();
        let event = QueuedEvent { id: Uuid::from_u128(n), at_us: 0, received_us: 0, occurred_us: 0, body };
        vec![Candidate { table: Table::Event, priority: Priority::Ordinary, event, too_old: false }]
    }

    /// A queue whose third commit fails with `error`, after it accepted one event. The first commit is that of its
    /// sink.
    async fn with_failing_commit(
        folder: &std::path::Path,
        error: StoreError,
    ) -> (Queue, thread::JoinHandle<()>, Arc<AtomicU32>) {
        let clock: SharedClock = ManualClock::at_ms(1_795_255_200_000);
        let disk = folder::create(folder, "1", |_| Ok(())).unwrap().store;
        let commits = Arc::new(AtomicU32::new(0));
        let store = Arc::new(FaultyStore { disk, failing: 3, error, commits: Arc::clone(&commits) });
        let limits = Limits::default();
        let loaded = load(&*store, &limits, &clock).unwrap();
        let sinks = ["lake:x".to_owned()];
        let params = OpenParams {
            folder: folder.to_owned(),
            node: "n1",
            sinks: &sinks,
            limits,
            clock,
            entropy: SeededEntropy::new(1),
        };
        let (queue, writer) = start(params, "1".to_owned(), store, loaded).unwrap();
        assert_eq!(queue.accept(visit(1)).await, [Verdict::Accepted]);
        (queue, writer, commits)
    }

    #[tokio::test]
    async fn after_a_failed_sync_a_fresh_file_has_all_acknowledged_events() {
        let folder = tempfile::tempdir().unwrap();
        let failed = StoreError::Unsynced("input/output error".to_owned());
        let (queue, writer, commits) = with_failing_commit(folder.path(), failed).await;
        assert_eq!(queue.accept(visit(2)).await, [Verdict::Unavailable]);
        assert_eq!(queue.accept(visit(3)).await, [Verdict::Unavailable]);
        queue.reopened().await.unwrap();
        assert_eq!(commits.load(Ordering::SeqCst), 3, "something was written after the failure");
        assert_eq!(queue.accept(visit(1)).await, [Verdict::Duplicate]);
        // It was applied before the sync failed, so it is stored once.
        assert_eq!(queue.accept(visit(2)).await, [Verdict::Duplicate]);
        assert_eq!(queue.accept(visit(3)).await, [Verdict::Accepted]);
        let epochs = folder::epochs(folder.path()).unwrap();
        assert!(epochs.len() == 1 && epochs[0] != "1", "{epochs:?}");
        assert_eq!(queue.snapshot().state.queued("lake:x", Table::Event), 3);
        queue.close().await;
        writer.join().unwrap();
    }

    #[tokio::test]
    async fn a_write_without_space_is_retried_in_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let failed = StoreError::Passing("No space left on device (os error 28)".to_owned());
        let (queue, writer, _) = with_failing_commit(folder.path(), failed).await;
        assert_eq!(queue.accept(visit(2)).await, [Verdict::Unavailable]);
        assert!(queue.snapshot().broken.is_some());
        queue.reopened().await.unwrap();
        assert_eq!(queue.accept(visit(4)).await, [Verdict::Accepted]);
        assert_eq!(folder::epochs(folder.path()).unwrap(), ["1"]);
        queue.close().await;
        writer.join().unwrap();
    }

    #[tokio::test]
    async fn a_queue_that_cannot_be_reopened_fails_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("datalake");
        let failed = StoreError::Disk("input/output error".to_owned());
        let (queue, writer, _) = with_failing_commit(&inner, failed).await;
        std::fs::rename(&inner, folder.path().join("gone")).unwrap();
        std::fs::write(&inner, "no folder").unwrap();
        assert_eq!(queue.accept(visit(2)).await, [Verdict::Unavailable]);
        assert!(queue.gave_up().await.contains("datalake"));
        writer.join().unwrap();
    }
}
