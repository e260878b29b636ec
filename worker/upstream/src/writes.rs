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

use crate::client::{Answer, Client, Outgoing};
use crate::failure::{self, Failure};
use crate::request::{Posted, Query};
use crate::viewers::blames_key;

/// Period in which a result may still appear after a write without a response, in milliseconds. Longer than any call.
pub(crate) const SETTLED_AFTER_MS: i64 = 30_000;
/// The same for a purchase, in milliseconds. Longer than gateways usually allow a request to take.
const CONFIRMED_WITHIN_MS: i64 = 120_000;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::millis(
        "upstream.settled",
        SETTLED_AFTER_MS as u64,
        "Time for which the result of a clip or favourite without a response is searched before it is sent again.",
    ),
    Limit::millis(
        "upstream.confirmed_within",
        CONFIRMED_WITHIN_MS as u64,
        "Time for which the result of a purchase without a response is searched before it is reported as unconfirmed.",
    ),
];

/// The result of a write.
pub(crate) enum Written {
    /// The body of the upstream's first successful response.
    Done(Value),
    /// The upstream refused the write, so it has no result.
    Refused(Answer),
    /// The write can't be done now.
    Told(Response),
}

pub(crate) struct Writes {
    pub(crate) client: Arc<Client>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: SharedClock,
    under_way: Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>,
}

impl Writes {
    pub(crate) fn new(client: Arc<Client>, store: Arc<dyn Store>, clock: SharedClock) -> Self {
        Self { client, store, clock, under_way: Mutex::default() }
    }

    /// Sends a write, or returns its earlier result. `scope` identifies the sender.
    pub(crate) async fn once(&self, scope: String, key: String, request: Outgoing, posted: Posted) -> Written {
        let gate = self.gate(format!("{scope} {} {key}", request.path));
        let _turn = gate.lock().await;
        match self.in_turn(scope, key, request, posted).await {
            Ok(written) => written,
            Err(error) => {
                tracing::error!(%error, "could not store a write to the upstream, it was not sent");
                Written::Told(failure::not_known_yet())
            }
        }
    }

    async fn in_turn(
        &self,
        scope: String,
        key: String,
        request: Outgoing,
        posted: Posted,
    ) -> Result<Written, StoreError> {
        let fingerprint = posted.fingerprint();
        let noted = self.store.upstream_write(&scope, &request.path, &key).await?;
        let mut write = match noted {
            Some(write) if write.fingerprint != fingerprint => {
                let message = "This Idempotency-Key was used for a different request.";
                return Ok(Written::Told(failure::told(StatusCode::CONFLICT, ErrorCode::IdempotencyConflict, message)));
            }
            Some(write) => {
                if let Some(answer) = write.answer.as_deref().and_then(|text| serde_json::from_str(text).ok()) {
                    return Ok(Written::Done(answer));
                }
                match self.look_up(&write, &posted).await {
                    Err(unlisted) => return Ok(Written::Told(unlisted.response())),
                    Ok(Some(found)) => return self.settled(write, found).await,
                    Ok(None) => {
                        let (age, costs) = (self.clock.now_ms() - write.at, costs_money(&write.call));
                        if age < if costs { CONFIRMED_WITHIN_MS } else { SETTLED_AFTER_MS } {
                            return Ok(Written::Told(failure::not_known_yet()));
                        }
                        if costs {
                            return Ok(Written::Told(failure::not_confirmed()));
                        }
                    }
                }
                let again = UpstreamWrite { at: self.clock.now_ms(), ..write };
                self.store.settle_upstream_write(&again).await?;
                again
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
                match self.alike(&write.call, &posted).await {
                    // A viewer who isn't allowed to list gets the refusal. Nothing was sent.
                    Err(Unlisted::Refused(answer)) if is_about_viewer(&answer) => return Ok(Written::Refused(answer)),
                    Err(unlisted) => return Ok(Written::Told(unlisted.response())),
                    Ok(alike) => {
                        let ids: Vec<_> = alike.iter().map(|item| item["id"].clone()).collect();
                        write.known = Value::from(ids).to_string();
                    }
                }
                write.at = self.clock.now_ms();
                if self.store.begin_upstream_write(&write).await?.is_some() {
                    // Another worker was faster. The next request finds its result.
                    return Ok(Written::Told(failure::not_known_yet()));
                }
                write
            }
        };
        let answered = self.client.ask(&request).await;
        match answered {
            Ok(answer) if answer.status.is_success() => match answer.json() {
                Ok(body) => {
                    write.answer = Some(body.to_string());
                    self.store.settle_upstream_write(&write).await?;
                    Ok(Written::Done(body))
                }
                Err(failure) => self.found_at_once(write, &posted, failure).await,
            },
            // A refusal by the API itself. A gateway's page, or a timeout there, says nothing about the result.
            Ok(answer) if answer.status != StatusCode::REQUEST_TIMEOUT && answer.json().is_ok() => {
                self.store.drop_upstream_write(&write.scope, &write.call, &write.key).await?;
                Ok(Written::Refused(answer))
            }
            Ok(_) => {
                self.found_at_once(write, &posted, Failure::Foreign("the response says nothing about the write")).await
            }
            Err(failure) if failure.is_unsent() => {
                self.store.drop_upstream_write(&write.scope, &write.call, &write.key).await?;
                Ok(Written::Told(axum::response::IntoResponse::into_response(failure)))
            }
            Err(failure) => self.found_at_once(write, &posted, failure).await,
        }
    }

