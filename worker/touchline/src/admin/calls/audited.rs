//! The operator's name, and the audit log: each action of an operator is an entry (`USER-7`).

use std::convert::Infallible;

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use touchline_store::{AuditEntry, AuditOutcome, NewAuditEntry};

use super::channels::require_channel;
use super::{Answer, OperationError, Operations, answer};
use crate::admin::client::OPERATOR_HEADER;

/// In characters.
const MAX_NAME: usize = 80;

/// The operator's login name, as claimed by the verb. Anyone who holds the token is trusted with it.
pub(crate) struct Operator(String);

impl<S: Sync> FromRequestParts<S> for Operator {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let name = parts.headers.get(OPERATOR_HEADER).and_then(|value| value.to_str().ok()).unwrap_or("unknown");
        Ok(Self(name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect()))
    }
}

/// The subject of an action.
pub(super) struct Subject {
    /// Such as `order 12`.
    name: String,
    channel_key: Option<String>,
}

impl Subject {
    /// A subject of one channel.
    pub(super) fn of(channel_key: &str, name: impl Into<String>) -> Self {
        Self { name: name.into(), channel_key: Some(channel_key.to_owned()) }
    }

    /// A subject that isn't one record, limited to a channel if one is given.
    pub(super) fn of_all(name: &str, channel_key: Option<&str>) -> Self {
        Self { name: name.to_owned(), channel_key: channel_key.map(str::to_owned) }
    }

    /// A record of a channel. If it wasn't found, the channel in which it was looked for.
    pub(super) fn of_record(name: String, found: Option<&str>, wanted: Option<&str>) -> Self {
        Self { name, channel_key: found.or(wanted).map(str::to_owned) }
    }
}

impl Operator {
    /// Runs an action and records it in the audit log. The entry is written before the action starts, so that no action
    /// goes unrecorded.
    pub(super) async fn run<T>(
        self,
        operations: &Operations,
        act: &str,
        subject: Subject,
        detail: Value,
        work: impl Future<Output = Result<T, OperationError>>,
    ) -> Result<T, OperationError> {
        let (store, at) = (operations.channel.store(), operations.channel.clock.now_ms());
        let Subject { name: subject, channel_key } = subject;
        let entry = NewAuditEntry { at, operator: self.0, act: act.to_owned(), subject, channel_key, detail };
        let id = store.start_audit(entry).await.map_err(OperationError::new)?;
        let done = work.await;
        let outcome = if done.is_ok() { AuditOutcome::Done } else { AuditOutcome::Failed };
        if let Err(error) = store.finish_audit(id, outcome).await {
            tracing::error!(%error, act, "the outcome of an operator's action is missing from the audit log");
        }
        done
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AuditLogQuery {
    pub(crate) channel_key: Option<String>,
    pub(crate) subject: Option<String>,
    pub(crate) limit: u32,
}

pub(super) async fn list(
    State(operations): State<Operations>,
    Json(query): Json<AuditLogQuery>,
) -> Answer<Vec<AuditEntry>> {
    let AuditLogQuery { channel_key, subject, limit } = query;
    let (channel_key, store) = (channel_key.as_deref(), operations.channel.store());
    let entries = store.audit_log(channel_key, subject.as_deref(), limit).await.map_err(OperationError::new)?;
    require_channel(&operations, channel_key, entries.is_empty())?;
    answer(entries)
}
