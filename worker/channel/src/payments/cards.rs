//! Cards that a person enters for one purchase and does not have kept.

use touchline_protocol::purchases::OrderStatus;
use touchline_store::{OrderFilter, StoreResult};

use super::Billing;

/// How many cards are taken off one after the other.
const AT_ONCE: u32 = 64;

/// Takes cards off their people whose purchase has ended, where they did not have them kept (`PAY-11`). The store notes them
/// with the end of the purchase; what a crash or the provider prevents is done later.
pub(super) async fn release_pending(billing: &Billing) -> StoreResult<()> {
    for (user_id, card) in billing.store.cards_to_release(AT_ONCE).await? {
        if !is_used(billing, user_id, &card).await?
            && let Err(error) = billing.payments.remove_card(user_id, &card).await
        {
            tracing::warn!(user_id, %error, "a card that is not kept was not taken off");
            continue;
        }
        billing.store.card_released(user_id, &card).await?;
    }
    Ok(())
}

/// Whether the person keeps a card since, or pays another order with it.
async fn is_used(billing: &Billing, user_id: i64, card: &str) -> StoreResult<bool> {
    if billing.store.kept_cards(user_id).await?.iter().any(|kept| kept.payment_method_id == card) {
        return Ok(true);
    }
    let (orders, _) = billing.store.orders(user_id, OrderFilter::default()).await?;
    Ok(orders.iter().any(|order| order.payment_method_id == card && order.order.status == OrderStatus::Created))
}
