//! Tries a call of an upstream without causing effects.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use serde_json::Value;

use super::strangers::{Strangers, empty};
use super::{Standing, Tried};
use crate::calls::{Audience, Call};
use crate::client::{Answer, Client, Outgoing};
use crate::failure::Failure;
use crate::request::Query;
use crate::shape::Shapes;

/// An id that doesn't exist, for calls without a list.
const NOBODY: &str = "0";
/// Fields that a note mentions at most.
const NAMED: usize = 4;

/// Tries the calls of one channel.
pub(super) struct Trial<'a> {
    client: &'a Client,
    shapes: &'a Shapes,
    /// An anonymous key.
    key: String,
    /// First id of each list, by path of the list.
    ids: BTreeMap<&'static str, String>,
    /// First social login provider in the settings.
    provider: Option<String>,
    /// Whether the settings list no social login providers.
    pub(super) has_no_provider: bool,
    /// Responses to calls that don't exist: reads with the key, then each method without one.
    reads: Strangers,
    strangers: BTreeMap<&'static str, Strangers>,
}

impl<'a> Trial<'a> {
    pub(super) async fn begin(client: &'a Client, shapes: &'a Shapes, key: String) -> Self {
        let reads = Strangers::ask(client, "GET", &Query::default().with_key(Some(&key))).await;
        let mut strangers = BTreeMap::new();
        for method in ["GET", "POST", "DELETE"] {
            strangers.insert(method, Strangers::ask(client, method, "").await);
        }
        Self { client, shapes, key, ids: BTreeMap::new(), provider: None, has_no_provider: false, reads, strangers }
    }

    /// Tries a call. Reads use the key and an id from a list. Writes are sent empty and should be refused.
    pub(super) async fn try_call(&mut self, call: &Call) -> Tried {
        if call.method == "GET" { self.read(call).await } else { self.refusal_of(call).await }
    }

