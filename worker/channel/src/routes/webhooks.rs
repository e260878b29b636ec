//! `POST /webhooks/stripe`: what the payment provider tells (`PAY-14`).

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Router, extract::DefaultBodyLimit};
use serde_json::json;

use crate::http::AppState;
use crate::payments::webhooks;

/// The longest webhook, bytes.
pub const WEBHOOK_BYTES: usize = 256 * 1024;

/// The webhooks; no API key is needed, a signature is.
pub fn router(state: AppState) -> Router {
    Router::new().route("/webhooks/stripe", post(receive)).layer(DefaultBodyLimit::max(WEBHOOK_BYTES)).with_state(state)
}

/// Answers once the webhook is on disk: what was not answered with 200 comes again.
async fn receive(State(state): State<AppState>, headers: HeaderMap, body: Bytes) -> Response {
    let Some(secret) = state.payments.webhooks() else { return StatusCode::NOT_FOUND.into_response() };
    let header = headers.get("stripe-signature").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let event = match secret.open(header, &body, state.clock.now_s()) {
        Ok(event) => event,
        Err(refusal) => {
            metrics::counter!("touchline_webhooks_total", "outcome" => "refused", "why" => refusal.to_string())
                .increment(1);
            tracing::warn!(why = %refusal, "a webhook is refused");
            return (StatusCode::BAD_REQUEST, Json(json!({ "error": refusal.to_string() }))).into_response();
        }
    };
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
