//! Payments: from a placed order to a paid, failed or refunded one.
//!
//! | module | contents |
//! |---|---|
//! | [`audit`] | comparison of the books with the provider's records |
//! | [`guesses`] | limits on guessing promo codes |
//! | `cards` | removal of cards that the viewer did not save |
//! | [`checkout`] | placing of orders |
//! | [`billing`] | charges, renewals and expiry |
//! | [`records`] | a provider's own records |
//! | [`refunds`] | refunds |
//! | [`promo`] | the operator's promo codes in addition to the channel's |
//! | [`transactions`] | a viewer's list of payments and refunds |
//! | [`sandbox`] | a payment provider that moves no money |
//! | [`stripe`] | Stripe |
//! | [`webhooks`] | the provider's webhooks: stored, then verified with it |
//!
//! An order is stored before it is charged, under a key derived from the stored order. After a crash the worker charges
//! the same order under the same key, which the provider recognises (`PAY-4`).

pub mod audit;
pub mod billing;
mod cards;
pub(crate) mod checkout;
pub(crate) mod guesses;
pub(crate) mod promo;
pub mod records;
pub(crate) mod refunds;
pub mod sandbox;
pub mod stripe;
pub(crate) mod transactions;
pub mod webhooks;

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

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

/// Reasons why a provider returned no outcome.
#[derive(Debug, thiserror::Error)]
pub enum PaymentError {
    /// Temporary: no response, or a failure of the provider.
    #[error("the payment provider did not respond: {0:#}")]
    Retryable(anyhow::Error),
    /// Permanent: the provider rejects the request.
    #[error("the payment provider rejected the request: {0}")]
    Fatal(String),
}

impl PaymentError {
    /// Turns a permanent error into a temporary one.
    fn retryable(self) -> Self {
        match self {
            Self::Fatal(message) => Self::Retryable(anyhow::anyhow!(message)),
            retryable @ Self::Retryable(_) => retryable,
        }
    }
}

