//! From an order that was placed to one that is paid, failed or refunded.
//!
//! | module | what |
//! |---|---|
//! | [`guesses`] | how often promo codes may be guessed |
//! | [`checkout`] | places orders |
//! | [`billing`] | charges what was placed; renews; lets run out |
//! | [`sandbox`] | a payment provider that moves no money |
//!
//! An order is on disk before anything is charged, and is charged under a key that is made from what is on disk. So a
//! worker that dies in between charges the same order again under the same key, which the provider recognises (`PAY-4`).

pub mod billing;
pub mod checkout;
pub mod guesses;
pub mod sandbox;

use std::fmt::Debug;

use async_trait::async_trait;
use touchline_domain::purchases::Refusal;
use touchline_protocol::purchases::{Card, SandboxCard};
use touchline_store::{IdempotencyClaim, StoreError};

use crate::auth::limits::TooMany;

/// A charge that is asked for; asked for again, it is the same one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charge {
    /// One charge for one key, ever.
    pub idempotency_key: String,
    /// Whose card.
    pub user_id: i64,
    /// The card.
    pub payment_method_id: String,
    /// Minor units.
    pub amount: i64,
    /// ISO 4217.
    pub currency: String,
    /// What the card's statement says.
    pub description: String,
}

/// Where a charge stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChargeOutcome {
    /// The money moved.
    Paid,
    /// It was refused, with what the viewer is told.
    Declined(String),
    /// The bank asks its customer; the browser confirms with this secret.
    NeedsAction {
        /// Of the charge.
        client_secret: String,
    },
}

/// Why a provider gave no outcome.
#[derive(Debug, thiserror::Error)]
pub enum PaymentError {
    /// It may later: no answer, or a failure of its own.
    #[error("the payment provider does not answer: {0:#}")]
    Retryable(anyhow::Error),
    /// It never will: the request is not one that it takes.
    #[error("the payment provider refuses the request: {0}")]
    Fatal(String),
}

/// Why nothing was bought.
#[derive(Debug, thiserror::Error)]
pub enum CheckoutError {
    /// The rules refuse it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The card is not one of the person's own.
    #[error("the card is not one of the person's own")]
    OtherCard,
    /// Too many promo codes were guessed.
    #[error(transparent)]
    TooMany(#[from] TooMany),
    /// The provider gives no outcome.
    #[error(transparent)]
    Payment(#[from] PaymentError),
    /// The store does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What buying gives.
pub type CheckoutResult<T> = Result<T, CheckoutError>;

/// What a provider gives.
pub type PaymentResult<T> = Result<T, PaymentError>;

/// Who moves the money.
#[async_trait]
pub trait PaymentProvider: Debug + Send + Sync + 'static {
    /// Whether it is the sandbox: no money moves, and the site says so.
    fn is_sandbox(&self) -> bool;
    /// Opens what a card is entered against; gives its client secret.
    async fn setup_intent(&self, user_id: i64) -> PaymentResult<String>;
    /// The cards that a person saved.
    async fn cards(&self, user_id: i64) -> PaymentResult<Vec<Card>>;
    /// Charges a card, or tells how the charge of this key stands.
    async fn charge(&self, charge: &Charge) -> PaymentResult<ChargeOutcome>;
    /// Ends a charge that waits for its owner, so that it cannot be paid any more. What was paid already stays paid.
    async fn give_up(&self, charge: &Charge) -> PaymentResult<ChargeOutcome>;
    /// Gives a paid charge back. Given back already, it stays so.
    async fn refund(&self, idempotency_key: &str) -> PaymentResult<()>;
    /// Where a person manages cards and invoices; nothing where the site does so itself.
    async fn portal(&self, user_id: i64, return_url: &str) -> PaymentResult<Option<String>>;
    /// Enters a test card, with its answer when it was claimed. Only the sandbox has this call.
    async fn enter_sandbox_card(
        &self,
        user_id: i64,
        card: &SandboxCard,
        claim: Option<IdempotencyClaim>,
    ) -> PaymentResult<SandboxEntry>;
    /// Answers the bank's question for a charge, with its answer when it was claimed: the order that waits for it is due
    /// at once. Only the sandbox has this call. Whether there was such a charge.
    async fn confirm_sandbox_charge(
        &self,
        user_id: i64,
        client_secret: &str,
        accept: bool,
        claim: Option<IdempotencyClaim>,
    ) -> PaymentResult<bool>;
}

/// What entering a test card gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxEntry {
    /// The card's id, for `payment_method_id`.
    Entered(String),
    /// Which field is wrong, a code, and what the viewer is told.
    Refused {
        /// Of the body.
        field: &'static str,
        /// `snake_case`.
        code: &'static str,
        /// For the viewer.
        message: &'static str,
    },
}
