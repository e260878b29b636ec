//! People who are erased.

use async_trait::async_trait;

use super::StoreResult;

/// A person whose account is gone and whose traces outside of the store are to go as well.
#[derive(Clone, PartialEq, Eq)]
pub struct Erasure {
    /// The id that they had.
    pub user_id: i64,
    /// The channel that they belonged to.
    pub channel_key: String,
    /// The address that they had; it is forgotten with the last of the traces.
    pub email: String,
    /// When the account went.
    pub begun_at: i64,
    /// How often the traces were tried to be removed.
    pub attempts: i64,
}

/// Addresses stay out of logs.
impl std::fmt::Debug for Erasure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Erasure").field("user_id", &self.user_id).finish_non_exhaustive()
    }
}

/// Erasing people: the store's part at once, with a note of the rest, which is done behind it.
#[async_trait]
pub trait Erasures {
    /// Erases a person from the store: what identifies them is overwritten or deleted, keys are revoked; orders stay as
    /// bookkeeping without a name. The same transaction notes what is left to do elsewhere.
    async fn erase_user(&self, id: i64, at: i64) -> StoreResult<bool>;
    /// The erasure of this person, while some of it is left to do.
    async fn erasure(&self, user_id: i64) -> StoreResult<Option<Erasure>>;
    /// Erasures that are to go on by `at`, oldest first.
    async fn due_erasures(&self, at: i64, limit: u32) -> StoreResult<Vec<Erasure>>;
    /// Those that are not done, oldest first, whoever does them.
    async fn erasures_under_way(&self, limit: u32) -> StoreResult<Vec<Erasure>>;
    /// When the next erasure is to go on.
    async fn next_erasure(&self) -> StoreResult<Option<i64>>;
    /// Nothing of the person is left: the note of them goes too.
    async fn erasure_done(&self, user_id: i64) -> StoreResult<()>;
    /// An erasure is to be tried again.
    async fn erasure_delayed(&self, user_id: i64, due_at: i64) -> StoreResult<()>;
    /// Forgets the addresses whose trial was used before `before`; gives how many.
    async fn forget_used_trials(&self, before: i64) -> StoreResult<u64>;
}
