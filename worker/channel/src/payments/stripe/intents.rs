//! Single payments, from a payment intent to paid or failed.

use touchline_domain::DAY_MS;
use touchline_store::{DueOrder, Effect, NewCharge, OrderRecord, Outcome, Settlement};

use super::client::{Fault, form};
use super::objects::{IntentStatus, PaymentIntent, Subscription};
use super::{Stripe, unanswered};
use crate::messages;
use crate::payments::{CONFIRM_TIMEOUT_MS, PaymentError, PaymentResult, payment_key};

/// Time for which a request may be repeated under the same idempotency key. Stripe forgets a key after 24 hours.
const KEY_LIFETIME_MS: i64 = DAY_MS - 3_600_000;
/// Interval for polling an open payment when no webhook arrives.
const POLL_MS: i64 = 10_000;
/// Metadata field with the order key.
pub(super) const ORDER: &str = "metadata[order]";

impl Stripe {
    pub(super) async fn advance_payment(&self, due: &DueOrder) -> PaymentResult<Settlement> {
        let record = &due.record;
        let intent = match &record.provider_ref {
            Some(id) => self.intent(id).await?,
            None => match self.open_intent(due).await? {
                Some(intent) => intent,
                None => return Ok(self.poll_again(due, 0)),
            },
        };
        let intent = self.confirm(record, intent).await?;
        self.settlement(due, intent, None).await
    }

    pub(super) async fn intent(&self, id: &str) -> PaymentResult<PaymentIntent> {
        let query = form([("expand[]", "latest_charge".to_owned())]);
        Ok(self.client.get(&format!("/v1/payment_intents/{id}"), query).await?)
    }

    /// Creates and stores an order's intent, which moves no money yet. Returns `None` if another worker stored its own.
    async fn open_intent(&self, due: &DueOrder) -> PaymentResult<Option<PaymentIntent>> {
        let record = &due.record;
        let key = payment_key(record, 0);
        let customer = self.customer(record.user_id).await?;
        let found = if self.may_exist(due) { self.find_intent(&customer, record, &key).await? } else { None };
        let intent = match found {
            Some(intent) => intent,
            None => {
                let mut body = form([
                    ("amount", record.order.total.to_string()),
                    ("currency", record.order.currency.to_lowercase()),
                    ("customer", customer),
                    ("payment_method", record.payment_method_id.clone()),
                    ("allowed_payment_method_types[]", "card".to_owned()),
                    ("description", record.order.product.name.clone()),
                    (ORDER, key.clone()),
                ]);
                let saved = self.store.saved_cards(record.user_id).await.map_err(unanswered)?;
                if saved.iter().any(|saved| saved.payment_method_id == record.payment_method_id) {
                    body.extend(form([("setup_future_usage", "off_session".to_owned())]));
                }
                self.client.post("/v1/payment_intents", body, Some(&key)).await?
            }
        };
        let noted = self.store.store_provider_ref(record.order.id, &intent.id).await.map_err(unanswered)?;
        if noted.as_deref() != Some(&intent.id) {
            return Ok(None);
        }
        // The response to a repeated idempotency key is the intent as first created.
        Ok(Some(self.intent(&intent.id).await?))
    }

    /// Returns whether Stripe may have created the object but forgotten its idempotency key.
    pub(super) fn may_exist(&self, due: &DueOrder) -> bool {
        due.attempts > 0 || self.clock.now_ms() - due.record.created_at > KEY_LIFETIME_MS
    }

    /// Finds an order's intent among the customer's intents since the order. Stripe's lists are exact, while its search
    /// lags.
    async fn find_intent(
        &self,
        customer: &str,
        record: &OrderRecord,
        key: &str,
    ) -> PaymentResult<Option<PaymentIntent>> {
        let since = record.created_at / 1000 - 300;
        let query = form([("customer", customer.to_owned()), ("created[gte]", since.to_string())]);
        let intents: Vec<PaymentIntent> = self.listed("/v1/payment_intents", query).await?;
        Ok(intents.into_iter().find(|intent| intent.metadata.get("order").is_some_and(|order| order == key)))
    }

    /// Confirms an intent. Only this step moves money, and an intent can be confirmed only once.
    pub(super) async fn confirm(&self, record: &OrderRecord, intent: PaymentIntent) -> PaymentResult<PaymentIntent> {
        let is_new = intent.status == IntentStatus::RequiresConfirmation
            || (intent.status == IntentStatus::RequiresPaymentMethod && intent.last_payment_error.is_none());
        if !is_new {
            return Ok(intent);
        }
        let body = form([
            ("payment_method", record.payment_method_id.clone()),
            ("use_stripe_sdk", "true".to_owned()),
            ("return_url", self.sites.return_url(&record.channel_key)),
            ("expand[]", "latest_charge".to_owned()),
        ]);
        match self.client.post(&format!("/v1/payment_intents/{}/confirm", intent.id), body, None).await {
            Ok(confirmed) => Ok(confirmed),
            // Declined, or confirmed in the meantime: the intent shows which.
            Err(Fault::Declined(..) | Fault::Refused(..)) => self.intent(&intent.id).await,
            Err(silent) => Err(silent.into()),
        }
    }

