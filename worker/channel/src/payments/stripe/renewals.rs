//! Outcomes of a subscription's renewals, read from Stripe's invoices.

use touchline_domain::DAY_MS;
use touchline_domain::payments::{self as rules, GRACE_DAYS};
use touchline_domain::subscriptions::{BoughtSubscription, Lifecycle};
use touchline_protocol::purchases::OrderStatus;
use touchline_store::{DueOrder, Effect, NewCharge, OrderRecord, Outcome, Settlement};

use super::intents::{charge_of, failure_of};
use super::objects::{IntentStatus, Invoice, PaymentIntent, Subscription, SubscriptionStatus};
use super::subscriptions::{is_cycle, ms};
use super::{Stripe, unanswered};
use crate::messages;
use crate::payments::{PaymentError, PaymentResult};

/// Interval for polling a late renewal when no webhook arrives.
const POLL_MS: i64 = 60_000;
/// Maximum number of renewals recorded at once. The next poll continues.
const RENEWALS: i64 = 24;

impl Stripe {
    /// Returns the settlement of the `renewal`-th renewal.
    pub(super) async fn follow_renewal(&self, record: &OrderRecord, renewal: i64) -> PaymentResult<Settlement> {
        let Some(id) = &record.provider_ref else {
            return Err(PaymentError::Fatal("the subscription does not exist at Stripe".to_owned()));
        };
        let (subscription, invoices) = (self.subscription(id).await?, self.invoices(id).await?);
        let settlement = self.renewal(record, renewal, &subscription, &invoices).await?;
        let is_open = matches!(settlement.outcome, Outcome::Unanswered { .. });
        if is_open && record.subscription.is_some_and(|bought| was_cancelled(bought, &subscription, &invoices)) {
            let (id, now) = (record.order.id, self.clock.now_ms());
            self.store.apply_effects(Some(id), vec![Effect::RenewingStopped], None, now).await.map_err(unanswered)?;
        }
        Ok(settlement)
    }

    async fn renewal(
        &self,
        record: &OrderRecord,
        renewal: i64,
        subscription: &Subscription,
        invoices: &[Invoice],
    ) -> PaymentResult<Settlement> {
        let now = self.clock.now_ms();
        let nth = usize::try_from(renewal - 1).unwrap_or_default();
        let invoice = invoices.iter().filter(|invoice| is_cycle(invoice)).nth(nth);
        let intent = match invoice.and_then(Invoice::payment_intent) {
            Some(intent) => Some(self.intent(intent).await?),
            None => None,
        };
        if let Some(invoice) = invoice.filter(|invoice| invoice.status.as_deref() == Some("paid")) {
            if let Some(intent) = &intent
                && !self.is_payment_of(record, intent, None).await?
            {
                return Ok(Outcome::Unanswered { retry_at: now + POLL_MS }.into());
            }
            let period_end = invoice.period_end().or(subscription.period_end()).map(ms);
            let outcome = Outcome::Paid { period_end, trial_end: None };
            return Ok(Settlement { outcome, charge: intent.as_ref().map(charge_of) });
        }
        // Paid since its invoice was read: no attempt has failed, and the next look sees a paid invoice.
        if intent.as_ref().is_some_and(|intent| intent.status == IntentStatus::Succeeded) {
            return Ok(Outcome::Unanswered { retry_at: now + POLL_MS }.into());
        }
        let failure = || intent.as_ref().map_or_else(|| messages::NOT_CONFIRMED.to_owned(), failure_of);
        let is_over = matches!(subscription.status, SubscriptionStatus::Canceled | SubscriptionStatus::Unpaid);
        let is_past_due = subscription.status == SubscriptionStatus::PastDue;
        let secret = |intent: &PaymentIntent| intent.client_secret.clone().filter(|_| intent.status.requires_action());
        let question = record.subscription.zip(intent.as_ref().filter(|_| is_past_due).and_then(secret));
        if let Some((bought, secret)) = question {
            let is_current = record.order.next_action.as_ref().is_some_and(|next| next.client_secret == secret);
            let retry_at = now + POLL_MS;
            let outcome = if is_current {
                Outcome::Unanswered { retry_at }
            } else {
                rules::renewal_confirmation(bought, secret, retry_at)
            };
            return Ok(outcome.into());
        }
        let refused = self.refused_attempt(record, invoice, intent.as_ref(), failure()).await?;
        let is_cancelled = record.subscription.is_some_and(|bought| was_cancelled(bought, subscription, invoices));
        if is_over && !is_cancelled {
            return Ok(Settlement { outcome: Outcome::Failed(failure()), charge: refused });
        }
        match (invoice, refused) {
            (Some(invoice), Some(charge)) if is_past_due => {
                let end = record.subscription.map_or(now, |bought| bought.current_period_end);
                let retry_at = invoice.next_payment_attempt.map_or(now + DAY_MS, ms).max(now + POLL_MS);
                let access_until = end + GRACE_DAYS * DAY_MS;
                let outcome = Outcome::PastDue { failure: failure(), retry_at, access_until };
                Ok(Settlement { outcome, charge: Some(charge) })
            }
            _ => Ok(Outcome::Unanswered { retry_at: now + POLL_MS }.into()),
        }
    }

