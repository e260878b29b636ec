//! `POST /stripe/subscription/start_trial`, `POST /stripe/subscription/resume`, `POST /stripe/subscription/use_card`,
//! `POST /stripe/unsubscribe`.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use touchline_domain::payments::LATE_CANCELLATION_MS;
use touchline_protocol::envelope::{Data, Failure};
use touchline_protocol::purchases::{ChargeKind, ChargeStatus, Order, OrderStatus, StartTrial, Unsubscribe, UseCard};
use touchline_store::{ChargeRecord, NewSavedCard, OrderFilter, OrderRecord};

use crate::auth::limits::LimitedAction;
use crate::http::idempotency::{CallIdentity, KeyConflict, MaybeKey, once};
use crate::http::{AccountFailures, ApiError, ApiResult, AppState, Keyed, WithKey};
use crate::payments::refunds::{self, RefundError};
use crate::payments::{PaymentError, checkout, webhooks};

/// Starts a free trial of a subscription.
///
/// The card isn't charged until the trial ends. Each account can have one trial (`SUB-4`).
#[utoipa::path(
    post, path = "/api/stripe/subscription/start_trial", tag = "Payments", request_body = WithKey<StartTrial>,
    params(("Idempotency-Key" = Option<String>, Header, description = "Identifies the trial; 1 to 128 characters.", min_length = 1, max_length = 128, example = "3f0c7a52-trial")),
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
        (status = 403, body = Failure, description = "the password must be changed first, or the channel is blocked in the buyer's region (`geo_blocked`)"),
        (status = 404, body = Failure, description = "the subscription doesn't exist"),
        (status = 409, body = Failure, description = "the Idempotency-Key was used with another body, or the price or the days have changed (`price_changed`, with the current ones)"),
        (status = 503, body = Failure, description = "the payment provider isn't responding")
    )
)]
pub(crate) async fn start_trial(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, fingerprint }: Keyed<StartTrial>,
) -> ApiResult<Response> {
    let user = caller.user(&state).await?;
    let of = CallIdentity { user_id: user.id, call: "stripe/subscription/start_trial", fingerprint };
    let starting = async |claim| {
        let account = user.id.to_string();
        state.limits.take(LimitedAction::BuyByAccount, &account, &*state.clock).await?;
        let has = state.entitlements(&caller).await?;
        let placed = checkout::start_trial(&state.billing(), (&caller.channel, &has), &user, &body, claim).await;
        let placed = placed.map_err(ApiError::from);
        if placed.as_ref().is_err_and(ApiError::is_ours) {
            state.limits.give_back(LimitedAction::BuyByAccount, &account).await;
        }
        placed
    };
    once(&state, &headers, of, starting).await
}

/// Turns off a subscription's auto-renewal.
///
/// The subscription stays active until the end of the paid period (`SUB-3`). Repeating the call has no effect. A
/// cancellation made offline refunds a renewal charged in the meantime if it arrives within 48 hours (`SUB-8`).
#[utoipa::path(
    post, path = "/api/stripe/unsubscribe", tag = "Payments", request_body = WithKey<Unsubscribe>, params(MaybeKey),
    responses((status = 200, body = Data<Order>, example = json!({ "data": {
            "id": 2, "type": "subscription", "status": "paid", "activity_status": "active",
            "product": { "id": 1, "name": "Monthly subscription" }, "base_price": 1199, "discount": 0, "service_fee": 100,
            "total": 1299, "currency": "USD", "created_at": "2026-11-21T18:00:00.000Z", "version": 3,
            "subscription": { "status": "canceled", "auto_renew": "cancelled", "current_period_end": "2026-12-21T18:00:00.000Z" },
        } })), (status = 404, body = Failure, description = "the subscription has ended, doesn't exist or belongs to another viewer"), AccountFailures, KeyConflict)
)]
pub(crate) async fn unsubscribe(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, fingerprint }: Keyed<Unsubscribe>,
) -> ApiResult<Response> {
    let user = caller.user(&state).await?;
    let of = CallIdentity { user_id: user.id, call: "stripe/unsubscribe", fingerprint };
    let stopping = async |claim| {
        let billing = state.billing();
        if let Some(running) = checkout::running_subscription(&billing, &user, body.subscription_id).await? {
            webhooks::catch_up(&billing, &running).await?;
        }
        if let Some(order) = undo_renewal(&state, user.id, &body).await? {
            return Ok(order);
        }
        if let Some(running) = checkout::running_subscription(&billing, &user, body.subscription_id).await? {
            billing.payments.set_renewing(&running, false).await?;
        }
        let (now, context) = (state.clock.now_ms(), state.change_context(&caller));
        let stopped = state.store.stop_renewing(user.id, body.subscription_id, now, claim, context).await?;
        let order = stopped.ok_or(ApiError::NotFound)?;
        state.wakeups.orders.notify_one();
        Ok(order)
    };
    once(&state, &headers, of, stopping).await
}

