//! Cards, and how they are entered.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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

/// The answer of `GET /stripe/customer-portal`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CustomerPortal {
    /// Where cards and invoices are managed.
    #[schema(example = "http://127.0.0.1:8080/profile")]
    pub url: String,
}
