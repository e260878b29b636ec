//! What operators did.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::StoreResult;

/// An act that an operator begins. People are named by id alone, so that an erased one leaves no name here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAuditEntry {
    /// When, Unix milliseconds.
    pub at: i64,
    /// The operator's login name on the machine.
    pub operator: String,
    /// The verb, such as `order refund`.
    pub act: String,
    /// What it is about, such as `order 12`.
    pub subject: String,
    /// What else was said, JSON.
    pub detail: serde_json::Value,
}

/// How far an act has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditOutcome {
    /// It began; where it stays so, the worker ended in between.
    Begun,
    /// It was done.
    Done,
    /// It was refused, or failed.
    Failed,
}

/// A line of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Grows.
    pub id: i64,
    /// When, Unix milliseconds.
    pub at: i64,
    /// The operator's login name on the machine.
    pub operator: String,
    /// The verb.
    pub act: String,
    /// What it is about.
    pub subject: String,
    /// What else was said.
    pub detail: serde_json::Value,
    /// How far it came.
    pub outcome: AuditOutcome,
}

/// The audit log: lines are added, and say how they ended; nothing removes them.
#[async_trait]
pub trait AuditLog {
    /// Writes that an act begins; gives the line's id.
    async fn begin_audit(&self, entry: NewAuditEntry) -> StoreResult<i64>;
    /// Writes how an act ended.
    async fn end_audit(&self, id: i64, outcome: AuditOutcome) -> StoreResult<()>;
    /// The newest lines first, of one subject or of all.
    async fn audit_log(&self, subject: Option<&str>, limit: u32) -> StoreResult<Vec<AuditEntry>>;
}
