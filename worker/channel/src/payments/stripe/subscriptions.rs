//! Subscriptions scheduled by Stripe Billing. Their state is read from Stripe and recorded.

use reqwest::StatusCode;
use touchline_domain::periods::BillingPeriod;
use touchline_domain::subscriptions::{BoughtSubscription, Lifecycle};
use touchline_store::{DueOrder, NewCharge, OrderRecord, Outcome, Settlement};

use super::client::{Fault, Form, form};
use super::intents::{ORDER, charge_of};
use super::objects::{Invoice, Object, Subscription, SubscriptionStatus};
use super::{Stripe, unanswered};
use crate::messages;
use crate::payments::{PaymentError, PaymentResult, payment_key};

/// Interval for polling a subscription when no webhook arrives.
const POLL_MS: i64 = 60_000;

impl Stripe {
    /// Advances the first payment of a subscription, or the start of its trial.
    pub(super) async fn advance_subscription(&self, due: &DueOrder) -> PaymentResult<Settlement> {
        let record = &due.record;
        let subscription = match &record.provider_ref {
            Some(id) => self.subscription(id).await?,
            None => match self.open_subscription(due).await? {
                Some(subscription) => subscription,
                None => return Ok(self.poll_again(due, 0)),
            },
        };
        let end = subscription.period_end().map(ms);
        match subscription.status {
            SubscriptionStatus::Trialing => {
                let trial_end = subscription.trial_end.map(ms);
                Ok(Outcome::Paid { period_end: trial_end.or(end), trial_end }.into())
            }
            SubscriptionStatus::Active => {
                let charge = self.first_charge(&subscription.id).await?;
                Ok(Settlement { outcome: Outcome::Paid { period_end: end, trial_end: None }, charge })
            }
            SubscriptionStatus::Incomplete => self.pay_first_invoice(due, &subscription).await,
            SubscriptionStatus::PastDue | SubscriptionStatus::Paused => Ok(self.poll_again(due, POLL_MS)),
            SubscriptionStatus::IncompleteExpired | SubscriptionStatus::Canceled | SubscriptionStatus::Unpaid => {
                Ok(Outcome::Failed(messages::NOT_CONFIRMED.to_owned()).into())
            }
        }
    }

    async fn pay_first_invoice(&self, due: &DueOrder, subscription: &Subscription) -> PaymentResult<Settlement> {
        let invoices = self.invoices(&subscription.id).await?;
        let intent = invoices.iter().find_map(Invoice::payment_intent);
        let intent = intent.ok_or_else(|| PaymentError::Retryable(anyhow::anyhow!("an invoice without a payment")))?;
        let intent = self.confirm(&due.record, self.intent(intent).await?).await?;
        self.settlement(due, intent, Some(subscription)).await
    }

    async fn first_charge(&self, subscription: &str) -> PaymentResult<Option<NewCharge>> {
        let invoices = self.invoices(subscription).await?;
        let first = invoices.iter().find(|invoice| !is_cycle(invoice));
        match first.and_then(Invoice::payment_intent) {
            Some(intent) => Ok(Some(charge_of(&self.intent(intent).await?))),
            None => Ok(None),
        }
    }

    /// Creates and stores an order's subscription. Its first invoice is open, so no money moves yet. Returns `None` if
    /// another worker stored its own.
    async fn open_subscription(&self, due: &DueOrder) -> PaymentResult<Option<Subscription>> {
        let record = &due.record;
        let Some(bought) = record.subscription else {
            return Err(PaymentError::Fatal("the order has no subscription".to_owned()));
        };
        let key = payment_key(record, 0);
        let customer = self.customer(record.user_id).await?;
        let found = if self.may_exist(due) { self.find_subscription(&customer, &key).await? } else { None };
        let opened = match found {
            Some(subscription) => subscription,
            None => self.create_subscription(record, bought, customer, &key).await?,
        };
        let noted = self.store.store_provider_ref(record.order.id, &opened.id).await.map_err(unanswered)?;
        if noted.as_deref() != Some(&opened.id) {
            self.end(&opened.id).await?;
            return Ok(None);
        }
        // The response to a repeated idempotency key is the subscription as first created.
        Ok(Some(self.subscription(&opened.id).await?))
    }

