//! How events stand, as the operator says (`SCORE-1`): from the store into the channels.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use touchline_store::StoreResult;

use crate::background::log_failure;
use crate::http::AppState;

/// How often the store is asked whether another worker kept a score.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Brings every channel to what the store says.
///
/// # Errors
/// When the store does not answer.
pub async fn refresh(state: &AppState) -> StoreResult<()> {
    for channel in state.channels().all() {
        let scores = state.store().event_scores(channel.key()).await?;
        let (channels, key) = (std::sync::Arc::clone(&state.channels), channel.key().to_owned());
        // It waits for a load, and copies a channel.
        let taken = tokio::task::spawn_blocking(move || channels.set_scores(&key, scores)).await;
        if let Err(error) = taken {
            tracing::error!(%error, "scores were not taken up");
        }
    }
    Ok(())
}

/// Takes up what other workers keep, until it is cancelled.
pub(crate) async fn run(state: AppState, cancel: CancellationToken) {
    let mut seen = None;
    while cancel.run_until_cancelled(tokio::time::sleep(LOOK_EVERY)).await.is_some() {
        match state.store().event_scores_mark().await {
            Ok(mark) if seen == Some(mark) => {}
            Ok(mark) => match refresh(&state).await {
                Ok(()) => seen = Some(mark),
                Err(error) => log_failure(&error, "scores were not read"),
            },
            Err(error) => log_failure(&error, "scores were not read"),
        }
    }
}
