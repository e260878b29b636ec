//! Charges new orders, renews subscriptions and expires orders. After a crash it resumes: due work is in the store.

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio_util::sync::CancellationToken;
use touchline_domain::payments::{self as rules, LONGEST_WAIT_MS};
use touchline_protocol::limits::Limit;
use touchline_store::{DueOrder, Outcome, Settlement, StoreResult};

use super::{Billing, CONFIRM_TIMEOUT_MS, PaymentError, cards, refunds, webhooks};
use crate::background::{log_failure, pause_after_failure, wait_until};
use crate::messages;

const MAX_CONCURRENT: u32 = 16;
/// Delay before the next attempt at a refund or a card removal.
const RETRY_MS: i64 = 30_000;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("payments.at_once", MAX_CONCURRENT as u64, "payments", "Concurrent payments."),
    Limit::millis("payments.confirm", CONFIRM_TIMEOUT_MS as u64, "Timeout for confirming a payment with the bank."),
    Limit::millis("payments.wait", LONGEST_WAIT_MS as u64, "Maximum delay before an unanswered payment is retried."),
];

/// Processes due work until cancelled. Payments in progress are completed first.
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

/// Returns the time of the next due work. Refunds and card removals that failed are retried after [`RETRY_MS`].
async fn next_due(billing: &Billing) -> StoreResult<Option<i64>> {
    let has_pending =
        !billing.store.pending_refunds(1).await?.is_empty() || !billing.store.cards_to_detach(1).await?.is_empty();
    let again = has_pending.then(|| billing.clock.now_ms() + RETRY_MS);
    Ok(billing.store.next_due().await?.into_iter().chain(again).min())
}

/// Processes the work that is due now.
///
/// # Errors
/// If the store fails.
pub async fn settle_due(billing: &Billing) -> StoreResult<()> {
    loop {
        let now = billing.clock.now_ms();
        let due = billing.store.due_orders(now, MAX_CONCURRENT).await?;
        let due_webhooks = billing.store.due_webhooks(now, MAX_CONCURRENT).await?;
        if due.is_empty() && due_webhooks.is_empty() {
            break;
        }
        let mut orders: FuturesUnordered<_> = due.iter().map(|order| settle(billing, order)).collect();
        let mut hooks: FuturesUnordered<_> =
            due_webhooks.iter().map(|webhook| webhooks::apply_or_delay(billing, webhook)).collect();
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

/// Advances one payment and records its outcome.
///
/// # Errors
/// If the store fails.
pub async fn settle(billing: &Billing, due: &DueOrder) -> StoreResult<()> {
    // Both the paid period and its anchor start at this time, so the clock is read only once.
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
            tracing::warn!(order = record.order.id, attempts = due.attempts, %error, "a payment got no response");
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
