//! What a move of an order gives: the new state and the event, or a refusal.

use touchline_protocol::purchases::OrderStatus;

use super::PlacedOrder;
use crate::subscriptions::BoughtSubscription;

/// A move that an order made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// The order after the move.
    pub order: PlacedOrder,
    /// The event that the books and the status log record. Without one the version stays as it was.
    pub event: Option<OrderEvent>,
    /// Whether the move took away what the buyer may watch.
    pub rights_changed: bool,
}

impl Transition {
    /// A move that nobody hears of.
    pub(crate) fn silent(order: PlacedOrder) -> Self {
        Self { order, event: None, rights_changed: false }
    }

    /// A move that is recorded; the version grows.
    pub(crate) fn recorded(order: PlacedOrder, event: OrderEvent) -> Self {
        let order = PlacedOrder { version: order.version + 1, ..order };
        Self { order, event: Some(event), rights_changed: false }
    }

    /// A recorded move that takes rights away.
    pub(crate) fn revoking(order: PlacedOrder, event: OrderEvent) -> Self {
        Self { rights_changed: true, ..Self::recorded(order, event) }
    }
}

/// What happened to an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderEvent {
    /// The buyer placed it.
    Created,
    /// The bank asks its customer to confirm the payment.
    ActionNeeded,
    /// The first payment was made.
    Paid,
    /// The first payment failed.
    Failed,
    /// A renewal was paid.
    Renewed,
    /// A renewal failed; the subscription ended.
    RenewalFailed,
    /// The subscription ends with its period.
    RenewingStopped,
    /// The time that was paid for is over.
    RanOut,
    /// The money was given back.
    Refunded,
}

impl OrderEvent {
    /// The word in the books.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::ActionNeeded => "action_needed",
            Self::Paid => "paid",
            Self::Failed => "failed",
            Self::Renewed => "renewed",
            Self::RenewalFailed => "renewal_failed",
            Self::RenewingStopped => "renewing_stopped",
            Self::RanOut => "ran_out",
            Self::Refunded => "refunded",
        }
    }

    /// The amount in the books, minor units: the renewal's price for a renewal and for a refund after one, else the total
    /// of the order.
    pub fn amount(self, total: i64, subscription: Option<&BoughtSubscription>) -> i64 {
        match (self, subscription) {
            (Self::Renewed, Some(subscription)) => subscription.renewal_price,
            (Self::Refunded, Some(subscription)) if subscription.renewals > 0 => subscription.renewal_price,
            _ => total,
        }
    }
}

/// A move that an order can be asked to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// [`PlacedOrder::settle`]
    Settle,
    /// [`PlacedOrder::stop_renewing`]
    StopRenewing,
    /// [`PlacedOrder::expire`]
    Expire,
    /// [`PlacedOrder::refund`]
    Refund,
}

/// The order does not allow the move in its present state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an order that is {status:?} does not allow this move: {attempt:?}")]
pub struct InvalidTransition {
    /// The move.
    pub attempt: Attempt,
    /// Where the order stands.
    pub status: OrderStatus,
}

#[cfg(test)]
mod tests {
    use touchline_protocol::purchases::{AutoRenew, SubscriptionStatus};

    use super::*;

    #[test]
    fn the_books_note_a_renewals_price_for_renewals_and_for_refunds_after_one() {
        let subscription = |renewals| BoughtSubscription {
            annual: false,
            status: SubscriptionStatus::Active,
            auto_renew: AutoRenew::Active,
            current_period_end: 0,
            trial_end: None,
            trial_days: 0,
            renewal_price: 1050,
            renewals,
        };
        for (event, renewals, amount) in [
            (OrderEvent::Paid, 0, 950),
            (OrderEvent::Renewed, 1, 1050),
            (OrderEvent::RenewalFailed, 1, 950),
            (OrderEvent::Refunded, 0, 950),
            (OrderEvent::Refunded, 1, 1050),
            (OrderEvent::RanOut, 1, 950),
        ] {
            assert_eq!(event.amount(950, Some(&subscription(renewals))), amount, "{event:?} after {renewals}");
        }
        assert_eq!(OrderEvent::Renewed.amount(950, None), 950);
        assert_eq!(OrderEvent::Refunded.amount(950, None), 950);
    }
}
