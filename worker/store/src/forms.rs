//! What viewers wrote in the channel's forms.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{Mail, StoreResult};

/// One field of a form, as it was filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormAnswer {
    /// What the field said.
    pub label: String,
    /// What was entered.
    pub value: String,
}

/// A form that was filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSubmission {
    /// The channel.
    pub channel_key: String,
    /// The form.
    pub alias: String,
    /// Tells one press from another: the same key is the same submission.
    pub submission_key: String,
    /// Who it was, when logged in.
    pub user_id: Option<i64>,
    /// The address that they gave, folded.
    pub sender: Option<String>,
    /// What they entered, in the form's order.
    pub answers: Vec<FormAnswer>,
    /// When.
    pub at: i64,
}

/// A submission as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// Its id.
    pub id: i64,
    /// The form.
    pub alias: String,
    /// Who it was, when logged in.
    pub user_id: Option<i64>,
    /// What they entered.
    pub answers: Vec<FormAnswer>,
    /// When.
    pub created_at: i64,
}

/// Keeping and reading submissions.
#[async_trait]
pub trait Forms {
    /// Keeps a submission and queues the letter about it; whether it is new. One of the same key is there already.
    async fn submit_form(&self, new: NewSubmission, letter: Option<Mail>) -> StoreResult<bool>;
    /// The submissions of a channel, newest first; of one form alone when it is named.
    async fn submissions(&self, channel_key: &str, alias: Option<&str>, limit: u32) -> StoreResult<Vec<Submission>>;
    /// Forgets those from before `at`.
    async fn forget_submissions(&self, at: i64) -> StoreResult<u64>;
}
