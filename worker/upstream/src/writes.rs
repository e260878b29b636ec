//! Idempotent writes to an upstream that ignores `Idempotency-Key` (`UP-5`).
//!
//! A write is stored before it is sent, together with the ids of similar existing items. If no response came, the next
//! request with the key searches for the result. A clip or favourite is sent again once no result can appear any more.
//! A purchase is never sent again: the viewer learns that it isn't confirmed, and decides whether to buy again. While
//! the upstream doesn't list the existing items, nothing is sent.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use axum::http::StatusCode;
use axum::response::Response;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use touchline_protocol::ambient::SharedClock;
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::limits::Limit;
use touchline_store::{Store, StoreError, UpstreamWrite};

use crate::client::{Client, Outgoing, Reply};
use crate::failure::{self, Failure};
use crate::request::{PostBody, Query};
use crate::viewers::names_bad_key;

/// Period in which a result may still appear after a write without a response, in milliseconds. Longer than any call.
pub(crate) const SETTLE_TIMEOUT_MS: i64 = 30_000;
/// The same for a purchase, in milliseconds. Longer than gateways usually allow a request to take.
const CONFIRM_TIMEOUT_MS: i64 = 120_000;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::millis(
        "upstream.settled",
        SETTLE_TIMEOUT_MS as u64,
        "How long to look for the result of an unanswered clip or favourite before sending it again.",
    ),
    Limit::millis(
        "upstream.confirmed_within",
        CONFIRM_TIMEOUT_MS as u64,
        "How long to look for the result of an unanswered purchase before reporting it as unconfirmed.",
    ),
];

/// The result of a write.
pub(crate) enum WriteResult {
    /// The body of the upstream's first successful response.
    Done(Value),
    /// The upstream refused the write, so it has no result.
    Refused(Reply),
    /// The write can't be done now.
    Error(Response),
}

pub(crate) struct Writes {
    pub(crate) client: Arc<Client>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: SharedClock,
    in_flight: Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>,
}

impl Writes {
    pub(crate) fn new(client: Arc<Client>, store: Arc<dyn Store>, clock: SharedClock) -> Self {
        Self { client, store, clock, in_flight: Mutex::default() }
    }

    /// Sends a write, or returns its earlier result. `scope` identifies the sender.
    pub(crate) async fn send_once(
        &self,
        scope: String,
        key: String,
        request: Outgoing,
        post_body: PostBody,
    ) -> WriteResult {
        let gate = self.gate(format!("{scope} {} {key}", request.path));
        let _turn = gate.lock().await;
        match self.send_locked(scope, key, request, post_body).await {
            Ok(written) => written,
            Err(error) => {
                tracing::error!(%error, "could not store a write to the upstream, it was not sent");
                WriteResult::Error(failure::outcome_unknown())
            }
        }
    }