    async fn read(&mut self, call: &Call) -> Tried {
        let id = self.ids.get(list_of(call.path)).cloned();
        let has_guess = call.path.contains('{') && id.is_none();
        let path = self.path_of(call.path, id.as_deref());
        let query = Query { api_key: None, rest: rest_of(call.path).to_owned() }.with_key(Some(&self.key));
        let answer = match self.client.ask(&Outgoing::get(&*path, query)).await {
            Ok(answer) => answer,
            Err(failure) => return Tried::fails(failure.to_string()),
        };
        let Ok(body) = answer.json() else { return Tried::fails(format!("{}, but not JSON", answer.status)) };
        let status = answer.status;
        if status == StatusCode::OK {
            return self.shown(call, body);
        }
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Tried::unknown("429: too many requests");
        }
        if status.is_client_error() && has_guess {
            return self.refusal_of(call).await;
        }
        let is_missing = matches!(status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED);
        let is_like_none = self.reads.are_like(&path, &answer);
        let number = status.as_u16();
        match id {
            _ if !status.is_client_error() => Tried::fails(format!("unexpected status {status}")),
            Some(id) if is_missing => Tried::fails(format!("{number} for {id}, which is in its list")),
            None if status == StatusCode::NOT_FOUND && call.audience == Audience::Channel => {
                Tried::works(Some("404: the channel folder is used if it has this".to_owned()))
            }
            _ if is_missing && is_like_none => lacking(&answer),
            _ if is_like_none => like_none(&answer),
            _ if call.audience != Audience::Private => Tried::fails(format!("{number} for a signed-out viewer")),
            _ if status == StatusCode::UNAUTHORIZED => Tried::is_there("not tried, it needs a signed-in viewer"),
            _ => Tried::is_there(format!("not tried, a signed-out request is refused ({number})")),
        }
    }

    fn shown(&mut self, call: &Call, body: Value) -> Tried {
        if call.path == "settings" {
            let settings = body.get("data").unwrap_or(&body);
            let providers = settings["auth"]["providers"].as_array();
            self.has_no_provider = providers.is_some_and(Vec::is_empty);
            self.provider = providers.and_then(|all| all.first()?.as_str()).map(ToOwned::to_owned);
        }
        let (mended, mends) = self.shapes.mend("GET", call.path, body);
        if let Some(data) = mends.iter().find(|mend| mend.field == "data") {
            return Tried::fails(format!("data is {}, expected {}", data.found, data.expected));
        }
        let Some(mended) = mended else { return Tried::fails("the price cannot be read") };
        let first = mended["data"].as_array().and_then(|list| list.first()).map(|first| &first["id"]);
        if let Some(id) = first.filter(|id| id.is_i64() || id.is_string()) {
            self.ids.insert(call.path, id.to_string().trim_matches('"').to_owned());
        }
        let mut fields: Vec<_> = mends.iter().map(|mend| format!("{} is {}", mend.field, mend.found)).collect();
        fields.sort();
        fields.dedup();
        let more = fields.len().saturating_sub(NAMED);
        let note = (!fields.is_empty()).then(|| {
            let named = fields.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            if more > 0 { format!("corrected: {named} and {more} more") } else { format!("corrected: {named}") }
        });
        Tried::works(note)
    }

    /// Sends an empty request without a key. A call that exists refuses it differently from a call that doesn't.
    async fn refusal_of(&self, call: &Call) -> Tried {
        let path = self.path_of(call.path, None);
        let answer = match self.client.ask(&empty(call.method, &path, "")).await {
            Ok(answer) => answer,
            Err(Failure::Unavailable(_)) => return Tried::unknown("503: temporarily unavailable"),
            Err(Failure::Status(status)) => {
                return Tried::unknown(format!("not tried, an empty request returned {status}"));
            }
            Err(failure) => return Tried::fails(failure.to_string()),
        };
        let status = answer.status;
        if answer.json().is_err() {
            return Tried::fails(format!("{status}, but not JSON"));
        }
        let is_like_none = self.strangers.get(call.method).is_some_and(|none| none.are_like(&path, &answer));
        match status {
            StatusCode::METHOD_NOT_ALLOWED => lacking(&answer),
            StatusCode::NOT_FOUND if is_like_none => lacking(&answer),
            StatusCode::TOO_MANY_REQUESTS => Tried::unknown("429: too many requests"),
            _ if is_like_none => like_none(&answer),
            _ if !status.is_client_error() => {
                Tried::unknown(format!("not tried, an empty request returned {}", status.as_u16()))
            }
            _ if call.method == "GET" => Tried::is_there("not tried, its list is empty"),
            _ => {
                Tried::is_there(format!("not tried, it has effects; an empty request is refused ({})", status.as_u16()))
            }
        }
    }

    /// The path of a call with its `id` filled in.
    fn path_of(&self, path: &str, id: Option<&str>) -> String {
        let provider = self.provider.as_deref().unwrap_or("google");
        path.replace("{id}", id.unwrap_or(NOBODY)).replace("{alias}", "contact").replace("{provider}", provider)
    }
}

fn lacking(answer: &Answer) -> Tried {
    Tried::fails(format!("{}: no such call", answer.status.as_u16()))
}

fn like_none(answer: &Answer) -> Tried {
    Tried {
        standing: Standing::Unknown,
        note: Some(format!("{}, as for a call that does not exist", answer.status.as_u16())),
    }
}

/// The list that contains ids for a call.
fn list_of(path: &str) -> &str {
    match path.split("/{").next().unwrap_or_default() {
        "download-event" | "clips/event" => "events",
        parent => parent,
    }
}

/// Query parameters of a read, besides the key.
fn rest_of(path: &str) -> &'static str {
    match path {
        // Includes past events.
        "events" => "start_date=0&limit=1",
        "vod-media-items" | "vod-media/search" => "limit=1",
        "orders" | "participants" => "no_limit=1",
        _ => "",
    }
}
