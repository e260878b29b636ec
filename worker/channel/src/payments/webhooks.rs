//! The payment provider's webhooks: stored before the response, then applied by reading the provider's state.

use touchline_domain::payments::LONGEST_WAIT_MS;
use touchline_protocol::purchases::OrderStatus;
use touchline_store::{OrderRecord, StoreError, StoreResult, Webhook};

use super::stripe::signature::Event;
use super::{Billing, PaymentError};

/// First delay after a webhook that could not be applied. It doubles with each attempt.
const FIRST_WAIT_MS: i64 = 1_000;

/// Stores an event. Returns whether its id is new.
pub(crate) async fn store(billing: &Billing, event: Event) -> StoreResult<bool> {
    let order_id = event.order_key.as_deref().and_then(order_of);
    let webhook = Webhook {
        id: event.id,
        kind: event.kind,
        order_id,
        refs: event.refs,
        received_at: billing.clock.now_ms(),
        attempts: 0,
    };
    let is_new = billing.store.store_webhook(webhook).await?;
    billing.wakeups.orders.notify_one();
    Ok(is_new)
}

/// Applies a webhook, or schedules a retry.
pub(super) async fn apply_or_delay(billing: &Billing, webhook: &Webhook) -> StoreResult<()> {
    match apply(billing, webhook).await {
        Ok(()) => Ok(()),
        Err(Failure::Store(error)) => Err(error),
        Err(Failure::Payment(error)) => {
            tracing::warn!(webhook = webhook.id, kind = webhook.kind, %error, "a webhook could not be applied");
            let wait = (FIRST_WAIT_MS << webhook.attempts.clamp(0, 20)).min(LONGEST_WAIT_MS);
            billing.store.delay_webhook(&webhook.id, billing.clock.now_ms() + wait).await
        }
    }
}

/// Returns whether the event concerns a refund or dispute.
fn concerns_reversal(kind: &str) -> bool {
    kind.starts_with("charge.") || kind.starts_with("refund.")
}

/// Reasons why nothing was recorded.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The provider returned no outcome.
    #[error(transparent)]
    Payment(#[from] PaymentError),
}

async fn apply(billing: &Billing, webhook: &Webhook) -> Result<(), Failure> {
    match billing.store.find_order_by_refs(webhook.order_id, &webhook.refs).await? {
        Some(record) => follow(billing, &record, concerns_reversal(&webhook.kind), Some(&webhook.id)).await,
        None => {
            let now = billing.clock.now_ms();
            billing.store.apply_effects(None, Vec::new(), Some(&webhook.id), now).await?;
            Ok(())
        }
    }
}

/// Records the provider's current state of an order, optionally with refunds and disputes.
pub(super) async fn follow(
    billing: &Billing,
    record: &OrderRecord,
    with_reversals: bool,
    webhook: Option<&str>,
) -> Result<(), Failure> {
    let id = record.order.id;
    let charges = if with_reversals { billing.store.order_charges(id).await? } else { Vec::new() };
    let effects = billing.payments.follow(record, &charges).await?;
    if effects.is_empty() && webhook.is_none() {
        return Ok(());
    }
    let order = billing.store.apply_effects(Some(id), effects, webhook, billing.clock.now_ms()).await?;
    if order.is_some_and(|order| order.status == OrderStatus::Refunded) {
        billing.payments.end_subscription(record).await?;
    }
    Ok(())
}

/// Records the provider's state of a subscription before a viewer's change is applied, since a renewal's webhook may
/// still be on its way. The change is applied even if the provider does not respond.
///
/// If the store fails.
/// When the store does not answer.
pub(crate) async fn catch_up(billing: &Billing, record: &OrderRecord) -> StoreResult<()> {
    match follow(billing, record, false, None).await {
        Ok(()) => Ok(()),
        Err(Failure::Store(error)) => Err(error),
        Err(Failure::Payment(error)) => {
            tracing::warn!(order = record.order.id, %error, "a subscription could not be refreshed");
            Ok(())
        }
    }
}

/// Parses the order id of a payment key.
pub(super) fn order_of(key: &str) -> Option<i64> {
    key.strip_prefix("order-")?.split('-').next()?.parse().ok()
}
