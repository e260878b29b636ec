//! Orders, and the subscriptions that they are of.

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
    /// The browser's next step before the payment goes on (3-D Secure), of a new order or of a renewal that is past due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_action: Option<NextAction>,
    /// Grows with each change.
    #[schema(example = 2)]
    pub version: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
pub(super) fn is_zero(minor: &i64) -> bool {
    *minor == 0
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
    /// not renew, and while a renewal waits for `next_action`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_charge_at: Option<String>,
    /// What it is charged then in all, minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 1299)]
    pub renewal_price: Option<i64>,
    /// Whether it renews each 12 months; otherwise each 30 days.
    #[serde(default)]
    pub annual: bool,
    /// Until when it can be used, RFC 3339 UTC, where it does not renew or is past due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-12-21T18:00:00.000Z")]
    pub access_until: Option<String>,
    /// Whether its last renewal is not paid: the viewer confirms it where the order has a `next_action`, or uses another card.
    #[serde(default)]
    pub past_due: bool,
    /// The card that is charged, of `list-cards`; absent for one that was given, and for one that has ended and is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_method_id: Option<String>,
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
