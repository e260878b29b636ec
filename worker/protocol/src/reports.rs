//! Reports from the browser: failed requests and problems.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

/// Request body of `POST /error-log`: a request that failed in a browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorLogLine {
    /// Time of the failure, RFC 3339 UTC. The log stores at most the first 500 characters of each string.
    #[schema(example = "2026-11-21T18:00:00Z")]
    pub date: String,
    /// HTTP status, or 0 if there was no response.
    #[schema(example = 503, minimum = 0, maximum = 999)]
    pub status: u16,
    /// Error message.
    #[schema(example = "Something went wrong.")]
    pub message: String,
    /// URL of the request, without keys.
    #[schema(example = "/api/events")]
    pub url: String,
    /// ID of the request, if there was a response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// Request body of `POST /problem-report`: a problem report from a viewer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProblemReport {
    /// Description by the viewer.
    #[schema(max_length = 4000, example = "The picture froze.")]
    pub note: String,
    /// Path of the page, without the query.
    #[schema(max_length = 500, example = "/watch/1")]
    pub page: String,
    /// Action log, as JSON Lines.
    #[schema(max_length = 24_000_000, example = "")]
    pub log: String,
    /// IDs of the latest requests, newest first. They refer to the worker's traces.
    #[schema(max_items = 500, example = json!(["019a1b2c"]))]
    #[serde(deserialize_with = "limited_ids")]
    pub request_ids: Vec<String>,
}

/// Most request ids in a report.
pub const REQUEST_IDS_MAX: usize = 500;

/// Stops reading at the limit, because a short body can contain millions of ids.
fn limited_ids<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct LimitedIds;

    impl<'de> Visitor<'de> for LimitedIds {
        type Value = Vec<String>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(formatter, "at most {REQUEST_IDS_MAX} ids")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
            let mut ids = Vec::new();
            while let Some(id) = items.next_element()? {
                if ids.len() == REQUEST_IDS_MAX {
                    return Err(A::Error::invalid_length(REQUEST_IDS_MAX + 1, &self));
                }
                ids.push(id);
            }
            Ok(ids)
        }
    }

    deserializer.deserialize_seq(LimitedIds)
}

/// The receipt of a problem report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReportReceipt {
    /// ID of the report, to give to support.
    #[schema(example = "01a1fdda-7948-7cbd-a16c-df02a4c6044a")]
    pub id: String,
}
