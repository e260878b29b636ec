//! The moves of a placed order (`ORDER-2`). Each is allowed from some states only; another state gives
//! [`InvalidTransition`] and nothing changes.
//!
//! | move | allowed when | the order is then |
//! |---|---|---|
//! | [`settle`](PlacedOrder::settle), first payment | created | paid, failed, or created still |
//! | [`settle`](PlacedOrder::settle), renewal | paid, the subscription renews, the renewal is the next one | paid |
//! | [`stop_renewing`](PlacedOrder::stop_renewing) | paid, the subscription renews or was stopped | as it was; past due and closed: ended |
//! | [`resume_renewing`](PlacedOrder::resume_renewing) | paid, the subscription was stopped within a paid period, or renews | as it was |
//! | [`use_card`](PlacedOrder::use_card) | paid, the subscription renews | as it was; past due: to be paid at once |
//! | [`expire`](PlacedOrder::expire) | active, its end has passed | as it was, inactive |
//! | [`refund`](PlacedOrder::refund) in whole | paid | refunded, inactive |
//! | [`refund`](PlacedOrder::refund) in part | paid, of what is left of the last payment | paid |
//! | [`refund_earlier`](PlacedOrder::refund_earlier) | paid or refunded | as it was |
//! | [`refund_failed`](PlacedOrder::refund_failed) | paid or refunded | as it was; what the refund ended: paid |
//! | [`returned`](PlacedOrder::returned) | always | as it was |
//! | [`dispute`](PlacedOrder::dispute) | paid or refunded | refunded, inactive |

pub mod transitions;

use touchline_protocol::purchases::{ActivityStatus, OrderStatus};

use self::transitions::{Attempt, InvalidTransition, OrderEvent, Transition};
use crate::DAY_MS;
use crate::subscriptions::{BoughtSubscription, Lifecycle};

/// A placed order, as far as its moves read and change it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedOrder {
    /// Where it stands.
    pub status: OrderStatus,
    /// Whether what was bought can be used now.
    pub activity_status: ActivityStatus,
    /// Why its last payment failed, for the viewer.
    pub failure: Option<String>,
    /// The secret with which the browser confirms a payment, while the bank asks.
    pub client_secret: Option<String>,
    /// How long it lasts, days; 0 for ever. Not for subscriptions.
    pub period_days: i64,
    /// Until when it can be used; absent for ever.
    pub active_until: Option<i64>,
    /// When the payment is tried next, or given up when it waits for its owner; absent when none is under way.
    pub due_at: Option<i64>,
    /// How often the payment was tried without an answer.
    pub attempts: i64,
    /// Grows with each recorded move.
    pub version: i64,
    /// What is left of the last payment after refunds, minor units.
    pub refundable: i64,
    /// What was given back of all payments, minor units.
    pub refunded_minor: i64,
    /// The subscription's, of a subscription's order.
    pub subscription: Option<BoughtSubscription>,
}

/// How a payment ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was made; of a subscription, `period_end` is until when it runs now.
    Paid {
        /// Milliseconds since 1970.
        period_end: Option<i64>,
        /// What the first period was free until.
        trial_end: Option<i64>,
    },
    /// It was refused for good, with what the viewer is told.
    Failed(String),
    /// A renewal was refused and is tried again.
    PastDue {
        /// What the viewer is told.
        failure: String,
        /// When it is tried again.
        retry_at: i64,
        /// Until when the subscription can be used unpaid.
        access_until: i64,
    },
    /// The bank asks its customer: the browser confirms with the secret, until `give_up_at`.
    NeedsAction {
        /// Of the payment.
        client_secret: String,
        /// When the order fails if nothing was confirmed.
        give_up_at: i64,
    },
    /// The bank asks its customer about a renewal, which is past due until the browser confirms with the secret.
    RenewalNeedsAction {
        /// The payment's secret.
        client_secret: String,
        /// Moment of the next look at the provider, or of giving up.
        retry_at: i64,
        /// End of the days that the subscription can be used unpaid.
        access_until: i64,
    },
    /// No answer; to be tried again.
    Unanswered {
        /// When.
        retry_at: i64,
    },
}

