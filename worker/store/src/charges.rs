//! Money that moved, or was to move: one row for each attempt, with either payment provider.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use touchline_protocol::purchases::{ChargeKind, ChargeStatus, Order};

use super::StoreResult;

/// What a payment provider says of an attempt to move money.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCharge {
    /// The provider's id of it. A second row of this id is not written.
    pub provider_id: String,
    /// Minor units.
    pub amount: i64,
    /// E.g. `visa`.
    pub card_brand: Option<String>,
    /// The last four digits.
    pub card_last4: Option<String>,
    /// Why it failed, for the viewer; absent when it did not.
    pub failure: Option<String>,
    /// When the provider charged, Unix milliseconds; absent where it does not say.
    pub at: Option<i64>,
}

/// A row of the charges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChargeRecord {
    /// Its id.
    pub id: i64,
    /// The order.
    pub order_id: i64,
    /// Whose it is.
    pub user_id: i64,
    /// Which way the money went, and why.
    pub kind: ChargeKind,
    /// How it ended.
    pub status: ChargeStatus,
    /// 0 for the order's first payment, `n` for its `n`-th renewal; of a refund, the payment's.
    pub renewal: i64,
    /// Of a refund or dispute: the payment.
    pub of_charge: Option<i64>,
    /// Minor units, never negative.
    pub amount: i64,
    /// The service fee within the amount, minor units.
    pub fee: i64,
    /// ISO 4217.
    pub currency: String,
    /// E.g. `visa`.
    pub card_brand: Option<String>,
    /// The last four digits.
    pub card_last4: Option<String>,
    /// Why it failed, for the viewer.
    pub failure: Option<String>,
    /// The provider's id of it.
    pub provider_id: String,
    /// When, Unix milliseconds: by the provider, where it says so.
    pub at: i64,
    /// Whether the order took it. A payment of what had ended meanwhile is not taken, and goes back whole.
    pub accepted: bool,
}

impl ChargeRecord {
    /// Whether the operator gave it back by other means than the card: no provider knows of it.
    pub fn is_outside(&self) -> bool {
        is_outside(&self.provider_id)
    }
}

/// How the name begins of what was given back by other means than the card.
pub(crate) const OUTSIDE: &str = "outside";

/// Whether a charge of this name was given back by other means than the card.
pub fn is_outside(provider_id: &str) -> bool {
    provider_id.strip_prefix(OUTSIDE).is_some_and(|rest| rest.starts_with('-'))
}

/// Money that moved without this worker's doing: a refund made at the provider or one that failed there, a dispute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reversal {
    /// `refund`, `refund_failed`, `dispute` or `dispute_won`.
    pub kind: ChargeKind,
    /// The provider's id of what it reverses: the payment, or the refund that failed.
    pub of_provider_id: String,
    /// The provider's id of the reversal. A second one of this id changes nothing.
    pub provider_id: String,
    /// Minor units.
    pub amount: i64,
    /// When, Unix milliseconds; absent where the provider does not say.
    pub at: Option<i64>,
}

/// What became of the request for a refund.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefundRequest {
    /// The provider is to make it.
    Pending(Box<ChargeRecord>),
    /// No money is left to give back: the order is refunded.
    Done(Box<Order>),
    /// The order is not paid, less is left of its last payment, or another refund of it is pending.
    Refused,
}

/// Charges as they are kept. A payment's row is written by [`Orders::settle_order`](super::Orders::settle_order) in the
/// transaction of the move; refunds begin here.
#[async_trait]
pub trait Charges {
    /// The charges of an order, oldest first.
    async fn order_charges(&self, order_id: i64) -> StoreResult<Vec<ChargeRecord>>;
    /// The charges of a person, newest first, and how many there are in all.
    async fn user_charges(&self, user_id: i64, limit: u32, offset: u32) -> StoreResult<(Vec<ChargeRecord>, u64)>;
    /// Asks for a refund of the order's last payment: of so much, minor units, or of what is left. The row is `pending`
    /// until [`finish_refund`](Charges::finish_refund).
    async fn request_refund(&self, order_id: i64, amount: Option<i64>, at: i64) -> StoreResult<RefundRequest>;
    /// Writes down that so much of the order's last payment, minor units, or what is left of it, was given back by other
    /// means than the card. It is made with that: never `Pending`.
    async fn refund_outside(&self, order_id: i64, amount: Option<i64>, at: i64) -> StoreResult<RefundRequest>;
    /// Refunds that are asked for and not made, oldest first.
    async fn pending_refunds(&self, limit: u32) -> StoreResult<Vec<ChargeRecord>>;
    /// The provider made a refund: the order is refunded in whole or in part. Gives the order as it is then; made already,
    /// it changes nothing.
    async fn finish_refund(&self, charge_id: i64, provider_id: &str, at: i64) -> StoreResult<Option<Order>>;
    /// The provider refuses a refund; the order stays as it is.
    async fn fail_refund(&self, charge_id: i64, failure: &str, at: i64) -> StoreResult<()>;
    /// Writes down what went back without this worker's doing. Gives the order as it is then; nothing when the payment
    /// is unknown or the reversal is written down already.
    async fn record_reversal(&self, reversal: Reversal, at: i64) -> StoreResult<Option<Order>>;
}
