//! Orders, cards, coupons, subscriptions bought. Money is integer minor units with a currency.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What is bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "package")]
pub enum OrderType {
    /// One event.
    Event,
    /// A package or pass.
    Package,
    /// A subscription.
    Subscription,
}

/// Where an order stands: created, then paid, failed or refunded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "paid")]
pub enum OrderStatus {
    /// Placed; the payment is under way.
    Created,
    /// The payment failed.
    Failed,
    /// Paid.
    Paid,
    /// Paid and given back.
    Refunded,
}

/// Whether what was bought can be used now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "active")]
pub enum ActivityStatus {
    /// It can.
    Active,
    /// It cannot: unpaid, ended, refunded.
    Inactive,
}

/// What an order is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Product {
    /// Of the event, package or subscription.
    #[schema(example = 1)]
    pub id: i64,
    /// Its name when it was bought.
    #[schema(example = "Kestrels winter pass")]
    pub name: String,
    /// The event's category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_category_id: Option<i64>,
    /// The team of a team pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participant_id: Option<i64>,
}

/// An order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Order {
    /// Its id.
    #[schema(example = 1)]
    pub id: i64,
    /// What is bought.
    #[serde(rename = "type")]
    pub kind: OrderType,
    /// Where it stands.
    pub status: OrderStatus,
    /// Whether what was bought can be used now.
    pub activity_status: ActivityStatus,
    /// What it is of.
    pub product: Product,
    /// Minor units, before discount and fee.
    #[schema(example = 8900)]
    pub base_price: i64,
    /// Minor units, never more than `base_price`.
    #[schema(example = 1780)]
    pub discount: i64,
    /// Minor units.
    #[schema(example = 650)]
    pub service_fee: i64,
    /// `base_price` − `discount` + `service_fee`.
    #[schema(example = 7770)]
    pub total: i64,
    /// ISO 4217.
    #[schema(example = "USD")]
    pub currency: String,
    /// What was given back, minor units; absent when nothing was.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schema(example = 0, required = false)]
    pub refunded_minor: i64,
    /// When it was placed, RFC 3339 UTC with milliseconds.
    #[schema(example = "2026-11-21T18:00:00.000Z")]
    pub created_at: String,
    /// Why it failed, for the viewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The subscription's state, of a subscription's order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscription: Option<SubscriptionState>,
    /// What the browser must do before the payment goes on (3-D Secure).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_action: Option<NextAction>,
    /// Grows with each change.
    #[schema(example = 2)]
    pub version: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(minor: &i64) -> bool {
    *minor == 0
}

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

/// What the browser must do before a payment goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NextAction {
    /// `confirm`: show the bank's question and confirm with `client_secret`.
    #[serde(rename = "type")]
    #[schema(example = "confirm")]
    pub kind: String,
    /// Of the payment intent; a secret, kept out of state.
    #[schema(example = "sandbox_7f3a", extensions(("x-personal" = json!(true))))]
    pub client_secret: String,
}

/// Where a bought subscription stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionState {
    /// `active`, `inactive`, `expired` or `canceled`.
    pub status: SubscriptionStatus,
    /// `active` or `cancelled`.
    pub auto_renew: AutoRenew,
    /// Until when it runs, RFC 3339 UTC.
    #[schema(example = "2026-12-21T18:00:00.000Z")]
    pub current_period_end: String,
    /// Until when it is free, RFC 3339 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial_end: Option<String>,
    /// When it is charged next, RFC 3339 UTC; of one that is past due, when the card is tried again. Absent when it does
    /// not renew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_charge_at: Option<String>,
    /// What it is charged then in all, minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 1299)]
    pub renewal_price: Option<i64>,
    /// Whether it renews each 12 months; otherwise each 30 days.
    #[serde(default)]
    pub annual: bool,
    /// Whether its last renewal was refused: the viewer is asked for another card.
    #[serde(default)]
    pub past_due: bool,
    /// The card that is charged, of `list-cards`; absent for one that was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_method_id: Option<String>,
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
    /// A trial, which costs nothing.
    Trial,
    /// Something that was given.
    Grant,
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

