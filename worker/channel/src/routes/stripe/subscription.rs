//! `POST /stripe/subscription/start_trial`, `POST /stripe/unsubscribe`.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use touchline_protocol::envelope::{Data, Failure};
use touchline_protocol::purchases::{Order, StartTrial, Unsubscribe};

use crate::auth::limits::Limited;
use crate::http::idempotency::{CallOf, KeyConflict, MaybeKey, once};
use crate::http::{AccountFailures, ApiError, ApiResult, AppState, Keyed, WithKey};
use crate::payments::checkout;

/// Starts a trial: nothing is paid until it ends, and each person has one (`SUB-4`).
#[utoipa::path(
    post, path = "/api/stripe/subscription/start_trial", tag = "Payments", request_body = WithKey<StartTrial>,
    params(("Idempotency-Key" = Option<String>, Header, description = "Of the trial; 1 to 128 characters.", min_length = 1, max_length = 128, example = "3f0c7a52-trial")),
    responses(
        (status = 200, body = Data<Order>, links(("order" = (operation_id = "order", parameters(("id" = "$response.body#/data/id"), ("api_key" = "$request.body#/api_key"))))), example = json!({ "data": {
            "id": 2, "type": "subscription", "status": "created", "activity_status": "inactive",
            "product": { "id": 1, "name": "Monthly subscription" }, "base_price": 1199, "discount": 1199, "service_fee": 0,
            "total": 0, "currency": "USD", "created_at": "2026-11-21T18:00:00.000Z", "version": 1,
            "subscription": {
                "status": "active", "auto_renew": "active", "current_period_end": "2026-11-28T18:00:00.000Z",
                "trial_end": "2026-11-28T18:00:00.000Z",
            },
        } })), AccountFailures,
        (status = 403, body = Failure, description = "the password must be changed first, or the channel is closed to the buyer's region (`geo_blocked`)"),
        (status = 404, body = Failure, description = "no such subscription"),
        (status = 409, body = Failure, description = "the Idempotency-Key was used with another body, or price or days are not those that were shown (`price_changed`, with those that are asked for now)"),
        (status = 503, body = Failure, description = "the payment provider does not answer")
    )
)]
pub async fn start_trial(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, fingerprint }: Keyed<StartTrial>,
) -> ApiResult<Response> {
    let user = caller.user(&state).await?;
    let of = CallOf { user_id: user.id, call: "stripe/subscription/start_trial", fingerprint };
    let starting = async |claim| {
        let account = user.id.to_string();
        state.limits.take(Limited::BuyByAccount, &account, &*state.clock)?;
        let has = state.entitlements(&caller).await?;
        let placed = checkout::start_trial(&state.billing(), (&caller.channel, &has), &user, &body, claim).await;
        let placed = placed.map_err(ApiError::from);
        if placed.as_ref().is_err_and(ApiError::is_ours) {
            state.limits.give_back(Limited::BuyByAccount, &account);
        }
        placed
    };
    once(&state, &headers, of, starting).await
}

/// Stops a subscription's renewing: it runs until the end of what is paid (`SUB-3`). Stopping it again changes nothing.
#[utoipa::path(
    post, path = "/api/stripe/unsubscribe", tag = "Payments", request_body = WithKey<Unsubscribe>, params(MaybeKey),
    responses((status = 200, body = Data<Order>, example = json!({ "data": {
            "id": 2, "type": "subscription", "status": "paid", "activity_status": "active",
            "product": { "id": 1, "name": "Monthly subscription" }, "base_price": 1199, "discount": 0, "service_fee": 100,
            "total": 1299, "currency": "USD", "created_at": "2026-11-21T18:00:00.000Z", "version": 3,
            "subscription": { "status": "active", "auto_renew": "cancelled", "current_period_end": "2026-12-21T18:00:00.000Z" },
        } })), (status = 404, body = Failure, description = "no such running subscription of this person"), AccountFailures, KeyConflict)
)]
pub async fn unsubscribe(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, fingerprint }: Keyed<Unsubscribe>,
) -> ApiResult<Response> {
    let user = caller.user(&state).await?;
    let of = CallOf { user_id: user.id, call: "stripe/unsubscribe", fingerprint };
    let stopping = async |claim| {
        let stopped = state.store.stop_renewing(user.id, body.subscription_id, state.clock.now_ms(), claim).await?;
        let order = stopped.ok_or(ApiError::NotFound)?;
        state.wakeups.orders.notify_one();
        Ok(order)
    };
    once(&state, &headers, of, stopping).await
}
