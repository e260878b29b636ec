//! `clip list|hide|unhide`

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use touchline_channel::routes::operator::clips::{self, ListedClip};

use super::audited::Operator;
use super::{Answer, Operations, RecordId, answer};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ClipsQuery {
    pub(crate) channel_key: String,
    pub(crate) public_only: bool,
    pub(crate) limit: u32,
}

pub(super) async fn list(
    State(operations): State<Operations>,
    Json(query): Json<ClipsQuery>,
) -> Answer<Vec<ListedClip>> {
    let ClipsQuery { channel_key, public_only, limit } = query;
    answer(clips::list(&operations.channel, &channel_key, public_only, limit).await?)
}

pub(super) async fn hide(
    State(operations): State<Operations>,
    operator: Operator,
    Json(RecordId { id }): Json<RecordId>,
) -> Answer<RecordId> {
    set(&operations, operator, "clip hide", id, true).await
}

pub(super) async fn unhide(
    State(operations): State<Operations>,
    operator: Operator,
    Json(RecordId { id }): Json<RecordId>,
) -> Answer<RecordId> {
    set(&operations, operator, "clip unhide", id, false).await
}

async fn set(
    operations: &Operations,
    operator: Operator,
    verb: &'static str,
    id: i64,
    hidden: bool,
) -> Answer<RecordId> {
    let hiding = async {
        clips::hide(&operations.channel, id, hidden).await?;
        Ok(RecordId { id })
    };
    answer(operator.run(operations, verb, format!("clip {id}"), json!({}), hiding).await?)
}
