//! Rows for the datalake, written in the transaction of the change that they describe.

use async_trait::async_trait;

use super::StoreResult;

/// A row waiting for the lake's queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LakeRow {
    /// ID of the row.
    pub id: i64,
    /// Table of the lake.
    pub lake_table: String,
    /// 128-bit identifier in hex, derived from the subject of the row. Processing a subject again gives the same id.
    pub event_id: String,
    /// ID of the user.
    pub user_id: Option<i64>,
    /// Time of the change in Unix milliseconds.
    pub at: i64,
    /// The columns except the user, as a JSON object.
    pub body: String,
}

/// A row that the lake's queue has accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedRow {
    /// ID of the row.
    pub id: i64,
    /// See [`LakeRow::event_id`].
    pub event_id: String,
    /// ID of the order that the row is about.
    pub order_id: Option<i64>,
    /// Time of the change in Unix milliseconds.
    pub at: i64,
    /// Time at which the queue accepted it, in Unix milliseconds.
    pub taken_at: i64,
}

/// Name and price of an item of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimension {
    /// Table of the lake.
    pub lake_table: &'static str,
    /// The item's ID in the channel.
    pub id: i64,
    /// The columns, as a JSON object.
    pub body: String,
}

/// Storage of rows for the lake.
#[async_trait]
pub trait LakeRows {
    /// Returns rows that the queue hasn't accepted yet, oldest first.
    async fn lake_rows(&self, limit: u32) -> StoreResult<Vec<LakeRow>>;
    /// Marks rows as accepted by the lake's queue at `at`.
    async fn accept_lake_rows(&self, ids: &[i64], at: i64) -> StoreResult<()>;
    /// Queues rows again for the worker that exports them, after the worker that accepted them lost its disk.
    async fn requeue_lake_rows(&self, ids: &[i64]) -> StoreResult<()>;
    /// Returns the accepted rows of a table with an id above `after`, ordered by id.
    async fn accepted_lake_rows(&self, lake_table: &str, after: i64, limit: u32) -> StoreResult<Vec<AcceptedRow>>;
    /// Returns the time of the oldest row that isn't accepted, in Unix milliseconds.
    async fn oldest_pending_lake_row(&self) -> StoreResult<Option<i64>>;
    /// Deletes rows that the lake contains.
    async fn delete_lake_rows(&self, ids: &[i64]) -> StoreResult<()>;
    /// Queues the channel's dimensions that changed since they were last queued, and those that are missing now, with
    /// `is_removed` set. Returns their number.
    async fn queue_dimensions(&self, channel_key: &str, dimensions: &[Dimension], at: i64) -> StoreResult<u64>;
}
