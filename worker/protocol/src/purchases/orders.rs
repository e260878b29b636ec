//! Orders and the subscriptions that they create.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The type of a product.
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

/// The status of an order. It starts as created, then becomes paid or failed, and a paid order can be refunded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "paid")]
pub enum OrderStatus {
    /// The order was placed and the payment is in progress.
    Created,
    /// The payment failed.
    Failed,
    /// The order is paid.
    Paid,
    /// The order was paid and refunded.
    Refunded,
}

/// Whether the product of an order can be used now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "active")]
pub enum ActivityStatus {
    /// The product can be used.
    Active,
    /// The product can't be used: the order is unpaid, expired or refunded.
    Inactive,
}

/// The product of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Product {
    /// ID of the event, package or subscription.
    #[schema(example = 1)]
    pub id: i64,
    /// Name at the time of purchase.
    #[schema(example = "Kestrels winter pass")]
    pub name: String,
    /// ID of the event's category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_category_id: Option<i64>,
    /// ID of the team, for a team pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participant_id: Option<i64>,
}

/// An order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Order {
    /// Unique identifier.
    #[schema(example = 1)]
    pub id: i64,
    /// Type of the product.
    #[serde(rename = "type")]
    pub kind: OrderType,
    /// The order's status.
    pub status: OrderStatus,
    /// Whether the product can be used now.
    pub activity_status: ActivityStatus,
    /// The product.
    pub product: Product,
    /// Price before discount and fee, in minor units.
    #[schema(example = 8900)]
    pub base_price: i64,
    /// Discount in minor units. Never more than `base_price`.
    #[schema(example = 1780)]
    pub discount: i64,
    /// Service fee, in minor units.
    #[schema(example = 650)]
    pub service_fee: i64,
    /// `base_price` − `discount` + `service_fee`.
    #[schema(example = 7770)]
    pub total: i64,
    /// ISO 4217 currency code.
    #[schema(example = "USD")]
    pub currency: String,
    /// Amount refunded, in minor units. Absent if nothing was refunded.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schema(example = 0, required = false)]
    pub refunded_minor: i64,
    /// Time at which the order was placed, RFC 3339 UTC with milliseconds.
    #[schema(example = "2026-11-21T18:00:00.000Z")]
    pub created_at: String,
    /// Reason for the failure, for display to the viewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// State of the subscription, if the product is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscription: Option<SubscriptionState>,
    /// Next step required to complete the payment of a new order or a past-due renewal, such as 3-D Secure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_action: Option<NextAction>,
    /// Version of the order. It increases with every change.
    #[schema(example = 2)]
    pub version: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde requires a reference")]
pub(super) fn is_zero(minor: &i64) -> bool {
    *minor == 0
}

/// The step that the browser must take to complete a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NextAction {
    /// `confirm`: display the bank's challenge and confirm the payment with `client_secret`.
    #[serde(rename = "type")]
    #[schema(example = "confirm")]
    pub kind: String,
    /// Client secret of the payment intent. Keep it out of state and logs.
    #[schema(example = "sandbox_7f3a", extensions(("x-personal" = json!(true))))]
    pub client_secret: String,
}

/// The state of a subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionState {
    /// The status: `active`, `inactive`, `expired` or `canceled`.
    pub status: SubscriptionStatus,
    /// Whether the subscription renews automatically: `active` or `cancelled`.
    pub auto_renew: AutoRenew,
    /// End of the current period, RFC 3339 UTC.
    #[schema(example = "2026-12-21T18:00:00.000Z")]
    pub current_period_end: String,
    /// End of the free trial, RFC 3339 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial_end: Option<String>,
    /// Time of the next charge, RFC 3339 UTC. For a past-due subscription, the next attempt. Absent if the subscription
    /// doesn't renew, or while a renewal waits for `next_action`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_charge_at: Option<String>,
    /// Amount of the next charge including the fee, in minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 1299)]
    pub renewal_price: Option<i64>,
    /// Whether the subscription renews every 12 months. Otherwise it renews every 30 days.
    #[serde(default)]
    pub annual: bool,
    /// End of access, RFC 3339 UTC, if the subscription doesn't renew or is past due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-12-21T18:00:00.000Z")]
    pub access_until: Option<String>,
    /// Whether the last renewal is unpaid. The viewer confirms the payment if the order has a `next_action`, or uses
    /// another card.
    #[serde(default)]
    pub past_due: bool,
    /// ID of the card used for renewals, from `list-cards`. Absent for complimentary access, and for an ended
    /// subscription whose card isn't saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_method_id: Option<String>,
}

/// The status of a subscription. `active` covers trials, paid periods and past-due periods with access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "active")]
pub enum SubscriptionStatus {
    /// The subscription ended.
    Expired,
    /// The subscription was never paid, or a renewal failed and access is suspended until it is paid.
    Inactive,
    /// The subscription is active.
    Active,
    /// The subscription is canceled and ends with the current period.
    Canceled,
}

/// Whether a subscription renews automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "active")]
pub enum AutoRenew {
    /// Auto-renew is on.
    Active,
    /// Auto-renew is off.
    Cancelled,
}
