//! How events stand, as the operator says (`SCORE-1`).

use std::collections::HashMap;

use async_trait::async_trait;
use touchline_protocol::catalogue::EventScore;

use super::StoreResult;

/// Scores of events beside those of a channel's folder. One that is here stands before the folder's.
#[async_trait]
pub trait EventScores {
    /// Keeps how an event stands, or nothing of it.
    async fn set_event_score(
        &self,
        channel_key: &str,
        event_id: i64,
        score: Option<&EventScore>,
        at: i64,
    ) -> StoreResult<()>;
    /// How the events of a channel stand, by event.
    async fn event_scores(&self, channel_key: &str) -> StoreResult<HashMap<i64, EventScore>>;
    /// How many scores there are and when one was kept last: another pair means that some of them are others.
    async fn event_scores_mark(&self) -> StoreResult<(i64, i64)>;
}
