//! Tries each call of an upstream and reports the features of the site that work in front of it (`touchline check
//! --origin`, `UP-10`).

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use crate::calls::{CALLS, Owner, is_looked_up};
use crate::client::Client;
use crate::features::Features;
use crate::origin::Origin;
use crate::shape::Shapes;
use crate::viewers::Viewers;

mod strangers;
mod trial;

use trial::Trial;

/// Calls outside the specification that one of its features needs.
const NEEDED: [(&str, &str, &str); 2] =
    [("custom forms", "POST", "custom-forms/{alias}"), ("social login", "GET", "auth/social/{provider}/start")];

/// The confidence that a feature works, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Its calls were tried and work.
    Works,
    /// Its calls exist. They weren't tried, because they have effects or need a person.
    IsThere,
    /// No result.
    Unknown,
    /// A call failed.
    Fails,
}

impl Standing {
    fn word(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::IsThere => "exists",
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
    pub standing: Standing,
    /// Problems and remarks, per call.
    pub notes: Vec<String>,
}

impl Feature {
    fn new(name: &str, standing: Standing, note: Option<String>) -> Self {
        Self { name: name.to_owned(), standing, notes: note.into_iter().collect() }
    }
}

struct Tried {
    standing: Standing,
    note: Option<String>,
}

impl Tried {
    fn works(note: Option<String>) -> Self {
        Self { standing: Standing::Works, note }
    }

    fn is_there(note: impl Into<String>) -> Self {
        Self { standing: Standing::IsThere, note: Some(note.into()) }
    }

    fn unknown(note: impl Into<String>) -> Self {
        Self { standing: Standing::Unknown, note: Some(note.into()) }
    }

    fn fails(note: impl Into<String>) -> Self {
        Self { standing: Standing::Fails, note: Some(note.into()) }
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
    let key = Viewers::default().own_key(&client, channel_key).await;
    let key = key.map_err(|failure| format!("{origin}: no key for the channel {channel_key}: {failure}"))?;
    features.ask(&client).await;
    let mut found: BTreeMap<&str, Feature> = BTreeMap::new();
    let mut add = |name: &'static str, call: String, tried: Tried| {
        let feature = found.entry(name).or_insert_with(|| Feature::new(name, Standing::Works, None));
        feature.standing = feature.standing.max(tried.standing);
        feature.notes.extend(tried.note.map(|note| format!("{call}: {note}")));
    };
    let mut trial = Trial::begin(&client, &shapes, key).await;
    // Lists and settings come first, because the other calls need ids from them.
    let mut calls: Vec<_> =
        CALLS.iter().filter(|call| call.owner == Owner::Specification && call.path != "get_api_key").collect();
    calls.sort_by_key(|call| call.path.contains('{'));
    for call in calls {
        let name = || format!("{} {}", call.method, call.path);
        add(call.feature, name(), trial.try_call(call).await);
        if call.method == "POST" && is_looked_up(call.path) && !features.knows_keys() {
            let note = "ignores Idempotency-Key, so the result of a write without a response is searched".to_owned();
            add(call.feature, name(), Tried::works(Some(note)));
        }
    }
    for (feature, method, path) in NEEDED {
        let tried = if features.has(method, path) {
            Tried::is_there("not tried, it has effects")
        } else {
            Tried::fails("missing from the upstream, and not part of the specification")
        };
        add(feature, format!("{method} {path}"), tried);
    }
    if trial.has_no_provider {
        add("social login", "GET settings".to_owned(), Tried::fails("auth.providers is empty"));
    }
    let mut all: Vec<_> = found.into_values().collect();
    let note = if features.is_touchline() {
        "uses the upstream's status feed"
    } else {
        "no status feed, so resources are polled every 2 s"
    };
    all.push(Feature::new("status push", Standing::Works, Some(note.to_owned())));
    let off = features.switched_off();
    let standing = if off.is_empty() { Standing::IsThere } else { Standing::Fails };
    let note = (!off.is_empty()).then(|| format!("missing: {}", off.join(", ")));
    all.push(Feature::new("beyond the specification", standing, note));
    Ok(all)
}

/// Formats the results as a table for the terminal.
pub fn table(features: &[Feature]) -> String {
    let width = features.iter().map(|feature| feature.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for Feature { name, standing, notes } in features {
        let word = standing.word();
        let mut notes = notes.iter();
        let first = notes.next().map_or_else(String::new, |note| format!("  {note}"));
        text.push_str(&format!("{name:width$}  {word:7}{first}\n"));
        for note in notes {
            text.push_str(&format!("{:width$}  {:7}  {note}\n", "", ""));
        }
    }
    text
}
