//! Checkout: purchase requests and prices.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::orders::OrderType;

/// Request body of `POST /stripe/buy`. Requires an `Idempotency-Key`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Buy {
    /// Type of the product.
    #[serde(rename = "type")]
    #[schema(example = "package")]
    pub kind: OrderType,
    /// ID of the event, package or subscription.
    #[schema(example = 1)]
    pub id: i64,
    /// Required for a paid event: its `single_event_package_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single_event_package_id: Option<i64>,
    /// Required for a team pass: the ID of the chosen team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participant_id: Option<i64>,
    /// ID of a saved or newly entered card.
    #[schema(example = "pm_1", max_length = 128)]
    pub payment_method_id: String,
    /// Whether to save the card for future purchases once this one is paid. Defaults to `true`. The card of a
    /// subscription is always saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub save_card: Option<bool>,
    /// Promo code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "KICKOFF20", max_length = 64)]
    pub promo_code: Option<String>,
    /// Total displayed to the buyer in minor units, after the promo code and including the fee. If it differs from the
    /// current total, nothing is bought and the call returns 409 `price_changed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub expected_total: Option<i64>,
    /// Service fee included in the displayed total, in minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub expected_service_fee: Option<i64>,
    /// Renewal price displayed to the buyer of a subscription, in minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub expected_renewal_price: Option<i64>,
    /// Currency of the displayed amounts, ISO 4217.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 3)]
    pub currency: Option<String>,
}

/// The current price, returned with a `price_changed` error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CurrentPrice {
    /// Price before discount and fee, in minor units.
    #[schema(example = 8900)]
    pub base_price: i64,
    /// Discount from the promo code, in minor units.
    #[schema(example = 1780)]
    pub discount: i64,
    /// Service fee, in minor units.
    #[schema(example = 650)]
    pub service_fee: i64,
    /// Amount due now: `base_price` − `discount` + `service_fee`.
    #[schema(example = 7770)]
    pub total: i64,
    /// ISO 4217 currency code.
    #[schema(example = "USD")]
    pub currency: String,
    /// The promo code, in its stored spelling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promo_code: Option<String>,
    /// Total price of each renewal of a subscription, in minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renewal_price: Option<i64>,
    /// Length of the free trial, in days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial_days: Option<i64>,
}

/// Discount from a promo code, returned by `GET /apply_coupon`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Coupon {
    /// The code, in its stored spelling.
    #[schema(example = "KICKOFF20")]
    pub code: String,
    /// Price before the discount, in minor units.
    #[schema(example = 8900)]
    pub base_price: i64,
    /// Discount in minor units, rounded half up once. Never more than `base_price`.
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
}

/// Request body of `POST /stripe/unsubscribe`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Unsubscribe {
    /// ID of the subscription.
    #[schema(example = 1)]
    pub subscription_id: i64,
    /// Seconds since the viewer cancelled, if they were offline at that time. A cancellation that arrives within 48
    /// hours, and after a renewal, refunds that renewal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub pressed_ago_s: Option<i64>,
}

/// Request body of `POST /stripe/subscription/use_card`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UseCard {
    /// ID of the subscription.
    #[schema(example = 1)]
    pub subscription_id: i64,
    /// ID of the card to use for renewals.
    #[schema(example = "pm_1", max_length = 128)]
    pub payment_method_id: String,
}

/// Request body of `POST /stripe/subscription/start_trial`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StartTrial {
    /// ID of the subscription.
    #[schema(example = 1)]
    pub subscription_id: i64,
    /// ID of the card to charge when the trial ends.
    #[schema(example = "pm_1", max_length = 128)]
    pub payment_method_id: String,
    /// Amount due now as displayed to the buyer, in minor units. If any displayed value differs from the current one,
    /// no trial starts and the call returns 409 `price_changed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub expected_total: Option<i64>,
    /// Renewal price displayed to the buyer, in minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub expected_renewal_price: Option<i64>,
    /// Length of the free trial displayed to the buyer, in days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub expected_trial_days: Option<i64>,
    /// Currency of the displayed amounts, ISO 4217.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 3)]
    pub currency: Option<String>,
}
