//! What was answered to an `Idempotency-Key`.

use async_trait::async_trait;
use touchline_protocol::limits::Limit;

use super::StoreResult;

/// How long a key is remembered, milliseconds.
pub const REMEMBERED_MS: i64 = 7 * 24 * 3600 * 1000;
/// The prefix of the keys that the worker derives for requests that carry none.
pub const DERIVED_KEY: &str = "derived:";
/// How many answers of one call are remembered for one person; the oldest go first.
pub const REMEMBERED_MOST: i64 = 1_000;
/// The rows of the limits table.
pub const LIMITS: &[Limit] = &[
    Limit::millis(
        "idempotency.remembered_for",
        REMEMBERED_MS as u64,
        "How long an Idempotency-Key is remembered with its answer.",
    ),
    Limit::count(
        "idempotency.remembered",
        REMEMBERED_MOST as u64,
        "answers",
        "Of one call and person; a tenth of them, the oldest, is forgotten when there are more.",
    ),
];

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

/// The newest answer under a derived key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedAnswer {
    /// The answer.
    pub answer: IdempotentAnswer,
    /// The time of its effect, in milliseconds.
    pub at: i64,
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
    /// The answer of the last key that begins with `prefix` and a colon.
    async fn derived_answer(&self, user_id: i64, call: &str, prefix: &str) -> StoreResult<Option<DerivedAnswer>>;
    /// Forgets answers older than `before`.
    async fn forget_answers(&self, before: i64) -> StoreResult<u64>;
}
