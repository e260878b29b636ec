//! What the browser tells of its failures.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Body of `POST /error-log`: a request that failed in a browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorLogLine {
    /// When it failed, RFC 3339 UTC.
    #[schema(max_length = 40)]
    pub date: String,
    /// The HTTP status, 0 when there was no answer.
    #[schema(minimum = 0, maximum = 999)]
    pub status: u16,
    /// What was said.
    #[schema(max_length = 2000)]
    pub message: String,
    /// What was asked, without its keys.
    #[schema(max_length = 2000)]
    pub url: String,
    /// The request id of the answer, when there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// Body of `POST /problem-report`: what a viewer chose to send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProblemReport {
    /// What the viewer wrote.
    #[schema(max_length = 4000)]
    pub note: String,
    /// The page's path, without query.
    #[schema(max_length = 500)]
    pub page: String,
    /// The action log, JSON Lines.
    #[schema(max_length = 1_000_000)]
    pub log: String,
    /// The last request ids, newest first; they lead into the worker's traces.
    #[schema(max_items = 50)]
    pub request_ids: Vec<String>,
}

/// The id under which a problem report is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReportReceipt {
    /// To be told to support.
    pub id: String,
}
