//! Purchases.

use serde_json::{Value, json};
use touchline_channel::payments::billing;
use touchline_protocol::ambient::Clock;
use touchline_protocol::purchases::OrderType;
use touchline_store::{BillingPeriod, CreateOrderResult, NewOrder, NewSubscription, Outcome};

use super::{Answer, App, DAY_MS, Person};

/// A test card whose payments succeed.
pub(crate) const VALID_CARD: &str = "4242 4242 4242 4242";

impl App {
    /// Enters a test card. Each person's has an expiry date of its own, so that nobody shares a card.
    pub(crate) async fn card(&self, person: &Person, number: &str) -> String {
        let intent = self.post(&person.key, "stripe/setup-intent", json!({})).await.data();
        let exp = format!("{}/{}", 1 + person.id % 12, 2034 + person.id / 12);
        let body = json!({ "client_secret": intent["client_secret"], "number": number, "exp": exp, "cvc": "123" });
        let card = self.post(&person.key, "stripe/sandbox-card", body).await.data();
        card["payment_method_id"].as_str().unwrap().to_owned()
    }

    /// Buys under this idempotency key.
    pub(crate) async fn buy(&self, person: &Person, key: &str, body: Value) -> Answer {
        self.post_with(&person.key, "stripe/buy", &[("idempotency-key", key)], body).await
    }

    /// Buys with a new card and charges it; returns the order.
    pub(crate) async fn bought(&self, person: &Person, number: &str, mut body: Value) -> Value {
        let card = self.card(person, number).await;
        body["payment_method_id"] = json!(card);
        let placed = self.buy(person, &card, body).await.data();
        self.settle().await;
        self.order(person, &placed["id"]).await
    }

    /// Runs the background work that is due.
    pub(crate) async fn settle(&self) {
        billing::settle_due(&self.state.billing()).await.unwrap();
    }

    pub(crate) async fn order(&self, person: &Person, id: &Value) -> Value {
        self.get(&person.key, &format!("orders/{id}")).await.data()
    }

    /// Records a paid order in the store.
    pub(crate) async fn owns(
        &self,
        person: &Person,
        kind: OrderType,
        product_id: i64,
        covers: &[i64],
        team: Option<i64>,
    ) {
        let at = self.clock.now_ms();
        let subscription = (kind == OrderType::Subscription).then_some(NewSubscription {
            period: BillingPeriod::Monthly,
            trial_days: 0,
            renewal_price: 1299,
            renewal_fee: 100,
        });
        let new = NewOrder {
            channel_key: self.channel_key.to_owned(),
            user_id: person.id,
            kind,
            product_id,
            product_name: "Something".to_owned(),
            event_category_id: None,
            participant_id: team,
            event_categories: covers.to_vec(),
            base_price: 1000,
            discount: 0,
            service_fee: 0,
            currency: "USD".to_owned(),
            promo_code: None,
            promo_limit: None,
            payment_method_id: "pm".to_owned(),
            card_fingerprint: None,
            period_days: 0,
            subscription,
            at,
            charge_at: at,
        };
        let order = match self.state.store.create_order(new, None).await.unwrap() {
            CreateOrderResult::Order(order) => order,
            other => panic!("{other:?}"),
        };
        let period_end = (kind == OrderType::Subscription).then_some(at + 30 * DAY_MS);
        let paid = Outcome::Paid { period_end, trial_end: None };
        self.state.store.settle_order(order.id, 0, paid.into(), at).await.unwrap().unwrap();
    }

    /// Number of the provider's charges with this status.
    pub(crate) async fn charges(&self, status: &str) -> i64 {
        self.count(&format!("SELECT COUNT(*) FROM sandbox_charges WHERE status = '{status}'")).await
    }
}
