//! Transitions of a placed order (`ORDER-2`). Each is allowed in some states only. In any other state it returns
//! [`InvalidTransition`] and changes nothing.
//!
//! | transition | allowed when | the order is then |
//! |---|---|---|
//! | [`settle`](PlacedOrder::settle), first payment | created | paid, failed, or still created |
//! | [`settle`](PlacedOrder::settle), renewal | paid, the subscription renews, the renewal is the next one | paid |
//! | [`stop_renewing`](PlacedOrder::stop_renewing) | paid, the subscription renews or was stopped | unchanged; past due
//! and closed: ended |
//! | [`resume_renewing`](PlacedOrder::resume_renewing) | paid, the subscription was stopped within a paid period, or
//! renews | unchanged |
//! | [`use_card`](PlacedOrder::use_card) | paid, the subscription renews | unchanged; past due: due immediately |
//! | [`expire`](PlacedOrder::expire) | active, its end has passed | unchanged, inactive |
//! | [`refund`](PlacedOrder::refund) in full | paid | refunded, inactive |
//! | [`refund`](PlacedOrder::refund) in part | paid, up to the remainder of the last payment | paid |
//! | [`refund_earlier`](PlacedOrder::refund_earlier) | paid or refunded | unchanged |
//! | [`refund_failed`](PlacedOrder::refund_failed) | paid or refunded | unchanged; if the refund had ended it: paid |
//! | [`returned`](PlacedOrder::returned) | always | unchanged |
//! | [`dispute`](PlacedOrder::dispute) | paid or refunded | refunded, inactive |

pub mod transitions;

use touchline_protocol::purchases::{ActivityStatus, OrderStatus};

use self::transitions::{Attempt, InvalidTransition, OrderEvent, Transition};
use crate::DAY_MS;
use crate::subscriptions::{BoughtSubscription, Lifecycle};

/// A placed order: the fields that its transitions read and change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedOrder {
    /// The order's status.
    pub status: OrderStatus,
    /// Whether the purchase can be used now.
    pub activity_status: ActivityStatus,
    /// Reason of the last failed payment, for the viewer.
    pub failure: Option<String>,
    /// Secret for confirming a payment in the browser while the bank requires action.
    pub client_secret: Option<String>,
    /// Length of access in days; 0 for permanent. Not used by subscriptions.
    pub period_days: i64,
    /// End of access; `None` for permanent.
    pub active_until: Option<i64>,
    /// Time of the next payment attempt, or of giving up while the payment waits for the cardholder; `None` without a
    /// pending payment.
    pub due_at: Option<i64>,
    /// Number of payment attempts without a response.
    pub attempts: i64,
    /// Incremented by each recorded transition.
    pub version: i64,
    /// Remainder of the last payment after refunds, in minor units.
    pub refundable: i64,
    /// Total refunded over all payments, in minor units.
    pub refunded_minor: i64,
    /// The subscription, if the order is for one.
    pub subscription: Option<BoughtSubscription>,
}

/// Outcomes of a payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The payment succeeded.
    Paid {
        /// End of the paid period of a subscription, in milliseconds since 1970.
        period_end: Option<i64>,
        /// End of the trial.
        trial_end: Option<i64>,
    },
    /// The payment was declined permanently, with the reason for the viewer.
    Failed(String),
    /// A renewal was declined and will be retried.
    PastDue {
        /// The reason, for the viewer.
        failure: String,
        /// Time of the next attempt.
        retry_at: i64,
        /// End of access without payment.
        access_until: i64,
    },
    /// The bank requires confirmation: the browser confirms with the secret, until `give_up_at`.
    NeedsAction {
        /// The payment's secret.
        client_secret: String,
        /// Time at which the unconfirmed order fails.
        give_up_at: i64,
    },
    /// The bank requires confirmation of a renewal, which is past due until the browser confirms with the secret.
    RenewalNeedsAction {
        /// The payment's secret.
        client_secret: String,
        /// Time of the next poll of the provider, or of giving up.
        retry_at: i64,
        /// End of access without payment.
        access_until: i64,
    },
    /// The provider did not respond. The payment is retried.
    Unanswered {
        /// Time of the next attempt.
        retry_at: i64,
    },
}

