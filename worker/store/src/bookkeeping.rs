//! Bookkeeping: sales reports, consistency checks and notices to viewers.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use touchline_protocol::purchases::OrderType;

use super::{ChargeRecord, Mail, OrderRecord, StoreResult};

/// Sales of one product on one day, UTC. Amounts are in minor units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sales {
    /// Start of the day in Unix milliseconds.
    pub day: i64,
    /// Key of the channel.
    pub channel_key: String,
    /// Type of the product.
    #[serde(rename = "type")]
    pub kind: OrderType,
    /// ID of the event, package or subscription.
    pub product_id: i64,
    /// Name of the product at its latest sale.
    pub product_name: String,
    /// ISO 4217 currency code.
    pub currency: String,
    /// Number of payments.
    pub payments: i64,
    /// Prices including the service fee, before discounts.
    pub gross: i64,
    /// Discounts from promo codes.
    pub discount: i64,
    /// Service fee included in `net`.
    pub fee: i64,
    /// Refunds and disputes, minus disputes that were won.
    pub refunds: i64,
    /// `gross` minus `discount` and `refunds`.
    pub net: i64,
}

/// Consistency rules for orders, charges, receipts and access.
pub const BOOK_RULES: [&str; 10] = [
    "paid_without_charge",
    "charge_without_order",
    "amount",
    "refunded_minor",
    "refunded_without_refund",
    "not_taken",
    "access_after_end",
    "paid_without_access",
    "paid_without_content",
    "receipts",
];

/// A record that contradicts another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disagreement {
    /// The violated rule, in `snake_case`.
    pub rule: String,
    /// The order, if known.
    pub order_id: Option<i64>,
    /// Key of the channel, if the rule is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_key: Option<String>,
    /// Description of the contradiction.
    pub detail: String,
}

/// An event of an order that its viewer should receive an email about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderNotice {
    /// The order's current state.
    pub order: OrderRecord,
    /// Version of the order at the event.
    pub version: i64,
    /// Name of the event in the books.
    pub what: String,
    /// Time of the event in Unix milliseconds.
    pub at: i64,
    /// The charge recorded with the event.
    pub charge: Option<ChargeRecord>,
}

/// Queries of the books.
#[async_trait]
pub trait Bookkeeping {
    /// Returns sales by day and product, oldest day first, for charges in the half-open range `between`.
    async fn sales(&self, channel_key: Option<&str>, between: (i64, i64)) -> StoreResult<Vec<Sales>>;
    /// Returns at most `limit` contradictions between orders, charges, receipts and access at `at`. Changes of the last
    /// minute are ignored, as they may still be in progress.
    async fn disagreements(&self, at: i64, limit: u32) -> StoreResult<Vec<Disagreement>>;
    /// Returns at most `limit` charges since `at`, oldest first.
    async fn charges_since(&self, at: i64, limit: u32) -> StoreResult<Vec<ChargeRecord>>;
    /// Returns those of the ids that belong to no order.
    async fn unknown_orders(&self, ids: &[i64]) -> StoreResult<Vec<i64>>;
    /// Returns the orders of active subscriptions that exist at the provider.
    async fn subscriptions_at_provider(&self) -> StoreResult<Vec<OrderRecord>>;
    /// Returns the orders of a user's subscriptions at the provider, including ended and failed ones, oldest first.
    async fn subscriptions_of(&self, user_id: i64) -> StoreResult<Vec<OrderRecord>>;
    /// Returns the time of an order's latest event, in Unix milliseconds.
    async fn last_event_at(&self, order_id: i64) -> StoreResult<Option<i64>>;
    /// Returns pending notices, oldest first.
    async fn order_notices(&self, limit: u32) -> StoreResult<Vec<OrderNotice>>;
    /// Marks a notice as handled. The mail, if any, is queued in the same transaction. There is none for an erased
    /// user.
    async fn complete_notice(&self, order_id: i64, version: i64, mail: Option<Mail>, at: i64) -> StoreResult<()>;
    /// Returns subscriptions due for a reminder: annual ones that renew, and trials that end, within the two durations
    /// of `ahead` in milliseconds from `at`.
    async fn due_reminders(&self, at: i64, ahead: (i64, i64), limit: u32) -> StoreResult<Vec<OrderRecord>>;
    /// Marks the reminder for a period as sent. The mail is queued in the same transaction.
    async fn complete_reminder(&self, order_id: i64, period_end: i64, mail: Option<Mail>, at: i64) -> StoreResult<()>;
}
