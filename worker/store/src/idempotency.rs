//! Stored responses by `Idempotency-Key`.

use async_trait::async_trait;
use touchline_protocol::limits::Limit;

use super::StoreResult;

/// Lifetime of a key in milliseconds.
pub const RESPONSE_LIFETIME_MS: i64 = 7 * 24 * 3600 * 1000;
/// Prefix of keys that the worker derives for requests without one.
pub const DERIVED_KEY: &str = "derived:";
/// Most responses stored per user and call. The oldest are dropped first.
pub(crate) const MAX_RESPONSES: i64 = 1_000;
/// Rows of the limits table.
pub const LIMITS: &[Limit] = &[
    Limit::millis(
        "idempotency.remembered_for",
        RESPONSE_LIFETIME_MS as u64,
        "Lifetime of an Idempotency-Key and its response.",
    ),
    Limit::count(
        "idempotency.remembered",
        MAX_RESPONSES as u64,
        "responses",
        "Stored responses per user and call. Beyond that, the oldest tenth is deleted.",
    ),
];

/// Claim on a key by a request that must have a single effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyClaim {
    /// ID of the user.
    pub user_id: i64,
    /// The call.
    pub call: String,
    /// The `Idempotency-Key`.
    pub key: String,
    /// Digest of the request body, in hex.
    pub fingerprint: String,
}

/// A stored response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// Digest of the request body, in hex.
    pub fingerprint: String,
    /// Response body as JSON. The status was 200.
    pub body: String,
}

/// The latest response for a derived key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedResponse {
    /// The response.
    pub answer: StoredResponse,
    /// Time of the effect in Unix milliseconds.
    pub at: i64,
}

/// Queries of stored responses. The methods with the effect store the response, `{"data": …}`, in the same transaction
/// if they receive a claim.
#[async_trait]
pub trait Responses {
    /// Returns the response for a key, unless it is older than `since`.
    async fn stored_response(
        &self,
        user_id: i64,
        call: &str,
        key: &str,
        since: i64,
    ) -> StoreResult<Option<StoredResponse>>;
    /// Returns the response for the latest key that starts with `prefix` and a colon.
    async fn derived_response(&self, user_id: i64, call: &str, prefix: &str) -> StoreResult<Option<DerivedResponse>>;
    /// Deletes responses older than `before`.
    async fn delete_responses(&self, before: i64) -> StoreResult<u64>;
}
