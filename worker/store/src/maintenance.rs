//! What the operator and the start-up need of a store.

use std::path::Path;

use async_trait::async_trait;

use super::StoreResult;

/// Values kept for ever, health, backup.
#[async_trait]
pub trait Maintenance {
    /// The value of this name; `first` is kept and given when there is none yet.
    async fn remembered(&self, name: &str, first: &str) -> StoreResult<String>;
    /// The newest moment that the records name: of orders, charges, accounts, keys, or the last write that was tried.
    async fn newest_moment(&self) -> StoreResult<Option<i64>>;
    /// The clock of a database that several workers share, Unix milliseconds.
    async fn database_clock(&self) -> StoreResult<Option<i64>>;
    /// Writes something small at `at`, to see that the store can write.
    async fn probe(&self, at: i64) -> StoreResult<()>;
    /// Whether several workers may share it.
    fn is_shared(&self) -> bool;
    /// Whether this worker is the one that does a job of which there is one, until it ends: another one does it then.
    async fn takes_turn(&self, job: &str) -> StoreResult<bool>;
    /// Writes everything, of one moment, to a new file. A file that is there is never written over.
    async fn backup(&self, target: &Path) -> StoreResult<()>;
    /// Writes what is pending and lets the file go.
    async fn close(&self);
}
