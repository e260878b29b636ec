//! A counting HTTP datalake with configurable answers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use parking_lot::Mutex;
use serde_json::{Value, json};
use touchline_protocol::ambient::{Entropy, SeededEntropy};

#[derive(Default)]
struct Received {
    status: AtomicU16,
    /// Ids answered with 422.
    poison: Mutex<BTreeSet<String>>,
    calls: Mutex<Vec<(String, String, Value)>>,
    /// Randomness for lost requests and answers.
    losses: Mutex<Option<Arc<SeededEntropy>>>,
}

impl Received {
    /// 15 % of requests are lost, and 15 % of answers.
    fn loses(&self) -> (bool, bool) {
        let draw = self.losses.lock().as_ref().map_or(1.0, |entropy| entropy.next_f64());
        (draw < 0.15, (0.15..0.3).contains(&draw))
    }
}

#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) url: String,
    received: Arc<Received>,
}

/// Accepts a batch, or refuses all of it if it contains a poisoned event.
fn take_batch(received: &Received, batch: &Value) -> Response {
    let events = batch["events"].as_array().unwrap();
    let id = |event: &Value| event["id"].as_str().unwrap().to_owned();
    if events.iter().any(|event| received.poison.lock().contains(&id(event))) {
        return (StatusCode::UNPROCESSABLE_ENTITY, "no such\nevent").into_response();
    }
    let call = |event: &Value| (event["path"].as_str().unwrap().to_owned(), id(event), event["body"].clone());
    received.calls.lock().extend(events.iter().map(call));
    let result = |event: &Value| json!({"id": id(event), "outcome": "accepted"});
    Json(json!({"data": {"results": events.iter().map(result).collect::<Vec<_>>()}})).into_response()
}

async fn take(State(received): State<Arc<Received>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let status = StatusCode::from_u16(received.status.load(Ordering::SeqCst)).unwrap();
    assert_eq!(headers["touchline-schema"], "5");
    if uri.path().ends_with("/batch") && status.is_success() {
        return take_batch(&received, &serde_json::from_slice(&body).unwrap());
    }
    // Single calls carry the event time in a header, because their bodies have no field for it.
    let occurred =
        headers.get("touchline-occurred-at").and_then(|at| at.to_str().ok()?.parse::<jiff::Timestamp>().ok());
    assert!(headers.get("idempotency-key").is_none() || occurred.is_some(), "{headers:?}");
    let Some(id) = headers.get("idempotency-key").map(|id| id.to_str().unwrap().to_owned()) else {
        return status.into_response();
    };
    let (request_lost, answer_lost) = received.loses();
    if request_lost {
        return StatusCode::GATEWAY_TIMEOUT.into_response();
    }
    let body: Value = serde_json::from_slice(&body).unwrap();
    if received.poison.lock().contains(&id) {
        // It repeats the request in its answer, as such services do.
        let answer = format!("no such\nevent{}", body["user_email"].as_str().unwrap_or_default());
        return (StatusCode::UNPROCESSABLE_ENTITY, answer).into_response();
    }
    if !status.is_success() {
        return status.into_response();
    }
    received.calls.lock().push((uri.path().to_owned(), id, body));
    if answer_lost { StatusCode::GATEWAY_TIMEOUT } else { status }.into_response()
}

impl Server {
    pub(crate) async fn start() -> Self {
        let received = Arc::new(Received::default());
        received.status.store(200, Ordering::SeqCst);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let router = Router::new().fallback(take).with_state(Arc::clone(&received));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, received }
    }

    pub(crate) fn answer_with(&self, status: u16) {
        self.received.status.store(status, Ordering::SeqCst);
    }

    /// From now on loses 30 % of requests or answers.
    pub(crate) fn lose(&self, seed: u64) {
        *self.received.losses.lock() = Some(SeededEntropy::new(seed));
    }

    pub(crate) fn poison(&self, ids: impl IntoIterator<Item = String>) {
        *self.received.poison.lock() = ids.into_iter().collect();
    }

    /// Path, id and body of every accepted call.
    pub(crate) fn calls(&self) -> Vec<(String, String, Value)> {
        self.received.calls.lock().clone()
    }

    /// The ids of the accepted calls, sorted, with duplicates.
    pub(crate) fn ids(&self) -> Vec<String> {
        let mut ids: Vec<_> = self.calls().into_iter().map(|(_, id, _)| id).collect();
        ids.sort();
        ids
    }
}
