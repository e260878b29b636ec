//! What the payment provider tells: stored before it is answered, applied by asking the provider how things stand.

use touchline_domain::payments::LONGEST_WAIT_MS;
use touchline_protocol::purchases::OrderStatus;
use touchline_store::{OrderRecord, StoreError, StoreResult, Webhook};

use super::stripe::signature::Event;
use super::{Billing, PaymentError};

/// The first wait of one that could not be applied; doubled each time.
const FIRST_WAIT_MS: i64 = 1_000;

/// Stores an event; whether it is the first of its id.
///
/// # Errors
/// When the store does not answer.
pub async fn store(billing: &Billing, event: Event) -> StoreResult<bool> {
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

/// Applies a webhook, or has it tried again later.
///
/// # Errors
/// When the store does not answer.
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

/// Whether an event tells that money went back.
fn tells_of_reversal(kind: &str) -> bool {
    kind.starts_with("charge.") || kind.starts_with("refund.")
}

/// Why nothing was written down.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The store does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The provider gives no outcome.
    #[error(transparent)]
    Payment(#[from] PaymentError),
}

async fn apply(billing: &Billing, webhook: &Webhook) -> Result<(), Failure> {
    match billing.store.order_of_refs(webhook.order_id, &webhook.refs).await? {
        Some(record) => follow(billing, &record, tells_of_reversal(&webhook.kind), Some(&webhook.id)).await,
        None => {
            let now = billing.clock.now_ms();
            billing.store.apply_effects(None, Vec::new(), Some(&webhook.id), now).await?;
            Ok(())
        }
    }
}

/// Writes down what the provider says of an order now, with its refunds and disputes where they are asked for.
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

/// Writes down what the provider says of a subscription before its viewer's word is applied: a renewal whose webhook is on
/// its way is there already. Without an answer the viewer's word is applied all the same.
///
/// # Errors
/// When the store does not answer.
pub(crate) async fn catch_up(billing: &Billing, record: &OrderRecord) -> StoreResult<()> {
    match follow(billing, record, false, None).await {
        Ok(()) => Ok(()),
        Err(Failure::Store(error)) => Err(error),
        Err(Failure::Payment(error)) => {
            tracing::warn!(order = record.order.id, %error, "a subscription could not be asked about");
            Ok(())
        }
    }
}

/// The order of a payment's key.
pub(super) fn order_of(key: &str) -> Option<i64> {
    key.strip_prefix("order-")?.split('-').next()?.parse().ok()
}
