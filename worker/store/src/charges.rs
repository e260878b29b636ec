//! Charges: one row for each attempt to move money, with any payment provider.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use touchline_protocol::purchases::{ChargeKind, ChargeStatus, Order};

use super::StoreResult;

/// The provider's result of an attempt to move money.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCharge {
    /// The provider's id of the attempt. A second row with this id is ignored.
    pub provider_id: String,
    /// Amount in minor units.
    pub amount: i64,
    /// Brand of the card, such as `visa`.
    pub card_brand: Option<String>,
    /// Last four digits of the card.
    pub card_last4: Option<String>,
    /// Reason for the failure, for the viewer. `None` if the attempt succeeded.
    pub failure: Option<String>,
    /// Time by the provider in Unix milliseconds, if reported.
    pub at: Option<i64>,
}

/// A charge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChargeRecord {
    /// ID of the charge.
    pub id: i64,
    /// ID of the order.
    pub order_id: i64,
    /// ID of the user.
    pub user_id: i64,
    /// Type of the charge.
    pub kind: ChargeKind,
    /// Status of the charge.
    pub status: ChargeStatus,
    /// 0 for the order's first payment, `n` for its `n`-th renewal. For a refund, the number of the payment.
    pub renewal: i64,
    /// For a refund or dispute, the id of the payment.
    pub of_charge: Option<i64>,
    /// Amount in minor units, never negative.
    pub amount: i64,
    /// Service fee included in the amount, in minor units.
    pub fee: i64,
    /// ISO 4217 currency code.
    pub currency: String,
    /// Brand of the card, such as `visa`.
    pub card_brand: Option<String>,
    /// Last four digits of the card.
    pub card_last4: Option<String>,
    /// Reason for the failure, for the viewer.
    pub failure: Option<String>,
    /// The provider's id of the attempt.
    pub provider_id: String,
    /// Time in Unix milliseconds, by the provider if reported.
    pub at: i64,
    /// Whether the order accepted the charge. A payment for an order that ended meanwhile isn't accepted, and is
    /// refunded in full.
    pub accepted: bool,
    /// Number of its receipt within the series, counted apart for payments and for money returned. Meaningless without
    /// a receipt.
    pub receipt: i64,
    /// Letter of the series of its receipt: the number of restores before it.
    pub series: i64,
    /// Channel of the series: the number of channels that had a receipt before its first.
    pub seller: i64,
}

impl ChargeRecord {
    /// Whether the refund was made outside the provider.
    pub fn is_outside(&self) -> bool {
        is_outside(&self.provider_id)
    }

    /// Whether the charge is a payment of the viewer, not a return of money or of a refund.
    pub fn is_payment(&self) -> bool {
        matches!(self.kind, ChargeKind::Purchase | ChargeKind::Renewal)
    }

    /// Whether the charge has a receipt. A refund that did not reach the card has none.
    pub fn has_receipt(&self) -> bool {
        self.status == ChargeStatus::Succeeded && self.kind != ChargeKind::RefundFailed
    }
}

/// Prefix of the provider id of refunds made outside the provider.
pub(crate) const OUTSIDE: &str = "outside";

/// Whether a provider id belongs to a refund made outside the provider.
pub fn is_outside(provider_id: &str) -> bool {
    provider_id.strip_prefix(OUTSIDE).is_some_and(|rest| rest.starts_with('-'))
}

/// Money that moved without a request from this worker: a dispute, or a refund made or failed at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reversal {
    /// `refund`, `refund_failed`, `dispute` or `dispute_won`.
    pub kind: ChargeKind,
    /// The provider's id of the reversed payment, or of the refund that failed.
    pub of_provider_id: String,
    /// The provider's id of the reversal. A second reversal with this id is ignored.
    pub provider_id: String,
    /// Amount in minor units.
    pub amount: i64,
    /// Time by the provider in Unix milliseconds, if reported.
    pub at: Option<i64>,
}

/// The result of requesting a refund.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefundRequest {
    /// The refund has to be made at the provider.
    Pending(Box<ChargeRecord>),
    /// Nothing is left to refund, so the order is refunded.
    Done(Box<Order>),
    /// The order isn't paid, less than the amount is left of its last payment, or another refund is pending.
    Refused,
}

/// Storage of charges and refunds. A payment's row is written by [`Orders::settle_order`](super::Orders::settle_order)
/// in the transaction of the transition.
#[async_trait]
pub trait Charges {
    /// Returns an order's charges, oldest first.
    async fn order_charges(&self, order_id: i64) -> StoreResult<Vec<ChargeRecord>>;
    /// Returns a user's charges, newest first, and their total number.
    async fn user_charges(&self, user_id: i64, limit: u32, offset: u32) -> StoreResult<(Vec<ChargeRecord>, u64)>;
    /// Requests a refund of the order's last payment: of `amount` minor units, or of the remainder. The row is
    /// `pending` until [`finish_refund`](Charges::finish_refund).
    async fn request_refund(&self, order_id: i64, amount: Option<i64>, at: i64) -> StoreResult<RefundRequest>;
    /// Records a refund of the order's last payment that was made outside the provider: of `amount` minor units, or of
    /// the remainder. Never returns `Pending`.
    async fn refund_outside(&self, order_id: i64, amount: Option<i64>, at: i64) -> StoreResult<RefundRequest>;
    /// Returns pending refunds, oldest first.
    async fn pending_refunds(&self, limit: u32) -> StoreResult<Vec<ChargeRecord>>;
    /// Records that the provider made a refund, and returns the order, refunded in whole or in part. Repeating the call
    /// has no effect.
    async fn finish_refund(&self, charge_id: i64, provider_id: &str, at: i64) -> StoreResult<Option<Order>>;
    /// Records that the provider refused a refund. The order doesn't change.
    async fn fail_refund(&self, charge_id: i64, failure: &str, at: i64) -> StoreResult<()>;
    /// Records money that moved without a request from this worker, and returns the order. `None` if the payment is
    /// unknown or the reversal is already recorded.
    async fn record_reversal(&self, reversal: Reversal, at: i64) -> StoreResult<Option<Order>>;
}
