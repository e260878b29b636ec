//! Tries each call of an upstream, and says which features of the site work in front of it (`touchline check --origin`,
//! `UP-10`).

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

/// Calls beyond the specification without which a feature of it does not work.
const NEEDED: [(&str, &str, &str); 2] =
    [("custom forms", "POST", "custom-forms/{alias}"), ("social login", "GET", "auth/social/{provider}/start")];

/// How far it is proven that something works, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It was tried.
    Works,
    /// It was not tried, since it would act or wants a person; its calls are there.
    IsThere,
    /// Nothing tells.
    Unknown,
    /// It does not.
    Fails,
}

impl Standing {
    fn word(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::IsThere => "is there",
            Self::Unknown => "not known",
            Self::Fails => "does not work",
        }
    }
}

/// What is known of a feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// Its name, such as `purchases`.
    pub name: String,
    /// How far it is proven that all of its calls work.
    pub standing: Standing,
    /// What is wrong, or worth knowing, call by call.
    pub notes: Vec<String>,
}

impl Feature {
    fn new(name: &str, standing: Standing, note: Option<String>) -> Self {
        Self { name: name.to_owned(), standing, notes: note.into_iter().collect() }
    }
}

/// What trying a call showed, and what is worth knowing of it.
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

/// Tries each call: reads under an anonymous key of `channel_key`, with the ids that the upstream's lists name. What would
/// act is sent without a key and with nothing in it, which does nothing anywhere: that it is refused, and otherwise than
/// a call that nobody has, shows that it is there, and no more.
///
/// # Errors
/// Why no call can be tried at all.
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
    // Lists and the settings come first: they name what the others are tried with.
    let mut calls: Vec<_> =
        CALLS.iter().filter(|call| call.owner == Owner::Specification && call.path != "get_api_key").collect();
    calls.sort_by_key(|call| call.path.contains('{'));
    for call in calls {
        let name = || format!("{} {}", call.method, call.path);
        add(call.feature, name(), trial.try_call(call).await);
        if call.method == "POST" && is_looked_up(call.path) && !features.knows_keys() {
            let note = "knows no Idempotency-Key: a write without an answer is looked up".to_owned();
            add(call.feature, name(), Tried::works(Some(note)));
        }
    }
    for (feature, method, path) in NEEDED {
        let tried = if features.has(method, path) {
            Tried::is_there("not tried, it would act")
        } else {
            Tried::fails("the upstream lacks it; it is beyond the specification")
        };
        add(feature, format!("{method} {path}"), tried);
    }
    if trial.has_no_provider {
        add("social login", "GET settings".to_owned(), Tried::fails("auth.providers names none"));
    }
    let mut all: Vec<_> = found.into_values().collect();
    let note = if features.is_touchline() {
        "the upstream's own status feed is followed"
    } else {
        "no status feed: what is waited for is asked after every 2 s"
    };
    all.push(Feature::new("status push", Standing::Works, Some(note.to_owned())));
    let off = features.switched_off();
    let standing = if off.is_empty() { Standing::IsThere } else { Standing::Fails };
    let note = (!off.is_empty()).then(|| format!("the upstream lacks {}", off.join(", ")));
    all.push(Feature::new("beyond the specification", standing, note));
    Ok(all)
}

/// The features as a table, for a person.
pub fn table(features: &[Feature]) -> String {
    let width = features.iter().map(|feature| feature.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for Feature { name, standing, notes } in features {
        let word = standing.word();
        let mut notes = notes.iter();
        let first = notes.next().map_or_else(String::new, |note| format!("  {note}"));
        text.push_str(&format!("{name:width$}  {word:13}{first}\n"));
        for note in notes {
            text.push_str(&format!("{:width$}  {:13}  {note}\n", "", ""));
        }
    }
    text
}
