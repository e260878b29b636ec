//! Operator command for scores: `touchline event score`.

use touchline_protocol::catalogue::EventScore;
use touchline_protocol::codes::ErrorCode;

use crate::catalogue::read::{PERIOD_MAX, SCORE_MAX};
use crate::http::{ApiError, ApiResult, AppState};
use crate::scores;

/// Stores an event's score and announces it to viewers. `None` restores the score of the channel's folder (`SCORE-1`).
///
/// # Errors
/// Fails with 400 for an unknown channel or event, an event without two teams, and invalid scores.
pub async fn set(state: &AppState, channel_key: &str, id: i64, score: Option<EventScore>) -> ApiResult<()> {
    let unknown = |what: String| ApiError::unknown(&what);
    let channel = state.channels().by_key(channel_key).ok_or_else(|| unknown(format!("channel {channel_key}")))?;
    let event = channel.event(id).ok_or_else(|| unknown(format!("event {id} in {channel_key}")))?;
    let invalid = |why: String| Err(ApiError::rule(ErrorCode::Invalid, why));
    if let Some(EventScore { away, home, period }) = &score {
        if event.participants.len() != 2 {
            return invalid("The event does not have two teams.".to_owned());
        }
        if [away, home].into_iter().any(|side| !(0..=SCORE_MAX).contains(side)) {
            return invalid(format!("A score must be 0 to {SCORE_MAX}."));
        }
        if period.chars().count() > PERIOD_MAX || period.chars().any(char::is_control) {
            return invalid(format!("A period has at most {PERIOD_MAX} characters on one line."));
        }
    }
    state.store().set_event_score(channel_key, id, score.as_ref(), state.clock.now_ms()).await?;
    Ok(scores::refresh(state).await?)
}
