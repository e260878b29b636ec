//! Orders, and the subscriptions that they bought.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use touchline_domain::entitlements::Owned;
use touchline_domain::orders::Outcome;
use touchline_domain::payments;
use touchline_domain::subscriptions::{BoughtSubscription, NewSubscription};
use touchline_protocol::purchases::{Order, OrderType};

use super::StoreResult;
use super::charges::NewCharge;
use super::idempotency::IdempotencyClaim;

/// An order that is to be placed: everything about it was checked but what only a transaction can check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOrder {
    /// The channel.
    pub channel_key: String,
    /// Who buys.
    pub user_id: i64,
    /// What is bought.
    pub kind: OrderType,
    /// Of the event, package or subscription.
    pub product_id: i64,
    /// Its name now.
    pub product_name: String,
    /// The event's category.
    pub event_category_id: Option<i64>,
    /// The team of a team pass.
    pub participant_id: Option<i64>,
    /// The categories that a package covers; what was promised stays promised when the catalogue changes.
    pub event_categories: Vec<i64>,
    /// Minor units.
    pub base_price: i64,
    /// Minor units.
    pub discount: i64,
    /// Minor units.
    pub service_fee: i64,
    /// ISO 4217.
    pub currency: String,
    /// The promo code that was used, as it is kept.
    pub promo_code: Option<String>,
    /// How many orders of the channel may carry the code; absent for any number.
    pub promo_limit: Option<i64>,
    /// The card.
    pub payment_method_id: String,
    /// How long it lasts, days; 0 for ever. Not for subscriptions.
    pub period_days: i64,
    /// When it is a subscription's.
    pub subscription: Option<NewSubscription>,
    /// When it was placed.
    pub at: i64,
    /// When it is to be charged, not earlier.
    pub charge_at: i64,
}

/// How placing an order ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placed {
    /// It is there, `created`.
    Order(Box<Order>),
    /// The person has it, or an order for it is under way.
    AlreadyBought,
    /// The person had a trial before.
    TrialUsed,
    /// As many orders carry the promo code as may.
    PromoUsedUp,
}

/// What became of a card's payments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardUse {
    /// The card.
    pub payment_method_id: String,
    /// Whether something was ever paid, or begun as a trial, with it.
    pub has_paid: bool,
    /// Whether its last payment was refused.
    pub was_declined: bool,
}

/// Which orders are asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct OrderFilter {
    /// At most so many; all of them when absent.
    pub limit: Option<u32>,
    /// So many are left out before the first.
    pub offset: u32,
}

/// What became of an order: a line of the books.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookedEvent {
    /// The order.
    pub order_id: i64,
    /// When, Unix milliseconds.
    pub at: i64,
    /// The name of an [`OrderEvent`](touchline_domain::orders::transitions::OrderEvent).
    pub what: String,
}

/// An order as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderRecord {
    /// What its owner sees.
    pub order: Order,
    /// The channel.
    pub channel_key: String,
    /// Whose it is.
    pub user_id: i64,
    /// The categories that it covers.
    pub event_categories: Vec<i64>,
    /// The card.
    pub payment_method_id: String,
    /// The promo code that was used.
    pub promo_code: Option<String>,
    /// When it was placed.
    pub created_at: i64,
    /// Until when it can be used; absent for ever.
    pub active_until: Option<i64>,
    /// The payment intent or subscription at the provider.
    pub provider_ref: Option<String>,
    /// The subscription's, of a subscription's order.
    pub subscription: Option<BoughtSubscription>,
}

impl OrderRecord {
    /// What its owner has by it.
    pub fn as_owned(&self) -> Owned<'_> {
        Owned { kind: self.order.kind, product: &self.order.product, event_categories: &self.event_categories }
    }

    /// Whether the operator gave it: there is no card.
    pub fn is_granted(&self) -> bool {
        self.payment_method_id.is_empty()
    }

    /// Whether what was bought can be used at this moment: paid, active, not over.
    pub fn is_owned(&self, at: i64) -> bool {
        payments::is_usable(self.order.status, self.order.activity_status, self.active_until, at)
    }
}

/// A payment that is to be made now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueOrder {
    /// The order.
    pub record: OrderRecord,
    /// 0 for its first payment, `n` for its `n`-th renewal. With the order's id it makes the idempotency key.
    pub renewal: i64,
    /// How often it was tried without an answer.
    pub attempts: i64,
}

/// How a payment ended, and the attempt to move money that ended so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// How it ended.
    pub outcome: Outcome,
    /// The attempt; absent where no money was to move, or nothing is known of it yet.
    pub charge: Option<NewCharge>,
}

impl From<Outcome> for Settlement {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, charge: None }
    }
}

/// Placing, reading and moving orders. Every move writes its status line in the same transaction, and happens only from
/// the status that it starts in: a move that was made already gives nothing.
#[async_trait]
pub trait Orders {
    /// Places an order, with its answer when it was claimed.
    async fn place_order(&self, new: NewOrder, claim: Option<IdempotencyClaim>) -> StoreResult<Placed>;
    /// An order of a person.
    async fn order(&self, user_id: i64, id: i64) -> StoreResult<Option<OrderRecord>>;
    /// An order, whosever it is. For the operator.
    async fn any_order(&self, id: i64) -> StoreResult<Option<OrderRecord>>;
    /// What became of an order, oldest first; nothing of one that does not exist. For the operator.
    async fn order_events(&self, id: i64) -> StoreResult<Vec<BookedEvent>>;
    /// The orders of a person, newest first, and how many there are in all.
    async fn orders(&self, user_id: i64, filter: OrderFilter) -> StoreResult<(Vec<OrderRecord>, u64)>;
    /// What became of the payments of a person's cards; cards that none was made with are missing.
    async fn card_uses(&self, user_id: i64) -> StoreResult<Vec<CardUse>>;
    /// What a person owns at a moment.
    async fn owned(&self, user_id: i64, at: i64) -> StoreResult<Vec<OrderRecord>>;
    /// Payments that are to be made by `at`, first and renewed ones, oldest first.
    async fn due_orders(&self, at: i64, limit: u32) -> StoreResult<Vec<DueOrder>>;
    /// When the next payment is to be made or the next thing runs out; nothing when nothing is under way.
    async fn next_due(&self) -> StoreResult<Option<i64>>;
    /// Writes how a payment ended, and its charge.
    async fn settle_order(&self, id: i64, renewal: i64, settlement: Settlement, at: i64) -> StoreResult<Option<Order>>;
    /// Ends the renewing of a running subscription, with its answer when it was claimed; ending it again gives the order
    /// as it is.
    async fn stop_renewing(
        &self,
        user_id: i64,
        subscription_id: i64,
        at: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<Option<Order>>;
    /// Has a stopped subscription renew again, with its answer when it was claimed; one that renews stays as it is. One
    /// without a card cannot.
    async fn resume_renewing(
        &self,
        user_id: i64,
        subscription_id: i64,
        at: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<Option<Order>>;
    /// Renews a subscription with another card from now on; a past due one is due at once.
    async fn use_card(
        &self,
        user_id: i64,
        subscription_id: i64,
        payment_method_id: &str,
        at: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<Option<Order>>;
    /// Moves what ran out: orders become inactive, subscriptions expired or canceled, unconfirmed payments failed.
    async fn expire_orders(&self, at: i64) -> StoreResult<u64>;
}
