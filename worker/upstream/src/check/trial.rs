//! Tries a call of an upstream without causing effects.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use serde_json::Value;

use super::unknown_calls::{UnknownCalls, empty};
use super::{CallResult, Confidence};
use crate::calls::{Audience, Call};
use crate::client::{Client, Outgoing, Reply};
use crate::failure::Failure;
use crate::request::Query;
use crate::shape::Shapes;

/// An id that doesn't exist, for calls without a list.
const MISSING_ID: &str = "0";
/// Fields that a note mentions at most.
const MAX_NOTED_FIELDS: usize = 4;

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
    pub(super) has_no_providers: bool,
    /// Responses to calls that don't exist: reads with the key, then each method without one.
    unknown_reads: UnknownCalls,
    unknown_calls: BTreeMap<&'static str, UnknownCalls>,
}

impl<'a> Trial<'a> {
    pub(super) async fn start(client: &'a Client, shapes: &'a Shapes, key: String) -> Self {
        let unknown_reads = UnknownCalls::probe(client, "GET", &Query::default().with_key(Some(&key))).await;
        let mut unknown_calls = BTreeMap::new();
        for method in ["GET", "POST", "DELETE"] {
            unknown_calls.insert(method, UnknownCalls::probe(client, method, "").await);
        }
        Self {
            client,
            shapes,
            key,
            ids: BTreeMap::new(),
            provider: None,
            has_no_providers: false,
            unknown_reads,
            unknown_calls,
        }
    }

    /// Tries a call. Reads use the key and an id from a list. Writes are sent empty and should be refused.
    pub(super) async fn try_call(&mut self, call: &Call) -> CallResult {
        if call.method == "GET" { self.read(call).await } else { self.probe(call).await }
    }

    async fn read(&mut self, call: &Call) -> CallResult {
        let id = self.ids.get(list_of(call.path)).cloned();
        let lacks_id = call.path.contains('{') && id.is_none();
        let path = self.path_with_id(call.path, id.as_deref());
        let query = Query { api_key: None, rest: query_of(call.path).to_owned() }.with_key(Some(&self.key));
        let reply = match self.client.send(&Outgoing::get(&*path, query)).await {
            Ok(reply) => reply,
            Err(failure) => return CallResult::fails(failure.to_string()),
        };
        let Ok(body) = reply.json() else { return CallResult::fails(format!("{}, but not JSON", reply.status)) };
        let status = reply.status;
        if status == StatusCode::OK {
            return self.check_body(call, body);
        }
        if status == StatusCode::TOO_MANY_REQUESTS {
            return CallResult::unknown("429: too many requests");
        }
        if status.is_client_error() && lacks_id {
            return self.probe(call).await;
        }
        let is_missing = matches!(status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED);
        let is_unknown = self.unknown_reads.matches(&path, &reply);
        let code = status.as_u16();
        match id {
            _ if !status.is_client_error() => CallResult::fails(format!("unexpected status {status}")),
            Some(id) if is_missing => CallResult::fails(format!("{code} for {id}, which is in its list")),
            None if status == StatusCode::NOT_FOUND && call.audience == Audience::Channel => {
                CallResult::works(Some("404: falls back to the channel folder".to_owned()))
            }
            _ if is_missing && is_unknown => missing(&reply),
            _ if is_unknown => indistinguishable(&reply),
            _ if call.audience != Audience::Private => CallResult::fails(format!("{code} for a signed-out viewer")),
            _ if status == StatusCode::UNAUTHORIZED => CallResult::exists("not tried, it needs a signed-in viewer"),
            _ => CallResult::exists(format!("not tried, a signed-out request is refused ({code})")),
        }
    }

