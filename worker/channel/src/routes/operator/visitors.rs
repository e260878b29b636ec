//! Operator command for visitors' keys: `touchline visitors end-keys`.

use crate::http::{ApiError, ApiResult, AppState};

/// Ends all visitors' keys of a channel, and returns the new generation. Browsers get a new key without noticing.
///
/// # Errors
/// Fails with 400 for an unknown channel.
pub async fn end_keys(state: &AppState, channel_key: &str) -> ApiResult<i64> {
    if state.channels().by_key(channel_key).is_none() {
        return Err(ApiError::unknown(&format!("channel {channel_key}")));
    }
    let generation = state.store.raise_key_generation(channel_key, state.clock.now_ms()).await?;
    state.keyring.forget_generation(channel_key);
    Ok(generation)
}
