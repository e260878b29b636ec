//! How the datalake is, for its operator.

use serde::Serialize;
use touchline_disk::Refused;
use utoipa::ToSchema;

use crate::drift::Drifted;
use crate::ledger::LedgerRow;
use crate::queue::damaged::DamagedQueue;
use crate::table::Table;

/// How the datalake is.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Status {
    /// The node's name in the lake's file names.
    pub node: String,
    /// The queue folder's epoch.
    pub epoch: String,
    /// Bytes that wait.
    pub pending_bytes: u64,
    /// Bytes that may wait.
    pub pending_limit_bytes: u64,
    /// Bytes of the queue on disk.
    pub disk_bytes: u64,
    /// Ids by which what is sent again is recognised.
    pub remembered_ids: u64,
    /// How often, since the start, more ids came than could be remembered for seven days.
    pub shortened_windows: u64,
    /// Dead letters kept.
    pub dead_letters: u64,
    /// What was refused for want of space on the disk, since the start; of the whole worker.
    pub refused: Vec<Refused>,
    /// Events that were put off since their sender had sent an hour's bytes, since the start.
    pub over_budget: u64,
    /// Why nothing is acknowledged at the moment.
    pub broken: Option<String>,
    /// Damaged queues that were moved aside, now or at an earlier start, and stand there.
    pub damaged: Vec<DamagedQueue>,
    /// One row for each sink and table.
    pub ledger: Vec<LedgerRow>,
    /// Sinks that fail at the moment.
    pub troubles: Vec<SinkTrouble>,
    /// What is sent otherwise than before.
    pub drift: Vec<Drifted>,
}

/// A sink that fails at the moment.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SinkTrouble {
    /// The sink.
    pub sink: String,
    /// The table.
    pub table: Table,
    /// What it failed with last.
    pub reason: String,
}
