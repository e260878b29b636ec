//! A subscription beside its order (`SUB-2`, `SUB-3`).

use touchline_protocol::purchases::{AutoRenew, SubscriptionStatus};

/// What makes an order a subscription's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewSubscription {
    /// Renewed each 12 months, else each 30 days.
    pub annual: bool,
    /// Free days before the first payment; 0 for none. A person can have this once.
    pub trial_days: i64,
    /// What each renewal costs in all, minor units.
    pub renewal_price: i64,
}

/// A subscription that somebody bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoughtSubscription {
    /// Renewed each 12 months, else each 30 days.
    pub annual: bool,
    /// Where it stands.
    pub status: SubscriptionStatus,
    /// Whether it renews itself.
    pub auto_renew: AutoRenew,
    /// Until when it runs.
    pub current_period_end: i64,
    /// Until when it was free.
    pub trial_end: Option<i64>,
    /// Free days before the first payment.
    pub trial_days: i64,
    /// What each renewal costs in all, minor units.
    pub renewal_price: i64,
    /// How many times it was renewed.
    pub renewals: i64,
}

impl BoughtSubscription {
    /// Whether it runs and renews itself.
    pub fn is_renewing(&self) -> bool {
        self.status == SubscriptionStatus::Active && self.auto_renew == AutoRenew::Active
    }

    /// A payment was made: the subscription runs until `end`. A payment without a trial keeps the end of an earlier one.
    pub(crate) fn run_until(self, renewals: i64, end: i64, trial_end: Option<i64>) -> Self {
        Self {
            status: SubscriptionStatus::Active,
            renewals,
            current_period_end: end,
            trial_end: trial_end.or(self.trial_end),
            ..self
        }
    }

    /// It runs on until the end of its period, and no further.
    pub(crate) fn stop_renewing(self) -> Self {
        Self { auto_renew: AutoRenew::Cancelled, ..self }
    }

    /// It runs no more.
    pub(crate) fn end(self, status: SubscriptionStatus) -> Self {
        Self { status, auto_renew: AutoRenew::Cancelled, ..self }
    }
}
