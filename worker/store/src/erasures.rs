//! Erasure of users.

use async_trait::async_trait;

use super::StoreResult;

/// An erased user whose traces outside the store are still to be removed.
#[derive(Clone, PartialEq, Eq)]
pub struct Erasure {
    /// The user's former id.
    pub user_id: i64,
    /// Key of the channel.
    pub channel_key: String,
    /// The user's former email address. It is deleted with the last trace.
    pub email: String,
    /// Time at which the account was erased, in Unix milliseconds.
    pub begun_at: i64,
    /// Number of attempts to remove the traces.
    pub attempts: i64,
}

/// Keeps email addresses out of logs.
impl std::fmt::Debug for Erasure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Erasure").field("user_id", &self.user_id).finish_non_exhaustive()
    }
}

/// Erasure of users. The store's records are erased at once, the rest later.
#[async_trait]
pub trait Erasures {
    /// Erases a user from the store. Personal data is overwritten or deleted, and keys are revoked. Orders stay as
    /// bookkeeping records without a name. The same transaction records the remaining work elsewhere.
    async fn erase_user(&self, id: i64, at: i64) -> StoreResult<bool>;
    /// Returns the user's erasure if it isn't complete.
    async fn erasure(&self, user_id: i64) -> StoreResult<Option<Erasure>>;
    /// Returns erasures to continue at `at`, oldest first.
    async fn due_erasures(&self, at: i64, limit: u32) -> StoreResult<Vec<Erasure>>;
    /// Returns all incomplete erasures, oldest first.
    async fn incomplete_erasures(&self, limit: u32) -> StoreResult<Vec<Erasure>>;
    /// Returns the time at which the next erasure continues.
    async fn next_erasure(&self) -> StoreResult<Option<i64>>;
    /// Completes an erasure and deletes its record.
    async fn complete_erasure(&self, user_id: i64) -> StoreResult<()>;
    /// Schedules another attempt.
    async fn delay_erasure(&self, user_id: i64, due_at: i64) -> StoreResult<()>;
    /// Forgets the email addresses whose trial was used before `before`, and returns their number.
    async fn delete_used_trials(&self, before: i64) -> StoreResult<u64>;
}
