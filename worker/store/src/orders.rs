//! Orders and the subscriptions that they create.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use touchline_domain::entitlements::ActivePurchase;
use touchline_domain::orders::Outcome;
use touchline_domain::payments;
use touchline_domain::subscriptions::{BoughtSubscription, NewSubscription};
use touchline_protocol::purchases::{Order, OrderType};

use super::StoreResult;
use super::charges::NewCharge;
use super::idempotency::IdempotencyClaim;
use super::viewer_events::ChangeContext;

/// An order to place. All checks that don't need a transaction have passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOrder {
    /// Key of the channel.
    pub channel_key: String,
    /// ID of the buyer.
    pub user_id: i64,
    /// Type of the product.
    pub kind: OrderType,
    /// ID of the event, package or subscription.
    pub product_id: i64,
    /// Current name of the product.
    pub product_name: String,
    /// ID of the event's category.
    pub event_category_id: Option<i64>,
    /// ID of the team, for a team pass.
    pub participant_id: Option<i64>,
    /// IDs of the categories that a package covers. They stay covered when the catalogue changes.
    pub event_categories: Vec<i64>,
    /// Price in minor units.
    pub base_price: i64,
    /// Discount in minor units.
    pub discount: i64,
    /// Service fee in minor units.
    pub service_fee: i64,
    /// ISO 4217 currency code.
    pub currency: String,
    /// The promo code, in its stored spelling.
    pub promo_code: Option<String>,
    /// Most orders of the channel with the promo code. `None` if unlimited.
    pub promo_limit: Option<i64>,
    /// ID of the card.
    pub payment_method_id: String,
    /// The provider's fingerprint of the card of a trial.
    pub card_fingerprint: Option<String>,
    /// Duration in days. 0 if unlimited. Not for subscriptions.
    pub period_days: i64,
    /// The subscription, if the product is one.
    pub subscription: Option<NewSubscription>,
    /// Time of the order in Unix milliseconds.
    pub at: i64,
    /// Earliest time of the charge in Unix milliseconds.
    pub charge_at: i64,
}

/// The result of placing an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CreateOrderResult {
    /// The order, `created`.
    Order(Box<Order>),
    /// The user already has the product, or an order for it is in progress.
    AlreadyBought,
    /// The user already had a trial.
    TrialUsed,
    /// The promo code reached its limit.
    PromoUsedUp,
}

/// Payment history of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardHistory {
    /// ID of the card.
    pub payment_method_id: String,
    /// Whether a payment or trial ever succeeded with it.
    pub has_paid: bool,
    /// Whether its last payment was declined.
    pub was_declined: bool,
}

/// Pagination of orders.
#[derive(Debug, Clone, Copy, Default)]
pub struct OrderFilter {
    /// Maximum number of orders. All if `None`.
    pub limit: Option<u32>,
    /// Number of orders to skip.
    pub offset: u32,
}

/// An event of an order in the books.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedOrderEvent {
    /// ID of the order.
    pub order_id: i64,
    /// Time in Unix milliseconds.
    pub at: i64,
    /// Name of an [`OrderEvent`](touchline_domain::orders::transitions::OrderEvent).
    pub what: String,
}

/// A stored order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderRecord {
    /// The order as its owner sees it.
    pub order: Order,
    /// Key of the channel.
    pub channel_key: String,
    /// ID of the owner.
    pub user_id: i64,
    /// IDs of the categories that it covers.
    pub event_categories: Vec<i64>,
    /// ID of the card.
    pub payment_method_id: String,
    /// The promo code.
    pub promo_code: Option<String>,
    /// Time of the order in Unix milliseconds.
    pub created_at: i64,
    /// End of access in Unix milliseconds. `None` if unlimited.
    pub active_until: Option<i64>,
    /// The provider's id of the payment intent or subscription.
    pub provider_ref: Option<String>,
    /// The subscription, if the product is one.
    pub subscription: Option<BoughtSubscription>,
}

