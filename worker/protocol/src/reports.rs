//! What the browser tells of its failures.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

/// Body of `POST /error-log`: a request that failed in a browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorLogLine {
    /// When it failed, RFC 3339 UTC. Of this and every other text the log keeps the first 500 characters at most.
    #[schema(example = "2026-11-21T18:00:00Z")]
    pub date: String,
    /// The HTTP status, 0 when there was no answer.
    #[schema(example = 503, minimum = 0, maximum = 999)]
    pub status: u16,
    /// What was said.
    #[schema(example = "Something went wrong.")]
    pub message: String,
    /// What was asked, without its keys.
    #[schema(example = "/api/events")]
    pub url: String,
    /// The request id of the answer, when there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// Body of `POST /problem-report`: what a viewer chose to send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProblemReport {
    /// What the viewer wrote.
    #[schema(max_length = 4000, example = "The picture froze.")]
    pub note: String,
    /// The page's path, without query.
    #[schema(max_length = 500, example = "/watch/1")]
    pub page: String,
    /// The action log, JSON Lines.
    #[schema(max_length = 24_000_000, example = "")]
    pub log: String,
    /// The last request ids, newest first; they lead into the worker's traces.
    #[schema(max_items = 500, example = json!(["019a1b2c"]))]
    #[serde(deserialize_with = "few_ids")]
    pub request_ids: Vec<String>,
}

/// The most request ids of a report.
pub const REQUEST_IDS_MAX: usize = 500;

/// No more ids are read than a report may have: a short body can name millions.
fn few_ids<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct Few;

    impl<'de> Visitor<'de> for Few {
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

    deserializer.deserialize_seq(Few)
}

/// The id under which a problem report is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReportReceipt {
    /// To be told to support.
    #[schema(example = "01a1fdda-7948-7cbd-a16c-df02a4c6044a")]
    pub id: String,
}
