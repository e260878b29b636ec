//! A subscription beside its order (`SUB-2`, `SUB-3`).

use serde::{Deserialize, Serialize};
use touchline_protocol::purchases::{ActivityStatus, AutoRenew, SubscriptionStatus};

use crate::periods::period_end;

/// What makes an order a subscription's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewSubscription {
    /// Renewed each 12 months, else each 30 days.
    pub annual: bool,
    /// Free days before the first payment; 0 for none. A person can have this once.
    pub trial_days: i64,
    /// What each renewal costs in all, minor units.
    pub renewal_price: i64,
    /// The service fee within that, minor units.
    pub renewal_fee: i64,
}

/// Where a subscription stands, with every payment provider.
///
/// ```text
/// unpaid ─► trialing ─► active ◄─► past_due ─► ended
///               └──────────┴────────► cancelling ─► ended
/// cancelling ─► trialing or active, before the end of what is paid
/// ```
///
/// What the money went back for has ended; should that refund fail, it is used until the end of its period all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// Its first payment is not made.
    Unpaid,
    /// It runs for nothing and renews at the trial's end.
    Trialing,
    /// It is paid and renews.
    Active,
    /// A renewal failed and is tried again, or waits for its owner's answer to the bank.
    PastDue,
    /// It runs until the end of its period.
    Cancelling,
    /// It runs no more.
    Ended,
}

/// A subscription that somebody bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoughtSubscription {
    /// Renewed each 12 months, else each 30 days.
    pub annual: bool,
    /// Where it stands.
    pub lifecycle: Lifecycle,
    /// From when on its years are counted: the end of its trial, or its first payment.
    pub anchor: i64,
    /// Until when it runs.
    pub current_period_end: i64,
    /// Until when it was free.
    pub trial_end: Option<i64>,
    /// Free days before the first payment.
    pub trial_days: i64,
    /// What each renewal costs in all, minor units.
    pub renewal_price: i64,
    /// The service fee within that, minor units.
    pub renewal_fee: i64,
    /// How many times it was renewed.
    pub renewals: i64,
    /// How often the renewal that is due was refused.
    pub failed_attempts: i64,
}

impl BoughtSubscription {
    /// Whether it runs and renews itself, a refused renewal that is tried again included.
    pub fn is_renewing(&self) -> bool {
        matches!(self.lifecycle, Lifecycle::Trialing | Lifecycle::Active | Lifecycle::PastDue)
    }

    /// Whether its use has an end that no renewal has moved yet.
    pub fn ends(&self) -> bool {
        matches!(self.lifecycle, Lifecycle::PastDue | Lifecycle::Cancelling | Lifecycle::Ended)
    }

    /// What the site is told of it. A past due one is active as long as it can be used; one that has ended and is used all
    /// the same, since its refund failed, is like one that was stopped.
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

    /// Whether the site offers to stop its renewing.
    pub fn auto_renew(&self) -> AutoRenew {
        match self.lifecycle {
            Lifecycle::Cancelling | Lifecycle::Ended => AutoRenew::Cancelled,
            _ => AutoRenew::Active,
        }
    }

    /// From when on its years are counted, and when the period begins that its `renewal`-th payment pays, made at `at`. One
    /// that is later than the whole period begins now, and years are counted from then.
    pub(crate) fn period_start(self, renewal: i64, at: i64) -> (i64, i64) {
        let from = self.current_period_end;
        let is_in_time = renewal > 0 && period_end(self.anchor, from, self.annual) > at;
        if is_in_time { (self.anchor, from) } else { (at, at) }
    }

    /// A payment was made at `at`: the subscription runs until `end`. A payment without a trial keeps the end of an earlier
    /// one.
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

    /// The renewal was refused and is tried again.
    pub(crate) fn fall_behind(self) -> Self {
        Self { lifecycle: Lifecycle::PastDue, failed_attempts: self.failed_attempts + 1, ..self }
    }

    /// The bank asks its owner about the renewal.
    pub(crate) fn wait_for_owner(self) -> Self {
        Self { lifecycle: Lifecycle::PastDue, ..self }
    }

    /// It runs on until the end of its period, and no further.
    pub(crate) fn stop_renewing(self) -> Self {
        Self { lifecycle: Lifecycle::Cancelling, ..self }
    }

    /// It renews again, as before it was stopped.
    pub(crate) fn resume_renewing(self, at: i64) -> Self {
        let is_trial = self.trial_end.is_some_and(|end| end > at);
        Self { lifecycle: if is_trial { Lifecycle::Trialing } else { Lifecycle::Active }, ..self }
    }

    /// It runs no more.
    pub(crate) fn end(self) -> Self {
        Self { lifecycle: Lifecycle::Ended, ..self }
    }
}
