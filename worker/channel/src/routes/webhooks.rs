//! `POST /webhooks/stripe`: events of the payment provider (`PAY-14`).

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Extension, Json, Router, extract::DefaultBodyLimit};
use parking_lot::Mutex;
use serde_json::json;

use crate::auth::limits::LimitedAction;
use crate::http::{ApiError, AppState, Client};
use crate::payments::webhooks;

/// Shortest interval between log lines on rejected webhooks, in milliseconds.
const SUMMARY_INTERVAL_MS: i64 = 60_000;
/// Largest webhook, in bytes.
pub const WEBHOOK_BYTES: usize = 256 * 1024;

/// The webhook routes. They require a signature, not an API key.
pub fn router(state: AppState) -> Router {
    Router::new()
        .route("/webhooks/stripe", post(receive))
        .layer(DefaultBodyLimit::max(WEBHOOK_BYTES))
        .layer(Extension(Arc::<Refusals>::default()))
        .with_state(state)
}

/// Rejected webhooks, summarised for the log, since anyone can send any number.
#[derive(Debug, Default)]
struct Refusals(Mutex<PendingSummary>);

#[derive(Debug, Default)]
struct PendingSummary {
    count: u64,
    /// Time of the last line, by [`Clock::steady_ms`](touchline_protocol::ambient::Clock::steady_ms).
    logged_at: Option<i64>,
}

impl Refusals {
    /// Counts a rejection. Once a minute, returns the number since the last line.
    fn count(&self, steady_ms: i64) -> Option<u64> {
        let mut unlogged = self.0.lock();
        unlogged.count += 1;
        if unlogged.logged_at.is_some_and(|at| steady_ms - at < SUMMARY_INTERVAL_MS) {
            return None;
        }
        unlogged.logged_at = Some(steady_ms);
        Some(std::mem::take(&mut unlogged.count))
    }

    fn log_rejection(&self, why: &str, steady_ms: i64) {
        metrics::counter!("touchline_webhooks_total", "outcome" => "refused", "why" => why.to_owned()).increment(1);
        tracing::debug!(why, "a webhook was rejected");
        if let Some(count) = self.count(steady_ms) {
            tracing::warn!(why, count, "webhooks were rejected");
        }
    }
}

/// Responds once the webhook is on disk. The provider resends a webhook until it gets a 200.
async fn receive(
    State(state): State<AppState>,
    Extension(refusals): Extension<Arc<Refusals>>,
    client: Client,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(secret) = state.payments.webhooks() else { return StatusCode::NOT_FOUND.into_response() };
    // Verifying a signature hashes the body, so an address with rejected webhooks is ignored for a while.
    let (subject, steady_ms) = (client.subject(), state.clock.steady_ms());
    if let Err(too_many) = state.limits.take(LimitedAction::WebhookByAddress, &subject, &*state.clock).await {
        refusals.log_rejection("too_many", steady_ms);
        return ApiError::from(too_many).into_response();
    }
    let header = headers.get("stripe-signature").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let event = match secret.open(header, &body, state.clock.now_s()) {
        Ok(event) => event,
        Err(refusal) => {
            refusals.log_rejection(&refusal.to_string(), steady_ms);
            return (StatusCode::BAD_REQUEST, Json(json!({ "error": refusal.to_string() }))).into_response();
        }
    };
    state.limits.give_back(LimitedAction::WebhookByAddress, &subject).await;
    match webhooks::store(&state.billing(), event).await {
        Ok(is_new) => {
            let outcome = if is_new { "stored" } else { "repeated" };
            metrics::counter!("touchline_webhooks_total", "outcome" => outcome, "why" => "").increment(1);
            Json(json!({})).into_response()
        }
        Err(error) => {
            tracing::error!(%error, "cannot store a webhook");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejections_are_summarised_once_a_minute() {
        let refusals = Refusals::default();
        assert_eq!(refusals.count(5), Some(1), "the first is logged at once");
        assert!((6..1_006).all(|at| refusals.count(at).is_none()));
        assert_eq!(refusals.count(5 + SUMMARY_INTERVAL_MS), Some(1_001));
    }
}
