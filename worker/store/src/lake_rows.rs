//! What the books tell the lake: rows that are written in the transaction of the change that they tell of.

use async_trait::async_trait;

use super::StoreResult;

/// A row that waits for the lake's queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LakeRow {
    /// Of the row here.
    pub id: i64,
    /// The lake's table.
    pub lake_table: String,
    /// Made from what the row is about: the same thing has the same id, whatever is taken again. Hexadecimal, 128 bits.
    pub event_id: String,
    /// Whose it is.
    pub user_id: Option<i64>,
    /// When it happened, Unix milliseconds.
    pub at: i64,
    /// Its columns but for the person, a JSON object.
    pub body: String,
}

/// A row that the lake's queue has taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenRow {
    /// Of the row here.
    pub id: i64,
    /// As [`LakeRow::event_id`].
    pub event_id: String,
    /// The order that it tells of.
    pub order_id: Option<i64>,
    /// When it happened, Unix milliseconds.
    pub at: i64,
    /// When the queue took it, Unix milliseconds.
    pub taken_at: i64,
}

/// What something of a channel is called and costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimension {
    /// The lake's table.
    pub lake_table: &'static str,
    /// Its id, as the channel has it.
    pub id: i64,
    /// Its columns, a JSON object.
    pub body: String,
}

/// The rows for the lake.
#[async_trait]
pub trait LakeRows {
    /// Rows that were not taken yet, oldest first.
    async fn lake_rows(&self, limit: u32) -> StoreResult<Vec<LakeRow>>;
    /// The lake's queue has taken these, at `at`.
    async fn lake_rows_taken(&self, ids: &[i64], at: i64) -> StoreResult<()>;
    /// Queues rows once more, for the worker that has the turn: the one that took them lost its disk.
    async fn requeue_lake_rows(&self, ids: &[i64]) -> StoreResult<()>;
    /// Rows of a table that were taken and are not forgotten, in the order of their ids, after the id `after`.
    async fn taken_lake_rows(&self, lake_table: &str, after: i64, limit: u32) -> StoreResult<Vec<TakenRow>>;
    /// When the oldest row happened that was not taken yet, Unix milliseconds.
    async fn oldest_untaken_lake_row(&self) -> StoreResult<Option<i64>>;
    /// Forgets rows that the lake has.
    async fn forget_lake_rows(&self, ids: &[i64]) -> StoreResult<()>;
    /// Has the lake told of the dimensions of a channel that are other ones than it was told last; how many.
    async fn tell_dimensions(&self, channel_key: &str, dimensions: &[Dimension], at: i64) -> StoreResult<u64>;
}