/// Reasons why a purchase failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckoutError {
    /// The purchase rules refuse it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The card belongs to someone else.
    #[error("the card belongs to someone else")]
    OtherCard,
    /// Too many promo codes were tried.
    #[error(transparent)]
    TooMany(#[from] TooMany),
    /// The provider returned no outcome.
    #[error(transparent)]
    Payment(#[from] PaymentError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The clock is behind the records.
    #[error("the clock is behind the records: nothing is sold")]
    ClockBehind,
}

/// Result of a checkout call.
pub(crate) type CheckoutResult<T> = Result<T, CheckoutError>;

/// Dependencies of placing and charging orders.
#[derive(Debug, Clone)]
pub struct Billing {
    /// Orders and charges.
    pub store: Arc<dyn Store>,
    /// The clock.
    pub clock: SharedClock,
    /// The payment provider.
    pub payments: Arc<dyn PaymentProvider>,
    /// Delay between placing and charging an order, in milliseconds.
    pub charge_delay_ms: i64,
    /// Signal for due work.
    pub(crate) wakeups: Arc<Wakeups>,
    /// Unix milliseconds that the clock must have passed before anything is sold (`OPS-51`).
    pub(crate) sells_from: Arc<AtomicI64>,
}

/// Result of a provider call.
pub type PaymentResult<T> = Result<T, PaymentError>;

/// Time that the cardholder has to confirm a payment with the bank.
pub(crate) const CONFIRM_TIMEOUT_MS: i64 = 15 * 60_000;

/// Returns the key of an order's first payment (0) or of its `n`-th renewal, including the number of declined attempts.
/// It includes the creation time, since a restored store assigns the same ids again.
pub(crate) fn payment_key(record: &OrderRecord, renewal: i64) -> String {
    let first = format!("order-{}-{}-{renewal}", record.order.id, record.created_at);
    match record.subscription {
        Some(subscription) if subscription.failed_attempts > 0 => format!("{first}-{}", subscription.failed_attempts),
        _ => first,
    }
}

/// A payment provider.
#[async_trait]
pub trait PaymentProvider: Debug + Send + Sync + 'static {
    /// Returns whether this is the sandbox, which moves no money. The site displays that.
    fn is_sandbox(&self) -> bool;
    /// Creates a setup intent for entering a card and returns its client secret.
    async fn setup_intent(&self, user_id: i64) -> PaymentResult<String>;
    /// Returns the person's saved cards.
    async fn cards(&self, user_id: i64) -> PaymentResult<Vec<Card>>;
    /// Returns the fingerprint of a saved card, which is equal for every customer who enters the same card (`SUB-4`).
    async fn card_fingerprint(&self, user_id: i64, id: &str) -> PaymentResult<Option<String>>;
    /// Advances a due payment as far as possible and returns its state. A repeated call moves no money twice. A
    /// provider that schedules renewals itself decides the outcome of a declined renewal. The sandbox counts from `at`,
    /// milliseconds since 1970.
    async fn advance(&self, due: &DueOrder, at: i64) -> PaymentResult<Settlement>;
    /// Returns the effects on an order of the provider's current state, including refunds and disputes of these
    /// charges.
    async fn follow(&self, _: &OrderRecord, _: &[ChargeRecord]) -> PaymentResult<Vec<Effect>> {
        Ok(Vec::new())
    }
    /// Returns the provider's records: payments and reversals since a time in Unix milliseconds, and active
    /// subscriptions.
    async fn records(&self, since_ms: i64) -> PaymentResult<ProviderRecords>;
    /// Returns whether an id belongs to this provider. A channel may have used another one before.
    fn recognises_id(&self, provider_id: &str) -> bool;
    /// Returns the webhook secret of a provider that sends webhooks.
    fn webhooks(&self) -> Option<&WebhookSecret> {
        None
    }
    /// Stops or resumes renewals of a subscription that the provider schedules.
    async fn set_renewing(&self, _: &OrderRecord, _: bool) -> PaymentResult<()> {
        Ok(())
    }
    /// Changes the card of future renewals. A provider that schedules renewals charges an overdue payment to it. A
    /// pending confirmation of the previous card is withdrawn.
    async fn renew_with(&self, _: &OrderRecord, _: &str) -> PaymentResult<()> {
        Ok(())
    }
    /// Ends a refunded subscription that the provider schedules. Does nothing if it has already ended.
    async fn end_subscription(&self, _: &OrderRecord) -> PaymentResult<()> {
        Ok(())
    }
    /// Removes a saved card. Returns whether it was the person's.
    async fn remove_card(&self, user_id: i64, id: &str) -> PaymentResult<bool>;
    /// Makes a requested refund and returns the provider's id. A repeated call returns the same refund.
    async fn refund(&self, refund: &ChargeRecord, payment: &ChargeRecord) -> PaymentResult<String>;
    /// Returns the page where a person manages cards and invoices, or `None` if the site has its own.
    async fn portal(&self, user_id: i64, return_url: &str) -> PaymentResult<Option<String>>;
    /// Stores a test card, together with the claimed idempotency key. Sandbox only.
    async fn enter_sandbox_card(
        &self,
        user_id: i64,
        card: &SandboxCard,
        claim: Option<IdempotencyClaim>,
    ) -> PaymentResult<SandboxEntry>;
    /// Confirms or rejects a charge, together with the claimed idempotency key. The waiting order becomes due
    /// immediately. Returns whether the charge exists. Sandbox only.
    async fn confirm_sandbox_charge(
        &self,
        user_id: i64,
        client_secret: &str,
        accept: bool,
        claim: Option<IdempotencyClaim>,
    ) -> PaymentResult<bool>;
}

/// Result of entering a test card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxEntry {
    /// The card's id, for `payment_method_id`.
    Entered(String),
    /// A field is invalid.
    Refused {
        /// Field of the body.
        field: &'static str,
        /// Error code.
        code: ErrorCode,
        /// Message for the viewer.
        message: &'static str,
    },
}
