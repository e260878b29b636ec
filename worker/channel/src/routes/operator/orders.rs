//! What the operator does about money: `touchline order refund|grant`.

use touchline_domain::prices::{Quote, offer};
use touchline_domain::purchases::{self as rules, Contents};
use touchline_protocol::purchases::{Order, OrderStatus, OrderType};

use crate::http::{ApiError, ApiResult, AppState};
use crate::payments::billing::{self, charge_key};
use crate::payments::checkout;

/// Gives a paid order's last payment back and ends it.
///
/// # Errors
/// 400 for an unknown order, 409 `not_paid` for one that is not paid, 503 when the provider does not answer.
pub async fn refund(state: &AppState, order_id: i64) -> ApiResult<Order> {
    let record =
        state.store.any_order(order_id).await?.ok_or_else(|| ApiError::unknown(&format!("order {order_id}")))?;
    let not_paid = ApiError::Conflict { code: "not_paid", message: "The order is not paid." };
    if record.order.status != OrderStatus::Paid {
        return Err(not_paid);
    }
    let renewals = record.subscription.map_or(0, |subscription| subscription.renewals);
    if renewals > 0 || record.order.total > 0 {
        state.payments.refund(&charge_key(&record, renewals)).await?;
    }
    state.store.refund_order(order_id, state.clock.now_ms()).await?.ok_or(not_paid)
}

/// Gives a person a product for nothing: an order whose discount is its price.
///
/// # Errors
/// 400 for an unknown person or product, for one that they have, or a team pass without its team.
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
    let unsold = || ApiError::unknown(&format!("product {id} of this type in {channel_key}"));
    let offer = offer(&*channel, kind, id).ok_or_else(unsold)?;
    let free = Quote {
        promo_code: None,
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
        OrderType::Package => rules::package_contents(channel.package(id).ok_or_else(unsold)?, participant_id)?,
        OrderType::Subscription => rules::subscription(channel.subscription(id).ok_or_else(unsold)?, 0),
    };
    let billing = state.billing();
    let mut new = checkout::new_order(&billing, &channel, &user, &offer, free, contents);
    new.charge_at = new.at;
    let order = checkout::place(&billing, new, None).await?;
    billing::settle_due(&billing).await?;
    let granted = state.store.any_order(order.id).await?.ok_or(ApiError::NotFound)?;
    if kind == OrderType::Subscription {
        // What was given is not charged for when its period ends.
        return Ok(state.store.stop_renewing(user.id, id, state.clock.now_ms(), None).await?.unwrap_or(granted.order));
    }
    Ok(granted.order)
}