/// States of a subscription. In trial, paid and past due it is `active`; past due and closed it is `inactive`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "active")]
pub enum SubscriptionStatus {
    /// It ended.
    Expired,
    /// It was never paid, or its renewal was refused and it cannot be used until that is paid.
    Inactive,
    /// It runs.
    Active,
    /// It runs until the end of its period.
    Canceled,
}

/// Whether a subscription renews itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "active")]
pub enum AutoRenew {
    /// It does.
    Active,
    /// It does not.
    Cancelled,
}

/// Body of `POST /stripe/buy`. Needs an `Idempotency-Key`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Buy {
    /// What is bought.
    #[serde(rename = "type")]
    #[schema(example = "package")]
    pub kind: OrderType,
    /// Of the event, package or subscription.
    #[schema(example = 1)]
    pub id: i64,
    /// For a paid event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single_event_package_id: Option<i64>,
    /// For a team pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participant_id: Option<i64>,
    /// A saved card, or one that was just entered.
    #[schema(example = "pm_1", max_length = 128)]
    pub payment_method_id: String,
    /// Whether the card is kept for the next purchase once this one is paid; `true` where it is absent. A subscription keeps
    /// its card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub save_card: Option<bool>,
    /// A promo code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "KICKOFF20", max_length = 64)]
    pub promo_code: Option<String>,
    /// The total that the buyer was shown, minor units, after promo code and fee. Where it is not the total now, nothing
    /// is bought: 409 `price_changed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub expected_total: Option<i64>,
    /// The fee within that total, minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub expected_service_fee: Option<i64>,
    /// What each renewal of a subscription was said to cost in all, minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub expected_renewal_price: Option<i64>,
    /// The currency of these amounts, ISO 4217.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 3)]
    pub currency: Option<String>,
}

/// What something costs now: in a failure `price_changed`, in the place of what the buyer was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CurrentPrice {
    /// Minor units.
    #[schema(example = 8900)]
    pub base_price: i64,
    /// What the promo code takes off, minor units.
    #[schema(example = 1780)]
    pub discount: i64,
    /// Minor units.
    #[schema(example = 650)]
    pub service_fee: i64,
    /// What is paid at once: `base_price` − `discount` + `service_fee`.
    #[schema(example = 7770)]
    pub total: i64,
    /// ISO 4217.
    #[schema(example = "USD")]
    pub currency: String,
    /// The promo code, as it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promo_code: Option<String>,
    /// What each renewal of a subscription costs in all, minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renewal_price: Option<i64>,
    /// Free days of a trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial_days: Option<i64>,
}

/// What a promo code takes off, for `GET /apply_coupon`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Coupon {
    /// The code, as it is kept.
    #[schema(example = "KICKOFF20")]
    pub code: String,
    /// Minor units.
    #[schema(example = 8900)]
    pub base_price: i64,
    /// Minor units, rounded half up once, never more than `base_price`.
    #[schema(example = 1780)]
    pub discount: i64,
    /// Minor units.
    #[schema(example = 650)]
    pub service_fee: i64,
    /// `base_price` − `discount` + `service_fee`.
    #[schema(example = 7770)]
    pub total: i64,
    /// ISO 4217.
    #[schema(example = "USD")]
    pub currency: String,
}

/// A saved card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Card {
    /// For `payment_method_id`.
    #[schema(example = "pm_1")]
    pub id: String,
    /// E.g. `visa`.
    #[schema(example = "visa")]
    pub brand: String,
    /// The last four digits.
    #[schema(example = "4242", extensions(("x-personal" = json!(true))))]
    pub last4: String,
    /// 1 to 12.
    #[schema(example = 12)]
    pub exp_month: u32,
    /// Four digits.
    #[schema(example = 2040)]
    pub exp_year: u32,
    /// Whether the last payment with it was refused: no site offers it first.
    #[serde(default)]
    #[schema(example = false)]
    pub declined: bool,
    /// Whether it is offered first.
    #[serde(default)]
    #[schema(example = true)]
    pub is_default: bool,
}

