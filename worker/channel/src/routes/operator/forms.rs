//! Operator command for form submissions: `touchline forms` (`FORM-2`).

use serde::{Deserialize, Serialize};
use touchline_protocol::time::rfc3339;
use touchline_store::{FormAnswer, Submission};

use crate::http::{ApiError, ApiResult, AppState};

/// A submission for an operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedSubmission {
    /// The submission's id.
    pub id: i64,
    /// The form's alias.
    pub form: String,
    /// The sender's id, if logged in.
    pub user_id: Option<i64>,
    /// Time of the submission, RFC 3339 in UTC.
    pub created_at: String,
    /// The fields' values.
    pub answers: Vec<FormAnswer>,
}

/// A channel's submissions, newest first, or only those of one form.
///
/// # Errors
/// Fails with 400 for an unknown channel or form.
pub async fn list(
    state: &AppState,
    channel_key: &str,
    alias: Option<&str>,
    limit: u32,
) -> ApiResult<Vec<ListedSubmission>> {
    let unknown = || ApiError::unknown(&format!("channel {channel_key}"));
    let channel = state.channels().by_key(channel_key).ok_or_else(unknown)?;
    if let Some(alias) = alias.filter(|alias| !channel.forms.iter().any(|record| record.form.alias == *alias)) {
        return Err(ApiError::unknown(&format!("form {alias} in {channel_key}")));
    }
    let listed = |Submission { id, alias, user_id, answers, created_at }| ListedSubmission {
        id,
        form: alias,
        user_id,
        created_at: rfc3339(created_at),
        answers,
    };
    Ok(state.store().submissions(channel_key, alias, limit).await?.into_iter().map(listed).collect())
}
