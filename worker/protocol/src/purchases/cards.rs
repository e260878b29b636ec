//! Cards and card entry.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A saved card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Card {
    /// Unique identifier, used as `payment_method_id`.
    #[schema(example = "pm_1")]
    pub id: String,
    /// Brand, such as `visa`.
    #[schema(example = "visa")]
    pub brand: String,
    /// Last four digits of the number.
    #[schema(example = "4242", extensions(("x-personal" = json!(true))))]
    pub last4: String,
    /// Expiry month, 1 to 12.
    #[schema(example = 12)]
    pub exp_month: u32,
    /// Expiry year, four digits.
    #[schema(example = 2040)]
    pub exp_year: u32,
    /// Whether the last payment with the card was declined. The site doesn't offer a declined card first.
    #[serde(default)]
    #[schema(example = false)]
    pub declined: bool,
    /// Whether the card is the default.
    #[serde(default)]
    #[schema(example = true)]
    pub is_default: bool,
}

/// Request body of `POST /stripe/save-card`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SaveCard {
    /// ID of a newly entered card, or of one from `list-cards`.
    #[schema(example = "pm_1", max_length = 128)]
    pub payment_method_id: String,
    /// Whether to make the card the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_default: Option<bool>,
}

/// Response of `POST /stripe/setup-intent`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SetupIntent {
    /// Client secret for entering a card.
    #[schema(example = "seti_1_secret_1", extensions(("x-personal" = json!(true))))]
    pub client_secret: String,
}

/// Request body of `POST /stripe/sandbox-card`. Only available with sandbox payments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SandboxCard {
    /// Client secret of the setup intent.
    #[schema(example = "seti_1_secret_1", max_length = 128, extensions(("x-personal" = json!(true))))]
    pub client_secret: String,
    /// One of Stripe's test card numbers.
    #[schema(example = "4242 4242 4242 4242", max_length = 32, extensions(("x-personal" = json!(true))))]
    pub number: String,
    /// Expiry date, `MM/YY`.
    #[schema(example = "12/40", max_length = 7, extensions(("x-personal" = json!(true))))]
    pub exp: String,
    /// Security code, three or four digits.
    #[schema(example = "123", max_length = 4, extensions(("x-personal" = json!(true))))]
    pub cvc: String,
}

/// Response of `POST /stripe/sandbox-card`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentMethod {
    /// ID of the card, for [`Buy::payment_method_id`].
    #[schema(example = "pm_1")]
    pub payment_method_id: String,
}

/// Request body of `POST /stripe/sandbox-confirm`: the viewer's answer to the bank's challenge. Only available with
/// sandbox payments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SandboxConfirm {
    /// Client secret of the [`NextAction`].
    #[schema(example = "sandbox_7f3a", max_length = 128, extensions(("x-personal" = json!(true))))]
    pub client_secret: String,
    /// Whether the viewer confirmed the payment.
    #[schema(example = true)]
    pub accept: bool,
}

/// Response of `GET /stripe/customer-portal`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CustomerPortal {
    /// URL of the page for managing cards and invoices.
    #[schema(example = "http://127.0.0.1:8080/profile")]
    pub url: String,
}
