//! Charges what was placed, renews subscriptions, lets things run out. After a crash it goes on where it was: what is
//! due is in the store.

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio_util::sync::CancellationToken;
use touchline_domain::payments::{self as rules, LONGEST_WAIT_MS};
use touchline_protocol::limits::Limit;
use touchline_store::{DueOrder, Outcome, Settlement, StoreResult};

use super::{Billing, CONFIRM_WITHIN_MS, PaymentError, cards, refunds, webhooks};
use crate::background::{log_failure, pause_after_failure, wait_until};
use crate::messages;

/// How many payments are made at once.
const AT_ONCE: u32 = 16;
/// How long a refund waits that the provider did not make, and a card that it did not take off.
const AGAIN_MS: i64 = 30_000;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("payments.at_once", AT_ONCE as u64, "payments", "Payments that are made at once."),
    Limit::millis("payments.confirm", CONFIRM_WITHIN_MS as u64, "How long a bank's question may stay unanswered."),
    Limit::millis("payments.wait", LONGEST_WAIT_MS as u64, "The longest wait after a payment without an answer."),
];

/// Does what is due until it is told to stop. A payment that has begun is finished first.
pub async fn run(billing: Billing, cancel: CancellationToken) {
    loop {
        let settled = settle_due(&billing).await;
        if let Err(error) = &settled {
            log_failure(error, "payments cannot be settled");
        }
        let wait = async {
            if settled.is_ok() {
                let next = next_due(&billing).await.unwrap_or_default();
                wait_until(&*billing.clock, &billing.wakeups.orders, next).await;
            } else {
                pause_after_failure().await;
            }
        };
        if cancel.run_until_cancelled(wait).await.is_none() {
            return;
        }
    }
}

/// When something is due next; what the provider did not do is tried again after a while.
async fn next_due(billing: &Billing) -> StoreResult<Option<i64>> {
    let is_left =
        !billing.store.pending_refunds(1).await?.is_empty() || !billing.store.cards_to_release(1).await?.is_empty();
    let again = is_left.then(|| billing.clock.now_ms() + AGAIN_MS);
    Ok(billing.store.next_due().await?.into_iter().chain(again).min())
}

/// Does what is due now.
///
/// # Errors
/// When the store does not answer.
pub async fn settle_due(billing: &Billing) -> StoreResult<()> {
    loop {
        let now = billing.clock.now_ms();
        let due = billing.store.due_orders(now, AT_ONCE).await?;
        let told = billing.store.due_webhooks(now, AT_ONCE).await?;
        if due.is_empty() && told.is_empty() {
            break;
        }
        let mut orders: FuturesUnordered<_> = due.iter().map(|order| settle(billing, order)).collect();
        let mut hooks: FuturesUnordered<_> =
            told.iter().map(|webhook| webhooks::apply_or_delay(billing, webhook)).collect();
        while let Some(settled) = orders.next().await {
            settled?;
        }
        while let Some(applied) = hooks.next().await {
            applied?;
        }
    }
    refunds::make_pending(billing).await?;
    cards::release_pending(billing).await?;
    while billing.store.expire_orders(billing.clock.now_ms()).await? > 0 {}
    Ok(())
}

/// Brings one payment forward and writes down how it stands.
///
/// # Errors
/// When the store does not answer.
pub async fn settle(billing: &Billing, due: &DueOrder) -> StoreResult<()> {
    // One reading for both: the period that was paid and the years that are counted from it begin at the same moment.
    let at = billing.clock.now_ms();
    let settlement = advance(billing, due, at).await;
    billing.store.settle_order(due.record.order.id, due.renewal, settlement, at).await?;
    Ok(())
}

async fn advance(billing: &Billing, due: &DueOrder, at: i64) -> Settlement {
    let record = &due.record;
    if due.renewal == 0 && record.order.total == 0 && (record.subscription.is_none() || record.is_granted()) {
        return rules::paid(record.subscription, due.renewal, at).into();
    }
    match billing.payments.advance(due, at).await {
        Ok(settlement) => settlement,
        Err(error) => {
            tracing::warn!(order = record.order.id, attempts = due.attempts, %error, "a payment got no answer");
            unanswered(due, &error, at).into()
        }
    }
}

fn unanswered(due: &DueOrder, error: &PaymentError, now: i64) -> Outcome {
    let failure = || messages::SOMETHING_WRONG.to_owned();
    match error {
        PaymentError::Retryable(_) => Outcome::Unanswered { retry_at: rules::retry_at(due.attempts, now) },
        PaymentError::Fatal(_) if due.renewal == 0 => Outcome::Failed(failure()),
        PaymentError::Fatal(_) => rules::refused(due.record.subscription, failure(), now),
    }
}
