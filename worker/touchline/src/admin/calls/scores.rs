//! `event score`

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use touchline_channel::routes::operator::scores;
use touchline_protocol::catalogue::EventScore;

use super::audited::{Operator, Subject};
use super::{Answer, Operations, answer};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SetScore {
    pub(crate) channel_key: String,
    pub(crate) id: i64,
    /// `None` restores the score from the channel's folder.
    pub(crate) score: Option<EventScore>,
}

pub(super) async fn set(
    State(operations): State<Operations>,
    operator: Operator,
    Json(SetScore { channel_key, id, score }): Json<SetScore>,
) -> Answer<SetScore> {
    let (subject, detail) = (Subject::of(&channel_key, format!("event {channel_key} {id}")), json!(score));
    let setting = async { Ok(scores::set(&operations.channel, &channel_key, id, score.clone()).await?) };
    operator.run(&operations, "event score", subject, detail, setting).await?;
    answer(SetScore { channel_key, id, score })
}