    /// Returns the latest declined attempt to pay an invoice, unless it is already recorded. An attempt that follows a
    /// bank confirmation is always returned.
    async fn refused_attempt(
        &self,
        record: &OrderRecord,
        invoice: Option<&Invoice>,
        intent: Option<&PaymentIntent>,
        failure: String,
    ) -> PaymentResult<Option<NewCharge>> {
        let Some(invoice) = invoice.filter(|invoice| invoice.attempt_count > 0) else { return Ok(None) };
        let provider_id = format!("{}-attempt-{}", invoice.id, invoice.attempt_count);
        let charges = self.store.order_charges(record.order.id).await.map_err(unanswered)?;
        let is_written = charges.iter().any(|charge| charge.provider_id == provider_id);
        if is_written && record.order.next_action.is_none() {
            return Ok(None);
        }
        let (failure, amount) = (Some(failure), invoice.amount_due);
        Ok(Some(NewCharge { provider_id, failure, amount, ..intent.map_or_else(no_card, charge_of) }))
    }

    /// Returns the effects of Stripe's current payment state on an order.
    pub(super) async fn payment_effects(&self, record: &OrderRecord) -> PaymentResult<Vec<Effect>> {
        let mut effects = Vec::new();
        let Some(id) = &record.provider_ref else { return Ok(effects) };
        if record.order.status == OrderStatus::Created {
            let due = DueOrder { record: record.clone(), renewal: 0, attempts: 1 };
            let settlement = if record.subscription.is_some() {
                self.advance_subscription(&due).await?
            } else {
                self.advance_payment(&due).await?
            };
            effects.push(Effect::Settled { renewal: 0, settlement });
            return Ok(effects);
        }
        let Some(bought) = record.subscription else {
            let has_failed = record.order.status == OrderStatus::Failed;
            return if has_failed { self.effects_of_failed(record, id).await } else { Ok(effects) };
        };
        let (subscription, invoices) = (self.subscription(id).await?, self.invoices(id).await?);
        // The viewer may have confirmed the payment while the order was given up.
        let first = invoices.iter().find(|invoice| !is_cycle(invoice)).and_then(Invoice::payment_intent);
        if let Some(intent) = first.filter(|_| record.order.status == OrderStatus::Failed) {
            effects.extend(self.effects_of_failed(record, intent).await?);
        }
        let has_ended = bought.lifecycle == Lifecycle::Ended;
        if has_ended && subscription.status != SubscriptionStatus::Canceled {
            self.end(id).await?;
        }
        let stops = was_cancelled(bought, &subscription, &invoices);
        if bought.lifecycle == Lifecycle::Cancelling && !stops && is_running(&subscription) {
            effects.push(Effect::RenewingResumed);
        }
        for renewal in bought.renewals + 1..=bought.renewals + RENEWALS {
            let settlement = self.renewal(record, renewal, &subscription, &invoices).await?;
            let (is_paid, is_open) = match settlement.outcome {
                Outcome::Paid { .. } => (true, false),
                Outcome::Unanswered { .. } => (false, true),
                _ => (false, false),
            };
            // A payment for an ended subscription is not accepted and will be refunded.
            if is_paid || !(is_open || has_ended) {
                effects.push(Effect::Settled { renewal, settlement });
            }
            if !is_paid {
                break;
            }
        }
        if stops && bought.is_renewing() {
            effects.push(Effect::RenewingStopped);
        }
        Ok(effects)
    }
}

/// Returns whether the subscription was cancelled: it ends with its period, or has ended without a declined renewal.
fn was_cancelled(bought: BoughtSubscription, subscription: &Subscription, invoices: &[Invoice]) -> bool {
    let nth = usize::try_from(bought.renewals).unwrap_or_default();
    let next = invoices.iter().filter(|invoice| is_cycle(invoice)).nth(nth);
    let was_refused = bought.failed_attempts > 0 || next.is_some_and(|invoice| invoice.attempt_count > 0);
    subscription.stops() || (subscription.status == SubscriptionStatus::Canceled && !was_refused)
}

fn is_running(subscription: &Subscription) -> bool {
    matches!(subscription.status, SubscriptionStatus::Active | SubscriptionStatus::Trialing)
}

/// A charge with an unknown card.
fn no_card() -> NewCharge {
    NewCharge { provider_id: String::new(), amount: 0, card_brand: None, card_last4: None, failure: None, at: None }
}
