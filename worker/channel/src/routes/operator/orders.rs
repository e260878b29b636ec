//! Operator commands for orders: `touchline order refund|grant`, `touchline subscription cancel`.

use touchline_domain::prices::{Quote, offer};
use touchline_domain::purchases::{self as rules, Contents};
use touchline_domain::subscriptions::Lifecycle;
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::money::{charge_step, in_units};
use touchline_protocol::purchases::{Order, OrderStatus, OrderType};
use touchline_store::{Effect, OrderRecord};

use crate::http::{ApiError, ApiResult, AppState};
use crate::payments::refunds::{self, RefundError};
use crate::payments::{PaymentError, billing, checkout, webhooks};

/// Refunds the rest of a paid order's last payment and ends the order, or refunds only an amount in minor units. First
/// looks for a renewal whose webhook is missing, which would be the last payment.
///
/// # Errors
/// Fails with 400 for an unknown order or an amount that the currency doesn't allow (`PAY-17`), 409 `not_paid` for an
/// order that is not paid or has less left, and 503 when the provider does not answer: the refund is then made later.
pub async fn refund(state: &AppState, order_id: i64, amount: Option<i64>) -> ApiResult<Order> {
    let currency = refresh_order(state, order_id).await?.order.currency;
    let step = charge_step(&currency);
    if amount.is_some_and(|amount| amount % step != 0) {
        let message = format!("Refunds in {currency} are multiples of {}.", in_units(step, &currency, '.'));
        return Err(ApiError::field("amount", ErrorCode::Malformed, message));
    }
    let refunded = refunds::refund(&state.billing(), order_id, amount).await;
    refunded.map_err(|error| {
        refusal(
            error,
            "the payment provider does not answer; the refund is recorded and will be made as soon as it does",
        )
    })
}

/// Records a refund made outside the provider: the rest of a paid order's last payment, which ends the order, or an
/// amount in minor units.
///
/// # Errors
/// Fails as [`refund`] does, and with 503 when the provider does not end a subscription: nothing is then recorded.
pub async fn refund_outside(state: &AppState, order_id: i64, amount: Option<i64>) -> ApiResult<Order> {
    refresh_order(state, order_id).await?;
    let refunded = refunds::refund_outside(&state.billing(), order_id, amount).await;
    refunded.map_err(|error| refusal(error, "the payment provider does not answer; nothing was recorded"))
}

/// Checks that the order exists, and updates it from the provider.
async fn refresh_order(state: &AppState, order_id: i64) -> ApiResult<OrderRecord> {
    let order = state.store.any_order(order_id).await?;
    let order = order.ok_or_else(|| ApiError::unknown(&format!("order {order_id}")))?;
    webhooks::catch_up(&state.billing(), &order).await?;
    Ok(order)
}

fn refusal(error: RefundError, unanswered: &'static str) -> ApiError {
    match error {
        RefundError::NotPaid => ApiError::Conflict {
            code: ErrorCode::NotPaid,
            message: "The order is not paid, or less than this amount can still be refunded.",
        },
        RefundError::Payment(PaymentError::Retryable(error)) => ApiError::Unavailable(error.context(unanswered)),
        RefundError::Payment(error) => error.into(),
        RefundError::Store(error) => error.into(),
    }
}

/// Stops an order's subscription from renewing, as its viewer could. It runs until the end of the paid period
/// (`SUB-3`).
///
/// # Errors
/// Fails with 400 for an order that is unknown or has no running subscription.
pub async fn cancel_subscription(state: &AppState, order_id: i64) -> ApiResult<Order> {
    let not_running = || ApiError::unknown(&format!("running subscription of order {order_id}"));
    let record = state.store.any_order(order_id).await?.filter(|record| record.subscription.is_some());
    let record = record.ok_or_else(not_running)?;
    webhooks::catch_up(&state.billing(), &record).await?;
    let record = state.store.any_order(order_id).await?.ok_or_else(not_running)?;
    // The person may have bought the same subscription again, which then continues.
    let has_ended = record.subscription.is_none_or(|bought| bought.lifecycle == Lifecycle::Ended);
    if record.order.status != OrderStatus::Paid || has_ended {
        return Err(not_running());
    }
    state.payments.set_renewing(&record, false).await?;
    let stops = vec![Effect::RenewingStopped];
    let stopped = state.store.apply_effects(Some(order_id), stops, None, state.clock.now_ms()).await?;
    state.wakeups.orders.notify_one();
    stopped.ok_or_else(not_running)
}

/// Grants a person a product for free: an order with a discount of its full price.
///
/// # Errors
/// Fails with 400 for an unknown person or product, a product that the person has, or a team pass without a team.
pub async fn grant(
    state: &AppState,
    channel_key: &str,
    email: &str,
    kind: OrderType,
    id: i64,
    participant_id: Option<i64>,
) -> ApiResult<Order> {
    let channel =
        state.channels.by_key(channel_key).ok_or_else(|| ApiError::unknown(&format!("channel {channel_key}")))?;
    let user = state.store.user_by_email(channel_key, email).await?;
    let user = user.ok_or_else(|| ApiError::unknown(&format!("account of {email} in {channel_key}")))?;
    let not_sold = || ApiError::unknown(&format!("product {id} of this type in {channel_key}"));
    let mut offer = offer(&*channel, kind, id).ok_or_else(not_sold)?;
    let free = Quote {
        promo_code: None,
        promo_limit: None,
        base_price: offer.base_price,
        discount: offer.base_price,
        service_fee: 0,
        currency: channel.settings.currency.clone(),
    };
    let contents = match kind {
        OrderType::Event => {
            let event_category_id = channel.event(id).map(|event| event.event_category_id);
            Contents { event_category_id, ..Contents::default() }
        }
        OrderType::Package => {
            let package = channel.package(id).ok_or_else(not_sold)?;
            if let Some(event) = channel.single_event(package) {
                offer = offer.of_event(event.id);
                Contents { event_category_id: Some(event.event_category_id), ..Contents::default() }
            } else {
                rules::package_contents(package, participant_id)?
            }
        }
        OrderType::Subscription => rules::subscription(channel.subscription(id).ok_or_else(not_sold)?, 0),
    };
    let billing = state.billing();
    let mut new = checkout::new_order(&billing, &channel, &user, &offer, free, contents);
    new.charge_at = new.at;
    let order = checkout::submit_order(&billing, new, None).await?;
    billing::settle_due(&billing).await?;
    let granted = state.store.any_order(order.id).await?.ok_or(ApiError::NotFound)?;
    if kind == OrderType::Subscription {
        // A granted product does not renew.
        let stopped = state.store.stop_renewing(user.id, id, state.clock.now_ms(), None, None).await?;
        return Ok(stopped.unwrap_or(granted.order));
    }
    Ok(granted.order)
}
