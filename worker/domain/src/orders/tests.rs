use touchline_protocol::purchases::SubscriptionStatus;

use super::*;
use crate::periods::BillingPeriod;

const AT: i64 = 1_800_000_000_000;

fn created() -> PlacedOrder {
    PlacedOrder {
        status: OrderStatus::Created,
        activity_status: ActivityStatus::Inactive,
        failure: None,
        client_secret: None,
        period_days: 0,
        active_until: None,
        due_at: Some(AT),
        attempts: 0,
        version: 1,
        refundable: 0,
        refunded_minor: 0,
        subscription: None,
    }
}

fn subscribed(trial_days: i64) -> PlacedOrder {
    let subscription = BoughtSubscription {
        period: BillingPeriod::Monthly,
        lifecycle: Lifecycle::Unpaid,
        anchor: AT,
        current_period_end: AT,
        trial_end: None,
        trial_days,
        renewal_price: 1050,
        renewal_fee: 50,
        renewals: 0,
        failed_attempts: 0,
    };
    PlacedOrder { subscription: Some(subscription), ..created() }
}

fn paid(period_end: Option<i64>, trial_end: Option<i64>) -> Outcome {
    Outcome::Paid { period_end, trial_end }
}

#[test]
fn a_purchase_ends_after_its_days_or_never() {
    let ended = PlacedOrder { period_days: 2, ..created() }.settle(0, paid(None, None), AT).unwrap().order;
    assert_eq!((ended.active_until, ended.due_at), (Some(AT + 2 * DAY_MS), None));
    assert_eq!(created().settle(0, paid(None, None), AT).unwrap().order.active_until, None);
}

#[test]
fn a_renewal_preserves_the_end_of_the_trial() {
    let trial = subscribed(7).settle(0, paid(Some(AT + 7), Some(AT + 7)), AT).unwrap().order;
    let renewed = trial.settle(1, paid(Some(AT + 30), None), AT + 7).unwrap().order;
    let subscription = renewed.subscription.unwrap();
    assert_eq!((subscription.trial_end, subscription.current_period_end), (Some(AT + 7), AT + 30));
    assert_eq!((subscription.renewals, renewed.due_at, renewed.version), (1, Some(AT + 30), 3));
}

#[test]
fn a_payment_without_a_period_leaves_the_subscription_unchanged() {
    let order = subscribed(0).settle(0, paid(None, None), AT).unwrap().order;
    assert_eq!((order.status, order.subscription), (OrderStatus::Paid, subscribed(0).subscription));
}

#[test]
fn a_stopped_subscription_expires_at_the_end_of_its_period() {
    let running = subscribed(0).settle(0, paid(Some(AT + 30), None), AT).unwrap().order;
    let stopped = running.stop_renewing(AT + 1).unwrap().order;
    assert_eq!((stopped.active_until, stopped.due_at), (Some(AT + 30), None));
    let again = stopped.clone().stop_renewing(AT + 2).unwrap();
    assert_eq!(again, Transition { order: stopped.clone(), event: None, rights_changed: false });
    assert!(stopped.clone().expire(AT + 29).is_err());
    let over = stopped.expire(AT + 30).unwrap();
    assert!(over.rights_changed);
    assert_eq!(over.order.subscription.unwrap().lifecycle, Lifecycle::Ended);
}

#[test]
fn a_refusal_names_the_transition_and_the_status() {
    let refused = created().refund(None).unwrap_err();
    assert_eq!(refused, InvalidTransition { attempt: Attempt::Refund, status: OrderStatus::Created });
    assert_eq!(refused.to_string(), "an order with the status Created does not allow this transition: Refund");
}

#[test]
fn a_past_due_subscription_works_during_its_grace_period_and_once_it_is_paid() {
    let running = subscribed(0).settle(0, paid(Some(AT + 30), None), AT).unwrap().order;
    let late = Outcome::PastDue { failure: "declined".to_owned(), retry_at: AT + 40, access_until: AT + 33 };
    let late = running.settle(1, late, AT + 30).unwrap().order;
    assert_eq!((late.activity_status, late.due_at), (ActivityStatus::Active, Some(AT + 40)));
    let closed = late.expire(AT + 33).unwrap().order;
    let status = |order: &PlacedOrder| order.subscription.unwrap().status(order.activity_status);
    assert_eq!((status(&closed), closed.due_at), (SubscriptionStatus::Inactive, Some(AT + 40)));
    let paid = closed.settle(1, paid(Some(AT + 60), None), AT + 40).unwrap().order;
    assert_eq!((status(&paid), paid.active_until), (SubscriptionStatus::Active, None));
    assert_eq!((paid.activity_status, paid.due_at), (ActivityStatus::Active, Some(AT + 60)));
}

#[test]
fn a_stopped_trial_can_be_resumed_until_its_end() {
    let trial = subscribed(7).settle(0, paid(Some(AT + 7), Some(AT + 7)), AT).unwrap().order;
    let stopped = trial.clone().stop_renewing(AT + 1).unwrap().order;
    let resumed = stopped.clone().resume_renewing(AT + 2).unwrap().order;
    assert_eq!(resumed, PlacedOrder { version: resumed.version, ..trial });
    assert!(stopped.resume_renewing(AT + 7).is_err());
}

/// Shows SUB-3.
#[test]
fn a_cancelled_past_due_subscription_ends_after_its_grace_period() {
    let running = subscribed(0).settle(0, paid(Some(AT + 30), None), AT).unwrap().order;
    let late = Outcome::PastDue { failure: "declined".to_owned(), retry_at: AT + 40, access_until: AT + 33 };
    let late = running.settle(1, late, AT + 30).unwrap().order;
    let stopped = late.clone().stop_renewing(AT + 31).unwrap();
    assert!(!stopped.rights_changed);
    let stopped = stopped.order;
    assert_eq!((stopped.activity_status, stopped.active_until), (ActivityStatus::Active, Some(AT + 33)));
    assert_eq!((stopped.due_at, stopped.failure.clone()), (None, None), "no card is retried");
    assert!(stopped.clone().resume_renewing(AT + 32).is_err(), "its period is not paid");
    assert_eq!(stopped.expire(AT + 33).unwrap().order.subscription.unwrap().lifecycle, Lifecycle::Ended);
    let closed = late.expire(AT + 33).unwrap().order;
    assert_eq!(closed.stop_renewing(AT + 34).unwrap().order.subscription.unwrap().lifecycle, Lifecycle::Ended);
}

#[test]
fn a_refund_that_fails_after_the_period_restores_no_access() {
    let paid = PlacedOrder { refundable: 950, ..subscribed(0).settle(0, paid(Some(AT + 30), None), AT).unwrap().order };
    let refunded = paid.refund(None).unwrap().order;
    let back = refunded.clone().refund_failed(950, true, AT + 29).unwrap().order;
    assert_eq!((back.status, back.activity_status), (OrderStatus::Paid, ActivityStatus::Active));
    assert_eq!((back.active_until, back.refunded_minor), (Some(AT + 30), 0));
    let over = refunded.refund_failed(950, true, AT + 30).unwrap().order;
    assert_eq!((over.status, over.activity_status), (OrderStatus::Paid, ActivityStatus::Inactive));
    assert_eq!(over.subscription.unwrap().lifecycle, Lifecycle::Ended);
}
