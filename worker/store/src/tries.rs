//! How often one may try, counted by several workers together.

use async_trait::async_trait;
use touchline_protocol::rate::Rate;

use super::StoreResult;

/// Buckets of tokens; each try takes one. Times are milliseconds since 1970; a database that several workers share
/// counts by its own clock instead.
#[async_trait]
pub trait Tries {
    /// Takes a token of a subject; nothing, or after how many milliseconds there is one again.
    async fn take_try(&self, subject: &str, rate: Rate, at: i64) -> StoreResult<Option<u64>>;
    /// Gives a token back that was taken for a try that guessed nothing.
    async fn give_back_try(&self, subject: &str, rate: Rate) -> StoreResult<()>;
    /// Fills a bucket again.
    async fn forgive_tries(&self, subject: &str) -> StoreResult<()>;
    /// Forgets the buckets that are full at `at`.
    async fn forget_tries(&self, at: i64) -> StoreResult<u64>;
}
