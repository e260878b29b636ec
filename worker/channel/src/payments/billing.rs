//! Charges what was placed, renews subscriptions, lets things run out. After a crash it goes on where it was: what is
//! due is in the store.

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio_util::sync::CancellationToken;
use touchline_domain::payments::{self as rules, LONGEST_WAIT_MS};
use touchline_protocol::ambient::SharedClock;
use touchline_protocol::limits::Limit;
use touchline_store::{DueOrder, OrderRecord, Outcome, Store, StoreResult};

use super::{Charge, ChargeOutcome, PaymentError, PaymentProvider};
use crate::background::{Wakeups, log_failure, pause_after_failure, wait_until};
use crate::messages;

/// How many payments are made at once.
const AT_ONCE: u32 = 16;
/// How long a bank's question may stay unanswered.
const CONFIRM_WITHIN_MS: i64 = 15 * 60_000;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("payments.at_once", AT_ONCE as u64, "payments", "Payments that are made at once."),
    Limit::millis("payments.confirm", CONFIRM_WITHIN_MS as u64, "How long a bank's question may stay unanswered."),
    Limit::millis("payments.wait", LONGEST_WAIT_MS as u64, "The longest wait after a payment without an answer."),
];

/// What orders are placed and charged with.
#[derive(Debug, Clone)]
pub struct Billing {
    /// The records.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: SharedClock,
    /// Who moves the money.
    pub payments: Arc<dyn PaymentProvider>,
    /// How long an order waits before it is charged, milliseconds.
    pub charge_delay_ms: i64,
    /// What wakes this.
    pub wakeups: Arc<Wakeups>,
}

/// Does what is due until it is told to stop. A payment that has begun is finished first.
pub async fn run(billing: Billing, cancel: CancellationToken) {
    loop {
        let settled = settle_due(&billing).await;
        if let Err(error) = &settled {
            log_failure(error, "payments cannot be settled");
        }
        let wait = async {
            if settled.is_ok() {
                let next = billing.store.next_due().await.unwrap_or_default();
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

/// Does what is due now.
///
/// # Errors
/// When the store does not answer.
pub async fn settle_due(billing: &Billing) -> StoreResult<()> {
    loop {
        let due = billing.store.due_orders(billing.clock.now_ms(), AT_ONCE).await?;
        if due.is_empty() {
            break;
        }
        let mut under_way: FuturesUnordered<_> = due.iter().map(|order| settle(billing, order)).collect();
        while let Some(settled) = under_way.next().await {
            settled?;
        }
    }
    while billing.store.expire_orders(billing.clock.now_ms()).await? > 0 {}
    Ok(())
}

/// Makes one payment and writes down how it ended.
///
/// # Errors
/// When the store does not answer.
pub async fn settle(billing: &Billing, due: &DueOrder) -> StoreResult<()> {
    let charge = charge_of(due);
    let outcome = outcome(billing, due, &charge).await;
    let paid = matches!(outcome, Outcome::Paid { .. });
    let id = due.record.order.id;
    let now = billing.clock.now_ms();
    let settled = billing.store.settle_order(id, due.renewal, outcome, now).await?;
    if settled.is_none() && paid && charge.amount > 0 && !is_settled_by_another(billing, due).await? {
        // The order was ended while its payment was under way: what was taken is given back.
        if let Err(error) = billing.payments.refund(&charge.idempotency_key).await {
            tracing::error!(order = id, %error, "a payment of an ended order was not given back");
        }
    }
    Ok(())
}

/// Whether another worker on the same store settled the same payment first.
async fn is_settled_by_another(billing: &Billing, due: &DueOrder) -> StoreResult<bool> {
    let record = billing.store.any_order(due.record.order.id).await?;
    Ok(record.is_some_and(|record| {
        let renewals = record.subscription.map_or(0, |subscription| subscription.renewals);
        record.is_owned(billing.clock.now_ms()) && renewals >= due.renewal
    }))
}

async fn outcome(billing: &Billing, due: &DueOrder, charge: &Charge) -> Outcome {
    if charge.amount == 0 {
        return paid(billing, due);
    }
    let asked_before = due.record.order.next_action.is_some();
    match billing.payments.charge(charge).await {
        Ok(ChargeOutcome::Paid) => paid(billing, due),
        Ok(ChargeOutcome::Declined(message)) => Outcome::Failed(message),
        Ok(ChargeOutcome::NeedsAction { .. }) if asked_before || due.renewal > 0 => give_up(billing, due, charge).await,
        Ok(ChargeOutcome::NeedsAction { client_secret }) => {
            Outcome::NeedsAction { client_secret, give_up_at: billing.clock.now_ms() + CONFIRM_WITHIN_MS }
        }
        Err(error) => unanswered(billing, due, &error),
    }
}

/// Nobody answered the bank's question in time, or nobody was there to be asked.
async fn give_up(billing: &Billing, due: &DueOrder, charge: &Charge) -> Outcome {
    match billing.payments.give_up(charge).await {
        Ok(ChargeOutcome::Paid) => paid(billing, due),
        Ok(ChargeOutcome::Declined(message)) => Outcome::Failed(message),
        Ok(ChargeOutcome::NeedsAction { .. }) => Outcome::Failed(messages::NOT_CONFIRMED.to_owned()),
        Err(error) => unanswered(billing, due, &error),
    }
}

fn paid(billing: &Billing, due: &DueOrder) -> Outcome {
    rules::paid(due.record.subscription, due.renewal, billing.clock.now_ms())
}

fn unanswered(billing: &Billing, due: &DueOrder, error: &PaymentError) -> Outcome {
    tracing::warn!(order = due.record.order.id, attempts = due.attempts, %error, "a payment got no answer");
    match error {
        PaymentError::Fatal(_) => Outcome::Failed(messages::SOMETHING_WRONG.to_owned()),
        PaymentError::Retryable(_) => {
            Outcome::Unanswered { retry_at: rules::retry_at(due.attempts, billing.clock.now_ms()) }
        }
    }
}

fn charge_of(due: &DueOrder) -> Charge {
    let record = &due.record;
    Charge {
        idempotency_key: charge_key(record, due.renewal),
        user_id: record.user_id,
        payment_method_id: record.payment_method_id.clone(),
        amount: rules::amount(record.order.total, record.subscription, due.renewal),
        currency: record.order.currency.clone(),
        description: record.order.product.name.clone(),
    }
}

/// The key of an order's first payment (0) or of its `n`-th renewal. The moment is part of it, since a restored store
/// gives the same ids again.
pub fn charge_key(record: &OrderRecord, renewal: i64) -> String {
    format!("order-{}-{}-{renewal}", record.order.id, record.created_at)
}
