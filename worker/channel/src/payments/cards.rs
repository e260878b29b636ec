//! Cards that a person enters for one purchase and does not have kept.

use touchline_protocol::purchases::{Order, OrderStatus};
use touchline_store::{OrderFilter, OrderRecord, StoreResult};

use super::Billing;

/// Takes the card of an order off its person once the first payment has ended, where they did not have it kept
/// (`PAY-11`). `before` is the order as it was, `now` as it is.
pub(super) async fn release(billing: &Billing, before: &OrderRecord, now: &Order) -> StoreResult<()> {
    let (user_id, card) = (before.user_id, &before.payment_method_id);
    let has_ended = before.order.status == OrderStatus::Created && now.status != OrderStatus::Created;
    if !has_ended || card.is_empty() {
        return Ok(());
    }
    if billing.store.kept_cards(user_id).await?.iter().any(|kept| kept.payment_method_id == *card) {
        return Ok(());
    }
    let (orders, _) = billing.store.orders(user_id, OrderFilter::default()).await?;
    if orders.iter().any(|other| other.payment_method_id == *card && other.order.status == OrderStatus::Created) {
        return Ok(());
    }
    if let Err(error) = billing.payments.remove_card(user_id, card).await {
        tracing::warn!(order = before.order.id, %error, "a card that is not kept was not taken off");
    }
    Ok(())
}
