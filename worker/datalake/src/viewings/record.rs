//! What is remembered of one viewing.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{AMENDED_FOR, CODES, SETTLED, SILENCE, TEXT};
use crate::event::QueuedEvent;

/// The fields of a report's body that say what and who: they stand in the viewing's row under the same names.
const ABOUT: &[&str] = &[
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

/// The CMCD keys that a viewing is made of. Those with a prefix are this product's own.
const KEYS: &[&str] = &["msd", "bsa", "bsda", "dfa", "ltc", "br", "cdn", WATCHED, SHOWN, SPOT];
/// How long the picture moved, milliseconds.
pub(super) const WATCHED: &str = "com.touchline-watched";
/// What was shown: `lines:kbps:milliseconds`, separated by blanks.
pub(super) const SHOWN: &str = "com.touchline-shown";
/// How much of the spot was shown, in quarters of a hundred.
pub(super) const SPOT: &str = "com.touchline-spot";
/// The longest list of what was shown, characters.
const SHOWN_TEXT: usize = 1024;

/// A player's report as it stands in the queue.
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
    /// The report in a body of the table `cmcd`; none for one whose viewing has no name that can be kept.
    pub(crate) fn of(body: &[u8]) -> Option<Self> {
        let report: Self = serde_json::from_slice(body).ok()?;
        (1..=TEXT).contains(&report.sid.len()).then_some(report)
    }
}

/// One viewing, as far as its reports tell it. Times are Unix microseconds of the worker's clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Viewing {
    pub(super) began_us: i64,
    /// The newest report happened then.
    pub(super) last_us: i64,
    /// The last report was received then.
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
    /// Its row was written, and holds all of this.
    pub(crate) has_row: bool,
}

impl Viewing {
    /// A viewing of which nothing is known yet but its first report.
    pub(crate) fn begun(report: Report, event: &QueuedEvent) -> Self {
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

    /// Takes a report. Each is taken once: the queue knows its id.
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
        for name in ABOUT {
            if let Some(value) = report.rest.get(*name).and_then(|value| bounded(value, TEXT))
                && (is_newest || !self.about.contains_key(*name))
            {
                self.about.insert((*name).to_owned(), value);
            }
        }
        let Some(Value::Object(keys)) = report.keys else { return };
        for name in KEYS {
            let longest = if *name == SHOWN { SHOWN_TEXT } else { TEXT };
            if let Some(value) = keys.get(*name).and_then(|value| bounded(value, longest))
                && (is_newest || !self.keys.contains_key(*name))
            {
                self.keys.insert((*name).to_owned(), value);
            }
        }
        for code in keys.get("ec").into_iter().flat_map(texts) {
            if self.codes.len() < CODES && !self.codes.contains(&code) {
                self.codes.push(code);
            }
        }
    }

    /// Whether its player said that it is over.
    pub(crate) fn said_its_end(&self) -> bool {
        matches!(&*self.sta, "e" | "f" | "q")
    }

    /// Whether its row is due.
    pub(crate) fn is_over(&self, now_us: i64) -> bool {
        let silence = if self.said_its_end() { SETTLED } else { SILENCE };
        now_us - self.received_us >= i64::try_from(silence.as_micros()).unwrap_or(i64::MAX)
    }

    /// Whether no late report is waited for any more.
    pub(crate) fn is_forgotten(&self, now_us: i64) -> bool {
        now_us - self.received_us >= i64::try_from(AMENDED_FOR.as_micros()).unwrap_or(i64::MAX)
    }

    /// When its last report came.
    pub(crate) fn received_us(&self) -> i64 {
        self.received_us
    }
}

/// A number, a text or a list of numbers; nothing else is remembered.
fn bounded(value: &Value, longest: usize) -> Option<Value> {
    match value {
        Value::Number(_) => Some(value.clone()),
        Value::String(text) if text.len() <= longest => Some(value.clone()),
        Value::Array(items) if items.len() <= 4 && items.iter().all(Value::is_number) => Some(value.clone()),
        _ => None,
    }
}

/// The texts of a list, or the one text, shortened.
fn texts(value: &Value) -> Vec<String> {
    let one = |value: &Value| Some(value.as_str()?.chars().take(TEXT / 2).collect());
    match value {
        Value::Array(items) => items.iter().take(CODES).filter_map(one).collect(),
        other => one(other).into_iter().collect(),
    }
}
