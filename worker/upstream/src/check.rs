//! Tries each call of an upstream and reports the features of the site that work in front of it (`touchline check
//! --origin`, `UP-10`).

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use crate::calls::{CALLS, Owner, has_lookup};
use crate::client::Client;
use crate::features::Features;
use crate::origin::Origin;
use crate::shape::Shapes;
use crate::viewers::Viewers;

mod trial;
mod unknown_calls;

use trial::Trial;

/// Calls outside the specification that one of its features needs.
const EXTRA_CALLS: [(&str, &str, &str); 2] =
    [("custom forms", "POST", "custom-forms/{alias}"), ("social login", "GET", "auth/social/{provider}/start")];

/// The confidence that a feature works, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Its calls were tried and work.
    Works,
    /// Its calls exist. They weren't tried, because they have effects or need a person.
    Exists,
    /// No result.
    Unknown,
    /// A call failed.
    Fails,
}

impl Confidence {
    fn label(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Exists => "exists",
            Self::Unknown => "unknown",
            Self::Fails => "fails",
        }
    }
}

/// The result for one feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// Name of the feature, such as `purchases`.
    pub name: String,
    /// The worst result of its calls.
    pub confidence: Confidence,
    /// Problems and remarks, per call.
    pub notes: Vec<String>,
}

impl Feature {
    fn new(name: &str, confidence: Confidence, note: Option<String>) -> Self {
        Self { name: name.to_owned(), confidence, notes: note.into_iter().collect() }
    }
}

struct CallResult {
    confidence: Confidence,
    note: Option<String>,
}

impl CallResult {
    fn works(note: Option<String>) -> Self {
        Self { confidence: Confidence::Works, note }
    }

    fn exists(note: impl Into<String>) -> Self {
        Self { confidence: Confidence::Exists, note: Some(note.into()) }
    }

    fn unknown(note: impl Into<String>) -> Self {
        Self { confidence: Confidence::Unknown, note: Some(note.into()) }
    }

    fn fails(note: impl Into<String>) -> Self {
        Self { confidence: Confidence::Fails, note: Some(note.into()) }
    }
}

/// Tries each call. Reads use an anonymous key of `channel_key`, and ids from the upstream's lists. Writes are sent
/// empty and without a key, so they have no effect. A refusal that differs from the response to an unknown path shows
/// only that the call exists.
///
/// # Errors
/// Returns the reason if no call can be tried at all.
pub async fn check(
    origin: Origin,
    within: Duration,
    document: &Value,
    channel_key: &str,
) -> Result<Vec<Feature>, String> {
    let client = Client::new(origin.clone(), within).map_err(|error| error.to_string())?;
    let shapes = Shapes::of(document);
    let features = Features::of(&shapes);
    let key = Viewers::default().worker_key(&client, channel_key).await;
    let key = key.map_err(|failure| format!("{origin}: no key for the channel {channel_key}: {failure}"))?;
    features.detect(&client).await;
    let mut by_feature: BTreeMap<&str, Feature> = BTreeMap::new();
    let mut add = |name: &'static str, call: String, result: CallResult| {
        let feature = by_feature.entry(name).or_insert_with(|| Feature::new(name, Confidence::Works, None));
        feature.confidence = feature.confidence.max(result.confidence);
        feature.notes.extend(result.note.map(|note| format!("{call}: {note}")));
    };
    let mut trial = Trial::start(&client, &shapes, key).await;
    // Lists and settings come first, because the other calls need ids from them.
    let mut calls: Vec<_> =
        CALLS.iter().filter(|call| call.owner == Owner::Specification && call.path != "get_api_key").collect();
    calls.sort_by_key(|call| call.path.contains('{'));
    for call in calls {
        let name = || format!("{} {}", call.method, call.path);
        add(call.feature, name(), trial.try_call(call).await);
        if call.method == "POST" && has_lookup(call.path) && !features.supports_idempotency() {
            let note = "ignores Idempotency-Key, so the result of an unanswered write is looked up".to_owned();
            add(call.feature, name(), CallResult::works(Some(note)));
        }
    }
    for (feature, method, path) in EXTRA_CALLS {
        let result = if features.has(method, path) {
            CallResult::exists("not tried, it has effects")
        } else {
            CallResult::fails("missing from the upstream, and not part of the specification")
        };
        add(feature, format!("{method} {path}"), result);
    }
    if trial.has_no_providers {
        add("social login", "GET settings".to_owned(), CallResult::fails("auth.providers is empty"));
    }
    let mut all: Vec<_> = by_feature.into_values().collect();
    let note = if features.is_touchline() {
        "uses the upstream's status feed"
    } else {
        "no status feed, so resources are polled every 2 s"
    };
    all.push(Feature::new("status push", Confidence::Works, Some(note.to_owned())));
    let missing = features.switched_off();
    let confidence = if missing.is_empty() { Confidence::Exists } else { Confidence::Fails };
    let note = (!missing.is_empty()).then(|| format!("missing: {}", missing.join(", ")));
    all.push(Feature::new("beyond the specification", confidence, note));
    Ok(all)
}

/// Formats the results as a table for the terminal.
pub fn table(features: &[Feature]) -> String {
    let width = features.iter().map(|feature| feature.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for Feature { name, confidence, notes } in features {
        let label = confidence.label();
        let mut notes = notes.iter();
        let first = notes.next().map_or_else(String::new, |note| format!("  {note}"));
        text.push_str(&format!("{name:width$}  {label:7}{first}\n"));
        for note in notes {
            text.push_str(&format!("{:width$}  {:7}  {note}\n", "", ""));
        }
    }
    text
}
