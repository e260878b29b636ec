//! Subscriptions of orders (`SUB-2`, `SUB-3`).

use serde::{Deserialize, Serialize};
use touchline_protocol::purchases::{ActivityStatus, AutoRenew, SubscriptionStatus};

use crate::periods::{BillingPeriod, period_end};

/// Terms of a new subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewSubscription {
    /// Time between renewals.
    pub period: BillingPeriod,
    /// Free days before the first payment; 0 for none. Each person can have one trial.
    pub trial_days: i64,
    /// Total price of each renewal, in minor units.
    pub renewal_price: i64,
    /// Service fee included in the renewal price, in minor units.
    pub renewal_fee: i64,
}

/// Lifecycle of a subscription, the same for every payment provider.
///
/// ```text
/// unpaid ─► trialing ─► active ◄─► past_due ─► ended
///               └──────────┴────────► cancelling ─► ended
/// cancelling ─► trialing or active, before the end of what is paid
/// ```
///
/// A refunded subscription has ended. If that refund fails, access continues until the end of its period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// The first payment is outstanding.
    Unpaid,
    /// The trial is running and renews at its end.
    Trialing,
    /// The subscription is paid and renews.
    Active,
    /// A renewal failed and is retried, or waits for the cardholder's confirmation.
    PastDue,
    /// The subscription runs until the end of its period.
    Cancelling,
    /// The subscription has ended.
    Ended,
}

/// A purchased subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoughtSubscription {
    /// Time between renewals.
    pub period: BillingPeriod,
    /// Current lifecycle state.
    pub lifecycle: Lifecycle,
    /// Start of the count of years: the end of the trial, or the first payment.
    pub anchor: i64,
    /// End of the current period.
    pub current_period_end: i64,
    /// End of the trial.
    pub trial_end: Option<i64>,
    /// Free days before the first payment.
    pub trial_days: i64,
    /// Total price of each renewal, in minor units.
    pub renewal_price: i64,
    /// Service fee included in the renewal price, in minor units.
    pub renewal_fee: i64,
    /// Number of paid renewals.
    pub renewals: i64,
    /// Number of times the current renewal was declined.
    pub failed_attempts: i64,
}

impl BoughtSubscription {
    /// Returns whether it renews automatically, including a declined renewal that is retried.
    pub fn is_renewing(&self) -> bool {
        matches!(self.lifecycle, Lifecycle::Trialing | Lifecycle::Active | Lifecycle::PastDue)
    }

    /// Returns whether its access has an end that no renewal has moved yet.
    pub fn ends(&self) -> bool {
        matches!(self.lifecycle, Lifecycle::PastDue | Lifecycle::Cancelling | Lifecycle::Ended)
    }

    /// Returns the status for the site. A past due subscription is active while it can be used. An ended one that is
    /// still in use after a failed refund counts as cancelled.
    pub fn status(&self, activity: ActivityStatus) -> SubscriptionStatus {
        match self.lifecycle {
            Lifecycle::Unpaid => SubscriptionStatus::Inactive,
            Lifecycle::PastDue if activity == ActivityStatus::Inactive => SubscriptionStatus::Inactive,
            Lifecycle::Trialing | Lifecycle::Active | Lifecycle::PastDue => SubscriptionStatus::Active,
            Lifecycle::Cancelling => SubscriptionStatus::Canceled,
            Lifecycle::Ended if activity == ActivityStatus::Active => SubscriptionStatus::Canceled,
            Lifecycle::Ended => SubscriptionStatus::Expired,
        }
    }

    /// Returns whether the site offers to turn off auto-renewal.
    pub fn auto_renew(&self) -> AutoRenew {
        match self.lifecycle {
            Lifecycle::Cancelling | Lifecycle::Ended => AutoRenew::Cancelled,
            _ => AutoRenew::Active,
        }
    }

    /// Returns the anchor of its years and the start of the period paid by payment number `renewal` at `at`. A payment
    /// that is late by a whole period moves both to `at`.
    pub(crate) fn period_start(self, renewal: i64, at: i64) -> (i64, i64) {
        let from = self.current_period_end;
        let is_in_time = renewal > 0 && period_end(self.anchor, from, self.period) > at;
        if is_in_time { (self.anchor, from) } else { (at, at) }
    }

    /// Records a payment made at `at`: the subscription runs until `end`. A payment without a trial preserves an
    /// earlier trial's end.
    pub(crate) fn run_until(self, renewals: i64, end: i64, trial_end: Option<i64>, at: i64) -> Self {
        Self {
            anchor: trial_end.unwrap_or(self.period_start(renewals, at).0),
            lifecycle: if trial_end.is_some() { Lifecycle::Trialing } else { Lifecycle::Active },
            renewals,
            current_period_end: end,
            trial_end: trial_end.or(self.trial_end),
            failed_attempts: 0,
            ..self
        }
    }

    /// Records a declined renewal that will be retried.
    pub(crate) fn mark_past_due(self) -> Self {
        Self { lifecycle: Lifecycle::PastDue, failed_attempts: self.failed_attempts + 1, ..self }
    }

    /// Records a renewal that waits for the cardholder's confirmation.
    pub(crate) fn await_confirmation(self) -> Self {
        Self { lifecycle: Lifecycle::PastDue, ..self }
    }

    /// Ends the subscription with its current period.
    pub(crate) fn stop_renewing(self) -> Self {
        Self { lifecycle: Lifecycle::Cancelling, ..self }
    }

    /// Resumes renewal, in the state before cancellation.
    pub(crate) fn resume_renewing(self, at: i64) -> Self {
        let is_trial = self.trial_end.is_some_and(|end| end > at);
        Self { lifecycle: if is_trial { Lifecycle::Trialing } else { Lifecycle::Active }, ..self }
    }

    pub(crate) fn end(self) -> Self {
        Self { lifecycle: Lifecycle::Ended, ..self }
    }
}