impl PlacedOrder {
    /// A payment ended. `renewal` is 0 for the first payment, `n` for the `n`-th renewal.
    ///
    /// # Errors
    /// When the order does not wait for this payment.
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
                let waiting = self.wait_for_owner(client_secret, retry_at, access_until);
                Transition::recorded(waiting, OrderEvent::ActionNeeded)
            }
            Outcome::PastDue { failure, retry_at, access_until } => {
                Transition::recorded(self.fall_behind(failure, retry_at, access_until), OrderEvent::RenewalFailed)
            }
        })
    }

    /// The subscription ends with its period (`SUB-3`). One that is past due ends with the days that it can be used unpaid,
    /// and at once where they are over. One that was stopped before, and has not ended, stays as it is.
    ///
    /// # Errors
    /// When no subscription of this order runs.
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

    /// The subscription that was to end with its period renews after all. One that renews stays as it is.
    ///
    /// # Errors
    /// When no subscription of this order runs, or the end of what is paid has come.
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

    /// The subscription renews with another card. A past due one is paid with it at once.
    ///
    /// # Errors
    /// When no subscription of this order renews.
    pub fn use_card(self, at: i64) -> Result<Transition, InvalidTransition> {
        match self.subscription {
            Some(subscription) if self.is_renewing() => {
                let due_at = if subscription.lifecycle == Lifecycle::PastDue { Some(at) } else { self.due_at };
                Ok(Transition::silent(Self { due_at, ..self }))
            }
            _ => Err(self.refusal(Attempt::UseCard)),
        }
    }

    /// The time that can be used is over. A past due subscription is still tried again.
    ///
    /// # Errors
    /// When the order is inactive already, or its end is not there yet.
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

    /// Money is given back: so much of the last payment, minor units, or without an amount what is left of it. Nothing
    /// is left then: access ends.
    ///
    /// # Errors
    /// When the order is not paid, or the last payment was of less.
    pub fn refund(self, amount: Option<i64>) -> Result<Transition, InvalidTransition> {
        let amount = amount.unwrap_or(self.refundable);
        let is_whole = amount == self.refundable;
        if self.status != OrderStatus::Paid || amount > self.refundable || (amount <= 0 && !is_whole) {
            return Err(self.refusal(Attempt::Refund));
        }
        let refunded = self.give_back(amount);
        if !is_whole {
            return Ok(Transition::recorded(refunded, OrderEvent::PartlyRefunded));
        }
        let ended = refunded.finish(OrderStatus::Refunded, None).end_subscription();
        Ok(Transition::revoking(ended, OrderEvent::Refunded))
    }

    /// The provider gives money back that no access depends on: of an earlier payment, or of an order that was refunded.
    ///
    /// # Errors
    /// When the order was never paid.
    pub fn refund_earlier(self, amount: i64) -> Result<Transition, InvalidTransition> {
        if !self.was_paid() || amount <= 0 {
            return Err(self.refusal(Attempt::RefundEarlier));
        }
        let refunded = Self { refunded_minor: self.refunded_minor + amount, ..self };
        Ok(Transition::recorded(refunded, OrderEvent::PartlyRefunded))
    }

    /// A refund that counted as made did not reach the card: the money is the seller's again. Where that refund, of the last
    /// payment, had ended the order (`ended_it`), the order is paid again, for the rest of what was paid. A subscription
    /// that had ended so is used until then and is not kept: no provider renews it any more.
    ///
    /// # Errors
    /// When the order was never paid, or less went back.
    pub fn refund_failed(self, amount: i64, ended_it: bool, at: i64) -> Result<Transition, InvalidTransition> {
        if !self.was_paid() || amount <= 0 || amount > self.refunded_minor {
            return Err(self.refusal(Attempt::RefundFailed));
        }
        let back = Self { refunded_minor: self.refunded_minor - amount, ..self };
        let order = if ended_it && back.status == OrderStatus::Refunded { back.reopen(at) } else { back };
        Ok(Transition::recorded(order, OrderEvent::RefundFailed))
    }

    /// A payment that the order did not take, since it had ended or was stopped meanwhile, went back whole: the order stays
    /// as it is.
    pub fn returned(self) -> Transition {
        Transition::recorded(self, OrderEvent::Returned)
    }

    /// The bank takes so much of any payment back, minor units, because the card's owner disputes it: access ends. Whoever
    /// disputes one payment often disputes the others too, so that each counts.
    ///
    /// # Errors
    /// When the order was never paid.
    pub fn dispute(self, amount: i64) -> Result<Transition, InvalidTransition> {
        if !self.was_paid() {
            return Err(self.refusal(Attempt::Dispute));
        }
        let taken = Self { refundable: 0, refunded_minor: self.refunded_minor + amount, ..self };
        let ended = taken.finish(OrderStatus::Refunded, None).end_subscription();
        Ok(Transition::revoking(ended, OrderEvent::Disputed))
    }

    fn was_paid(&self) -> bool {
        matches!(self.status, OrderStatus::Paid | OrderStatus::Refunded)
    }

    /// Whether a paid subscription runs and renews itself.
    pub fn is_renewing(&self) -> bool {
        self.status == OrderStatus::Paid && self.subscription.is_some_and(|subscription| subscription.is_renewing())
    }

    /// Renewals are settled in their order, each once.
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

    /// Whether it can be used until a moment that is to come.
    fn is_open(&self, at: i64) -> bool {
        self.activity_status == ActivityStatus::Active && self.active_until.is_some_and(|until| until > at)
    }

    /// Paid again, until the end of what was paid for.
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

    fn fall_behind(self, failure: String, retry_at: i64, access_until: i64) -> Self {
        let subscription = self.subscription.map(BoughtSubscription::fall_behind);
        let (failure, active_until) = (Some(failure), Some(access_until));
        let (client_secret, due_at) = (None, Some(retry_at));
        Self { failure, client_secret, active_until, due_at, attempts: 0, subscription, ..self }
    }

    /// Past due, though no card was refused (`SUB-9`).
    fn wait_for_owner(self, client_secret: String, retry_at: i64, access_until: i64) -> Self {
        let subscription = self.subscription.map(BoughtSubscription::wait_for_owner);
        let (client_secret, active_until) = (Some(client_secret), Some(access_until));
        let due_at = Some(retry_at);
        Self { failure: None, client_secret, active_until, due_at, attempts: 0, subscription, ..self }
    }

    fn give_back(self, amount: i64) -> Self {
        Self { refundable: self.refundable - amount, refunded_minor: self.refunded_minor + amount, ..self }
    }

    /// The order can be used no more, and no payment is under way.
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
