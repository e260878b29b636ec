//! What a buyer sends, and what it costs.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::orders::OrderType;

/// Body of `POST /stripe/buy`. Takes an `Idempotency-Key`.
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
