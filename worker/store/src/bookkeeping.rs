//! What is read of the books: sales, what does not agree, and what viewers are written about.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use touchline_protocol::purchases::OrderType;

use super::{ChargeRecord, Mail, OrderRecord, StoreResult};

/// Sales of a product on a day of UTC. Amounts are minor units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sales {
    /// When the day begins, Unix milliseconds.
    pub day: i64,
    /// The channel.
    pub channel_key: String,
    /// What was sold.
    #[serde(rename = "type")]
    pub kind: OrderType,
    /// Of the event, package or subscription.
    pub product_id: i64,
    /// Its name when it was sold last.
    pub product_name: String,
    /// ISO 4217.
    pub currency: String,
    /// Payments that were made.
    pub payments: i64,
    /// The prices with the service fee, before discounts.
    pub gross: i64,
    /// What promo codes took off.
    pub discount: i64,
    /// The service fee within `net`.
    pub fee: i64,
    /// What went back: refunds and disputes, less disputes that were won.
    pub refunds: i64,
    /// What stayed: `gross` less `discount` and `refunds`.
    pub net: i64,
}

/// The rules that orders, charges and access hold to.
pub const BOOK_RULES: [&str; 8] = [
    "paid_without_charge",
    "charge_without_order",
    "amount",
    "refunded_minor",
    "refunded_without_refund",
    "not_taken",
    "access_after_end",
    "paid_without_access",
];

/// A row of the books that another record contradicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disagreement {
    /// Which rule is broken, `snake_case`.
    pub rule: String,
    /// The order, where it is known.
    pub order_id: Option<i64>,
    /// What stands where.
    pub detail: String,
}

/// Something became of an order that its viewer is to be written a letter about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderNotice {
    /// The order as it is now.
    pub order: OrderRecord,
    /// Of the event.
    pub version: i64,
    /// The event's word in the books.
    pub what: String,
    /// When it happened, Unix milliseconds.
    pub at: i64,
    /// The charge that was written with it.
    pub charge: Option<ChargeRecord>,
}

/// What is read of the books.
#[async_trait]
pub trait Bookkeeping {
    /// Sales by day and product, oldest day first, of charges from the first moment until before the second.
    async fn sales(&self, channel_key: Option<&str>, between: (i64, i64)) -> StoreResult<Vec<Sales>>;
    /// Where orders, charges and access contradict each other at `at`, each row by itself; at most `limit`. What moves in
    /// this moment is passed over: changes of the last minute.
    async fn disagreements(&self, at: i64, limit: u32) -> StoreResult<Vec<Disagreement>>;
    /// Money that moved from a moment on, oldest first; at most `limit`.
    async fn charges_since(&self, at: i64, limit: u32) -> StoreResult<Vec<ChargeRecord>>;
    /// The orders of subscriptions that run, and that the provider knows.
    async fn subscriptions_at_provider(&self) -> StoreResult<Vec<OrderRecord>>;
    /// The orders of subscriptions of a person that the provider knows, those that have ended or failed too; oldest first.
    async fn subscriptions_of(&self, user_id: i64) -> StoreResult<Vec<OrderRecord>>;
    /// When something became of an order last, Unix milliseconds.
    async fn last_moved(&self, order_id: i64) -> StoreResult<Option<i64>>;
    /// What viewers are to be written about, oldest first.
    async fn order_notices(&self, limit: u32) -> StoreResult<Vec<OrderNotice>>;
    /// A notice became a letter, which is queued in the same transaction; or none, for who is gone.
    async fn notice_written(&self, order_id: i64, version: i64, mail: Option<Mail>, at: i64) -> StoreResult<()>;
    /// Subscriptions whose viewer was not reminded of the period's end: annual ones that renew within so many
    /// milliseconds from `at`, and trials that end within so many.
    async fn renewals_to_remind(&self, at: i64, ahead: (i64, i64), limit: u32) -> StoreResult<Vec<OrderRecord>>;
    /// A viewer is reminded of the end of a period; the letter is queued in the same transaction.
    async fn reminded(&self, order_id: i64, period_end: i64, mail: Option<Mail>, at: i64) -> StoreResult<()>;
}
