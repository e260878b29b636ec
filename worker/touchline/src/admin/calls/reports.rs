//! Problem reports, and the server's side of the session in one (`OPS-18`).

use std::collections::BTreeSet;
use std::path::PathBuf;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use touchline_channel::http::ApiError;
use touchline_channel::reports::{ReportFilter, StoredReport, read_log};
use touchline_store::RecordedOrderEvent;

use super::audited::{Operator, Subject};
use super::channels::{in_channel, require_channel};
use super::{Answer, OperationError, Operations, answer};
use crate::journal::Excerpt;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReportId {
    pub(crate) id: String,
    pub(crate) channel_key: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReportFile {
    pub(crate) report: StoredReport,
    pub(crate) log: PathBuf,
}

/// The server's side of a problem report: requests by the ids in the report, and orders in its recording. A tab that is
/// not the leader sends its purchases through another tab, so it does not have their request ids.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ServerSide {
    pub(crate) journal: Excerpt,
    /// Events of the orders in the recording and of those its requests were about.
    pub(crate) events: Vec<RecordedOrderEvent>,
}

pub(super) async fn list(
    State(operations): State<Operations>,
    Json(filter): Json<ReportFilter>,
) -> Answer<Vec<StoredReport>> {
    let stored = operations.channel.reports.stored().clone();
    let channel_key = filter.channel_key.clone();
    let listed = tokio::task::spawn_blocking(move || stored.list(|report| filter.matches(report)))
        .await
        .map_err(OperationError::new)?;
    let listed = listed.map_err(OperationError::new)?;
    require_channel(&operations, channel_key.as_deref(), listed.is_empty())?;
    answer(listed)
}

/// A report and the path of its recording.
fn find(operations: &Operations, ReportId { id, channel_key }: &ReportId) -> Result<(StoredReport, PathBuf), ApiError> {
    let stored = operations.channel.reports.stored();
    let found = stored.get(id).zip(stored.log_path(id));
    in_channel(&format!("report {id}"), found, channel_key.as_deref(), |(report, _)| &report.channel)
}

pub(super) async fn show(
    State(operations): State<Operations>,
    operator: Operator,
    Json(query): Json<ReportId>,
) -> Answer<ReportFile> {
    let (report, log) = find(&operations, &query)?;
    let finding = async { std::path::absolute(log).map_err(OperationError::new) };
    let channel_key = Some(report.channel.as_str()).filter(|key| !key.is_empty());
    let subject = Subject::of_all(&format!("report {}", report.id), channel_key);
    let log = operator.run(&operations, "reports show", subject, json!({}), finding).await?;
    answer(ReportFile { report, log })
}

pub(super) async fn server_side(
    State(operations): State<Operations>,
    Json(query): Json<ReportId>,
) -> Answer<ServerSide> {
    let (report, log) = find(&operations, &query)?;
    let reading = tokio::task::spawn_blocking(move || read_log(&log)).await.map_err(OperationError::new)?;
    let mut orders = orders_in(&String::from_utf8_lossy(&reading.map_err(OperationError::new)?));
    let journal = operations
        .journal
        .find(report.request_ids.into_iter().collect(), orders.clone())
        .await
        .map_err(OperationError::new)?;
    orders.extend(journal.entries.iter().filter_map(|entry| entry.order));
    let mut events = Vec::new();
    for order in orders {
        // A recording comes from a browser, so it may name orders of other channels.
        let record = operations.channel.store().any_order(order).await.map_err(OperationError::new)?;
        if record.is_none_or(|record| !report.channel.is_empty() && record.channel_key != report.channel) {
            continue;
        }
        events.extend(operations.channel.store().order_events(order).await.map_err(OperationError::new)?);
    }
    answer(ServerSide { journal, events })
}

/// The most orders of a recording to look up.
const MAX_REPORT_ORDERS: usize = 200;

/// The order ids in a recording, at most [`MAX_REPORT_ORDERS`].
fn orders_in(log: &str) -> BTreeSet<i64> {
    const KEY: &str = r#""order_id":"#;
    let mut orders = BTreeSet::new();
    for (at, _) in log.match_indices(KEY) {
        let number = log[at + KEY.len()..].trim_start();
        let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        if let Ok(order) = number[..end].parse() {
            orders.insert(order);
        }
        if orders.len() == MAX_REPORT_ORDERS {
            break;
        }
    }
    orders
}
