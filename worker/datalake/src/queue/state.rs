//! How far the queue and each sink are. Small, copied out to readers after each commit.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::table::Table;

/// How far a table's queue is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableState {
    /// The offset that the next event gets. Offsets are given once and never again.
    pub(crate) next: u64,
    /// Events accepted, ever.
    pub(crate) accepted: u64,
    /// Bytes of the chunks that some sink still needs.
    pub(crate) pending_bytes: u64,
    /// Bytes of the bodies queued since the start: only what it grows by counts, so it is on no disk.
    #[serde(skip)]
    pub(crate) queued_bytes: u64,
}

/// How far a sink is with a table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SinkState {
    /// Everything below is settled.
    pub(crate) cursor: u64,
    /// What [`TableState::accepted`] was when the sink came.
    pub(crate) accepted_before: i64,
    /// Events that the sink took.
    pub(crate) shipped: u64,
    /// Events that the sink refused for good and that were not put back.
    pub(crate) dead: u64,
    /// Offsets from the cursor on that are not for this sink: dead letters put back for another.
    pub(crate) foreign: u64,
    /// The batch being shipped, durable before its first byte leaves.
    pub(crate) batch: Option<OpenBatch>,
}

/// A batch whose bounds are on disk: a retry, after a crash too, ships the same events under the same name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenBatch {
    /// The queue folder's epoch when the batch closed.
    pub(crate) epoch: String,
    /// The worker's name when the batch closed; empty where an older build closed it. With the epoch it is the mark by
    /// which a lake counts the batch once, so a name that is damaged or changed since does not count.
    #[serde(default)]
    pub(crate) node: String,
    /// Its events were received on this day, UTC.
    pub(crate) date: Date,
    /// Its first offset.
    pub(crate) first: u64,
    /// Its last offset.
    pub(crate) last: u64,
    /// How many of its offsets are for this sink.
    pub(crate) events: u64,
}

/// All of it, indexed by [`Table::index`].
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(crate) tables: [TableState; Table::COUNT],
    pub(crate) sinks: BTreeMap<String, [SinkState; Table::COUNT]>,
    /// Dead letters kept, those of the ingest included.
    pub(crate) dead_letters: u64,
}

impl State {
    pub(crate) fn table(&self, table: Table) -> &TableState {
        &self.tables[table.index()]
    }

    pub(crate) fn sink(&self, sink: &str, table: Table) -> Option<&SinkState> {
        self.sinks.get(sink).map(|tables| &tables[table.index()])
    }

    /// The offset below which no sink needs a chunk of `table`.
    pub(crate) fn needed_from(&self, table: Table) -> u64 {
        let next = self.table(table).next;
        self.sinks.values().map(|tables| tables[table.index()].cursor).min().unwrap_or(next)
    }

    /// Bytes of the chunks that some sink still needs.
    pub(crate) fn pending_bytes(&self) -> u64 {
        self.tables.iter().map(|table| table.pending_bytes).sum()
    }

    /// Events that wait for `sink`.
    pub(crate) fn queued(&self, sink: &str, table: Table) -> u64 {
        let next = self.table(table).next;
        self.sink(sink, table).map_or(0, |sink| next.saturating_sub(sink.cursor).saturating_sub(sink.foreign))
    }
}
