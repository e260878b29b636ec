//! Results of order transitions: the new state and its event, or a refusal.

use touchline_protocol::purchases::OrderStatus;

use super::PlacedOrder;

/// A completed transition of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// The order after the transition.
    pub order: PlacedOrder,
    /// Event for the books and the status log. Without one the version does not change.
    pub event: Option<OrderEvent>,
    /// Whether the buyer lost access.
    pub rights_changed: bool,
}

impl Transition {
    /// A transition without an event.
    pub(crate) fn silent(order: PlacedOrder) -> Self {
        Self { order, event: None, rights_changed: false }
    }

    /// A recorded transition. It increments the version.
    pub(crate) fn recorded(order: PlacedOrder, event: OrderEvent) -> Self {
        let order = PlacedOrder { version: order.version + 1, ..order };
        Self { order, event: Some(event), rights_changed: false }
    }

    /// A recorded transition that revokes access.
    pub(crate) fn revoking(order: PlacedOrder, event: OrderEvent) -> Self {
        Self { rights_changed: true, ..Self::recorded(order, event) }
    }
}

/// Events in the life of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderEvent {
    /// The buyer placed the order.
    Created,
    /// The bank requires confirmation of the first payment or of a renewal.
    ActionNeeded,
    /// The first payment succeeded.
    Paid,
    /// The first payment failed.
    Failed,
    /// A renewal was paid.
    Renewed,
    /// A renewal was declined and will be retried.
    RenewalFailed,
    /// The last retry of a renewal was declined, or the provider ended the subscription.
    Ended,
    /// The subscription ends with its period, or immediately if that period is unpaid.
    RenewingStopped,
    /// A cancelled subscription renews again.
    RenewingResumed,
    /// The paid period expired.
    RanOut,
    /// Part of the payment was refunded.
    PartlyRefunded,
    /// The payment was refunded in full.
    Refunded,
    /// The bank reversed the payment.
    Disputed,
    /// A refund did not reach the card.
    RefundFailed,
    /// A payment that the order did not accept was returned.
    Returned,
}

impl OrderEvent {
    /// Returns the event's name in the books.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::ActionNeeded => "action_needed",
            Self::Paid => "paid",
            Self::Failed => "failed",
            Self::Renewed => "renewed",
            Self::RenewalFailed => "renewal_failed",
            Self::Ended => "ended",
            Self::RenewingStopped => "renewing_stopped",
            Self::RenewingResumed => "renewing_resumed",
            Self::RanOut => "ran_out",
            Self::PartlyRefunded => "partly_refunded",
            Self::Refunded => "refunded",
            Self::Disputed => "disputed",
            Self::RefundFailed => "refund_failed",
            Self::Returned => "returned",
        }
    }
}

/// Transitions that can be attempted on an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// [`PlacedOrder::settle`]
    Settle,
    /// [`PlacedOrder::stop_renewing`]
    StopRenewing,
    /// [`PlacedOrder::resume_renewing`]
    ResumeRenewing,
    /// [`PlacedOrder::use_card`]
    UseCard,
    /// [`PlacedOrder::expire`]
    Expire,
    /// [`PlacedOrder::refund`]
    Refund,
    /// [`PlacedOrder::refund_earlier`]
    RefundEarlier,
    /// [`PlacedOrder::dispute`]
    Dispute,
    /// [`PlacedOrder::refund_failed`]
    RefundFailed,
}

/// A transition that the order's current state does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an order with the status {status:?} does not allow this transition: {attempt:?}")]
pub struct InvalidTransition {
    /// The attempted transition.
    pub attempt: Attempt,
    /// The order's status.
    pub status: OrderStatus,
}
