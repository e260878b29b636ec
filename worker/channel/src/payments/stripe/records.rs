//! Lists of Stripe's records: payments and reversals since a time, and active subscriptions.

use serde::de::DeserializeOwned;

use super::client::{Client, Form, form};
use super::objects::{Dispute, IntentStatus, Invoice, List, PaymentIntent, Refund, Subscription, SubscriptionStatus};
use super::{Stripe, StripeOptions};
use crate::payments::records::{ProviderMove, ProviderRecords, ProviderSubscription};
use crate::payments::{PaymentError, PaymentResult};

const PAGE: usize = 100;
const PAGES: usize = 10_000;

/// Objects of paged lists.
pub(super) trait Listed {
    fn id(&self) -> &str;
}

impl Stripe {
    pub(super) async fn listed_records(&self, since_ms: i64) -> PaymentResult<ProviderRecords> {
        let since = || form([("created[gte]", (since_ms / 1000).to_string())]);
        let intents: Vec<PaymentIntent> = self.listed("/v1/payment_intents", since()).await?;
        let refunds: Vec<Refund> = self.listed("/v1/refunds", since()).await?;
        let disputes: Vec<Dispute> = self.listed("/v1/disputes", since()).await?;
        let subscriptions: Vec<Subscription> = self.listed("/v1/subscriptions", Vec::new()).await?;
        let mut moves: Vec<ProviderMove> =
            intents.into_iter().filter(|intent| intent.status == IntentStatus::Succeeded).map(payment).collect();
        moves.extend(refunds.into_iter().flat_map(refunded));
        moves.extend(disputes.iter().filter(|dispute| dispute.took_money()).flat_map(disputed));
        let runs = |it: &Subscription| {
            use SubscriptionStatus::{Active, PastDue, Trialing};
            matches!(it.status, Active | PastDue | Trialing)
        };
        let subscriptions = subscriptions.into_iter().filter(runs).map(running).collect();
        Ok(ProviderRecords { moves, subscriptions: Some(subscriptions) })
    }

    pub(super) async fn listed<T: DeserializeOwned + Listed>(&self, path: &str, query: Form) -> PaymentResult<Vec<T>> {
        listed(&self.client, path, query).await
    }
}

/// Returns successful payments since a time, without an open store.
pub(crate) async fn payments_since(
    options: &StripeOptions,
    http: reqwest::Client,
    since_ms: i64,
) -> PaymentResult<Vec<ProviderMove>> {
    let client = Client::new(http, options.base_url.clone(), options.secret_key.clone());
    let since = form([("created[gte]", (since_ms / 1000).to_string())]);
    let intents: Vec<PaymentIntent> = listed(&client, "/v1/payment_intents", since).await?;
    Ok(intents.into_iter().filter(|intent| intent.status == IntentStatus::Succeeded).map(payment).collect())
}

async fn listed<T: DeserializeOwned + Listed>(client: &Client, path: &str, query: Form) -> PaymentResult<Vec<T>> {
    let mut all: Vec<T> = Vec::new();
    for _ in 0..PAGES {
        let mut query = query.clone();
        query.extend(form([("limit", PAGE.to_string())]));
        if let Some(last) = all.last() {
            query.extend(form([("starting_after", last.id().to_owned())]));
        }
        let page: List<T> = client.get(path, query).await?;
        let is_last = !page.has_more || page.data.is_empty();
        all.extend(page.data);
        if is_last {
            return Ok(all);
        }
    }
    Err(PaymentError::Fatal(format!("{path}: more than {} objects", PAGE * PAGES)))
}

fn payment(intent: PaymentIntent) -> ProviderMove {
    ProviderMove {
        order_key: intent.metadata.get("order").cloned(),
        id: intent.id,
        of_payment: None,
        customer: intent.customer,
        amount: intent.amount,
        at: intent.created * 1000,
        is_won_back: false,
    }
}

/// Returns a refund, and the money that returned if it failed. Refunds of charges without an intent are not ours.
fn refunded(refund: Refund) -> Vec<ProviderMove> {
    let Some(payment) = refund.payment_intent.clone() else { return Vec::new() };
    let failed = refund.has_failed().then(|| refund.failed_id());
    let returned = back(refund.id, payment, refund.amount, refund.created);
    let failed = failed.map(|id| ProviderMove { id, is_won_back: true, ..returned.clone() });
    [Some(returned), failed].into_iter().flatten().collect()
}

fn disputed(dispute: &Dispute) -> Vec<ProviderMove> {
    let Some(payment) = &dispute.payment_intent else { return Vec::new() };
    let lost = back(dispute.id.clone(), payment.clone(), dispute.amount, dispute.created);
    let won = ProviderMove { id: dispute.won_id(), is_won_back: true, ..lost.clone() };
    [Some(lost), dispute.is_won().then_some(won)].into_iter().flatten().collect()
}

fn back(id: String, payment: String, amount: i64, created: i64) -> ProviderMove {
    let (order_key, customer) = (None, None);
    ProviderMove { id, of_payment: Some(payment), order_key, customer, amount, at: created * 1000, is_won_back: false }
}

fn running(subscription: Subscription) -> ProviderSubscription {
    ProviderSubscription {
        order_key: subscription.metadata.get("order").cloned(),
        renews: !subscription.stops(),
        id: subscription.id,
        at: subscription.created * 1000,
    }
}

macro_rules! listed {
    ($($object:ty),*) => {
        $(impl Listed for $object {
            fn id(&self) -> &str {
                &self.id
            }
        })*
    };
}
listed!(PaymentIntent, Refund, Dispute, Subscription, Invoice);