impl PlacedOrder {
    /// Applies the outcome of a payment. `renewal` is 0 for the first payment, `n` for the `n`-th renewal.
    ///
    /// # Errors
    /// If the order is not waiting for this payment.
    pub fn settle(self, renewal: i64, outcome: Outcome, at: i64) -> Result<Transition, InvalidTransition> {
        if !self.awaits_payment(renewal) {
            return Err(self.refusal(Attempt::Settle));
        }
        Ok(match outcome {
            Outcome::Unanswered { retry_at } => {
                Transition::silent(Self { due_at: Some(retry_at), attempts: self.attempts + 1, ..self })
            }
            Outcome::NeedsAction { .. } if renewal > 0 => return Err(self.refusal(Attempt::Settle)),
            Outcome::NeedsAction { client_secret, give_up_at } => {
                let (client_secret, due_at) = (Some(client_secret), Some(give_up_at));
                let waiting = Self { client_secret, due_at, attempts: 0, ..self };
                Transition::recorded(waiting, OrderEvent::ActionNeeded)
            }
            Outcome::Paid { period_end, trial_end } => {
                let event = if renewal == 0 { OrderEvent::Paid } else { OrderEvent::Renewed };
                Transition::recorded(self.pay(renewal, period_end, trial_end, at), event)
            }
            Outcome::Failed(failure) if renewal == 0 => {
                Transition::recorded(self.finish(OrderStatus::Failed, Some(failure)), OrderEvent::Failed)
            }
            Outcome::Failed(failure) => {
                let ended = self.finish(OrderStatus::Paid, Some(failure)).end_subscription();
                Transition::revoking(ended, OrderEvent::Ended)
            }
            Outcome::PastDue { .. } | Outcome::RenewalNeedsAction { .. } if renewal == 0 => {
                return Err(self.refusal(Attempt::Settle));
            }
            Outcome::RenewalNeedsAction { client_secret, retry_at, access_until } => {
                let waiting = self.await_confirmation(client_secret, retry_at, access_until);
                Transition::recorded(waiting, OrderEvent::ActionNeeded)
            }
            Outcome::PastDue { failure, retry_at, access_until } => {
                Transition::recorded(self.mark_past_due(failure, retry_at, access_until), OrderEvent::RenewalFailed)
            }
        })
    }

    /// Ends the subscription with its period (`SUB-3`). A past due one ends with its grace period, or immediately if
    /// that is over. One that was already stopped and has not ended stays unchanged.
    ///
    /// # Errors
    /// If the order has no running subscription.
    pub fn stop_renewing(self, at: i64) -> Result<Transition, InvalidTransition> {
        match self.subscription {
            Some(subscription) if self.is_past_due() && self.is_open(at) => {
                let subscription = Some(subscription.stop_renewing());
                let stopped = Self { failure: None, client_secret: None, due_at: None, subscription, ..self };
                Ok(Transition::recorded(stopped, OrderEvent::RenewingStopped))
            }
            Some(_) if self.is_past_due() => {
                let ended = self.finish(OrderStatus::Paid, None).end_subscription();
                Ok(Transition::revoking(ended, OrderEvent::RenewingStopped))
            }
            Some(subscription) if self.is_renewing() => {
                let active_until = Some(subscription.current_period_end);
                let subscription = Some(subscription.stop_renewing());
                let stopped = Self { active_until, due_at: None, subscription, ..self };
                Ok(Transition::recorded(stopped, OrderEvent::RenewingStopped))
            }
            Some(_) if self.is_stopped(at) => Ok(Transition::silent(self)),
            _ => Err(self.refusal(Attempt::StopRenewing)),
        }
    }

    /// Resumes renewal of a stopped subscription. One that renews stays unchanged.
    ///
    /// # Errors
    /// If the order has no running subscription, or its paid period is over.
    pub fn resume_renewing(self, at: i64) -> Result<Transition, InvalidTransition> {
        match self.subscription {
            Some(_) if self.is_renewing() => Ok(Transition::silent(self)),
            Some(subscription) if self.is_stopped(at) && subscription.current_period_end > at => {
                let due_at = Some(subscription.current_period_end);
                let subscription = Some(subscription.resume_renewing(at));
                let resumed = Self { active_until: None, due_at, attempts: 0, subscription, ..self };
                Ok(Transition::recorded(resumed, OrderEvent::RenewingResumed))
            }
            _ => Err(self.refusal(Attempt::ResumeRenewing)),
        }
    }