/// Reverses the renewal after a cancellation that was made offline and arrived late (`SUB-8`): refunds it and ends the
/// subscription. Repeating it returns the same result. `None` for a cancellation that arrived in time, or too late.
async fn undo_renewal(state: &AppState, user_id: i64, body: &Unsubscribe) -> ApiResult<Option<Order>> {
    let late_ms = body.pressed_ago_s.unwrap_or(0).saturating_mul(1000);
    if !(1..=LATE_CANCELLATION_MS).contains(&late_ms) {
        return Ok(None);
    }
    let pressed_at = state.clock.now_ms() - late_ms;
    let (orders, _) = state.store.orders(user_id, OrderFilter::default()).await?;
    let is_meant = |record: &&OrderRecord| {
        record.subscription.is_some()
            && record.order.product.id == body.subscription_id
            && record.created_at < pressed_at
    };
    let Some(record) = orders.iter().find(is_meant) else { return Ok(None) };
    let charges = state.store.order_charges(record.order.id).await?;
    let is_paid = |charge: &&ChargeRecord| {
        charge.accepted
            && charge.status == ChargeStatus::Succeeded
            && matches!(charge.kind, ChargeKind::Purchase | ChargeKind::Renewal)
    };
    let last = charges.iter().rev().find(is_paid);
    if !last.is_some_and(|charge| charge.kind == ChargeKind::Renewal && charge.at > pressed_at) {
        return Ok(None);
    }
    if record.order.status == OrderStatus::Refunded {
        return Ok(Some(record.order.clone()));
    }
    match refunds::refund(&state.billing(), record.order.id, None).await {
        Ok(order) => Ok(Some(order)),
        // A refund was already made in part or is in progress. The renewal stops all the same.
        Err(RefundError::NotPaid) => Ok(None),
        Err(RefundError::Payment(error)) => Err(error.into()),
        Err(RefundError::Store(error)) => Err(error.into()),
    }
}

/// Turns auto-renewal back on for a cancelled subscription that hasn't ended (`SUB-3`).
///
/// Has no effect if the subscription already renews.
#[utoipa::path(
    post, path = "/api/stripe/subscription/resume", tag = "Payments", request_body = WithKey<Unsubscribe>, params(MaybeKey),
    responses((status = 200, body = Data<Order>), (status = 404, body = Failure, description = "the subscription has ended, doesn't exist or belongs to another viewer"), AccountFailures, KeyConflict,
        (status = 503, body = Failure, description = "the payment provider isn't responding"))
)]
pub(crate) async fn resume(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, fingerprint }: Keyed<Unsubscribe>,
) -> ApiResult<Response> {
    let user = caller.user(&state).await?;
    let of = CallIdentity { user_id: user.id, call: "stripe/subscription/resume", fingerprint };
    let resuming = async |claim| {
        let (billing, now) = (state.billing(), state.clock.now_ms());
        if let Some(running) = checkout::running_subscription(&billing, &user, body.subscription_id).await? {
            match billing.payments.set_renewing(&running, true).await {
                // The subscription has ended at the provider: it can be used until its end but not renewed.
                Err(PaymentError::Fatal(_)) => return Err(ApiError::NotFound),
                resumed => resumed?,
            }
        }
        let resumed = state.store.resume_renewing(user.id, body.subscription_id, now, claim).await?;
        let order = resumed.ok_or(ApiError::NotFound)?;
        state.wakeups.orders.notify_one();
        Ok(order)
    };
    once(&state, &headers, of, resuming).await
}

/// Sets the card for a subscription's renewals.
///
/// If a renewal has failed, the new card is charged immediately (`SUB-6`).
#[utoipa::path(
    post, path = "/api/stripe/subscription/use_card", tag = "Payments", request_body = WithKey<UseCard>, params(MaybeKey),
    responses((status = 200, body = Data<Order>), (status = 404, body = Failure, description = "the subscription doesn't renew, doesn't exist or belongs to another viewer"), AccountFailures, KeyConflict,
        (status = 503, body = Failure, description = "the payment provider isn't responding"))
)]
pub(crate) async fn use_card(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, fingerprint }: Keyed<UseCard>,
) -> ApiResult<Response> {
    let user = caller.user(&state).await?;
    let of = CallIdentity { user_id: user.id, call: "stripe/subscription/use_card", fingerprint };
    let changing = async |claim| {
        state.limits.take(LimitedAction::BuyByAccount, &user.id.to_string(), &*state.clock).await?;
        let billing = state.billing();
        let card = checkout::card_of_user(&billing, &user, &body.payment_method_id).await?;
        if let Some(running) = checkout::running_subscription(&billing, &user, body.subscription_id).await? {
            billing.payments.renew_with(&running, &card).await?;
        }
        let now = state.clock.now_ms();
        let (user_id, payment_method_id) = (user.id, card.clone());
        let new_card = NewSavedCard { user_id, payment_method_id, at: now, added: true, is_default: false };
        state.store.save_card(new_card).await?;
        let changed = state.store.use_card(user.id, body.subscription_id, &card, now, claim).await?;
        let order = changed.ok_or(ApiError::NotFound)?;
        state.wakeups.orders.notify_one();
        Ok(order)
    };
    once(&state, &headers, of, changing).await
}
