//! The log of status changes, by scope, with gapless positions.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::broadcast;
pub use touchline_protocol::sync::Scope;
use touchline_protocol::sync::{SnapshotItem, Status, StatusKind};

use super::StoreResult;

/// A line to write.
#[derive(Debug, Clone, PartialEq)]
pub struct NewStatus {
    /// Audience of the stream.
    pub scope: Scope,
    /// Type of the resource.
    pub kind: StatusKind,
    /// ID of the resource.
    pub id: i64,
    /// Version of the resource.
    pub version: i64,
    /// The resource, as returned by its `GET` call.
    pub state: Value,
    /// Time in Unix milliseconds.
    pub at: i64,
}

/// A line of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusLine {
    /// Audience of the stream.
    pub scope: Scope,
    /// The status in the sync protocol.
    pub status: Status,
}

/// A change for subscribers, in the order of positions.
#[derive(Debug, Clone)]
pub enum Change {
    /// A new line.
    Status(Arc<StatusLine>),
    /// Keys were revoked, by id.
    KeysRevoked(Arc<[i64]>),
    /// The tokens of a channel's visitors ended, by the channel's key.
    VisitorsEnded(Arc<str>),
    /// A user's access changed, by the user's id.
    RightsChanged(i64),
    /// Changes by other workers couldn't be received for a while, so some may be missing.
    Missed,
}

/// The statuses after a position.
#[derive(Debug, Clone, PartialEq)]
pub enum Backlog {
    /// All statuses, in order.
    Complete(Vec<Status>),
    /// There are too many, they are no longer stored, or the position is invalid. A snapshot is needed.
    Unavailable,
}

/// The status log.
#[async_trait]
pub trait Statuses {
    /// Identifies the sequence of positions. It changes when they restart.
    fn epoch(&self) -> String;
    /// Subscribes to changes. A slow subscriber lags, and must resume from its position.
    fn changes(&self) -> broadcast::Receiver<Change>;
    /// Returns the last position.
    async fn status_head(&self, scope: &Scope) -> StoreResult<u64>;
    /// Returns the statuses after `seq`, if all are stored and there are at most `limit`.
    async fn statuses_since(&self, scope: &Scope, seq: u64, limit: u32) -> StoreResult<Backlog>;
    /// Returns a consistent snapshot: the position and the last state of each resource.
    async fn status_snapshot(&self, scope: &Scope) -> StoreResult<(u64, Vec<SnapshotItem>)>;
    /// Writes lines. A line that isn't newer than the resource's last one is left out, so repetitions are harmless.
    async fn record_statuses(&self, lines: Vec<NewStatus>) -> StoreResult<()>;
    /// Deletes lines older than `before`. Last states and positions stay.
    async fn delete_statuses(&self, before: i64) -> StoreResult<u64>;
}
