//! Cards entered for a single purchase that the viewer did not save.

use touchline_protocol::purchases::OrderStatus;
use touchline_store::{OrderFilter, StoreResult};

use super::Billing;

const BATCH_SIZE: u32 = 64;

/// Removes the unsaved cards of completed purchases (`PAY-11`). The store queues them when the purchase ends, so that a
/// crash or a provider failure only delays the removal.
pub(super) async fn release_pending(billing: &Billing) -> StoreResult<()> {
    for (user_id, card) in billing.store.cards_to_detach(BATCH_SIZE).await? {
        if !is_used(billing, user_id, &card).await?
            && let Err(error) = billing.payments.remove_card(user_id, &card).await
        {
            tracing::warn!(user_id, %error, "an unsaved card could not be removed");
            continue;
        }
        billing.store.mark_card_detached(user_id, &card).await?;
    }
    Ok(())
}

/// Returns whether the person has saved the card since, or pays another order with it.
async fn is_used(billing: &Billing, user_id: i64, card: &str) -> StoreResult<bool> {
    if billing.store.saved_cards(user_id).await?.iter().any(|stored| stored.payment_method_id == card) {
        return Ok(true);
    }
    let (orders, _) = billing.store.orders(user_id, OrderFilter::default()).await?;
    Ok(orders.iter().any(|order| order.payment_method_id == card && order.order.status == OrderStatus::Created))
}
