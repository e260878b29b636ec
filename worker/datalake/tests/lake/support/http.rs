//! A counting HTTP datalake with configurable answers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use hmac::{Hmac, KeyInit, Mac};
use parking_lot::Mutex;
use serde_json::{Value, json};
use sha2::Sha256;
use touchline_protocol::ambient::{Clock, Entropy, SeededEntropy, SystemClock};

#[derive(Default)]
struct Received {
    status: AtomicU16,
    /// Ids answered with 422.
    poison: Mutex<BTreeSet<String>>,
    calls: Mutex<Vec<(String, String, Value)>>,
    /// The secret of the signature that each request must have.
    secret: Mutex<Option<String>>,
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

/// The signature that a receiver computes from its secret and the request, as `docs/datalake.md` says.
fn expected_signature(secret: &str, signature: &str, headers: &HeaderMap, body: &[u8]) -> String {
    let header = |name: &str| headers.get(name).map_or("", |value| value.to_str().unwrap());
    let time = signature.split(',').next().unwrap().strip_prefix("t=").unwrap();
    let now_s = SystemClock::default().now().as_second();
    assert!((now_s - time.parse::<i64>().unwrap()).abs() < 300, "{signature}");
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("{time}.{}.{}.", header("idempotency-key"), header("touchline-occurred-at")).as_bytes());
    mac.update(body);
    format!("t={time},v1={}", hex::encode(mac.finalize().into_bytes()))
}

async fn take(State(received): State<Arc<Received>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let status = StatusCode::from_u16(received.status.load(Ordering::SeqCst)).unwrap();
    assert_eq!(headers["touchline-schema"], "6");
    let signature = headers.get("touchline-signature").and_then(|value| value.to_str().ok());
    let secret = received.secret.lock().clone();
    let is_right = match (&secret, signature) {
        (Some(secret), Some(signature)) => signature == expected_signature(secret, signature, &headers, &body),
        (secret, signature) => secret.is_none() && signature.is_none(),
    };
    if !is_right {
        return StatusCode::UNAUTHORIZED.into_response();
    }
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

    /// From now on answers 401 to a request without a signature by this secret.
    pub(crate) fn require_signature(&self, secret: &str) {
        *self.received.secret.lock() = Some(secret.to_owned());
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
