//! The progress of the queue and of each sink. It is small, and copied for readers after each commit.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::table::Table;

/// The progress of a table's queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableState {
    /// The offset of the next event. Offsets are never reused.
    pub(crate) next: u64,
    /// Events accepted, ever.
    pub(crate) accepted: u64,
    /// Bytes of the chunks that some sink still needs.
    pub(crate) pending_bytes: u64,
    /// Bytes of the bodies queued since the start. Only its growth matters, so it is not stored.
    #[serde(skip)]
    pub(crate) queued_bytes: u64,
}

/// A sink's progress with a table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SinkState {
    /// All lower offsets are settled.
    pub(crate) cursor: u64,
    /// The value of [`TableState::accepted`] when the sink was added.
    pub(crate) accepted_before: i64,
    /// Events that the sink accepted.
    pub(crate) shipped: u64,
    /// Events that the sink rejected permanently and that were not requeued.
    pub(crate) dead: u64,
    /// Offsets from the cursor on that are for another sink: requeued dead letters.
    pub(crate) foreign: u64,
    /// The batch being shipped, stored before its first byte is sent.
    pub(crate) batch: Option<OpenBatch>,
}

/// A batch with durable bounds. A retry, even after a crash, ships the same events under the same name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenBatch {
    /// The queue folder's epoch when the batch was closed.
    pub(crate) epoch: String,
    /// The worker's name when the batch was closed; empty if an older build closed it. With the epoch it identifies the
    /// batch in a lake, even if the name was changed or damaged since.
    #[serde(default)]
    pub(crate) node: String,
    /// The UTC day on which its events were received.
    pub(crate) date: Date,
    /// Its first offset.
    pub(crate) first: u64,
    /// Its last offset.
    pub(crate) last: u64,
    /// Number of its offsets that are for this sink.
    pub(crate) events: u64,
}

/// The whole state, indexed by [`Table::index`].
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(crate) tables: [TableState; Table::COUNT],
    pub(crate) sinks: BTreeMap<String, [SinkState; Table::COUNT]>,
    /// Stored dead letters, including those of the worker itself.
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

    pub(crate) fn pending_bytes(&self) -> u64 {
        self.tables.iter().map(|table| table.pending_bytes).sum()
    }

    /// Events waiting for `sink`.
    pub(crate) fn queued(&self, sink: &str, table: Table) -> u64 {
        let next = self.table(table).next;
        self.sink(sink, table).map_or(0, |sink| next.saturating_sub(sink.cursor).saturating_sub(sink.foreign))
    }
}
