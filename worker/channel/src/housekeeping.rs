//! Forgets what is old, so that the store does not grow for ever.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::http::idempotency::REMEMBERED_MS;
use crate::state::AppState;
use crate::store::StoreResult;

const EVERY: Duration = Duration::from_secs(600);
const DAY_MS: i64 = 24 * 3600 * 1000;
/// For how long a browser that was away can resume instead of starting from a snapshot.
const STATUSES_MS: i64 = 7 * DAY_MS;
/// For how long a visitor's key works without being used.
const IDLE_KEYS_MS: i64 = 90 * DAY_MS;

/// Forgets what is old until it is told to stop.
pub async fn run(state: AppState, cancel: CancellationToken) {
    loop {
        if let Err(error) = tidy(&state).await {
            tracing::error!(%error, "what is old cannot be forgotten");
        }
        if cancel.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_none() {
            return;
        }
    }
}

/// Forgets what is old now.
///
/// # Errors
/// When the store does not answer.
pub async fn tidy(state: &AppState) -> StoreResult<()> {
    let now = state.clock.now_ms();
    state.store.forget_tokens(now).await?;
    state.store.forget_answers(now - REMEMBERED_MS).await?;
    state.store.forget_statuses(now - STATUSES_MS).await?;
    state.store.forget_idle_keys(now - IDLE_KEYS_MS).await?;
    for channel in state.channels.all() {
        let known = state.store.clip_uuids(channel.key()).await?.into_iter().collect();
        if let Err(error) = state.clips.keep_only(channel.key(), &known) {
            tracing::warn!(%error, "the files of deleted clips cannot be removed");
        }
    }
    Ok(())
}
