//! Requests in progress: a request that is sent twice at once waits for the first.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::OwnedMutexGuard;
use touchline_store::idempotency::RESPONSE_LIFETIME_MS;
use touchline_store::{IdempotencyClaim, Store, StoredResponse};

use super::error::{ApiError, ApiResult};

/// Requests in progress in this worker. A concurrent duplicate waits for the first.
#[derive(Debug, Default)]
pub(crate) struct PendingEffects(Mutex<HashMap<Effect, Arc<tokio::sync::Mutex<()>>>>);

/// Person, call and key.
type Effect = (i64, String, String);

pub(super) enum Turn {
    /// The stored response of an earlier request.
    Answered(StoredResponse),
    /// A new request. Duplicates wait until the guard is dropped.
    First(OwnedMutexGuard<()>),
}

impl PendingEffects {
    /// Waits for a duplicate, then returns its response if there is one.
    ///
    /// # Errors
    /// Fails with 409 for a key that was used with another body.
    pub(super) async fn turn(&self, store: &dyn Store, claim: &IdempotencyClaim, now_ms: i64) -> ApiResult<Turn> {
        let guard = self.lock(claim).await;
        Ok(answered(store, claim, now_ms).await?.map_or(Turn::First(guard), Turn::Answered))
    }

    /// Waits for a duplicate. Others wait until the guard is dropped.
    pub(super) async fn lock(&self, claim: &IdempotencyClaim) -> OwnedMutexGuard<()> {
        let lock = {
            let mut under_way = self.0.lock();
            under_way.retain(|_, lock| Arc::strong_count(lock) > 1);
            let effect = (claim.user_id, claim.call.clone(), claim.key.clone());
            Arc::clone(under_way.entry(effect).or_default())
        };
        lock.lock_owned().await
    }
}

/// Looks up the response of an earlier request.
///
/// # Errors
/// Fails with 409 for a key that was used with another body.
pub(super) async fn answered(
    store: &dyn Store,
    claim: &IdempotencyClaim,
    now_ms: i64,
) -> ApiResult<Option<StoredResponse>> {
    let since = now_ms - RESPONSE_LIFETIME_MS;
    match store.stored_response(claim.user_id, &claim.call, &claim.key, since).await? {
        Some(answer) if answer.fingerprint != claim.fingerprint => Err(ApiError::IDEMPOTENCY_CONFLICT),
        answer => Ok(answer),
    }
}
