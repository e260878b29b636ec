//! `POST /stripe/buy`.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use touchline_protocol::envelope::{Data, Failure};
use touchline_protocol::purchases::{Buy, Order};

use crate::auth::limits::LimitedAction;
use crate::http::idempotency::{CallIdentity, CreatedRecord, once_without_key};
use crate::http::{AccountFailures, ApiError, ApiResult, AppState, Keyed, WithKey};
use crate::payments::checkout;
use crate::payments::guesses::Guesser;

/// Places an order.
///
/// The order is `created`, charged in the background, and becomes `paid` or `failed`. Repeating an `Idempotency-Key`
/// returns the same response and never charges twice (`PAY-4`).
#[utoipa::path(
    post, path = "/api/stripe/buy", tag = "Payments", request_body = WithKey<Buy>,
    params(("Idempotency-Key" = Option<String>, Header, description = "Identifies the purchase; 1 to 128 characters. Without it, equal requests within a minute are one purchase, unless that fails.", min_length = 1, max_length = 128, example = "3f0c7a52-purchase")),
    responses(
        (status = 200, body = Data<Order>, links(("order" = (operation_id = "order", parameters(("id" = "$response.body#/data/id"), ("api_key" = "$request.body#/api_key"))))), example = json!({ "data": {
            "id": 1, "type": "package", "status": "created", "activity_status": "inactive",
            "product": { "id": 1, "name": "Kestrels winter pass" }, "base_price": 8900, "discount": 1780, "service_fee": 650,
            "total": 7770, "currency": "USD", "created_at": "2026-11-21T18:00:00.000Z", "version": 1,
        } })), AccountFailures,
        (status = 403, body = Failure, description = "the password must be changed first, or the product is blocked in the buyer's region (`geo_blocked`)"),
        (status = 404, body = Failure, description = "the product doesn't exist"),
        (status = 409, body = Failure, description = "the Idempotency-Key was used with another body, or the price has changed (`price_changed`, with the current price)"),
        (status = 503, body = Failure, description = "the payment provider isn't responding")
    )
)]
pub(crate) async fn buy(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, fingerprint }: Keyed<Buy>,
) -> ApiResult<Response> {
    let user = caller.user(&state).await?;
    let of = CallIdentity { user_id: user.id, call: "stripe/buy", fingerprint };
    let buying = async |claim| {
        let account = user.id.to_string();
        state.limits.take(LimitedAction::BuyByAccount, &account, &*state.clock).await?;
        let address = caller.client.subject();
        let guesser = Guesser { limits: &state.limits, clock: &*state.clock, user_id: user.id, address: &address };
        let has = state.entitlements(&caller).await?;
        let bought = checkout::buy(&state.billing(), &guesser, (&caller.channel, &has), &user, &body, claim).await;
        let bought = bought.map_err(ApiError::from);
        if bought.as_ref().is_err_and(ApiError::is_ours) {
            state.limits.give_back(LimitedAction::BuyByAccount, &account).await;
        }
        bought
    };
    once_without_key(&state, &headers, of, CreatedRecord::Order, buying).await
}
