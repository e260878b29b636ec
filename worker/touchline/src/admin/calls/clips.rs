//! `clip list|hide|unhide`

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use touchline_channel::routes::operator::clips::{self, ListedClip};

use super::audited::{Operator, Subject};
use super::channels::in_channel;
use super::{Answer, OperationError, Operations, RecordId, RecordQuery, answer};

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
    Json(clip): Json<RecordQuery>,
) -> Answer<RecordId> {
    set(&operations, operator, "clip hide", clip, true).await
}

pub(super) async fn unhide(
    State(operations): State<Operations>,
    operator: Operator,
    Json(clip): Json<RecordQuery>,
) -> Answer<RecordId> {
    set(&operations, operator, "clip unhide", clip, false).await
}

async fn set(
    operations: &Operations,
    operator: Operator,
    verb: &'static str,
    RecordQuery { id, channel_key }: RecordQuery,
    hidden: bool,
) -> Answer<RecordId> {
    let clip = operations.channel.store().clip(id).await.map_err(OperationError::new)?;
    let name = format!("clip {id}");
    let found = in_channel(&name, clip, channel_key.as_deref(), |clip| &clip.channel_key);
    let of_clip = found.as_ref().ok().map(|clip| clip.channel_key.as_str());
    let subject = Subject::of_record(name, of_clip, channel_key.as_deref());
    let hiding = async {
        found?;
        clips::hide(&operations.channel, id, hidden).await?;
        Ok(RecordId { id })
    };
    answer(operator.run(operations, verb, subject, json!({}), hiding).await?)
}
