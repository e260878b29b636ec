//! What a move of an order gives: the new state and the event, or a refusal.

use touchline_protocol::purchases::OrderStatus;

use super::PlacedOrder;

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
    /// The bank asks its customer to confirm the first payment, or a renewal.
    ActionNeeded,
    /// The first payment was made.
    Paid,
    /// The first payment failed.
    Failed,
    /// A renewal was paid.
    Renewed,
    /// A renewal was refused; it is tried again.
    RenewalFailed,
    /// A renewal was refused for the last time, or the provider ended the subscription.
    Ended,
    /// The subscription ends with its period, or at once where that is not paid.
    RenewingStopped,
    /// The subscription that was to end with its period renews again.
    RenewingResumed,
    /// The time that was paid for is over.
    RanOut,
    /// A part of the money was given back.
    PartlyRefunded,
    /// The money was given back.
    Refunded,
    /// The bank took the money back.
    Disputed,
    /// A refund did not reach the card.
    RefundFailed,
    /// A payment that the order did not take went back.
    Returned,
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

/// A move that an order can be asked to make.
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

/// The order does not allow the move in its present state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an order that is {status:?} does not allow this move: {attempt:?}")]
pub struct InvalidTransition {
    /// The move.
    pub attempt: Attempt,
    /// Where the order stands.
    pub status: OrderStatus,
}
