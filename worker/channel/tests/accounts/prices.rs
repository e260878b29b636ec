//! Nobody pays a price that differs from the one on their page (`PAY-10`).

use serde_json::{Value, json};

use crate::app::{App, ChannelFolder, Person, VALID_CARD};

/// A channel whose folder a test edits while viewers look at its pages.
struct Shop {
    app: App,
    folder: ChannelFolder,
    person: Person,
    card: String,
}

impl Shop {
    async fn open() -> Self {
        let folder = ChannelFolder::copied();
        let app = App::of(&folder).await;
        let person = app.person("ada").await;
        let card = app.card(&person, VALID_CARD).await;
        Self { app, folder, person, card }
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        self.folder.replace(file, from, to);
        self.app.reload();
    }

    async fn buy(&self, key: &str, mut body: Value) -> crate::app::Answer {
        body["payment_method_id"] = json!(self.card);
        self.app.buy(&self.person, key, body).await
    }

    async fn start_trial(&self, key: &str, mut body: Value) -> crate::app::Answer {
        body["subscription_id"] = json!(1);
        body["payment_method_id"] = json!(self.card);
        let headers = [("idempotency-key", key)];
        self.app.post_with(&self.person.key, "stripe/subscription/start_trial", &headers, body).await
    }
}

/// A purchase of an event at the displayed price.
fn event_for(total: i64) -> Value {
    json!({
        "type": "event", "id": 1, "single_event_package_id": 1001, "expected_total": total,
        "expected_service_fee": 60, "currency": "USD",
    })
}

#[tokio::test]
async fn a_changed_price_must_be_confirmed_before_the_event_is_sold() {
    let shop = Shop::open().await;
    shop.edit("events.json", "\"base_price\": 799", "\"base_price\": 899");
    let refused = shop.buy("shown", event_for(859)).await;
    assert_eq!(refused.fails(409, "price_changed"), "The price has changed. You have not been charged.");
    assert_eq!(
        refused.json()["price"],
        json!({ "base_price": 899, "discount": 0, "service_fee": 60, "total": 959, "currency": "USD" })
    );
    shop.app.settle().await;
    assert_eq!(shop.app.get(&shop.person.key, "orders").await.json()["meta"]["total"], 0);

    // A refusal is not stored, so the key can be used again.
    let placed = shop.buy("shown", event_for(959)).await.data();
    shop.app.settle().await;
    assert_eq!(shop.app.order(&shop.person, &placed["id"]).await["total"], 959);
    // A stored response stays the same, whatever the price.
    shop.edit("events.json", "\"base_price\": 899", "\"base_price\": 999");
    assert_eq!(shop.buy("shown", event_for(959)).await.data(), placed);
    assert_eq!(shop.app.charges("succeeded").await, 1);
}

#[tokio::test]
async fn a_lower_price_must_be_confirmed_too() {
    let shop = Shop::open().await;
    shop.edit("events.json", "\"base_price\": 799", "\"base_price\": 699");
    let refused = shop.buy("shown", event_for(859)).await;
    refused.fails(409, "price_changed");
    assert_eq!(refused.json()["price"]["total"], 759);
}

#[tokio::test]
async fn a_changed_fee_or_currency_is_reported_even_with_the_same_total() {
    let shop = Shop::open().await;
    shop.edit("events.json", "\"base_price\": 799", "\"base_price\": 789");
    shop.edit("events.json", "\"service_fee\": 60", "\"service_fee\": 70");
    let refused = shop.buy("shown", event_for(859)).await;
    refused.fails(409, "price_changed");
    assert_eq!((&refused.json()["price"]["total"], &refused.json()["price"]["service_fee"]), (&json!(859), &json!(70)));
    let mut body = event_for(859);
    body["expected_service_fee"] = json!(70);
    shop.edit("settings.json", "\"USD\"", "\"CAD\"");
    let refused = shop.buy("shown", body.clone()).await;
    refused.fails(409, "price_changed");
    assert_eq!(refused.json()["price"]["currency"], "CAD");
    body["currency"] = json!("CAD");
    assert_eq!(shop.buy("shown", body).await.data()["currency"], "CAD");
}

#[tokio::test]
async fn a_smaller_discount_is_reported() {
    let shop = Shop::open().await;
    let body = |total: i64| json!({ "type": "package", "id": 1, "promo_code": "TEN", "expected_total": total });
    shop.edit("channel.json", "\"percent\": 10", "\"percent\": 5");
    let refused = shop.buy("shown", body(8660)).await;
    refused.fails(409, "price_changed");
    assert_eq!(
        refused.json()["price"],
        json!({
            "base_price": 8900, "discount": 445, "service_fee": 650, "total": 9105, "currency": "USD", "promo_code": "TEN",
        })
    );
    assert_eq!(shop.buy("again", body(9105)).await.data()["total"], 9105);
}

#[tokio::test]
async fn a_changed_renewal_price_is_reported() {
    let shop = Shop::open().await;
    let body = |renewal: i64| {
        json!({
            "type": "subscription", "id": 1, "promo_code": "TEN", "expected_total": 1179,
            "expected_renewal_price": renewal,
        })
    };
    // The code applies only to the first period; a page that promises it for each renewal is wrong.
    let refused = shop.buy("shown", body(1179)).await;
    refused.fails(409, "price_changed");
    assert_eq!(refused.json()["price"]["renewal_price"], 1299);
    assert_eq!(shop.buy("again", body(1299)).await.data()["total"], 1179);
    // A product that never renews has no renewal price.
    let mut event = event_for(859);
    event["expected_renewal_price"] = json!(859);
    shop.buy("event", event).await.fails(409, "price_changed");
}

#[tokio::test]
async fn a_trial_starts_with_the_displayed_days_and_price() {
    let shop = Shop::open().await;
    let displayed = |days: i64, renewal: i64| {
        json!({
            "expected_total": 0, "expected_trial_days": days, "expected_renewal_price": renewal, "currency": "USD",
        })
    };
    shop.edit("subscriptions.json", "\"trial_period\": 7", "\"trial_period\": 3");
    let refused = shop.start_trial("shown", displayed(7, 1299)).await;
    refused.fails(409, "price_changed");
    assert_eq!(
        refused.json()["price"],
        json!({
            "base_price": 1199, "discount": 1199, "service_fee": 0, "total": 0, "currency": "USD", "renewal_price": 1299,
            "trial_days": 3,
        })
    );
    assert_eq!(shop.app.get(&shop.person.key, "profile").await.data()["trial_period_used"], false);
    shop.edit("subscriptions.json", "\"base_price\": 1199", "\"base_price\": 1399");
    shop.start_trial("second", displayed(3, 1299)).await.fails(409, "price_changed");
    assert_eq!(shop.start_trial("third", displayed(3, 1499)).await.data()["total"], 0);
}

#[tokio::test]
async fn a_purchase_without_an_expected_price_pays_the_current_one() {
    let shop = Shop::open().await;
    shop.edit("events.json", "\"base_price\": 799", "\"base_price\": 899");
    let body = json!({ "type": "event", "id": 1, "single_event_package_id": 1001 });
    assert_eq!(shop.buy("silent", body).await.data()["total"], 959);
}
