//! What viewers wrote in a channel's forms, for its operator: `touchline forms` (`FORM-2`).

use serde::{Deserialize, Serialize};
use touchline_protocol::time::rfc3339;
use touchline_store::{FormAnswer, Submission};

use crate::http::{ApiError, ApiResult, AppState};

/// A submission as an operator reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedSubmission {
    /// Its id.
    pub id: i64,
    /// The form's alias.
    pub form: String,
    /// Who it was, when logged in.
    pub user_id: Option<i64>,
    /// When, RFC 3339 UTC.
    pub created_at: String,
    /// What they entered.
    pub answers: Vec<FormAnswer>,
}

/// The submissions of a channel, newest first; of one form alone when it is named.
///
/// # Errors
/// 400 for an unknown channel or form.
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
