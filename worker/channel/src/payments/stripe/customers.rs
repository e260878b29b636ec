//! Stripe customers and their cards.

use reqwest::StatusCode;
use touchline_protocol::purchases::Card;

use super::client::{Fault, form};
use super::objects::{List, Object, PaymentIntent, PaymentMethod, PortalSession, SetupIntent};
use super::{Stripe, unanswered};
use crate::payments::{PaymentError, PaymentResult};

const CARDS: &str = "100";

impl Stripe {
    /// Returns a person's customer id and creates the customer when first needed. If two are created at once, one is
    /// stored and the other stays empty.
    pub(super) async fn customer(&self, user_id: i64) -> PaymentResult<String> {
        if let Some(customer) = self.store.customer_id(user_id).await.map_err(unanswered)? {
            return Ok(customer);
        }
        let created: Object =
            self.client.post("/v1/customers", form([("metadata[user]", user_id.to_string())]), None).await?;
        self.store.store_customer_id(user_id, &created.id).await.map_err(unanswered)
    }

    pub(super) async fn open_setup_intent(&self, user_id: i64) -> PaymentResult<String> {
        let customer = self.customer(user_id).await?;
        let body = form([
            ("customer", customer),
            ("usage", "off_session".to_owned()),
            ("allowed_payment_method_types[]", "card".to_owned()),
        ]);
        let intent: SetupIntent = self.client.post("/v1/setup_intents", body, None).await?;
        intent.client_secret.ok_or_else(|| PaymentError::Fatal("a setup intent without a secret".to_owned()))
    }

    /// Returns the cards as Stripe describes them, newest first. A person who never entered a card has no customer yet.
    pub(super) async fn card_methods(&self, user_id: i64) -> PaymentResult<Vec<PaymentMethod>> {
        let Some(customer) = self.store.customer_id(user_id).await.map_err(unanswered)? else { return Ok(Vec::new()) };
        let query = form([("type", "card".to_owned()), ("limit", CARDS.to_owned())]);
        let path = format!("/v1/customers/{customer}/payment_methods");
        let methods: List<PaymentMethod> = self.client.get(&path, query).await?;
        Ok(methods.data)
    }

    /// Returns the cards, newest first.
    pub(super) async fn saved_cards(&self, user_id: i64) -> PaymentResult<Vec<Card>> {
        let card = |method: PaymentMethod| {
            let card = method.card?;
            Some(Card {
                id: method.id,
                brand: card.brand.unwrap_or_default(),
                last4: card.last4.unwrap_or_default(),
                exp_month: card.exp_month,
                exp_year: card.exp_year,
                declined: false,
                is_default: false,
            })
        };
        Ok(self.card_methods(user_id).await?.into_iter().filter_map(card).collect())
    }

    /// Removes a card. Returns whether it was the person's.
    pub(super) async fn detach(&self, user_id: i64, id: &str) -> PaymentResult<bool> {
        if !self.saved_cards(user_id).await?.iter().any(|card| card.id == id) {
            return Ok(false);
        }
        let _: Object = self.client.post(&format!("/v1/payment_methods/{id}/detach"), Vec::new(), None).await?;
        Ok(true)
    }

    pub(super) async fn portal_session(&self, user_id: i64, return_url: &str) -> PaymentResult<Option<String>> {
        let customer = self.customer(user_id).await?;
        let body = form([("customer", customer), ("return_url", return_url.to_owned())]);
        let session: PortalSession = self.client.post("/v1/billing_portal/sessions", body, None).await?;
        Ok(Some(session.url))
    }

    /// Deletes a customer, which ends their subscriptions. Open payments are cancelled first.
    pub(super) async fn delete_customer(&self, user_id: i64) -> PaymentResult<()> {
        let Some(customer) = self.store.customer_id(user_id).await.map_err(unanswered)? else { return Ok(()) };
        let query = form([("customer", customer.clone())]);
        let intents: Vec<PaymentIntent> = self.listed("/v1/payment_intents", query).await?;
        for intent in intents.iter().filter(|intent| intent.status.is_open()) {
            self.cancel(intent).await?;
        }
        match self.client.delete::<Object>(&format!("/v1/customers/{customer}")).await {
            Ok(_) | Err(Fault::Refused(StatusCode::NOT_FOUND, ..)) => Ok(()),
            Err(fault) => Err(fault.into()),
        }
    }
}
