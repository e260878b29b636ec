//! Operations for the operator and for startup.

use std::path::Path;

use async_trait::async_trait;

use super::StoreResult;

/// Persistent values, health checks and backups.
#[async_trait]
pub trait Maintenance {
    /// Returns the value with this name, which is set to `initial` if it is missing.
    async fn stored_value(&self, name: &str, initial: &str) -> StoreResult<String>;
    /// Replaces the value with this name.
    async fn replace_stored_value(&self, name: &str, value: &str) -> StoreResult<()>;
    /// Returns the latest time in the records: of orders, charges, accounts, keys or the last probe.
    async fn latest_timestamp(&self) -> StoreResult<Option<i64>>;
    /// Returns the clock of a database shared by several workers, in Unix milliseconds.
    async fn database_clock(&self) -> StoreResult<Option<i64>>;
    /// Writes a value at `at` to check that the store is writable: a small one, or after a failed commit one as large as
    /// any call writes.
    async fn probe(&self, at: i64) -> StoreResult<()>;
    /// Whether several workers can share the store.
    fn is_shared(&self) -> bool;
    /// Whether this worker holds an exclusive job. It holds the job until it ends, then another worker takes over.
    async fn holds_job(&self, job: &str) -> StoreResult<bool>;
    /// Writes a consistent copy of everything to a new file. An existing file is never overwritten.
    async fn backup(&self, target: &Path) -> StoreResult<()>;
    /// Flushes pending writes and closes the file.
    async fn close(&self);
}
