//! `visitors end-keys`

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use touchline_channel::routes::operator::visitors;

use super::audited::{Operator, Subject};
use super::{Answer, Operations, answer};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct VisitorsOf {
    pub(crate) channel_key: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EndedKeys {
    pub(crate) channel_key: String,
    pub(crate) generation: i64,
}

pub(super) async fn end_keys(
    State(operations): State<Operations>,
    operator: Operator,
    Json(VisitorsOf { channel_key }): Json<VisitorsOf>,
) -> Answer<EndedKeys> {
    let ending = async { Ok(visitors::end_keys(&operations.channel, &channel_key).await?) };
    let subject = Subject::of(&channel_key, format!("channel {channel_key}"));
    let generation = operator.run(&operations, "visitors end-keys", subject, json!({}), ending).await?;
    answer(EndedKeys { channel_key, generation })
}
