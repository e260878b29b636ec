//! The effects that are under way: a request that is sent twice at once waits for the first.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::OwnedMutexGuard;
use touchline_store::idempotency::RESPONSE_LIFETIME_MS;
use touchline_store::{IdempotencyClaim, Store, StoredResponse};

use super::error::{ApiError, ApiResult};

/// The effects that are under way in this worker: a concurrent twin waits for the first.
#[derive(Debug, Default)]
pub struct EffectsUnderWay(Mutex<HashMap<Effect, Arc<tokio::sync::Mutex<()>>>>);

/// Person, call and key.
type Effect = (i64, String, String);

/// What is to be done about a request.
pub(super) enum Turn {
    /// It was answered before: this is the answer.
    Answered(StoredResponse),
    /// It is new. Twins wait until this is dropped.
    First(OwnedMutexGuard<()>),
}

impl EffectsUnderWay {
    /// Waits for a twin, then tells whether the request was answered before.
    ///
    /// # Errors
    /// 409 for a key that was used with another body.
    pub(super) async fn turn(&self, store: &dyn Store, claim: &IdempotencyClaim, now_ms: i64) -> ApiResult<Turn> {
        let guard = self.lock(claim).await;
        Ok(answered(store, claim, now_ms).await?.map_or(Turn::First(guard), Turn::Answered))
    }

    /// Waits for a twin. Others wait until the guard is dropped.
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

/// What was answered before.
///
/// # Errors
/// 409 for a key that was used with another body.
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
