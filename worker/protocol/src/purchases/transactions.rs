//! Charges, and the viewer's payment history.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::orders::{OrderType, Product, is_zero};

/// The type of a charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "purchase")]
pub enum ChargeKind {
    /// The first payment of an order.
    Purchase,
    /// The renewal of a subscription.
    Renewal,
    /// A refund to the viewer.
    Refund,
    /// A dispute: the viewer's bank withdrew the payment.
    Dispute,
    /// A dispute that was won: the viewer's bank returned the payment.
    DisputeWon,
    /// A refund that didn't reach the card, returned by the card's bank.
    RefundFailed,
}

/// The status of a charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "succeeded")]
pub enum ChargeStatus {
    /// A refund that was requested but not made yet.
    Pending,
    /// The money moved.
    Succeeded,
    /// The charge failed.
    Failed,
}

/// The type of a [`Transaction`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "renewal")]
pub enum TransactionKind {
    /// The first payment of an order or a subscription.
    Purchase,
    /// The renewal of a subscription (`SUB-2`).
    Renewal,
    /// A refund.
    Refund,
    /// A dispute: the viewer's bank withdrew the payment.
    Dispute,
    /// A dispute that was won: the viewer's bank returned the payment.
    DisputeWon,
    /// A refund that didn't reach the card.
    RefundFailed,
    /// The start of a free trial.
    Trial,
    /// Complimentary access.
    Grant,
    /// Complimentary access that was removed.
    GrantEnded,
}

/// An entry in the viewer's payment history, including failed renewals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Transaction {
    /// Unique identifier: `c` and the charge's ID, or `o` and the order's ID if nothing was charged.
    #[schema(example = "c12")]
    pub id: String,
    /// Type of the transaction.
    pub kind: TransactionKind,
    /// Status of the transaction.
    pub status: ChargeStatus,
    /// Time of the transaction, RFC 3339 UTC with milliseconds.
    #[schema(example = "2026-11-21T18:00:00.000Z")]
    pub at: String,
    /// ID of the order.
    #[schema(example = 1)]
    pub order_id: i64,
    /// Type of the product.
    #[serde(rename = "type")]
    pub product_type: OrderType,
    /// The product.
    pub product: Product,
    /// Amount in minor units including the fee. Negative if money went back to the viewer.
    #[schema(example = 1299)]
    pub amount: i64,
    /// Service fee included in the amount, including taxes, in minor units.
    #[schema(example = 100)]
    pub fee: i64,
    /// Discount from a promo code, in minor units.
    #[schema(example = 0)]
    pub discount: i64,
    /// ISO 4217 currency code.
    #[schema(example = "USD")]
    pub currency: String,
    /// Brand of the card, such as `visa`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "visa")]
    pub card_brand: Option<String>,
    /// Last four digits of the card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "4242", extensions(("x-personal" = json!(true))))]
    pub card_last4: Option<String>,
    /// Reason for the failure, for display to the viewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Receipt number, if money moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-000012")]
    pub receipt: Option<String>,
    /// For a refund or dispute, the receipt number of the original payment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-000011")]
    pub of_receipt: Option<String>,
    /// For a payment, the amount refunded so far, in minor units.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schema(example = 0)]
    pub refunded: i64,
}
