//! The log of what changed, by scope, with positions that grow by one.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::broadcast;
pub use touchline_protocol::sync::Scope;
use touchline_protocol::sync::{SnapshotItem, Status, StatusKind};

use super::StoreResult;

/// A line that is to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct NewStatus {
    /// Whose stream.
    pub scope: Scope,
    /// What kind of resource.
    pub kind: StatusKind,
    /// Its id.
    pub id: i64,
    /// Its version.
    pub version: i64,
    /// What `GET` of it gives.
    pub state: Value,
    /// When.
    pub at: i64,
}

/// A line that was written.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusLine {
    /// Whose stream.
    pub scope: Scope,
    /// What the protocol sends.
    pub status: Status,
}

/// What subscribers hear, in the order of the positions.
#[derive(Debug, Clone)]
pub enum Change {
    /// A line was written.
    Status(Arc<StatusLine>),
    /// Keys stopped working, by their ids.
    KeysRevoked(Arc<[i64]>),
    /// What a person may watch is not what it was, by the person's id.
    RightsChanged(i64),
    /// What other workers changed could not be heard for a while: nobody knows what was missed.
    Missed,
}

/// What came after a position.
#[derive(Debug, Clone, PartialEq)]
pub enum Backlog {
    /// All of it, in order.
    Whole(Vec<Status>),
    /// It is too long, reaches behind what is kept, or the position was never given: a snapshot is needed.
    Gone,
}

/// Reading the log, and writing lines that no other record changes with.
#[async_trait]
pub trait Statuses {
    /// Changes when the positions start anew.
    fn epoch(&self) -> String;
    /// What changes from now on. A subscriber that is too slow lags and must start again from its position.
    fn changes(&self) -> broadcast::Receiver<Change>;
    /// The last position that was given.
    async fn status_head(&self, scope: &Scope) -> StoreResult<u64>;
    /// What came after `seq`, when it is whole and at most `limit` lines.
    async fn statuses_since(&self, scope: &Scope, seq: u64, limit: u32) -> StoreResult<Backlog>;
    /// The position, and the last state of each resource; both of one moment.
    async fn status_snapshot(&self, scope: &Scope) -> StoreResult<(u64, Vec<SnapshotItem>)>;
    /// Writes lines. One whose version is not greater than the resource's last one is left out: telling twice is
    /// harmless.
    async fn record_statuses(&self, lines: Vec<NewStatus>) -> StoreResult<()>;
    /// Forgets lines older than `before`; last states and positions stay.
    async fn forget_statuses(&self, before: i64) -> StoreResult<u64>;
}
