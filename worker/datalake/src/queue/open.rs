//! Reading the queue back at start: damage is moved aside and told, sinks that are new begin where something waits,
//! sinks that are gone let go of what waited for them alone.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use parking_lot::RwLock;
use serde::de::DeserializeOwned;
use tokio::sync::{mpsc, watch};
use touchline_protocol::ambient::{SharedClock, SharedEntropy};

use super::draft::Draft;
use super::folder::{self, QueueFolder};
use super::state::{SinkState, State};
use super::store::{Store, StoreError};
use super::writer::Writer;
use super::{Quarantined, Queue, Snapshot, WAITING_COMMANDS, chunk, keys};
use crate::dedupe::{self, Dedupe};
use crate::options::Limits;
use crate::table::Table;

/// An open queue.
pub(crate) struct Opened {
    pub(crate) queue: Queue,
    pub(crate) quarantined: Vec<Quarantined>,
    pub(crate) writer: thread::JoinHandle<()>,
}

struct Loaded {
    state: State,
    dedupe: Dedupe,
    id_sequence: u64,
}

/// Opens the queue in `folder` for `sinks`, or makes one. Blocks on the disk.
pub(crate) fn open(
    folder: PathBuf,
    sinks: &[String],
    limits: Limits,
    clock: SharedClock,
    entropy: SharedEntropy,
) -> Result<Opened, StoreError> {
    let (found, quarantined) = find(&folder, &limits, &clock, &entropy)?;
    let (database, loaded) = found;
    let store: Arc<dyn Store> = Arc::new(database.store);
    let store = Arc::new(RwLock::new(store));
    let (tell, snapshot) = watch::channel(Snapshot::default());
    let (commands, waiting) = mpsc::channel(WAITING_COMMANDS);
    let queue = Queue { commands, store: Arc::clone(&store), snapshot, folder: folder.clone() };
    let mut writer = Writer {
        folder,
        epoch: database.epoch,
        store,
        state: loaded.state,
        dedupe: loaded.dedupe,
        id_sequence: loaded.id_sequence,
        shortened_windows: 0,
        limits,
        clock,
        entropy,
        snapshot: tell,
    };
    writer.attach(sinks)?;
    writer.tell_readers()?;
    let writer = thread::Builder::new()
        .name("datalake-queue".to_owned())
        .spawn(move || writer.run(waiting))
        .map_err(|e| StoreError::Disk(e.to_string()))?;
    Ok(Opened { queue, quarantined, writer })
}

type Found = ((QueueFolder, Loaded), Vec<Quarantined>);

/// The newest database that can be read, or a fresh one.
fn find(
    folder: &std::path::Path,
    limits: &Limits,
    clock: &SharedClock,
    entropy: &SharedEntropy,
) -> Result<Found, StoreError> {
    let epochs = folder::epochs(folder)?;
    let mut quarantined = Vec::new();
    let mut last = None;
    // Older databases are left over from a move to the newest one, and stand in for nothing.
    for (n, epoch) in epochs.iter().rev().enumerate() {
        if n == 0 {
            match read(folder, epoch, limits, clock) {
                Ok(found) => {
                    for older in epochs.iter().filter(|older| *older < epoch) {
                        folder::remove(folder, older)?;
                    }
                    return Ok((found, quarantined));
                }
                Err(StoreError::Corrupt(why)) => {
                    let to = folder::quarantine(folder, epoch)?;
                    tracing::error!(to = %to.display(), %why, "the analytics queue was damaged: it was moved aside");
                    quarantined.push(Quarantined { to, why });
                    last = Some(epoch.clone());
                }
                Err(other) => return Err(other),
            }
        } else {
            folder::quarantine(folder, epoch)?;
        }
    }
    let epoch = folder::new_epoch(&**clock, &**entropy, last.as_deref());
    drop(folder::create(folder, &epoch, |_| Ok(()))?);
    Ok((read(folder, &epoch, limits, clock)?, quarantined))
}

/// Opens and reads one database. sled panics on some damage that it meets while reading: damage like any other.
fn read(
    folder: &std::path::Path,
    epoch: &str,
    limits: &Limits,
    clock: &SharedClock,
) -> Result<(QueueFolder, Loaded), StoreError> {
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

fn load(store: &dyn Store, limits: &Limits, clock: &SharedClock) -> Result<Loaded, StoreError> {
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
        match (keys::read_ids(key), dedupe::unpack(value)) {
            (Some((window, sequence)), Some(ids)) => {
                dedupe.reload(window, ids);
                id_sequence = id_sequence.max(sequence + 1);
            }
            _ => fault = Some(StoreError::Corrupt("a record of ids".to_owned())),
        }
        ControlFlow::Continue(())
    })?;
    if let Some(fault) = fault {
        return Err(fault);
    }
    for table in Table::ALL {
        check_ends(store, &state, table)?;
    }
    Ok(Loaded { state, dedupe, id_sequence })
}

/// What waits begins where a sink needs it and ends where the next event goes. Holes between are met when they are
/// read: to look for them now would cost reading everything that waits.
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
    Err(StoreError::Corrupt(format!("{} should hold {from} to {next}, and holds {first:?} to {end:?}", table.name())))
}

impl Writer {
    /// Brings the sinks of the queue in line with those that are configured.
    fn attach(&mut self, sinks: &[String]) -> Result<(), StoreError> {
        let store = self.current_store();
        let mut draft = Draft::default();
        let needed = Table::ALL.map(|table| self.state.needed_from(table));
        for sink in sinks {
            if self.state.sinks.contains_key(sink) {
                continue;
            }
            let mut tables: [SinkState; 4] = Default::default();
            for table in Table::ALL {
                tables[table.index()] = self.joining(&*store, sink, table, needed[table.index()])?;
                draft.touch_sink(sink, table);
            }
            self.state.sinks.insert(sink.clone(), tables);
        }
        let gone: Vec<_> = self.state.sinks.keys().filter(|sink| !sinks.contains(sink)).cloned().collect();
        for sink in gone {
            let waiting: u64 = Table::ALL.iter().map(|table| self.state.queued(&sink, *table)).sum();
            if waiting > 0 {
                tracing::warn!(%sink, waiting, "a sink is no longer configured: what waited for it alone is dropped");
            }
            self.state.sinks.remove(&sink);
            for table in Table::ALL {
                draft.touch_sink(&sink, table);
            }
        }
        for table in Table::ALL {
            let range = (needed[table.index()], self.state.needed_from(table));
            draft.drop_settled(&*store, &mut self.state, table, range)?;
        }
        self.commit(draft, &mut Vec::new())
    }

    /// A sink that comes now gets whatever still waits for another.
    fn joining(&self, store: &dyn Store, sink: &str, table: Table, from: u64) -> Result<SinkState, StoreError> {
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