    async fn send_locked(
        &self,
        scope: String,
        key: String,
        request: Outgoing,
        post_body: PostBody,
    ) -> Result<WriteResult, StoreError> {
        let fingerprint = post_body.fingerprint();
        let stored = self.store.upstream_write(&scope, &request.path, &key).await?;
        let mut write = match stored {
            Some(write) if write.fingerprint != fingerprint => {
                let message = "This Idempotency-Key was used for a different request.";
                return Ok(WriteResult::Error(failure::error_response(
                    StatusCode::CONFLICT,
                    ErrorCode::IdempotencyConflict,
                    message,
                )));
            }
            Some(write) => {
                if let Some(reply) = write.answer.as_deref().and_then(|text| serde_json::from_str(text).ok()) {
                    return Ok(WriteResult::Done(reply));
                }
                match self.search(&write, &post_body).await {
                    Err(error) => return Ok(WriteResult::Error(error.response())),
                    Ok(Some(item)) => return self.settle(write, item).await,
                    Ok(None) => {
                        let (age, costs) = (self.clock.now_ms() - write.at, costs_money(&write.call));
                        if age < if costs { CONFIRM_TIMEOUT_MS } else { SETTLE_TIMEOUT_MS } {
                            return Ok(WriteResult::Error(failure::outcome_unknown()));
                        }
                        if costs {
                            return Ok(WriteResult::Error(failure::not_confirmed()));
                        }
                    }
                }
                let retry = UpstreamWrite { at: self.clock.now_ms(), ..write };
                self.store.update_upstream_write(&retry).await?;
                retry
            }
            None => {
                let mut write = UpstreamWrite {
                    scope,
                    call: request.path.clone(),
                    key,
                    fingerprint,
                    known: "[]".to_owned(),
                    at: 0,
                    answer: None,
                };
                match self.similar(&write.call, &post_body).await {
                    // A viewer who isn't allowed to list gets the refusal. Nothing was sent.
                    Err(ListError::Refused(reply)) if is_about_viewer(&reply) => {
                        return Ok(WriteResult::Refused(reply));
                    }
                    Err(error) => return Ok(WriteResult::Error(error.response())),
                    Ok(similar) => {
                        let ids: Vec<_> = similar.iter().map(|item| item["id"].clone()).collect();
                        write.known = Value::from(ids).to_string();
                    }
                }
                write.at = self.clock.now_ms();
                if self.store.start_upstream_write(&write).await?.is_some() {
                    // Another worker was faster. The next request finds its result.
                    return Ok(WriteResult::Error(failure::outcome_unknown()));
                }
                write
            }
        };
        let result = self.client.send(&request).await;
        match result {
            Ok(reply) if reply.status.is_success() => match reply.json() {
                Ok(body) => {
                    write.answer = Some(body.to_string());
                    self.store.update_upstream_write(&write).await?;
                    Ok(WriteResult::Done(body))
                }
                Err(failure) => self.search_now(write, &post_body, failure).await,
            },
            // A refusal by the API itself. A gateway's page, or a timeout there, says nothing about the result.
            Ok(reply) if reply.status != StatusCode::REQUEST_TIMEOUT && reply.json().is_ok() => {
                self.store.delete_upstream_write(&write.scope, &write.call, &write.key).await?;
                Ok(WriteResult::Refused(reply))
            }
            Ok(_) => {
                self.search_now(write, &post_body, Failure::InvalidReply("the response says nothing about the write"))
                    .await
            }
            Err(failure) if failure.is_unsent() => {
                self.store.delete_upstream_write(&write.scope, &write.call, &write.key).await?;
                Ok(WriteResult::Error(axum::response::IntoResponse::into_response(failure)))
            }
            Err(failure) => self.search_now(write, &post_body, failure).await,
        }
    }

    /// Searches for the result of a write whose response was lost a moment ago.
    async fn search_now(
        &self,
        write: UpstreamWrite,
        post_body: &PostBody,
        failure: Failure,
    ) -> Result<WriteResult, StoreError> {
        match self.search(&write, post_body).await {
            Ok(Some(item)) => self.settle(write, item).await,
            _ => Ok(WriteResult::Error(axum::response::IntoResponse::into_response(failure))),
        }
    }

    async fn settle(&self, mut write: UpstreamWrite, item: Value) -> Result<WriteResult, StoreError> {
        tracing::info!(call = write.call, id = %item["id"], "found the result of an unanswered write");
        metrics::counter!("touchline_upstream_writes_found_total").increment(1);
        let body = json!({ "data": item });
        write.answer = Some(body.to_string());
        self.store.update_upstream_write(&write).await?;
        Ok(WriteResult::Done(body))
    }

    /// The result of a write: a similar item that didn't exist before.
    async fn search(&self, write: &UpstreamWrite, post_body: &PostBody) -> Result<Option<Value>, ListError> {
        let existing: Vec<Value> = serde_json::from_str(&write.known).unwrap_or_default();
        let is_new = |item: &Value| !existing.iter().any(|id| is_same(id, &item["id"]));
        Ok(self.similar(&write.call, post_body).await?.into_iter().find(is_new))
    }

    /// Items similar to the one that the write creates.
    async fn similar(&self, call: &str, post_body: &PostBody) -> Result<Vec<Value>, ListError> {
        let (path, query) = match call {
            "clip" => ("clips/user", ""),
            "favorite" => ("favorites", ""),
            _ => ("orders", "no_limit=1"),
        };
        let query = Query { api_key: None, rest: query.to_owned() }.with_key(post_body.api_key.as_deref());
        let reply = self.client.send(&Outgoing::get(path, query)).await?;
        if reply.status != StatusCode::OK {
            return Err(ListError::Refused(reply));
        }
        let body = reply.json()?;
        let items =
            body.get("data").unwrap_or(&body).as_array().ok_or(Failure::InvalidReply("the data is not a list"))?;
        Ok(items.iter().filter(|item| is_similar(call, item, &post_body.fields)).cloned().collect())
    }

