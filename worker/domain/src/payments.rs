//! Payments of an order: their sequence, amounts, retries and paid periods.

use touchline_protocol::purchases::{ActivityStatus, OrderStatus};

use crate::orders::Outcome;
use crate::subscriptions::BoughtSubscription;
use crate::{DAY_MS, periods};

/// First delay after a payment without a response. It doubles with each attempt.
const FIRST_WAIT_MS: i64 = 1_000;
/// Maximum delay after a payment without a response.
pub const LONGEST_WAIT_MS: i64 = 5 * 60_000;

/// Retries of a declined renewal, in days after the end of the period (`SUB-6`).
pub const RETRY_DAYS: [i64; 4] = [1, 3, 5, 7];
/// Days of access without payment after the end of a period (`SUB-6`).
pub const GRACE_DAYS: i64 = 3;

/// Time between the reminder and the renewal of an annual subscription (`SUB-7`).
pub const REMIND_ANNUAL_MS: i64 = 15 * DAY_MS;
/// Time between the reminder and the end of a trial (`SUB-7`).
pub const REMIND_TRIAL_MS: i64 = 2 * DAY_MS;
/// Maximum delay of a cancellation that was requested before a renewal and undoes that renewal (`SUB-8`).
pub const LATE_CANCELLATION_MS: i64 = 2 * DAY_MS;

/// Returns the number of the next payment: 0 is the first one, `n` the `n`-th renewal.
pub fn next_payment(status: OrderStatus, subscription: Option<BoughtSubscription>) -> i64 {
    match (status, subscription) {
        (OrderStatus::Paid, Some(subscription)) => subscription.renewals + 1,
        _ => 0,
    }
}

/// Returns the amount of a payment, in minor units: the order's total for the first one, then the subscription's
/// renewal price.
pub fn amount(total: i64, subscription: Option<BoughtSubscription>, renewal: i64) -> i64 {
    match subscription {
        Some(subscription) if renewal > 0 => subscription.renewal_price,
        _ => total,
    }
}

/// Returns the outcome of a payment made at `at`. A trial starts with the first payment. A renewal continues from the
/// end of the period, so that a late one does not move the date. A renewal that is late by a whole period starts a new
/// period at `at`: nobody pays for time that has passed.
pub fn paid(subscription: Option<BoughtSubscription>, renewal: i64, at: i64) -> Outcome {
    let Some(subscription) = subscription else {
        return Outcome::Paid { period_end: None, trial_end: None };
    };
    if renewal == 0 && subscription.trial_days > 0 {
        let end = periods::trial_end(at, subscription.trial_days);
        return Outcome::Paid { period_end: Some(end), trial_end: Some(end) };
    }
    let (anchor, from) = subscription.period_start(renewal, at);
    Outcome::Paid { period_end: Some(periods::period_end(anchor, from, subscription.period)), trial_end: None }
}

/// Returns the time of the next attempt after `attempts + 1` payments without a response.
pub fn retry_at(attempts: i64, at: i64) -> i64 {
    at + (FIRST_WAIT_MS << attempts.clamp(0, 20)).min(LONGEST_WAIT_MS)
}

/// Returns the outcome of a declined renewal. It is retried on [`RETRY_DAYS`] and access continues for [`GRACE_DAYS`].
/// The subscription ends after the last retry. Missed retries are skipped.
pub fn refused(subscription: Option<BoughtSubscription>, failure: String, at: i64) -> Outcome {
    let Some(subscription) = subscription else { return Outcome::Failed(failure) };
    let next = usize::try_from(subscription.failed_attempts).ok().and_then(|failed| RETRY_DAYS.get(failed));
    let Some(days) = next else { return Outcome::Failed(failure) };
    let end = subscription.current_period_end;
    let retry_at = (end + days * DAY_MS).max(at + DAY_MS);
    Outcome::PastDue { failure, retry_at, access_until: end + GRACE_DAYS * DAY_MS }
}

/// Returns the outcome of a renewal that the bank asks to confirm: past due until confirmed (`SUB-9`). The provider is
/// polled at `retry_at`.
pub fn renewal_confirmation(subscription: BoughtSubscription, client_secret: String, retry_at: i64) -> Outcome {
    let access_until = subscription.current_period_end + GRACE_DAYS * DAY_MS;
    Outcome::RenewalNeedsAction { client_secret, retry_at, access_until }
}

/// Returns the deadline for confirming a renewal: the last retry day of a declined one, and at least one day from now.
pub fn confirmation_deadline(subscription: BoughtSubscription, at: i64) -> i64 {
    let [.., last] = RETRY_DAYS;
    (subscription.current_period_end + last * DAY_MS).max(at + DAY_MS)
}