    fn check_body(&mut self, call: &Call, body: Value) -> CallResult {
        if call.path == "settings" {
            let settings = body.get("data").unwrap_or(&body);
            let providers = settings["auth"]["providers"].as_array();
            self.has_no_providers = providers.is_some_and(Vec::is_empty);
            self.provider = providers.and_then(|all| all.first()?.as_str()).map(ToOwned::to_owned);
        }
        let (corrected, corrections) = self.shapes.correct("GET", call.path, body);
        if let Some(data) = corrections.iter().find(|correction| correction.field == "data") {
            return CallResult::fails(format!("data is {}, expected {}", data.found, data.expected));
        }
        let Some(corrected) = corrected else { return CallResult::fails("the price cannot be read") };
        let first = corrected["data"].as_array().and_then(|list| list.first()).map(|first| &first["id"]);
        if let Some(id) = first.filter(|id| id.is_i64() || id.is_string()) {
            self.ids.insert(call.path, id.to_string().trim_matches('"').to_owned());
        }
        let mut fields: Vec<_> =
            corrections.iter().map(|correction| format!("{} is {}", correction.field, correction.found)).collect();
        fields.sort();
        fields.dedup();
        let more = fields.len().saturating_sub(MAX_NOTED_FIELDS);
        let note = (!fields.is_empty()).then(|| {
            let noted = fields.iter().take(MAX_NOTED_FIELDS).cloned().collect::<Vec<_>>().join(", ");
            if more > 0 { format!("corrected: {noted} and {more} more") } else { format!("corrected: {noted}") }
        });
        CallResult::works(note)
    }

    /// Sends an empty request without a key. A call that exists refuses it differently from a call that doesn't.
    async fn probe(&self, call: &Call) -> CallResult {
        let path = self.path_with_id(call.path, None);
        let reply = match self.client.send(&empty(call.method, &path, "")).await {
            Ok(reply) => reply,
            Err(Failure::Unavailable(_)) => return CallResult::unknown("503: temporarily unavailable"),
            Err(Failure::Status(status)) => {
                return CallResult::unknown(format!("not tried, an empty request returned {status}"));
            }
            Err(failure) => return CallResult::fails(failure.to_string()),
        };
        let status = reply.status;
        if reply.json().is_err() {
            return CallResult::fails(format!("{status}, but not JSON"));
        }
        let is_unknown = self.unknown_calls.get(call.method).is_some_and(|none| none.matches(&path, &reply));
        match status {
            StatusCode::METHOD_NOT_ALLOWED => missing(&reply),
            StatusCode::NOT_FOUND if is_unknown => missing(&reply),
            StatusCode::TOO_MANY_REQUESTS => CallResult::unknown("429: too many requests"),
            _ if is_unknown => indistinguishable(&reply),
            _ if !status.is_client_error() => {
                CallResult::unknown(format!("not tried, an empty request returned {}", status.as_u16()))
            }
            _ if call.method == "GET" => CallResult::exists("not tried, its list is empty"),
            _ => CallResult::exists(format!(
                "not tried, it has effects; an empty request is refused ({})",
                status.as_u16()
            )),
        }
    }

    /// The path of a call with its `id` filled in.
    fn path_with_id(&self, path: &str, id: Option<&str>) -> String {
        let provider = self.provider.as_deref().unwrap_or("google");
        path.replace("{id}", id.unwrap_or(MISSING_ID)).replace("{alias}", "contact").replace("{provider}", provider)
    }
}

fn missing(reply: &Reply) -> CallResult {
    CallResult::fails(format!("{}: no such call", reply.status.as_u16()))
}

fn indistinguishable(reply: &Reply) -> CallResult {
    CallResult {
        confidence: Confidence::Unknown,
        note: Some(format!("{}: same response as for an unknown endpoint", reply.status.as_u16())),
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
fn query_of(path: &str) -> &'static str {
    match path {
        // Includes past events.
        "events" => "start_date=0&limit=1",
        "vod-media-items" | "vod-media/search" => "limit=1",
        "orders" | "participants" => "no_limit=1",
        _ => "",
    }
}