    async fn create_subscription(
        &self,
        record: &OrderRecord,
        bought: BoughtSubscription,
        customer: String,
        key: &str,
    ) -> PaymentResult<Subscription> {
        let (order, currency) = (&record.order, record.order.currency.to_lowercase());
        let product = format!("touchline_{}_{}", record.channel_key, order.product.id);
        self.make_once("/v1/products", form([("id", product.clone()), ("name", order.product.name.clone())])).await?;
        let (interval, count) = match bought.period {
            BillingPeriod::Monthly => ("day", 30),
            BillingPeriod::Annual => ("month", 12),
        };
        let mut body = form([
            ("customer", customer),
            ("default_payment_method", record.payment_method_id.clone()),
            ("payment_behavior", "default_incomplete".to_owned()),
            ("payment_settings[payment_method_types][]", "card".to_owned()),
            ("items[0][price_data][currency]", currency.clone()),
            ("items[0][price_data][product]", product),
            ("items[0][price_data][unit_amount]", bought.renewal_price.to_string()),
            ("items[0][price_data][recurring][interval]", interval.to_owned()),
            ("items[0][price_data][recurring][interval_count]", count.to_string()),
            (ORDER, key.to_owned()),
        ]);
        if bought.trial_days > 0 {
            body.extend(form([("trial_period_days", bought.trial_days.to_string())]));
        } else if order.total < bought.renewal_price {
            // A promo code applies only to the first payment.
            let coupon = form([
                ("id", key.to_owned()),
                ("duration", "once".to_owned()),
                ("amount_off", (bought.renewal_price - order.total).to_string()),
                ("currency", currency),
                ("max_redemptions", "1".to_owned()),
            ]);
            self.make_once("/v1/coupons", coupon).await?;
            body.extend(form([("discounts[0][coupon]", key.to_owned())]));
        }
        Ok(self.client.post("/v1/subscriptions", body, Some(key)).await?)
    }

    /// Creates an object under our id, unless it exists.
    async fn make_once(&self, path: &str, body: Form) -> PaymentResult<()> {
        match self.client.post::<Object>(path, body, None).await {
            Ok(_) => Ok(()),
            Err(Fault::Refused(_, Some(code), _)) if code == "resource_already_exists" => Ok(()),
            Err(fault) => Err(fault.into()),
        }
    }

    async fn find_subscription(&self, customer: &str, key: &str) -> PaymentResult<Option<Subscription>> {
        let query = form([("customer", customer.to_owned()), ("status", "all".to_owned())]);
        let all: Vec<Subscription> = self.listed("/v1/subscriptions", query).await?;
        Ok(all.into_iter().find(|it| it.metadata.get("order").is_some_and(|order| order == key)))
    }

    pub(super) async fn subscription(&self, id: &str) -> PaymentResult<Subscription> {
        Ok(self.client.get(&format!("/v1/subscriptions/{id}"), Vec::new()).await?)
    }

    /// Returns the invoices of a subscription, oldest first.
    pub(super) async fn invoices(&self, subscription: &str) -> PaymentResult<Vec<Invoice>> {
        let query = form([("subscription", subscription.to_owned()), ("expand[]", "data.payments".to_owned())]);
        let mut invoices: Vec<Invoice> = self.listed("/v1/invoices", query).await?;
        // Stripe lists the newest first. The stable sort preserves the order of invoices from the same second.
        invoices.reverse();
        invoices.sort_by_key(|invoice| invoice.created);
        Ok(invoices)
    }

    /// Stops or resumes renewals. Stopping an overdue subscription ends it immediately.
    pub(super) async fn set_subscription_renewing(&self, record: &OrderRecord, renews: bool) -> PaymentResult<()> {
        let Some((id, bought)) = record.provider_ref.as_ref().zip(record.subscription) else { return Ok(()) };
        if bought.lifecycle == Lifecycle::PastDue && !renews {
            return self.end(id).await;
        }
        // Stripe rejects one of these fields if the other is set, and its portal may have set either.
        let body = if renews && !self.subscription(id).await?.cancel_at_period_end {
            form([("cancel_at", String::new())])
        } else {
            form([("cancel_at_period_end", (!renews).to_string())])
        };
        let _: Object = self.client.post(&format!("/v1/subscriptions/{id}"), body, None).await?;
        Ok(())
    }

    /// Changes the card of renewals and pays overdue invoices with it.
    pub(super) async fn change_card(&self, record: &OrderRecord, card: &str) -> PaymentResult<()> {
        let Some(id) = &record.provider_ref else { return Ok(()) };
        let body = form([("default_payment_method", card.to_owned())]);
        let _: Object = self.client.post(&format!("/v1/subscriptions/{id}"), body, None).await?;
        let open = self.invoices(id).await?;
        for invoice in open.iter().filter(|invoice| is_cycle(invoice) && invoice.status.as_deref() == Some("open")) {
            let body = form([("payment_method", card.to_owned())]);
            match self.client.post::<Object>(&format!("/v1/invoices/{}/pay", invoice.id), body, None).await {
                // The card was declined, or the invoice was paid in the meantime: the invoice shows which.
                Ok(_) | Err(Fault::Declined(..) | Fault::Refused(..)) => {}
                Err(silent) => return Err(silent.into()),
            }
        }
        Ok(())
    }

    /// Ends a subscription immediately. Does nothing if it has already ended.
    pub(super) async fn end(&self, id: &str) -> PaymentResult<()> {
        match self.client.delete::<Object>(&format!("/v1/subscriptions/{id}")).await {
            Ok(_) | Err(Fault::Refused(StatusCode::NOT_FOUND, ..)) => Ok(()),
            Err(fault) => Err(fault.into()),
        }
    }
}

pub(super) fn ms(seconds: i64) -> i64 {
    seconds * 1000
}

pub(super) fn is_cycle(invoice: &Invoice) -> bool {
    invoice.billing_reason.as_deref() == Some("subscription_cycle")
}
