//! `GET /apply_coupon`.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use touchline_domain::prices::{WrongPromoCode, is_entered, offer, quote};
use touchline_domain::purchases::{Refusal, is_closed};
use touchline_protocol::envelope::{Data, Failure};
use touchline_protocol::purchases::{Coupon, OrderType};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::{AccountFailures, ApiKeyQuery, ApiResult, AppState, Caller, Query};
use crate::payments::guesses::Guesser;
use crate::payments::promo;

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(apply_coupon))
}

/// A promo code and a product.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CouponQuery {
    /// Promo code. Case-insensitive.
    #[param(max_length = 64, example = "KICKOFF20")]
    promo_code: String,
    /// Type of the product.
    #[serde(rename = "type")]
    #[param(inline, example = "package")]
    kind: OrderType,
    /// ID of the event, package or subscription.
    #[param(example = 1)]
    id: i64,
}

/// Returns a product's discount with a promo code (`PAY-6`).
#[utoipa::path(
    get, path = "/api/apply_coupon", tag = "Payments", params(CouponQuery, ApiKeyQuery),
    responses((status = 200, body = Data<Coupon>), (status = 404, body = Failure, description = "the product doesn't exist"), AccountFailures)
)]
pub(crate) async fn apply_coupon(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<CouponQuery>,
) -> ApiResult<Json<Data<Coupon>>> {
    let user = caller.user(&state).await?;
    let channel = &*caller.channel;
    let offer = offer(channel, query.kind, query.id).ok_or(Refusal::NotSold)?;
    // A price is revealed only where the product is sold.
    let event = channel.event(query.id).filter(|_| query.kind == OrderType::Event).map(|event| event.terms());
    if is_closed(&*state.entitlements(&caller).await?, event.as_ref()) {
        return Err(Refusal::GeoBlocked.into());
    }
    if !is_entered(&query.promo_code) {
        return Err(Refusal::from(WrongPromoCode).into());
    }
    let code = Some(query.promo_code.as_str());
    let address = caller.client.subject();
    let guesser = Guesser { limits: &state.limits, clock: &*state.clock, user_id: user.id, address: &address };
    let promo = promo::operator_rule(state.store(), channel, code).await?;
    let quote = guesser.guarded(code, || quote(channel, &offer, code, promo.as_ref(), state.clock.now_ms())).await?;
    if promo::is_used_up(state.store(), channel, quote.promo_code.as_deref(), quote.promo_limit).await? {
        return Err(Refusal::from(WrongPromoCode).into());
    }
    Ok(Json(Data::of(quote.coupon())))
}
