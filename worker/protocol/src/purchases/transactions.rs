//! Money that moved, and the lines in which a viewer reads it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::orders::{OrderType, Product, is_zero};

/// Which way the money of a charge went, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "purchase")]
pub enum ChargeKind {
    /// Paid by the viewer: an order's first payment.
    Purchase,
    /// Paid by the viewer: a subscription's renewal.
    Renewal,
    /// Given back to the viewer.
    Refund,
    /// Taken back by the viewer's bank.
    Dispute,
    /// Returned by the viewer's bank: the dispute was won.
    DisputeWon,
    /// Returned by the card's bank: a refund did not reach the card.
    RefundFailed,
}

/// How a charge ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "succeeded")]
pub enum ChargeStatus {
    /// A refund that is asked for and not made yet.
    Pending,
    /// The money moved.
    Succeeded,
    /// It did not move.
    Failed,
}

/// What a line of [`Transaction`]s is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "renewal")]
pub enum TransactionKind {
    /// An order's first payment; of a subscription, its beginning.
    Purchase,
    /// A subscription's renewal (`SUB-2`).
    Renewal,
    /// Money that was given back.
    Refund,
    /// Money that the viewer's bank took back.
    Dispute,
    /// Money that the bank returned.
    DisputeWon,
    /// A refund that did not reach the card.
    RefundFailed,
    /// A trial, which costs nothing.
    Trial,
    /// Something that was given.
    Grant,
    /// Something that was given and taken back.
    GrantEnded,
}

/// A line of what a viewer paid and got back, renewals that failed included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Transaction {
    /// Its id: `c` and the charge's, or `o` and the order's where no money was asked for.
    #[schema(example = "c12")]
    pub id: String,
    /// What it is about.
    pub kind: TransactionKind,
    /// How it ended.
    pub status: ChargeStatus,
    /// When, RFC 3339 UTC with milliseconds.
    #[schema(example = "2026-11-21T18:00:00.000Z")]
    pub at: String,
    /// The order.
    #[schema(example = 1)]
    pub order_id: i64,
    /// What was bought.
    #[serde(rename = "type")]
    pub product_type: OrderType,
    /// What it is of.
    pub product: Product,
    /// Minor units, the fee within; below 0 where money went back to the viewer.
    #[schema(example = 1299)]
    pub amount: i64,
    /// The service fee within it, which holds the taxes, minor units.
    #[schema(example = 100)]
    pub fee: i64,
    /// What a promo code took off, minor units.
    #[schema(example = 0)]
    pub discount: i64,
    /// ISO 4217.
    #[schema(example = "USD")]
    pub currency: String,
    /// E.g. `visa`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "visa")]
    pub card_brand: Option<String>,
    /// The last four digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "4242", extensions(("x-personal" = json!(true))))]
    pub card_last4: Option<String>,
    /// Why it failed, for the viewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The number of its receipt, where money moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-000012")]
    pub receipt: Option<String>,
    /// Of money that went back: the number of the payment's receipt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-000011")]
    pub of_receipt: Option<String>,
    /// Of a payment: what was given back of it, minor units.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schema(example = 0)]
    pub refunded: i64,
}
