//! The payment provider's webhooks. They are stored before they are acknowledged, and applied once.

use async_trait::async_trait;
use touchline_protocol::purchases::Order;

use super::charges::Reversal;
use super::orders::Settlement;
use super::{OrderRecord, StoreResult};

/// A webhook. Only references from its content are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// The provider's id of the event.
    pub id: String,
    /// Type of the event, such as `payment_intent.succeeded`.
    pub kind: String,
    /// The order in its metadata.
    pub order_id: Option<i64>,
    /// The provider's ids of payment intents and subscriptions in it.
    pub refs: Vec<String>,
    /// Time of receipt in Unix milliseconds.
    pub received_at: i64,
    /// Number of failed attempts to apply it.
    pub attempts: i64,
}

/// An effect of the order's current state at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// A payment ended.
    Settled {
        /// 0 for the first payment, `n` for the `n`-th renewal.
        renewal: i64,
        /// The outcome and the charge.
        settlement: Settlement,
    },
    /// Auto-renew was turned off.
    RenewingStopped,
    /// Auto-renew was turned on again.
    RenewingResumed,
    /// Money moved without a request from this worker.
    Reversed(Reversal),
    /// A requested refund was made.
    RefundMade {
        /// ID of the requested refund.
        charge_id: i64,
        /// The provider's id of the refund.
        provider_id: String,
    },
    /// A requested refund was refused.
    RefundRefused {
        /// ID of the requested refund.
        charge_id: i64,
        /// Reason for the refusal, for the viewer.
        failure: String,
    },
}

/// Storage of webhooks, and of users' and orders' ids at the provider.
#[async_trait]
pub trait Webhooks {
    /// Stores a webhook, due at once. Returns `false` if its id exists.
    async fn store_webhook(&self, webhook: Webhook) -> StoreResult<bool>;
    /// Returns webhooks to apply at `at`, oldest first.
    async fn due_webhooks(&self, at: i64, limit: u32) -> StoreResult<Vec<Webhook>>;
    /// Schedules another attempt at `due_at`.
    async fn delay_webhook(&self, id: &str, due_at: i64) -> StoreResult<()>;
    /// Returns the order with this id, or with one of the provider's ids of payment intents, subscriptions or charges.
    async fn find_order_by_refs(&self, order_id: Option<i64>, refs: &[String]) -> StoreResult<Option<OrderRecord>>;
    /// Applies effects and completes their webhook in one transaction. Effects that the order doesn't allow change
    /// nothing. A payment that the order doesn't accept is recorded for a refund. Returns the order, or `None` if
    /// nothing changed.
    async fn apply_effects(
        &self,
        order_id: Option<i64>,
        effects: Vec<Effect>,
        webhook: Option<&str>,
        at: i64,
    ) -> StoreResult<Option<Order>>;
    /// Deletes applied webhooks that arrived before `before`.
    async fn delete_applied_webhooks(&self, before: i64) -> StoreResult<u64>;
    /// Returns the user with this customer id.
    async fn user_by_customer_id(&self, customer_id: &str) -> StoreResult<Option<i64>>;
    /// Returns a user's customer id.
    async fn customer_id(&self, user_id: i64) -> StoreResult<Option<String>>;
    /// Stores a user's customer id unless one exists, and returns the stored one.
    async fn store_customer_id(&self, user_id: i64, customer_id: &str) -> StoreResult<String>;
    /// Stores an order's id at the provider unless one exists or the order is no longer `created`. Returns the stored
    /// one.
    async fn store_provider_ref(&self, order_id: i64, provider_ref: &str) -> StoreResult<Option<String>>;
}
