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
    /// Summary of the log (`LOG-5`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<SessionSummary>,
}

/// Facts about a session, by which it is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionSummary {
    /// Build of the site that recorded it.
    #[schema(max_length = 100, example = "0.1.0+01ed0ca4f51d")]
    pub build: String,
    /// Language of the site.
    #[schema(max_length = 100, example = "en")]
    pub language: String,
    /// Refusals, errors and failures, each once with its number.
    #[schema(max_items = 50)]
    pub outcomes: Vec<SessionOutcome>,
    /// Longest time that a call of the API was open, in milliseconds.
    #[schema(maximum = 86_400_000, example = 1200)]
    pub longest_wait_ms: u64,
}

/// An outcome of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionOutcome {
    /// Kind.
    pub kind: OutcomeKind,
    /// Code of a refusal or error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 100, example = "price_changed")]
    pub code: Option<String>,
    /// Number of times.
    #[schema(maximum = 1_000_000, example = 1)]
    pub count: u32,
}

/// Kind of a session's outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// The API or the site refused something.
    Refused,
    /// A call failed without an answer, or with the server's error.
    Error,
    /// The card or the bank declined a purchase.
    PurchaseFailed,
    /// A purchase lost its connection, and continued later.
    PurchaseInterrupted,
    /// An error covered the page.
    ErrorScreen,
    /// The site's own program failed.
    Crash,
}

impl OutcomeKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Refused, Self::Error, Self::PurchaseFailed, Self::PurchaseInterrupted, Self::ErrorScreen, Self::Crash];

    /// Name in calls and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Error => "error",
            Self::PurchaseFailed => "purchase_failed",
            Self::PurchaseInterrupted => "purchase_interrupted",
            Self::ErrorScreen => "error_screen",
            Self::Crash => "crash",
        }
    }
}

impl fmt::Display for SessionOutcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.kind.name())?;
        if let Some(code) = &self.code {
            write!(formatter, ":{code}")?;
        }
        if self.count > 1 { write!(formatter, " ×{}", self.count) } else { Ok(()) }
    }
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
