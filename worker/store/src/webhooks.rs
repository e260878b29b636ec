//! What the payment provider tells: stored before it is answered, applied once.

use async_trait::async_trait;
use touchline_protocol::purchases::Order;

use super::charges::Reversal;
use super::orders::Settlement;
use super::{OrderRecord, StoreResult};

/// What the provider told; nothing of it but references is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// The provider's id of the event.
    pub id: String,
    /// E.g. `payment_intent.succeeded`.
    pub kind: String,
    /// The order that it names.
    pub order_id: Option<i64>,
    /// The provider's ids in it: payment intents, subscriptions.
    pub refs: Vec<String>,
    /// When it came.
    pub received_at: i64,
    /// How often it could not be applied.
    pub attempts: i64,
}

/// What follows from what the provider says of an order now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// A payment ended.
    Settled {
        /// 0 for the first payment, `n` for the `n`-th renewal.
        renewal: i64,
        /// How.
        settlement: Settlement,
    },
    /// The subscription ends with its period.
    RenewingStopped,
    /// The subscription renews after all.
    RenewingResumed,
    /// Money moved without this worker's doing.
    Reversed(Reversal),
    /// A refund that was requested is made.
    RefundMade {
        /// The row of the request.
        charge_id: i64,
        /// The provider's id of the refund.
        provider_id: String,
    },
    /// A refund that was requested is refused.
    RefundRefused {
        /// The row of the request.
        charge_id: i64,
        /// Why, for the viewer.
        failure: String,
    },
}

/// Webhooks, and what a person or an order is at the provider.
#[async_trait]
pub trait Webhooks {
    /// Stores a webhook, due at once; whether it is the first of its id.
    async fn store_webhook(&self, webhook: Webhook) -> StoreResult<bool>;
    /// Webhooks that are to be applied by `at`, oldest first.
    async fn due_webhooks(&self, at: i64, limit: u32) -> StoreResult<Vec<Webhook>>;
    /// It could not be applied: tried again at `due_at`.
    async fn delay_webhook(&self, id: &str, due_at: i64) -> StoreResult<()>;
    /// The order of this id, or the one that one of the provider's ids is of: payment intents, subscriptions, charges.
    async fn order_of_refs(&self, order_id: Option<i64>, refs: &[String]) -> StoreResult<Option<OrderRecord>>;
    /// Applies what follows, with the webhook that led to it, in one transaction. Effects that the order does not allow
    /// change nothing; a payment that it does not take is written down, to be given back. Gives the order as it is then;
    /// nothing where nothing changed.
    async fn apply_effects(
        &self,
        order_id: Option<i64>,
        effects: Vec<Effect>,
        webhook: Option<&str>,
        at: i64,
    ) -> StoreResult<Option<Order>>;
    /// Forgets webhooks that were applied and came before `before`.
    async fn forget_webhooks(&self, before: i64) -> StoreResult<u64>;
    /// Whom the provider has as this customer.
    async fn user_of_customer(&self, customer_id: &str) -> StoreResult<Option<i64>>;
    /// Who a person is at the provider.
    async fn customer(&self, user_id: i64) -> StoreResult<Option<String>>;
    /// Notes who a person is at the provider, unless it is noted; gives what is noted.
    async fn note_customer(&self, user_id: i64, customer_id: &str) -> StoreResult<String>;
    /// Notes what an order is at the provider, unless it is noted or the order is not `created` any more; gives what is
    /// noted.
    async fn note_provider_ref(&self, order_id: i64, provider_ref: &str) -> StoreResult<Option<String>>;
}
