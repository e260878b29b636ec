//! The datalake's status, for its operator.

use serde::Serialize;
use touchline_disk::Refused;
use utoipa::ToSchema;

use crate::drift::Drifted;
use crate::ledger::LedgerRow;
use crate::queue::damaged::DamagedQueue;
use crate::table::Table;

/// The datalake's status.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Status {
    /// The node's name in the lake's file names.
    pub node: String,
    /// The queue folder's epoch.
    pub epoch: String,
    /// Bytes waiting in the queue.
    pub pending_bytes: u64,
    /// Bytes that may wait in the queue.
    pub pending_limit_bytes: u64,
    /// Bytes of the queue on disk.
    pub disk_bytes: u64,
    /// Ids remembered for deduplication.
    pub remembered_ids: u64,
    /// Windows of remembered ids that ended before seven days, since the start.
    pub shortened_windows: u64,
    /// Stored dead letters.
    pub dead_letters: u64,
    /// Writes of the whole worker that were refused for lack of disk space, since the start.
    pub refused: Vec<Refused>,
    /// Events that were refused because the queue was full, since the start.
    pub queue_full: Vec<Refused>,
    /// Age of the oldest event that a sink does not have yet, in seconds.
    pub oldest_age_s: Option<u64>,
    /// Events deferred because their sender had used its hourly budget, since the start.
    pub over_budget: u64,
    /// Why events are not acknowledged at the moment.
    pub broken: Option<String>,
    /// Damaged queues that were moved aside and not removed yet.
    pub damaged: Vec<DamagedQueue>,
    /// One row for each sink and table.
    pub ledger: Vec<LedgerRow>,
    /// Sinks that are failing.
    pub troubles: Vec<SinkTrouble>,
    /// Changes in the events that are sent.
    pub drift: Vec<Drifted>,
}

/// A failing sink.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SinkTrouble {
    /// The sink.
    pub sink: String,
    /// The table.
    pub table: Table,
    /// The latest failure.
    pub reason: String,
}
