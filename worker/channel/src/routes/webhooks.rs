//! `POST /webhooks/stripe`: what the payment provider tells (`PAY-14`).

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Extension, Json, Router, extract::DefaultBodyLimit};
use parking_lot::Mutex;
use serde_json::json;

use crate::auth::limits::Limited;
use crate::http::{ApiError, AppState, Client};
use crate::payments::webhooks;

/// The shortest time between two lines of the log on refused webhooks, milliseconds.
const SUMMARY_INTERVAL_MS: i64 = 60_000;
/// The longest webhook, bytes.
pub const WEBHOOK_BYTES: usize = 256 * 1024;

/// The webhooks; no API key is needed, a signature is.
pub fn router(state: AppState) -> Router {
    Router::new()
        .route("/webhooks/stripe", post(receive))
        .layer(DefaultBodyLimit::max(WEBHOOK_BYTES))
        .layer(Extension(Arc::<Refusals>::default()))
        .with_state(state)
}

/// Refused webhooks, summed up for the log: anyone can send as many as they like.
#[derive(Debug, Default)]
struct Refusals(Mutex<Unlogged>);

#[derive(Debug, Default)]
struct Unlogged {
    count: u64,
    /// The time of the last line, [`Clock::steady_ms`](touchline_protocol::ambient::Clock::steady_ms).
    logged_at: Option<i64>,
}

impl Refusals {
    /// Counts one. Once a minute it gives the number since the last line.
    fn count(&self, steady_ms: i64) -> Option<u64> {
        let mut unlogged = self.0.lock();
        unlogged.count += 1;
        if unlogged.logged_at.is_some_and(|at| steady_ms - at < SUMMARY_INTERVAL_MS) {
            return None;
        }
        unlogged.logged_at = Some(steady_ms);
        Some(std::mem::take(&mut unlogged.count))
    }

    fn note(&self, why: &str, steady_ms: i64) {
        metrics::counter!("touchline_webhooks_total", "outcome" => "refused", "why" => why.to_owned()).increment(1);
        tracing::debug!(why, "a webhook is refused");
        if let Some(count) = self.count(steady_ms) {
            tracing::warn!(why, count, "webhooks are refused");
        }
    }
}

/// Answers once the webhook is on disk: what was not answered with 200 comes again.
async fn receive(
    State(state): State<AppState>,
    Extension(refusals): Extension<Arc<Refusals>>,
    client: Client,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(secret) = state.payments.webhooks() else { return StatusCode::NOT_FOUND.into_response() };
    // A signature costs a hash of the body: an address whose webhooks are refused is not listened to for a while.
    let (subject, steady_ms) = (client.subject(), state.clock.steady_ms());
    if let Err(too_many) = state.limits.take(Limited::WebhookByAddress, &subject, &*state.clock).await {
        refusals.note("too_many", steady_ms);
        return ApiError::from(too_many).into_response();
    }
    let header = headers.get("stripe-signature").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let event = match secret.open(header, &body, state.clock.now_s()) {
        Ok(event) => event,
        Err(refusal) => {
            refusals.note(&refusal.to_string(), steady_ms);
            return (StatusCode::BAD_REQUEST, Json(json!({ "error": refusal.to_string() }))).into_response();
        }
    };
    state.limits.give_back(Limited::WebhookByAddress, &subject).await;
    match webhooks::store(&state.billing(), event).await {
        Ok(is_new) => {
            let outcome = if is_new { "stored" } else { "repeated" };
            metrics::counter!("touchline_webhooks_total", "outcome" => outcome, "why" => "").increment(1);
            Json(json!({})).into_response()
        }
        Err(error) => {
            tracing::error!(%error, "a webhook cannot be stored");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_summed_up_once_a_minute() {
        let refusals = Refusals::default();
        assert_eq!(refusals.count(5), Some(1), "the first one is said at once");
        assert!((6..1_006).all(|at| refusals.count(at).is_none()));
        assert_eq!(refusals.count(5 + SUMMARY_INTERVAL_MS), Some(1_001));
    }
}