    /// Switches renewals to another card. A past due subscription is charged immediately.
    ///
    /// # Errors
    /// If the order has no renewing subscription.
    pub fn use_card(self, at: i64) -> Result<Transition, InvalidTransition> {
        match self.subscription {
            Some(subscription) if self.is_renewing() => {
                let due_at = if subscription.lifecycle == Lifecycle::PastDue { Some(at) } else { self.due_at };
                Ok(Transition::silent(Self { due_at, ..self }))
            }
            _ => Err(self.refusal(Attempt::UseCard)),
        }
    }

    /// Ends access. A past due subscription is still retried.
    ///
    /// # Errors
    /// If the order is already inactive or its end has not come.
    pub fn expire(self, at: i64) -> Result<Transition, InvalidTransition> {
        let is_over = self.active_until.is_some_and(|until| until <= at);
        if self.activity_status != ActivityStatus::Active || !is_over {
            return Err(self.refusal(Attempt::Expire));
        }
        if self.is_past_due() {
            let closed = Self { activity_status: ActivityStatus::Inactive, ..self };
            return Ok(Transition::revoking(closed, OrderEvent::RanOut));
        }
        let status = self.status;
        Ok(Transition::revoking(self.finish(status, None).end_subscription(), OrderEvent::RanOut))
    }

    /// Refunds an amount of the last payment, in minor units, or its remainder if there is no amount. A full refund
    /// ends access.
    ///
    /// # Errors
    /// If the order is not paid, or the amount exceeds the remainder.
    pub fn refund(self, amount: Option<i64>) -> Result<Transition, InvalidTransition> {
        let amount = amount.unwrap_or(self.refundable);
        let is_whole = amount == self.refundable;
        if self.status != OrderStatus::Paid || amount > self.refundable || (amount <= 0 && !is_whole) {
            return Err(self.refusal(Attempt::Refund));
        }
        let refunded = self.deduct_refund(amount);
        if !is_whole {
            return Ok(Transition::recorded(refunded, OrderEvent::PartlyRefunded));
        }
        let ended = refunded.finish(OrderStatus::Refunded, None).end_subscription();
        Ok(Transition::revoking(ended, OrderEvent::Refunded))
    }

    /// Records a refund that affects no access: of an earlier payment, or of a refunded order.
    ///
    /// # Errors
    /// If the order was never paid.
    pub fn refund_earlier(self, amount: i64) -> Result<Transition, InvalidTransition> {
        if !self.was_paid() || amount <= 0 {
            return Err(self.refusal(Attempt::RefundEarlier));
        }
        let refunded = Self { refunded_minor: self.refunded_minor + amount, ..self };
        Ok(Transition::recorded(refunded, OrderEvent::PartlyRefunded))
    }

    /// Records that a refund did not reach the card, so that the money is the seller's again. If that refund had ended
    /// the order (`ended_it`), the order is paid again for the rest of its period. A subscription that it had ended
    /// stays usable until then but cannot be resumed: no provider renews it any more.
    ///
    /// # Errors
    /// If the order was never paid, or less was refunded.
    pub fn refund_failed(self, amount: i64, ended_it: bool, at: i64) -> Result<Transition, InvalidTransition> {
        if !self.was_paid() || amount <= 0 || amount > self.refunded_minor {
            return Err(self.refusal(Attempt::RefundFailed));
        }
        let back = Self { refunded_minor: self.refunded_minor - amount, ..self };
        let order = if ended_it && back.status == OrderStatus::Refunded { back.reopen(at) } else { back };
        Ok(Transition::recorded(order, OrderEvent::RefundFailed))
    }

    /// Records the full return of a payment that the order did not accept, because it had ended or was stopped in the
    /// meantime. The order stays unchanged.
    pub fn returned(self) -> Transition {
        Transition::recorded(self, OrderEvent::Returned)
    }

    /// Records a dispute: the bank takes back an amount of any payment, in minor units, and access ends. Each dispute
    /// counts, since a cardholder who disputes one payment often disputes the others.
    ///
    /// # Errors
    /// If the order was never paid.
    pub fn dispute(self, amount: i64) -> Result<Transition, InvalidTransition> {
        if !self.was_paid() {
            return Err(self.refusal(Attempt::Dispute));
        }
        let disputed = Self { refundable: 0, refunded_minor: self.refunded_minor + amount, ..self };
        let ended = disputed.finish(OrderStatus::Refunded, None).end_subscription();
        Ok(Transition::revoking(ended, OrderEvent::Disputed))
    }