impl OrderRecord {
    /// The access that the order gives its owner.
    pub fn as_owned(&self) -> ActivePurchase<'_> {
        ActivePurchase { kind: self.order.kind, product: &self.order.product, event_categories: &self.event_categories }
    }

    /// Whether the operator granted the order. It has no card.
    pub fn is_granted(&self) -> bool {
        self.payment_method_id.is_empty()
    }

    /// Whether the product can be used at this time: the order is paid, active and not over.
    pub fn is_owned(&self, at: i64) -> bool {
        payments::is_usable(self.order.status, self.order.activity_status, self.active_until, at)
    }
}

/// A payment due now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueOrder {
    /// The order.
    pub record: OrderRecord,
    /// 0 for the first payment, `n` for the `n`-th renewal. Together with the order's id it is the idempotency key.
    pub renewal: i64,
    /// Number of attempts without a response.
    pub attempts: i64,
}

/// The outcome of a payment, with its charge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// The outcome.
    pub outcome: Outcome,
    /// The charge. `None` if no money had to move, or nothing is known yet.
    pub charge: Option<NewCharge>,
}

impl From<Outcome> for Settlement {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, charge: None }
    }
}

/// Storage of orders. Each transition writes its status line in the same transaction, and happens only from its
/// starting status. Repeating a transition returns `None`.
#[async_trait]
pub trait Orders {
    /// Places an order. The response is stored with it if claimed.
    async fn create_order(&self, new: NewOrder, claim: Option<IdempotencyClaim>) -> StoreResult<CreateOrderResult>;
    /// Returns an order of a user.
    async fn order(&self, user_id: i64, id: i64) -> StoreResult<Option<OrderRecord>>;
    /// Returns an order of any user, for the operator.
    async fn any_order(&self, id: i64) -> StoreResult<Option<OrderRecord>>;
    /// Returns an order's events for the operator, oldest first. Empty if the order doesn't exist.
    async fn order_events(&self, id: i64) -> StoreResult<Vec<RecordedOrderEvent>>;
    /// Returns a user's orders, newest first, and their total number.
    async fn orders(&self, user_id: i64, filter: OrderFilter) -> StoreResult<(Vec<OrderRecord>, u64)>;
    /// Returns the payment history of a user's cards. Cards without payments are left out.
    async fn card_histories(&self, user_id: i64) -> StoreResult<Vec<CardHistory>>;
    /// Returns the orders that give a user access at a given time.
    async fn owned(&self, user_id: i64, at: i64) -> StoreResult<Vec<OrderRecord>>;
    /// Returns first payments and renewals due at `at`, oldest first.
    async fn due_orders(&self, at: i64, limit: u32) -> StoreResult<Vec<DueOrder>>;
    /// Returns the time of the next payment or expiry.
    async fn next_due(&self) -> StoreResult<Option<i64>>;
    /// Records the outcome of a payment and its charge.
    async fn settle_order(&self, id: i64, renewal: i64, settlement: Settlement, at: i64) -> StoreResult<Option<Order>>;
    /// Turns off auto-renew for an active subscription and records it. The response is stored with it if claimed. If it is already
    /// off, the order is returned unchanged.
    async fn stop_renewing(
        &self,
        user_id: i64,
        subscription_id: i64,
        at: i64,
        claim: Option<IdempotencyClaim>,
        context: Option<ChangeContext>,
    ) -> StoreResult<Option<Order>>;
    /// Turns auto-renew on again. The response is stored with it if claimed. If it is already on, the order is returned
    /// unchanged. A subscription without a card can't renew.
    async fn resume_renewing(
        &self,
        user_id: i64,
        subscription_id: i64,
        at: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<Option<Order>>;
    /// Changes the card used for renewals. A past-due subscription becomes due at once.
    async fn use_card(
        &self,
        user_id: i64,
        subscription_id: i64,
        payment_method_id: &str,
        at: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<Option<Order>>;
    /// Applies expiries: orders become inactive, subscriptions expired or canceled, unconfirmed payments failed.
    async fn expire_orders(&self, at: i64) -> StoreResult<u64>;
}