    /// Searches for the result of a write whose response was lost a moment ago.
    async fn found_at_once(&self, write: UpstreamWrite, posted: &Posted, why: Failure) -> Result<Written, StoreError> {
        match self.look_up(&write, posted).await {
            Ok(Some(found)) => self.settled(write, found).await,
            _ => Ok(Written::Told(axum::response::IntoResponse::into_response(why))),
        }
    }

    async fn settled(&self, mut write: UpstreamWrite, found: Value) -> Result<Written, StoreError> {
        tracing::info!(call = write.call, id = %found["id"], "found the result of a write without a response");
        metrics::counter!("touchline_upstream_writes_found_total").increment(1);
        let body = json!({ "data": found });
        write.answer = Some(body.to_string());
        self.store.settle_upstream_write(&write).await?;
        Ok(Written::Done(body))
    }

    /// The result of a write: a similar item that didn't exist before.
    async fn look_up(&self, write: &UpstreamWrite, posted: &Posted) -> Result<Option<Value>, Unlisted> {
        let known: Vec<Value> = serde_json::from_str(&write.known).unwrap_or_default();
        let is_new = |item: &Value| !known.iter().any(|id| is_same(id, &item["id"]));
        Ok(self.alike(&write.call, posted).await?.into_iter().find(is_new))
    }

    /// Items similar to the one that the write creates.
    async fn alike(&self, call: &str, posted: &Posted) -> Result<Vec<Value>, Unlisted> {
        let (path, query) = match call {
            "clip" => ("clips/user", ""),
            "favorite" => ("favorites", ""),
            _ => ("orders", "no_limit=1"),
        };
        let query = Query { api_key: None, rest: query.to_owned() }.with_key(posted.api_key.as_deref());
        let answer = self.client.ask(&Outgoing::get(path, query)).await?;
        if answer.status != StatusCode::OK {
            return Err(Unlisted::Refused(answer));
        }
        let body = answer.json()?;
        let items = body.get("data").unwrap_or(&body).as_array().ok_or(Failure::Foreign("the data is not a list"))?;
        Ok(items.iter().filter(|item| is_alike(call, item, &posted.fields)).cloned().collect())
    }

    fn gate(&self, name: String) -> Arc<tokio::sync::Mutex<()>> {
        let mut under_way = self.under_way.lock();
        under_way.retain(|_, gate| gate.strong_count() > 0);
        if let Some(gate) = under_way.get(&name).and_then(Weak::upgrade) {
            return gate;
        }
        let gate = Arc::default();
        under_way.insert(name, Arc::downgrade(&gate));
        gate
    }
}

/// The reason the upstream doesn't list the existing items.
enum Unlisted {
    /// The response isn't a list.
    Refused(Answer),
    Failed(Failure),
}

impl Unlisted {
    /// The 503 response to a viewer. Nothing was sent.
    fn response(self) -> Response {
        match self {
            Self::Refused(answer) => {
                tracing::warn!(
                    status = answer.status.as_u16(),
                    "the upstream does not list the possible results of a write"
                );
                failure::not_known_yet()
            }
            Self::Failed(failure) => axum::response::IntoResponse::into_response(failure),
        }
    }
}

impl From<Failure> for Unlisted {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Whether a write takes money, now or later. Only the viewer may send it again.
fn costs_money(call: &str) -> bool {
    matches!(call, "stripe/buy" | "stripe/subscription/start_trial")
}

/// Whether a refusal is about the viewer: an invalid key or missing rights.
fn is_about_viewer(answer: &Answer) -> bool {
    matches!(answer.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) || blames_key(answer)
}

/// Whether an item is similar to the one that a write with these fields creates.
fn is_alike(call: &str, item: &Value, fields: &Map<String, Value>) -> bool {
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
    fn an_order_is_alike_by_type_product_and_team() {
        let order = json!({ "type": "package", "product": { "id": 3, "participant_id": 8 } });
        assert!(is_alike("stripe/buy", &order, &fields(json!({ "type": "package", "id": 3, "participant_id": 8 }))));
        assert!(!is_alike("stripe/buy", &order, &fields(json!({ "type": "package", "id": 3, "participant_id": 9 }))));
        assert!(!is_alike("stripe/buy", &order, &fields(json!({ "type": "event", "id": 3 }))));
        let texts = json!({ "type": "package", "product": { "id": "3", "participant_id": "8" } });
        assert!(is_alike("stripe/buy", &texts, &fields(json!({ "type": "package", "id": 3, "participant_id": 8 }))));
        assert!(!is_alike("stripe/buy", &texts, &fields(json!({ "type": "package", "id": 30, "participant_id": 8 }))));
        let favourite = json!({ "favoritable_id": 4, "favoritable_type": "group" });
        let asked = fields(json!({ "favoritable_id": 4, "favoritable_type": "participant_group" }));
        assert!(is_alike("favorite", &favourite, &asked));
    }
}