    /// Returns the settlement of an order from its intent, or from its subscription's. A failed payment is cancelled
    /// first, so that nobody can pay it later.
    pub(super) async fn settlement(
        &self,
        due: &DueOrder,
        intent: PaymentIntent,
        of: Option<&Subscription>,
    ) -> PaymentResult<Settlement> {
        let now = self.clock.now_ms();
        match intent.status {
            IntentStatus::Succeeded => {
                let order = &due.record.order;
                if !self.is_payment_of(&due.record, &intent, Some(order.total)).await? {
                    return Err(PaymentError::Fatal("the payment does not match the order".to_owned()));
                }
                let period_end = of.and_then(Subscription::period_end).map(|end| end * 1000);
                let outcome = Outcome::Paid { period_end, trial_end: None };
                Ok(Settlement { outcome, charge: Some(charge_of(&intent)) })
            }
            IntentStatus::Processing | IntentStatus::RequiresCapture => Ok(self.poll_again(due, POLL_MS)),
            IntentStatus::RequiresAction if due.record.order.next_action.is_none() => {
                let client_secret =
                    intent.client_secret.ok_or_else(|| PaymentError::Fatal("an intent without a secret".to_owned()))?;
                Ok(Outcome::NeedsAction { client_secret, give_up_at: now + POLL_MS }.into())
            }
            IntentStatus::RequiresAction if now - due.record.created_at < CONFIRM_TIMEOUT_MS => {
                Ok(self.poll_again(due, POLL_MS))
            }
            IntentStatus::Canceled => Ok(Outcome::Failed(failure_of(&intent)).into()),
            IntentStatus::RequiresAction | IntentStatus::RequiresPaymentMethod | IntentStatus::RequiresConfirmation => {
                if let Some(subscription) = of {
                    self.end(&subscription.id).await?;
                    return Ok(Outcome::Failed(failure_of(&intent)).into());
                }
                Ok(match self.cancel(&intent).await? {
                    true => Outcome::Failed(failure_of(&intent)).into(),
                    false => self.poll_again(due, 0),
                })
            }
        }
    }

    /// Returns whether an intent matches the amount, currency and customer of an order. Any other payment settles
    /// nothing: it is logged here and reported by `touchline audit`, for the operator to decide. The amount of a
    /// renewal is not checked, since an operator may grant a discount at Stripe.
    pub(super) async fn is_payment_of(
        &self,
        record: &OrderRecord,
        intent: &PaymentIntent,
        amount: Option<i64>,
    ) -> PaymentResult<bool> {
        let customer = self.store.customer_id(record.user_id).await.map_err(unanswered)?;
        let order = &record.order;
        // An erased account has no customer any more.
        let is_payment = amount.is_none_or(|amount| amount == intent.amount)
            && order.currency.eq_ignore_ascii_case(&intent.currency)
            && (customer.is_none() || customer == intent.customer);
        if !is_payment {
            tracing::error!(
                order = order.id,
                intent = intent.id,
                amount = intent.amount,
                currency = intent.currency,
                expected_amount = amount,
                expected_currency = order.currency,
                "a payment was ignored: its amount, currency or customer does not match the order"
            );
        }
        Ok(is_payment)
    }

    /// Cancels an intent. Returns `false` if it was paid or cancelled in the meantime.
    pub(super) async fn cancel(&self, intent: &PaymentIntent) -> PaymentResult<bool> {
        let path = format!("/v1/payment_intents/{}/cancel", intent.id);
        match self.client.post::<PaymentIntent>(&path, Vec::new(), None).await {
            Ok(_) => Ok(true),
            Err(Fault::Declined(..) | Fault::Refused(..)) => Ok(false),
            Err(silent) => Err(silent.into()),
        }
    }

    /// Returns the effects of a failed order's intent. An open one is cancelled. One that was paid nevertheless is not
    /// accepted and will be refunded.
    pub(super) async fn effects_of_failed(&self, record: &OrderRecord, intent: &str) -> PaymentResult<Vec<Effect>> {
        let intent = self.intent(intent).await?;
        if intent.status.is_open() {
            self.cancel(&intent).await?;
        }
        let total = Some(record.order.total);
        if intent.status != IntentStatus::Succeeded || !self.is_payment_of(record, &intent, total).await? {
            return Ok(Vec::new());
        }
        let outcome = Outcome::Paid { period_end: None, trial_end: None };
        let settlement = Settlement { outcome, charge: Some(charge_of(&intent)) };
        Ok(vec![Effect::Settled { renewal: 0, settlement }])
    }

    /// Schedules another check of the order.
    pub(super) fn poll_again(&self, _: &DueOrder, after_ms: i64) -> Settlement {
        Outcome::Unanswered { retry_at: self.clock.now_ms() + after_ms.max(200) }.into()
    }
}

pub(super) fn charge_of(intent: &PaymentIntent) -> NewCharge {
    let card = intent.card();
    NewCharge {
        provider_id: intent.id.clone(),
        amount: intent.amount,
        card_brand: card.and_then(|card| card.brand.clone()),
        card_last4: card.and_then(|card| card.last4.clone()),
        failure: None,
        at: intent.charged_at(),
    }
}

/// Returns the reason of a failed payment, for the viewer.
pub(super) fn failure_of(intent: &PaymentIntent) -> String {
    intent.failure().unwrap_or_else(|| messages::NOT_CONFIRMED.to_owned())
}