/// Returns whether the purchase can be used at this moment: paid, active and not expired.
pub fn is_usable(status: OrderStatus, activity: ActivityStatus, active_until: Option<i64>, at: i64) -> bool {
    status == OrderStatus::Paid && activity == ActivityStatus::Active && active_until.is_none_or(|until| at < until)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::periods::BillingPeriod;
    use crate::subscriptions::Lifecycle;

    const AT: i64 = 1_800_000_000_000;
    const MONTH: i64 = 30 * DAY_MS;

    fn subscription(trial_days: i64) -> BoughtSubscription {
        BoughtSubscription {
            period: BillingPeriod::Monthly,
            lifecycle: Lifecycle::Active,
            anchor: AT,
            current_period_end: AT,
            trial_end: None,
            trial_days,
            renewal_price: 1045,
            renewal_fee: 50,
            renewals: 0,
            failed_attempts: 0,
        }
    }

    fn until(renewal: i64, trial_days: i64, at: i64) -> (Option<i64>, Option<i64>) {
        let Outcome::Paid { period_end, trial_end } = paid(Some(subscription(trial_days)), renewal, at) else {
            panic!("it was paid")
        };
        (period_end, trial_end)
    }

    #[test]
    fn a_first_payment_starts_a_period_or_a_trial() {
        assert_eq!(until(0, 0, AT + 5), (Some(AT + 5 + MONTH), None));
        assert_eq!(until(0, 7, AT + 5), (Some(AT + 5 + 7 * DAY_MS), Some(AT + 5 + 7 * DAY_MS)));
        let annual = BoughtSubscription { period: BillingPeriod::Annual, ..subscription(0) };
        let end = periods::period_end(AT, AT, BillingPeriod::Annual);
        assert_eq!(paid(Some(annual), 0, AT), Outcome::Paid { period_end: Some(end), trial_end: None });
        assert_eq!(paid(None, 0, AT), Outcome::Paid { period_end: None, trial_end: None });
    }

    #[test]
    fn a_renewal_continues_the_period_unless_it_is_late_by_a_whole_one() {
        assert_eq!(until(1, 7, AT), (Some(AT + MONTH), None), "a renewal has no trial");
        assert_eq!(until(1, 0, AT + DAY_MS), (Some(AT + MONTH), None), "a late one does not move the day");
        assert_eq!(until(1, 0, AT + MONTH - 1), (Some(AT + MONTH), None));
        assert_eq!(until(1, 0, AT + MONTH), (Some(AT + 2 * MONTH), None), "nobody pays for time that has passed");
    }

    #[test]
    fn renewals_are_counted_and_charged_at_their_price() {
        let renewed = BoughtSubscription { renewals: 2, ..subscription(0) };
        assert_eq!(next_payment(OrderStatus::Created, Some(subscription(0))), 0);
        assert_eq!(next_payment(OrderStatus::Paid, Some(renewed)), 3);
        assert_eq!(next_payment(OrderStatus::Created, None), 0);
        assert_eq!((amount(950, Some(renewed), 0), amount(950, Some(renewed), 3)), (950, 1045));
        assert_eq!(amount(950, None, 0), 950);
    }

    #[test]
    fn a_declined_renewal_is_retried_four_times_in_a_week() {
        let mut late = subscription(0);
        for days in RETRY_DAYS {
            let Outcome::PastDue { retry_at, access_until, .. } = refused(Some(late), "no".to_owned(), AT) else {
                panic!("it is tried again")
            };
            assert_eq!((retry_at, access_until), (AT + days * DAY_MS, AT + GRACE_DAYS * DAY_MS));
            late.failed_attempts += 1;
        }
        assert_eq!(refused(Some(late), "no".to_owned(), AT), Outcome::Failed("no".to_owned()));
        assert_eq!(refused(None, "no".to_owned(), AT), Outcome::Failed("no".to_owned()));
    }

    /// Shows SUB-9.
    #[test]
    fn a_renewal_can_be_confirmed_until_the_last_retry_and_for_at_least_a_day() {
        let late = subscription(0);
        assert_eq!(
            (confirmation_deadline(late, AT), confirmation_deadline(late, AT + 9 * DAY_MS)),
            (AT + 7 * DAY_MS, AT + 10 * DAY_MS)
        );
        let Outcome::RenewalNeedsAction { retry_at, access_until, .. } =
            renewal_confirmation(late, "s".to_owned(), AT + 5)
        else {
            panic!("the bank asks")
        };
        assert_eq!((retry_at, access_until), (AT + 5, AT + GRACE_DAYS * DAY_MS));
    }

    #[test]
    fn the_retry_delay_doubles_up_to_five_minutes() {
        let waits = [0, 1, 8, 9, 60].map(|attempts| retry_at(attempts, AT) - AT);
        assert_eq!(waits, [1_000, 2_000, 256_000, 300_000, 300_000]);
    }

    #[test]
    fn only_paid_active_and_unexpired_purchases_are_usable() {
        use ActivityStatus::{Active, Inactive};
        assert!(is_usable(OrderStatus::Paid, Active, None, AT));
        assert!(is_usable(OrderStatus::Paid, Active, Some(AT + 1), AT));
        assert!(!is_usable(OrderStatus::Paid, Active, Some(AT), AT));
        assert!(!is_usable(OrderStatus::Paid, Inactive, None, AT));
        assert!(!is_usable(OrderStatus::Created, Active, None, AT));
    }
}
