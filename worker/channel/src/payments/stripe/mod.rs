//! Payments through Stripe.
//!
//! | module | contents |
//! |---|---|
//! | [`client`] | requests and responses |
//! | [`objects`] | Stripe's objects, with the fields in use |
//! | [`customers`] | customers and their cards |
//! | [`intents`] | single payments, from a payment intent to paid or failed |
//! | [`subscriptions`] | subscriptions scheduled by Stripe Billing |
//! | [`records`] | lists of payments and active subscriptions |
//! | [`renewals`] | outcomes of a subscription's renewals |
//! | [`reversals`] | refunds and disputes |
//! | [`signature`] | verification of webhooks |
//!
//! A payment intent moves money only once. It is created unconfirmed, its id is stored with the order, and only the
//! stored intent is confirmed. After a crash the worker reads its state and continues.

pub mod client;
mod customers;
mod intents;
mod objects;
mod records;
mod renewals;
mod reversals;
pub mod signature;
mod subscriptions;

use std::sync::Arc;

use async_trait::async_trait;
use touchline_protocol::ambient::SharedClock;
use touchline_protocol::purchases::{Card, OrderType, SandboxCard};
use touchline_store::{
    ChargeRecord, DueOrder, Effect, Erasure, IdempotencyClaim, OrderRecord, Settlement, Store, StoreError,
};
use url::Url;

use self::client::Client;
pub(crate) use self::records::payments_since;
use self::signature::WebhookSecret;
use super::records::ProviderRecords;
use super::{PaymentError, PaymentProvider, PaymentResult, SandboxEntry};
use crate::catalogue::Channels;
use crate::person_eraser::PersonEraser;

/// Settings of a Stripe account.
#[derive(Clone)]
pub struct StripeOptions {
    /// `sk_…` or `rk_…`
    pub secret_key: String,
    /// `pk_…`
    pub publishable_key: String,
    /// `whsec_…`
    pub webhook_secret: String,
    /// Stripe's API, or a fake in tests.
    pub base_url: Url,
    /// A fake of Stripe's browser script; `None` for the real one.
    pub script_url: Option<Url>,
}

impl std::fmt::Debug for StripeOptions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("StripeOptions").field("base_url", &self.base_url.as_str()).finish_non_exhaustive()
    }
}

/// The Stripe provider.
#[derive(Debug)]
pub struct Stripe {
    client: Client,
    store: Arc<dyn Store>,
    clock: SharedClock,
    webhooks: WebhookSecret,
    sites: Sites,
}

/// URLs of the channels' sites.
#[derive(Debug, Clone)]
pub struct Sites {
    /// The channels.
    pub channels: Arc<Channels>,
    /// The worker's own URL, for a channel without one.
    pub base_url: Url,
}

impl Sites {
    /// Returns the page to which a bank redirects the viewer: the checkout, which resumes pending purchases.
    fn return_url(&self, channel_key: &str) -> String {
        let channel = self.channels.by_key(channel_key);
        let mut url = channel.map_or_else(|| self.base_url.clone(), |channel| channel.site_url(&self.base_url));
        url.set_path("/buy");
        url.into()
    }
}

impl Stripe {
    /// Creates the provider. Stripe's ids are saved in this store.
    pub fn new(
        options: StripeOptions,
        sites: Sites,
        http: reqwest::Client,
        store: Arc<dyn Store>,
        clock: SharedClock,
    ) -> Self {
        let is_live = options.secret_key.split('_').nth(1) == Some("live");
        let webhooks = WebhookSecret::new(options.webhook_secret, is_live);
        Self { client: Client::new(http, options.base_url, options.secret_key), store, clock, webhooks, sites }
    }
}

fn unanswered(error: StoreError) -> PaymentError {
    PaymentError::Retryable(error.into())
}

#[async_trait]
impl PaymentProvider for Stripe {
    fn is_sandbox(&self) -> bool {
        false
    }

    fn webhooks(&self) -> Option<&WebhookSecret> {
        Some(&self.webhooks)
    }

    async fn setup_intent(&self, user_id: i64) -> PaymentResult<String> {
        self.open_setup_intent(user_id).await
    }

    async fn cards(&self, user_id: i64) -> PaymentResult<Vec<Card>> {
        self.saved_cards(user_id).await
    }

    async fn card_fingerprint(&self, user_id: i64, id: &str) -> PaymentResult<Option<String>> {
        let methods = self.card_methods(user_id).await?;
        Ok(methods.into_iter().find(|method| method.id == id).and_then(|method| method.card?.fingerprint))
    }

    async fn remove_card(&self, user_id: i64, id: &str) -> PaymentResult<bool> {
        self.detach(user_id, id).await
    }

    async fn advance(&self, due: &DueOrder, _: i64) -> PaymentResult<Settlement> {
        if due.renewal > 0 {
            // Read-only: a request that Stripe rejects does not mean that the card was declined.
            return self.follow_renewal(&due.record, due.renewal).await.map_err(PaymentError::retryable);
        }
        match due.record.order.kind {
            OrderType::Subscription => self.advance_subscription(due).await,
            OrderType::Event | OrderType::Package => self.advance_payment(due).await,
        }
    }

    async fn follow(&self, record: &OrderRecord, charges: &[ChargeRecord]) -> PaymentResult<Vec<Effect>> {
        let mut effects = self.payment_effects(record).await?;
        effects.extend(self.reversals(charges).await?);
        Ok(effects)
    }

    async fn records(&self, since_ms: i64) -> PaymentResult<ProviderRecords> {
        self.listed_records(since_ms).await
    }

    fn recognises_id(&self, provider_id: &str) -> bool {
        objects::is_stripe_id(provider_id)
    }

    async fn set_renewing(&self, record: &OrderRecord, renews: bool) -> PaymentResult<()> {
        self.set_subscription_renewing(record, renews).await
    }

    async fn renew_with(&self, record: &OrderRecord, card: &str) -> PaymentResult<()> {
        self.change_card(record, card).await
    }

    async fn end_subscription(&self, record: &OrderRecord) -> PaymentResult<()> {
        match record.provider_ref.as_ref().filter(|_| record.subscription.is_some()) {
            Some(id) => self.end(id).await,
            None => Ok(()),
        }
    }

    async fn refund(&self, refund: &ChargeRecord, payment: &ChargeRecord) -> PaymentResult<String> {
        self.make_refund(refund, payment).await
    }

    async fn portal(&self, user_id: i64, return_url: &str) -> PaymentResult<Option<String>> {
        self.portal_session(user_id, return_url).await
    }

    async fn enter_sandbox_card(
        &self,
        _: i64,
        _: &SandboxCard,
        _: Option<IdempotencyClaim>,
    ) -> PaymentResult<SandboxEntry> {
        Err(PaymentError::Fatal("only the sandbox accepts test cards".to_owned()))
    }

    async fn confirm_sandbox_charge(
        &self,
        _: i64,
        _: &str,
        _: bool,
        _: Option<IdempotencyClaim>,
    ) -> PaymentResult<bool> {
        Ok(false)
    }
}

#[async_trait]
impl PersonEraser for Stripe {
    /// Deletes the customer with cards and subscriptions. Past payments stay in Stripe's records.
    async fn erase(&self, erasure: &Erasure) -> anyhow::Result<()> {
        Ok(self.delete_customer(erasure.user_id).await?)
    }
}
