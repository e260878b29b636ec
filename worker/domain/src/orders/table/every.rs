//! Lists of every value of a type, from matches without a wildcard.

use std::iter::successors;

use super::*;

/// Returns every value of a type by following `next` from the first value (after `None`).
pub(super) fn all<T: Clone>(next: fn(Option<T>) -> Option<T>) -> Vec<T> {
    successors(next(None), |value| next(Some(value.clone()))).collect()
}

pub(super) fn next_status(status: Option<OrderStatus>) -> Option<OrderStatus> {
    match status {
        None => Some(OrderStatus::Created),
        Some(OrderStatus::Created) => Some(OrderStatus::Failed),
        Some(OrderStatus::Failed) => Some(OrderStatus::Paid),
        Some(OrderStatus::Paid) => Some(OrderStatus::Refunded),
        Some(OrderStatus::Refunded) => None,
    }
}

pub(super) fn next_lifecycle(lifecycle: Option<Lifecycle>) -> Option<Lifecycle> {
    match lifecycle {
        None => Some(Lifecycle::Unpaid),
        Some(Lifecycle::Unpaid) => Some(Lifecycle::Trialing),
        Some(Lifecycle::Trialing) => Some(Lifecycle::Active),
        Some(Lifecycle::Active) => Some(Lifecycle::PastDue),
        Some(Lifecycle::PastDue) => Some(Lifecycle::Cancelling),
        Some(Lifecycle::Cancelling) => Some(Lifecycle::Ended),
        Some(Lifecycle::Ended) => None,
    }
}

pub(super) fn next_activity(activity: Option<ActivityStatus>) -> Option<ActivityStatus> {
    match activity {
        None => Some(ActivityStatus::Active),
        Some(ActivityStatus::Active) => Some(ActivityStatus::Inactive),
        Some(ActivityStatus::Inactive) => None,
    }
}

pub(super) fn next_outcome(outcome: Option<Outcome>) -> Option<Outcome> {
    match outcome {
        None => Some(Outcome::Paid { period_end: Some(NEXT_END), trial_end: None }),
        Some(Outcome::Paid { .. }) => Some(Outcome::Failed("declined".to_owned())),
        Some(Outcome::Failed(_)) => {
            Some(Outcome::PastDue { failure: "declined".to_owned(), retry_at: AT + 11, access_until: AT + 3 })
        }
        Some(Outcome::PastDue { .. }) => {
            Some(Outcome::NeedsAction { client_secret: "new".to_owned(), give_up_at: AT + 7 })
        }
        Some(Outcome::NeedsAction { .. }) => Some(Outcome::RenewalNeedsAction {
            client_secret: "new".to_owned(),
            retry_at: AT + 13,
            access_until: AT + 4,
        }),
        Some(Outcome::RenewalNeedsAction { .. }) => Some(Outcome::Unanswered { retry_at: AT + 5 }),
        Some(Outcome::Unanswered { .. }) => None,
    }
}

pub(super) fn next_attempt(attempt: Option<Attempt>) -> Option<Attempt> {
    match attempt {
        None => Some(Attempt::Settle),
        Some(Attempt::Settle) => Some(Attempt::StopRenewing),
        Some(Attempt::StopRenewing) => Some(Attempt::ResumeRenewing),
        Some(Attempt::ResumeRenewing) => Some(Attempt::UseCard),
        Some(Attempt::UseCard) => Some(Attempt::Expire),
        Some(Attempt::Expire) => Some(Attempt::Refund),
        Some(Attempt::Refund) => Some(Attempt::RefundEarlier),
        Some(Attempt::RefundEarlier) => Some(Attempt::Dispute),
        Some(Attempt::Dispute) => Some(Attempt::RefundFailed),
        Some(Attempt::RefundFailed) => None,
    }
}

pub(super) fn next_event(event: Option<OrderEvent>) -> Option<OrderEvent> {
    match event {
        None => Some(OrderEvent::Created),
        Some(OrderEvent::Created) => Some(OrderEvent::ActionNeeded),
        Some(OrderEvent::ActionNeeded) => Some(OrderEvent::Paid),
        Some(OrderEvent::Paid) => Some(OrderEvent::Failed),
        Some(OrderEvent::Failed) => Some(OrderEvent::Renewed),
        Some(OrderEvent::Renewed) => Some(OrderEvent::RenewalFailed),
        Some(OrderEvent::RenewalFailed) => Some(OrderEvent::Ended),
        Some(OrderEvent::Ended) => Some(OrderEvent::RenewingStopped),
        Some(OrderEvent::RenewingStopped) => Some(OrderEvent::RenewingResumed),
        Some(OrderEvent::RenewingResumed) => Some(OrderEvent::RanOut),
        Some(OrderEvent::RanOut) => Some(OrderEvent::PartlyRefunded),
        Some(OrderEvent::PartlyRefunded) => Some(OrderEvent::Refunded),
        Some(OrderEvent::Refunded) => Some(OrderEvent::Disputed),
        Some(OrderEvent::Disputed) => Some(OrderEvent::RefundFailed),
        Some(OrderEvent::RefundFailed) => Some(OrderEvent::Returned),
        Some(OrderEvent::Returned) => None,
    }
}
