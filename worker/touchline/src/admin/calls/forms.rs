//! `forms`

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use touchline_channel::routes::operator::forms::{self, ListedSubmission};

use super::audited::{Operator, Subject};
use super::{Answer, Operations, answer};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SubmissionsQuery {
    pub(crate) channel_key: String,
    pub(crate) alias: Option<String>,
    pub(crate) limit: u32,
}

/// Form submissions are personal data, so reading them is audited.
pub(super) async fn list(
    State(operations): State<Operations>,
    operator: Operator,
    Json(SubmissionsQuery { channel_key, alias, limit }): Json<SubmissionsQuery>,
) -> Answer<Vec<ListedSubmission>> {
    let reading = async { Ok(forms::list(&operations.channel, &channel_key, alias.as_deref(), limit).await?) };
    let subject = Subject::of(&channel_key, format!("forms {channel_key}"));
    let detail = json!({ "form": alias, "limit": limit });
    answer(operator.run(&operations, "forms", subject, detail, reading).await?)
}
