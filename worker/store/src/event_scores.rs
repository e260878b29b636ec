//! Scores of events, set by the operator (`SCORE-1`).

use std::collections::HashMap;

use async_trait::async_trait;
use touchline_protocol::catalogue::EventScore;

use super::StoreResult;

/// Scores that override those in a channel's folder.
#[async_trait]
pub trait EventScores {
    /// Sets an event's score, or removes it.
    async fn set_event_score(
        &self,
        channel_key: &str,
        event_id: i64,
        score: Option<&EventScore>,
        at: i64,
    ) -> StoreResult<()>;
    /// Returns a channel's scores by event.
    async fn event_scores(&self, channel_key: &str) -> StoreResult<HashMap<i64, EventScore>>;
    /// Returns the number of scores and the time of the latest change. A different pair means that scores have changed.
    async fn event_scores_mark(&self) -> StoreResult<(i64, i64)>;
}
