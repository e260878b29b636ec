//! Submissions of the channel's forms.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{Mail, StoreResult};

/// A field of a submitted form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormAnswer {
    /// Label of the field.
    pub label: String,
    /// Value of the field.
    pub value: String,
}

/// A submission to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSubmission {
    /// Key of the channel.
    pub channel_key: String,
    /// Alias of the form.
    pub alias: String,
    /// Identifies the submission. A repetition with the same key is ignored.
    pub submission_key: String,
    /// ID of the user, if signed in.
    pub user_id: Option<i64>,
    /// The sender's email address, normalised.
    pub sender: Option<String>,
    /// The fields, in the form's order.
    pub answers: Vec<FormAnswer>,
    /// Time in Unix milliseconds.
    pub at: i64,
}

/// A stored submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// ID of the submission.
    pub id: i64,
    /// Alias of the form.
    pub alias: String,
    /// ID of the user, if signed in.
    pub user_id: Option<i64>,
    /// The fields.
    pub answers: Vec<FormAnswer>,
    /// Time in Unix milliseconds.
    pub created_at: i64,
}

/// Storage of submissions.
#[async_trait]
pub trait Forms {
    /// Stores a submission and queues the mail about it. Returns `false` if one with the same key exists.
    async fn submit_form(&self, new: NewSubmission, email: Option<Mail>) -> StoreResult<bool>;
    /// Returns a channel's submissions, newest first, optionally of one form.
    async fn submissions(&self, channel_key: &str, alias: Option<&str>, limit: u32) -> StoreResult<Vec<Submission>>;
    /// Deletes submissions made before `at`.
    async fn delete_submissions(&self, at: i64) -> StoreResult<u64>;
}
