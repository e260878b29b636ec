//! `clip list|hide|unhide`

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use touchline_channel::routes::operator::clips::{self, ListedClip};

use super::audited::Operator;
use super::{Answer, ById, Operations, answer};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FindClips {
    pub(crate) channel_key: String,
    pub(crate) public_only: bool,
    pub(crate) limit: u32,
}

pub(super) async fn list(State(on): State<Operations>, Json(asked): Json<FindClips>) -> Answer<Vec<ListedClip>> {
    let FindClips { channel_key, public_only, limit } = asked;
    answer(clips::list(&on.channel, &channel_key, public_only, limit).await?)
}

pub(super) async fn hide(
    State(on): State<Operations>,
    operator: Operator,
    Json(ById { id }): Json<ById>,
) -> Answer<ById> {
    set(&on, operator, "clip hide", id, true).await
}

pub(super) async fn unhide(
    State(on): State<Operations>,
    operator: Operator,
    Json(ById { id }): Json<ById>,
) -> Answer<ById> {
    set(&on, operator, "clip unhide", id, false).await
}

async fn set(on: &Operations, operator: Operator, verb: &'static str, id: i64, hidden: bool) -> Answer<ById> {
    let hiding = async {
        clips::hide(&on.channel, id, hidden).await?;
        Ok(ById { id })
    };
    answer(operator.does(on, verb, format!("clip {id}"), json!({}), hiding).await?)
}
