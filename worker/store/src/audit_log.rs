//! The log of operators' actions.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::StoreResult;

/// An action by an operator, to be logged before it starts. Viewers are referred to by id only, so that no name remains
/// after their erasure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAuditEntry {
    /// Time in Unix milliseconds.
    pub at: i64,
    /// The operator's login name on the machine.
    pub operator: String,
    /// The action, such as `order refund`.
    pub act: String,
    /// The subject of the action, such as `order 12`.
    pub subject: String,
    /// Key of the channel; `None` for what is about all of them.
    pub channel_key: Option<String>,
    /// Further details, as JSON.
    pub detail: serde_json::Value,
}

/// The outcome of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditOutcome {
    /// The action started. If the entry stays like this, the worker stopped in between.
    #[serde(rename = "begun")]
    Started,
    /// The action completed.
    Done,
    /// The action was refused or failed.
    Failed,
}

/// An entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Increasing identifier.
    pub id: i64,
    /// Time in Unix milliseconds.
    pub at: i64,
    /// The operator's login name on the machine.
    pub operator: String,
    /// The action.
    pub act: String,
    /// The subject of the action.
    pub subject: String,
    /// Key of the channel; `None` for what is about all of them, and in entries of earlier builds.
    pub channel_key: Option<String>,
    /// Further details, as JSON.
    pub detail: serde_json::Value,
    /// The outcome of the action.
    pub outcome: AuditOutcome,
}

/// The audit log. Entries are added and completed, but never removed.
#[async_trait]
pub trait AuditLog {
    /// Logs the start of an action and returns the entry's id.
    async fn start_audit(&self, entry: NewAuditEntry) -> StoreResult<i64>;
    /// Logs the outcome of an action.
    async fn finish_audit(&self, id: i64, outcome: AuditOutcome) -> StoreResult<()>;
    /// Returns the newest entries first, for one channel and one subject, or all.
    async fn audit_log(
        &self,
        channel_key: Option<&str>,
        subject: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<AuditEntry>>;
}