    fn gate(&self, name: String) -> Arc<tokio::sync::Mutex<()>> {
        let mut in_flight = self.in_flight.lock();
        in_flight.retain(|_, gate| gate.strong_count() > 0);
        if let Some(gate) = in_flight.get(&name).and_then(Weak::upgrade) {
            return gate;
        }
        let gate = Arc::default();
        in_flight.insert(name, Arc::downgrade(&gate));
        gate
    }
}

/// The reason the upstream doesn't list the existing items.
enum ListError {
    /// The response isn't a list.
    Refused(Reply),
    Failed(Failure),
}

impl ListError {
    /// The 503 response to a viewer. Nothing was sent.
    fn response(self) -> Response {
        match self {
            Self::Refused(reply) => {
                tracing::warn!(
                    status = reply.status.as_u16(),
                    "the upstream does not list the possible results of a write"
                );
                failure::outcome_unknown()
            }
            Self::Failed(failure) => axum::response::IntoResponse::into_response(failure),
        }
    }
}

impl From<Failure> for ListError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Whether a write takes money, now or later. Only the viewer may send it again.
fn costs_money(call: &str) -> bool {
    matches!(call, "stripe/buy" | "stripe/subscription/start_trial")
}

/// Whether a refusal is about the viewer: an invalid key or missing rights.
fn is_about_viewer(reply: &Reply) -> bool {
    matches!(reply.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) || names_bad_key(reply)
}

/// Whether an item is similar to the one that a write with these fields creates.
fn is_similar(call: &str, item: &Value, fields: &Map<String, Value>) -> bool {
    let field = |name: &str| fields.get(name).unwrap_or(&Value::Null);
    match call {
        "clip" => {
            ["event_id", "start_time", "duration", "event_media_id"]
                .iter()
                .all(|name| is_same(&item[name], field(name)))
                && item["name"].as_str().map(str::trim) == field("name").as_str().map(str::trim)
        }
        "favorite" => {
            let kind = |value: &Value| match value.as_str().unwrap_or_default() {
                "group" | "participant_group" => "group",
                "category" | "event_category" => "category",
                _ => "participant",
            };
            is_same(&item["favoritable_id"], field("favoritable_id"))
                && kind(&item["favoritable_type"]) == kind(field("favoritable_type"))
        }
        "stripe/subscription/start_trial" => {
            item["type"] == "subscription" && is_same(&item["product"]["id"], field("subscription_id"))
        }
        _ => {
            let team = field("participant_id");
            item["type"] == *field("type")
                && is_same(&item["product"]["id"], field("id"))
                && (team.is_null() || is_same(&item["product"]["participant_id"], team))
        }
    }
}

/// Whether two values are equal, even if one is a string.
fn is_same(a: &Value, b: &Value) -> bool {
    let text = |value: &Value| value.as_str().map(|text| text.trim().to_owned());
    // Large ids exceed the precision of floats.
    let whole = |value: &Value| {
        let number = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
        number.or_else(|| text(value)?.parse().ok())
    };
    let number = |value: &Value| value.as_f64().or_else(|| text(value)?.parse::<f64>().ok());
    match (whole(a), whole(b)) {
        _ if a == b => true,
        (Some(a), Some(b)) => a == b,
        _ => number(a).is_some_and(|a| number(b) == Some(a)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn orders_are_similar_by_type_product_and_team() {
        let order = json!({ "type": "package", "product": { "id": 3, "participant_id": 8 } });
        assert!(is_similar("stripe/buy", &order, &fields(json!({ "type": "package", "id": 3, "participant_id": 8 }))));
        assert!(!is_similar("stripe/buy", &order, &fields(json!({ "type": "package", "id": 3, "participant_id": 9 }))));
        assert!(!is_similar("stripe/buy", &order, &fields(json!({ "type": "event", "id": 3 }))));
        let texts = json!({ "type": "package", "product": { "id": "3", "participant_id": "8" } });
        assert!(is_similar("stripe/buy", &texts, &fields(json!({ "type": "package", "id": 3, "participant_id": 8 }))));
        assert!(!is_similar(
            "stripe/buy",
            &texts,
            &fields(json!({ "type": "package", "id": 30, "participant_id": 8 }))
        ));
        let favourite = json!({ "favoritable_id": 4, "favoritable_type": "group" });
        let fields_sent = fields(json!({ "favoritable_id": 4, "favoritable_type": "participant_group" }));
        assert!(is_similar("favorite", &favourite, &fields_sent));
    }
}
