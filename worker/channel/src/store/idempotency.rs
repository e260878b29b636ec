//! What was answered to an `Idempotency-Key`.

use async_trait::async_trait;

use super::StoreResult;

/// A request that must have one effect: who, which call, which key, which body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyClaim {
    /// The person.
    pub user_id: i64,
    /// The call.
    pub call: String,
    /// The `Idempotency-Key`.
    pub key: String,
    /// Of the body, hexadecimal.
    pub fingerprint: String,
}

/// What it was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentAnswer {
    /// Of the body, hexadecimal.
    pub fingerprint: String,
    /// JSON; the status was 200.
    pub body: String,
}

/// Looking up and forgetting answers. They are written by the methods whose effect they tell of, in the same transaction:
/// each such method takes a claim, and keeps `{"data": …}` of what it gives.
#[async_trait]
pub trait Answers {
    /// What this key was answered, no longer ago than `since`.
    async fn idempotent_answer(
        &self,
        user_id: i64,
        call: &str,
        key: &str,
        since: i64,
    ) -> StoreResult<Option<IdempotentAnswer>>;
    /// Forgets answers older than `before`.
    async fn forget_answers(&self, before: i64) -> StoreResult<u64>;
}
