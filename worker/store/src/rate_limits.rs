//! Rate limits shared by several workers.

use async_trait::async_trait;
use touchline_protocol::rate::Rate;

use super::StoreResult;

/// Token buckets. Each attempt takes a token. Times are Unix milliseconds. A database shared by several workers uses
/// its own clock instead.
#[async_trait]
pub trait RateLimits {
    /// Takes a token from a subject's bucket. If it is empty, returns the milliseconds until the next token.
    async fn take_token(&self, subject: &str, rate: Rate, at: i64) -> StoreResult<Option<u64>>;
    /// Returns a token that was taken for an attempt without a guess.
    async fn return_token(&self, subject: &str, rate: Rate) -> StoreResult<()>;
    /// Fills a bucket.
    async fn reset_limit(&self, subject: &str) -> StoreResult<()>;
    /// Deletes buckets that are full at `at`.
    async fn delete_full_buckets(&self, at: i64) -> StoreResult<u64>;
}
