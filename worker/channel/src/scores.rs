//! Copies scores that the operator sets (`SCORE-1`) from the store into the channels.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use touchline_store::StoreResult;

use crate::background::log_failure;
use crate::http::AppState;

/// Interval of checks for scores that another worker stored.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Updates every channel to the scores in the store.
pub(crate) async fn refresh(state: &AppState) -> StoreResult<()> {
    for key in state.channels().keys() {
        let scores = state.store().event_scores(&key).await?;
        let channels = std::sync::Arc::clone(&state.channels);
        // The update copies a channel.
        let applied = tokio::task::spawn_blocking(move || channels.set_scores(&key, scores)).await;
        if let Err(error) = applied {
            tracing::error!(%error, "cannot apply scores");
        }
    }
    Ok(())
}

/// Applies scores that other workers stored, until cancelled.
pub(crate) async fn run(state: AppState, cancel: CancellationToken) {
    let mut last_mark = None;
    while cancel.run_until_cancelled(tokio::time::sleep(POLL_INTERVAL)).await.is_some() {
        match state.store().event_scores_mark().await {
            Ok(mark) if last_mark == Some(mark) => {}
            Ok(mark) => match refresh(&state).await {
                Ok(()) => last_mark = Some(mark),
                Err(error) => log_failure(&error, "cannot read scores"),
            },
            Err(error) => log_failure(&error, "cannot read scores"),
        }
    }
}
