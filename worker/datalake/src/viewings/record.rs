//! The stored state of one viewing.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{AMEND_TIME, MAX_CODES, MAX_TEXT, SETTLE_TIME, SILENCE_LIMIT};
use crate::event::QueuedEvent;

/// Fields of a report's body that the viewing's row has under the same names.
const COPIED_FIELDS: &[&str] = &[
    "stream_id",
    "stream_type",
    "profile",
    "session_uuid",
    "content_type",
    "content_id",
    "content_event_id",
    "channel",
    "country",
    "language",
    "app_version",
];

/// CMCD keys that a viewing stores. Keys with a prefix are specific to this product.
const KEYS: &[&str] = &["msd", "bsa", "bsda", "dfa", "ltc", "br", "cdn", WATCHED, RENDITIONS, SPOT];
/// Watched time, milliseconds.
pub(super) const WATCHED: &str = "com.touchline-watched";
/// Displayed renditions: `lines:kbps:milliseconds`, separated by blanks.
pub(super) const RENDITIONS: &str = "com.touchline-shown";
/// Percentage of the spot that was displayed, in steps of 25.
pub(super) const SPOT: &str = "com.touchline-spot";
/// The longest list of renditions, in characters.
const MAX_RENDITIONS_TEXT: usize = 1024;

/// A player's report as queued.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Report {
    #[serde(deserialize_with = "label")]
    pub(crate) sid: String,
    sn: f64,
    #[serde(default)]
    e: Option<Value>,
    #[serde(default)]
    sta: Option<Value>,
    #[serde(default)]
    keys: Option<Value>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

fn label<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    touchline_protocol::analytics::Label::deserialize(deserializer).map(|label| label.0)
}

impl Report {
    /// Parses a body of the table `cmcd`; `None` if the viewing's id is missing or too long.
    pub(crate) fn of(body: &[u8]) -> Option<Self> {
        let report: Self = serde_json::from_slice(body).ok()?;
        (1..=MAX_TEXT).contains(&report.sid.len()).then_some(report)
    }
}

/// A viewing according to its reports. Times are Unix microseconds of the worker's clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Viewing {
    pub(super) began_us: i64,
    /// Event time of the newest report.
    pub(super) last_us: i64,
    /// When the last report was received.
    pub(super) received_us: i64,
    /// The sender's own time of the newest report.
    pub(super) at_us: i64,
    /// The newest report's number.
    sn: f64,
    pub(super) sta: String,
    pub(super) errors: u64,
    pub(super) codes: Vec<String>,
    pub(super) about: Map<String, Value>,
    pub(super) keys: Map<String, Value>,
    /// Its row was written and is up to date.
    pub(crate) has_row: bool,
}

impl Viewing {
    /// A viewing that starts with this report.
    pub(crate) fn starting_with(report: Report, event: &QueuedEvent) -> Self {
        let mut viewing = Self {
            began_us: event.occurred_us,
            last_us: i64::MIN,
            received_us: event.received_us,
            at_us: event.at_us,
            sn: -1.0,
            sta: String::new(),
            errors: 0,
            codes: Vec::new(),
            about: Map::new(),
            keys: Map::new(),
            has_row: false,
        };
        viewing.take(report, event);
        viewing
    }

    /// Adds a report. The queue has already removed duplicates.
    pub(crate) fn take(&mut self, report: Report, event: &QueuedEvent) {
        self.has_row = false;
        self.began_us = self.began_us.min(event.occurred_us);
        self.received_us = self.received_us.max(event.received_us);
        let is_newest = report.sn > self.sn;
        if is_newest {
            (self.sn, self.last_us, self.at_us) = (report.sn, event.occurred_us, event.at_us);
            if let Some(Value::String(sta)) = &report.sta {
                self.sta = sta.chars().take(2).collect();
            }
        }
        if report.e.as_ref().is_some_and(|e| e == "e") {
            self.errors += 1;
        }
        for name in COPIED_FIELDS {
            if let Some(value) = report.rest.get(*name).and_then(|value| bounded(value, MAX_TEXT))
                && (is_newest || !self.about.contains_key(*name))
            {
                self.about.insert((*name).to_owned(), value);
            }
        }
        let Some(Value::Object(keys)) = report.keys else { return };
        for name in KEYS {
            let longest = if *name == RENDITIONS { MAX_RENDITIONS_TEXT } else { MAX_TEXT };
            if let Some(value) = keys.get(*name).and_then(|value| bounded(value, longest))
                && (is_newest || !self.keys.contains_key(*name))
            {
                self.keys.insert((*name).to_owned(), value);
            }
        }
        for code in keys.get("ec").into_iter().flat_map(texts) {
            if self.codes.len() < MAX_CODES && !self.codes.contains(&code) {
                self.codes.push(code);
            }
        }
    }

    /// Whether its player reported the end.
    pub(crate) fn has_reported_end(&self) -> bool {
        matches!(&*self.sta, "e" | "f" | "q")
    }

    /// Whether its row is due.
    pub(crate) fn is_over(&self, now_us: i64) -> bool {
        let silence = if self.has_reported_end() { SETTLE_TIME } else { SILENCE_LIMIT };
        now_us - self.received_us >= i64::try_from(silence.as_micros()).unwrap_or(i64::MAX)
    }

    /// Whether it can no longer be amended.
    pub(crate) fn is_forgotten(&self, now_us: i64) -> bool {
        now_us - self.received_us >= i64::try_from(AMEND_TIME.as_micros()).unwrap_or(i64::MAX)
    }

    /// When its last report was received.
    pub(crate) fn received_us(&self) -> i64 {
        self.received_us
    }
}

/// Accepts a number, a text or a list of numbers, within limits.
fn bounded(value: &Value, longest: usize) -> Option<Value> {
    match value {
        Value::Number(_) => Some(value.clone()),
        Value::String(text) if text.len() <= longest => Some(value.clone()),
        Value::Array(items) if items.len() <= 4 && items.iter().all(Value::is_number) => Some(value.clone()),
        _ => None,
    }
}

/// The texts of a list, or the only text, shortened.
fn texts(value: &Value) -> Vec<String> {
    let one = |value: &Value| Some(value.as_str()?.chars().take(MAX_TEXT / 2).collect());
    match value {
        Value::Array(items) => items.iter().take(MAX_CODES).filter_map(one).collect(),
        other => one(other).into_iter().collect(),
    }
}
