//! Tries each call of an upstream, and says which features of the site work in front of it (`touchline check --origin`,
//! `UP-10`).

use std::collections::BTreeMap;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::calls::{CALLS, Call, Owner, is_looked_up};
use crate::client::{Client, Outgoing};
use crate::features::Features;
use crate::origin::Origin;
use crate::request::Query;
use crate::shape::Shapes;
use crate::viewers::Viewers;

/// What is known of a feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// Its name, such as `purchases`.
    pub name: String,
    /// Whether all of its calls are there.
    pub works: bool,
    /// What is wrong, or worth knowing, call by call.
    pub notes: Vec<String>,
}

/// What trying a call showed: whether it is there, and what is worth knowing.
struct Tried {
    works: bool,
    note: Option<String>,
}

fn bad(note: impl Into<String>) -> Tried {
    Tried { works: false, note: Some(note.into()) }
}

/// Tries each call under an anonymous key of `channel_key`. A write is sent without a key and with nothing in it, which
/// does nothing anywhere; a call for people is there when it asks for a log-in.
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
    let mut ids = BTreeMap::new();
    for call in CALLS.iter().filter(|call| call.owner == Owner::Specification && call.path != "get_api_key") {
        let tried = try_call(&client, &shapes, call, &key, &mut ids).await;
        let feature = found.entry(call.feature).or_insert_with(|| Feature {
            name: call.feature.to_owned(),
            works: true,
            notes: Vec::new(),
        });
        feature.works &= tried.works;
        if let Some(note) = tried.note {
            feature.notes.push(format!("{} {}: {note}", call.method, call.path));
        }
        if call.method == "POST" && is_looked_up(call.path) && !features.knows_keys() {
            let note = "knows no Idempotency-Key: a write without an answer is looked up";
            feature.notes.push(format!("{} {}: {note}", call.method, call.path));
        }
    }
    let mut all: Vec<_> = found.into_values().collect();
    all.push(Feature {
        name: "status push".to_owned(),
        works: true,
        notes: vec![if features.is_touchline() {
            "the upstream's own status feed is followed".to_owned()
        } else {
            "no status feed: what is waited for is asked after every 2 s".to_owned()
        }],
    });
    let off = features.switched_off();
    let note = format!("the upstream lacks {}", off.join(", "));
    let notes = if off.is_empty() { Vec::new() } else { vec![note] };
    all.push(Feature { name: "beyond the specification".to_owned(), works: off.is_empty(), notes });
    Ok(all)
}

async fn try_call(
    client: &Client,
    shapes: &Shapes,
    call: &Call,
    key: &str,
    ids: &mut BTreeMap<String, String>,
) -> Tried {
    let is_read = call.method == "GET";
    let parent = match call.path.split("/{").next().unwrap_or_default() {
        "download-event" | "clips/event" => "events",
        other => other,
    };
    // The first of the list is the one that is asked for by its id; a guess where there is no list.
    let known = ids.get(parent).cloned();
    let path = call.path.replace("{id}", known.as_deref().unwrap_or("1"));
    let path = path.replace("{alias}", "contact").replace("{provider}", "google");
    let query = Query { api_key: None, rest: rest_of(call.path).to_owned() };
    let request = if is_read {
        Outgoing::get(path, query.with_key(Some(key)))
    } else {
        let mut request = Outgoing::post(path, &json!({}));
        request.method = call.method.parse().unwrap_or(Method::POST);
        if call.method == "DELETE" {
            request.body = None;
        }
        request
    };
    let answer = match client.ask(&request).await {
        Ok(answer) => answer,
        Err(failure) => return bad(failure.to_string()),
    };
    let Ok(body) = answer.json() else { return bad(format!("{}, and not JSON", answer.status)) };
    match answer.status {
        StatusCode::OK if is_read => {
            let (mended, mends) = shapes.mend("GET", call.path, body);
            let first = mended["data"].as_array().and_then(|list| list.first()).map(|first| first["id"].clone());
            if let Some(id) = first.filter(|id| id.is_i64() || id.is_string()) {
                ids.insert(call.path.to_owned(), id.to_string().trim_matches('"').to_owned());
            }
            let mut fields: Vec<_> = mends.iter().map(|mend| format!("{} is {}", mend.field, mend.found)).collect();
            fields.sort();
            fields.dedup();
            let note = (!fields.is_empty()).then(|| {
                let shown = fields.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
                let more = fields.len().saturating_sub(4);
                if more > 0 { format!("mended: {shown} and {more} more") } else { format!("mended: {shown}") }
            });
            Tried { works: true, note }
        }
        // A resource that is not there, of a call that may be.
        StatusCode::NOT_FOUND if call.path.contains('{') && body.get("code").is_some() => {
            Tried { works: true, note: None }
        }
        StatusCode::NOT_FOUND if call.path.contains('{') && known.is_none() => {
            Tried { works: true, note: Some("404, which may be of the resource that was tried".to_owned()) }
        }
        StatusCode::NOT_FOUND => bad("404: the upstream has no such call"),
        StatusCode::METHOD_NOT_ALLOWED => bad("405: the upstream has no such call"),
        status if status.is_client_error() => Tried { works: true, note: None },
        status => bad(format!("answers {status}")),
    }
}

/// What a read needs besides its key.
fn rest_of(path: &str) -> &'static str {
    match path {
        "events" | "vod-media-items" | "vod-media/search" => "limit=1",
        "orders" | "participants" => "no_limit=1",
        _ => "",
    }
}

/// The features as a table, for a person.
pub fn table(features: &[Feature]) -> String {
    let width = features.iter().map(|feature| feature.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for Feature { name, works, notes } in features {
        let word = if *works { "works" } else { "does not work" };
        let mut notes = notes.iter();
        let first = notes.next().map_or_else(String::new, |note| format!("  {note}"));
        text.push_str(&format!("{name:width$}  {word:13}{first}\n"));
        for note in notes {
            text.push_str(&format!("{:width$}  {:13}  {note}\n", "", ""));
        }
    }
    text
}
