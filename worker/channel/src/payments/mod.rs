//! From an order that was placed to one that is paid, failed or refunded.
//!
//! | module | what |
//! |---|---|
//! | [`audit`] | the books held against the provider's records |
//! | [`guesses`] | how often promo codes may be guessed |
//! | `cards` | cards that are not kept after a purchase |
//! | [`checkout`] | places orders |
//! | [`billing`] | charges what was placed; renews; lets run out |
//! | [`records`] | what a provider says of itself |
//! | [`refunds`] | gives money back |
//! | [`promo`] | the operator's promo codes beside the channel's |
//! | [`transactions`] | what a viewer paid and got back, as lines |
//! | [`sandbox`] | a payment provider that moves no money |
//! | [`stripe`] | Stripe |
//! | [`webhooks`] | what the provider tells: stored, then checked with it |
//!
//! An order is on disk before anything is charged, and is charged under a key that is made from what is on disk. So a
//! worker that dies in between charges the same order again under the same key, which the provider recognises (`PAY-4`).

pub mod audit;
pub mod billing;
mod cards;
pub mod checkout;
pub mod guesses;
pub mod promo;
pub mod records;
pub mod refunds;
pub mod sandbox;
pub mod stripe;
pub mod transactions;
pub mod webhooks;

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use touchline_domain::purchases::Refusal;
use touchline_protocol::ambient::SharedClock;
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::purchases::{Card, SandboxCard};
use touchline_store::{ChargeRecord, DueOrder, Effect, IdempotencyClaim, OrderRecord, Settlement, Store, StoreError};

use self::records::ProviderRecords;
use self::stripe::signature::WebhookSecret;
use crate::auth::limits::TooMany;
use crate::background::Wakeups;

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

impl PaymentError {
    /// The same, to be tried again.
    fn retryable(self) -> Self {
        match self {
            Self::Fatal(message) => Self::Retryable(anyhow::anyhow!(message)),
            retryable @ Self::Retryable(_) => retryable,
        }
    }
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

/// What orders are placed and charged with.
#[derive(Debug, Clone)]
pub struct Billing {
    /// The records.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: SharedClock,
    /// Who moves the money.
    pub payments: Arc<dyn PaymentProvider>,
    /// How long an order waits before it is charged, milliseconds.
    pub charge_delay_ms: i64,
    /// What wakes this.
    pub wakeups: Arc<Wakeups>,
}

/// What a provider gives.
pub type PaymentResult<T> = Result<T, PaymentError>;

/// How long a bank's question may stay unanswered.
pub(crate) const CONFIRM_WITHIN_MS: i64 = 15 * 60_000;

/// The key of an order's first payment (0) or of its `n`-th renewal, by how often that was refused. The moment is part of
/// it, since a restored store gives the same ids again.
pub fn payment_key(record: &OrderRecord, renewal: i64) -> String {
    let first = format!("order-{}-{}-{renewal}", record.order.id, record.created_at);
    match record.subscription {
        Some(subscription) if subscription.failed_attempts > 0 => format!("{first}-{}", subscription.failed_attempts),
        _ => first,
    }
}

/// Who moves the money.
#[async_trait]
pub trait PaymentProvider: Debug + Send + Sync + 'static {
    /// Whether it is the sandbox: no money moves, and the site says so.
    fn is_sandbox(&self) -> bool;
    /// Opens what a card is entered against; gives its client secret.
    async fn setup_intent(&self, user_id: i64) -> PaymentResult<String>;
    /// The cards that a person saved.
    async fn cards(&self, user_id: i64) -> PaymentResult<Vec<Card>>;
    /// Brings a payment that is due as far forward as it goes and tells how it stands. Called again, it moves no money
    /// twice. Who keeps a subscription's clock decides here what a refused renewal leads to; what the sandbox counts, it
    /// counts from `at`, milliseconds since 1970.
    async fn advance(&self, due: &DueOrder, at: i64) -> PaymentResult<Settlement>;
    /// What follows for an order from what the provider says of it now, and of the refunds and disputes of these charges.
    async fn follow(&self, _: &OrderRecord, _: &[ChargeRecord]) -> PaymentResult<Vec<Effect>> {
        Ok(Vec::new())
    }
    /// What moved here from a moment on, Unix milliseconds, and the subscriptions that run here, by the provider's own
    /// records.
    async fn records(&self, since_ms: i64) -> PaymentResult<ProviderRecords>;
    /// Whether an id is one of this provider's: a channel may have been paid by another one before.
    fn is_own_id(&self, provider_id: &str) -> bool;
    /// Who signs its webhooks, where it sends any.
    fn webhooks(&self) -> Option<&WebhookSecret> {
        None
    }
    /// Stops or resumes the renewing of a subscription whose clock the provider keeps.
    async fn set_renewing(&self, _: &OrderRecord, _: bool) -> PaymentResult<()> {
        Ok(())
    }
    /// Renews a subscription with another card from now on. Who keeps its clock pays with it what is past due; the bank's
    /// question about the card before is withdrawn.
    async fn renew_with(&self, _: &OrderRecord, _: &str) -> PaymentResult<()> {
        Ok(())
    }
    /// Ends a subscription whose clock the provider keeps: its money went back. Ended already, it stays so.
    async fn end_subscription(&self, _: &OrderRecord) -> PaymentResult<()> {
        Ok(())
    }
    /// Takes a saved card off a person; whether it was theirs.
    async fn remove_card(&self, user_id: i64, id: &str) -> PaymentResult<bool>;
    /// Makes a refund that was requested; gives the provider's id of it. Made already, it is the same one.
    async fn refund(&self, refund: &ChargeRecord, payment: &ChargeRecord) -> PaymentResult<String>;
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
        /// Error code.
        code: ErrorCode,
        /// For the viewer.
        message: &'static str,
    },
}