/// Body of `POST /stripe/save-card`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SaveCard {
    /// A card that was entered, or one of `list-cards`.
    #[schema(example = "pm_1", max_length = 128)]
    pub payment_method_id: String,
    /// Whether it is offered first from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_default: Option<bool>,
}

/// The answer of `POST /stripe/setup-intent`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SetupIntent {
    /// What a card is entered against.
    #[schema(example = "seti_1_secret_1", extensions(("x-personal" = json!(true))))]
    pub client_secret: String,
}

/// Body of `POST /stripe/sandbox-card`; exists only with sandbox payments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SandboxCard {
    /// Of the setup intent.
    #[schema(example = "seti_1_secret_1", max_length = 128, extensions(("x-personal" = json!(true))))]
    pub client_secret: String,
    /// One of Stripe's test numbers.
    #[schema(example = "4242 4242 4242 4242", max_length = 32, extensions(("x-personal" = json!(true))))]
    pub number: String,
    /// `MM/YY`.
    #[schema(example = "12/40", max_length = 7, extensions(("x-personal" = json!(true))))]
    pub exp: String,
    /// Three or four digits.
    #[schema(example = "123", max_length = 4, extensions(("x-personal" = json!(true))))]
    pub cvc: String,
}

/// The answer of `POST /stripe/sandbox-card`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentMethod {
    /// For [`Buy::payment_method_id`].
    #[schema(example = "pm_1")]
    pub payment_method_id: String,
}

/// Body of `POST /stripe/sandbox-confirm {order_id, client_secret, accept}`; exists only with sandbox payments: the answer to the
/// bank's question that Stripe's JS would show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SandboxConfirm {
    /// Of [`NextAction`].
    #[schema(example = "sandbox_7f3a", max_length = 128, extensions(("x-personal" = json!(true))))]
    pub client_secret: String,
    /// Whether the viewer said yes.
    #[schema(example = true)]
    pub accept: bool,
}

/// Body of `POST /stripe/unsubscribe`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Unsubscribe {
    /// The subscription's id.
    #[schema(example = 1)]
    pub subscription_id: i64,
    /// How long ago the viewer pressed, seconds, when they were offline then. A cancellation that arrives at most 48
    /// hours after its press, and after a renewal, refunds that renewal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub pressed_ago_s: Option<i64>,
}

/// Body of `POST /stripe/subscription/use_card`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UseCard {
    /// The subscription's id.
    #[schema(example = 1)]
    pub subscription_id: i64,
    /// The card that renews it from now on.
    #[schema(example = "pm_1", max_length = 128)]
    pub payment_method_id: String,
}

/// Body of `POST /stripe/subscription/start_trial`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StartTrial {
    /// The subscription's id.
    #[schema(example = 1)]
    pub subscription_id: i64,
    /// The card that pays when the trial ends.
    #[schema(example = "pm_1", max_length = 128)]
    pub payment_method_id: String,
    /// What the buyer was told to pay at once, minor units. Where anything that they were told is not so now, nothing
    /// is started: 409 `price_changed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub expected_total: Option<i64>,
    /// What each renewal was said to cost in all, minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub expected_renewal_price: Option<i64>,
    /// The free days that were promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub expected_trial_days: Option<i64>,
    /// The currency of these amounts, ISO 4217.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 3)]
    pub currency: Option<String>,
}

/// The answer of `GET /stripe/customer-portal`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CustomerPortal {
    /// Where cards and invoices are managed.
    #[schema(example = "http://127.0.0.1:8080/profile")]
    pub url: String,
}
