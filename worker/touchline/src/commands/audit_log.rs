//! `audit-log`

use anyhow::Result;
use clap::ArgMatches;
use reqwest::Method;
use serde_json::{Value, json};
use touchline_store::AuditEntry;

use super::output::{minute, render, table_or};
use super::text_of;
use crate::admin::calls::audited::AuditLogQuery;
use crate::admin::client::Worker;

pub(super) async fn list(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let limit = matches.get_one::<u32>("limit").copied().unwrap_or(50);
    let (channel_key, subject) = (text_of(matches, "channel"), text_of(matches, "subject"));
    let request = AuditLogQuery { channel_key, subject, limit };
    let entries: Vec<AuditEntry> = worker.call(Method::POST, "audit-log", &request).await?;
    render(matches, &entries, |entries| {
        let rows: Vec<Value> = entries.iter().map(row).collect();
        table_or(
            &["when", "operator", "action", "channel", "subject", "outcome", "detail"],
            &rows,
            "no matching actions",
        )
    })
}

fn row(entry: &AuditEntry) -> Value {
    let detail = entry.detail.as_object().is_some_and(|detail| !detail.is_empty()).then(|| entry.detail.to_string());
    json!({
        "when": minute(entry.at), "operator": entry.operator, "action": entry.act,
        "channel": entry.channel_key.as_deref().unwrap_or_default(), "subject": entry.subject,
        "outcome": entry.outcome, "detail": detail.unwrap_or_default(),
    })
}