    fn was_paid(&self) -> bool {
        matches!(self.status, OrderStatus::Paid | OrderStatus::Refunded)
    }

    /// Returns whether a paid subscription renews automatically.
    pub fn is_renewing(&self) -> bool {
        self.status == OrderStatus::Paid && self.subscription.is_some_and(|subscription| subscription.is_renewing())
    }

    /// Renewals are settled in order, each once.
    fn awaits_payment(&self, renewal: i64) -> bool {
        match self.subscription {
            _ if renewal == 0 => self.status == OrderStatus::Created,
            Some(subscription) => self.is_renewing() && subscription.renewals + 1 == renewal,
            None => false,
        }
    }

    fn is_past_due(&self) -> bool {
        self.is_renewing() && self.subscription.is_some_and(|subscription| subscription.lifecycle == Lifecycle::PastDue)
    }

    fn is_stopped(&self, at: i64) -> bool {
        self.status == OrderStatus::Paid
            && self.subscription.is_some_and(|subscription| subscription.lifecycle == Lifecycle::Cancelling)
            && self.is_open(at)
    }

    fn is_open(&self, at: i64) -> bool {
        self.activity_status == ActivityStatus::Active && self.active_until.is_some_and(|until| until > at)
    }

    fn reopen(self, at: i64) -> Self {
        let active_until = self.subscription.map_or(self.active_until, |it| Some(it.current_period_end));
        let is_over = active_until.is_some_and(|until| until <= at);
        let activity_status = if is_over { ActivityStatus::Inactive } else { ActivityStatus::Active };
        Self { status: OrderStatus::Paid, activity_status, active_until, due_at: None, ..self }.end_subscription()
    }

    fn pay(self, renewal: i64, period_end: Option<i64>, trial_end: Option<i64>, at: i64) -> Self {
        let subscription = match (self.subscription, period_end) {
            (Some(subscription), Some(end)) => Some(subscription.run_until(renewal, end, trial_end, at)),
            (unchanged, _) => unchanged,
        };
        Self {
            status: OrderStatus::Paid,
            activity_status: ActivityStatus::Active,
            failure: None,
            client_secret: None,
            active_until: (self.period_days > 0).then(|| at + self.period_days * DAY_MS),
            due_at: period_end,
            attempts: 0,
            subscription,
            ..self
        }
    }

    fn mark_past_due(self, failure: String, retry_at: i64, access_until: i64) -> Self {
        let subscription = self.subscription.map(BoughtSubscription::mark_past_due);
        let (failure, active_until) = (Some(failure), Some(access_until));
        let (client_secret, due_at) = (None, Some(retry_at));
        Self { failure, client_secret, active_until, due_at, attempts: 0, subscription, ..self }
    }

    /// Past due without a declined card (`SUB-9`).
    fn await_confirmation(self, client_secret: String, retry_at: i64, access_until: i64) -> Self {
        let subscription = self.subscription.map(BoughtSubscription::await_confirmation);
        let (client_secret, active_until) = (Some(client_secret), Some(access_until));
        let due_at = Some(retry_at);
        Self { failure: None, client_secret, active_until, due_at, attempts: 0, subscription, ..self }
    }

    fn deduct_refund(self, amount: i64) -> Self {
        Self { refundable: self.refundable - amount, refunded_minor: self.refunded_minor + amount, ..self }
    }

    /// Ends access and any pending payment.
    fn finish(self, status: OrderStatus, failure: Option<String>) -> Self {
        let activity_status = ActivityStatus::Inactive;
        Self { status, activity_status, failure, client_secret: None, due_at: None, ..self }
    }

    fn end_subscription(self) -> Self {
        Self { subscription: self.subscription.map(BoughtSubscription::end), ..self }
    }

    fn refusal(&self, attempt: Attempt) -> InvalidTransition {
        InvalidTransition { attempt, status: self.status }
    }
}

#[cfg(test)]
mod table;
#[cfg(test)]
mod tests;
