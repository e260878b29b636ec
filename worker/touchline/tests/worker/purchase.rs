//! A placed order is paid and charged once, whatever happens to the worker meanwhile (`PAY`, `OPS-3`).

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sqlx::Row;
use sqlx::sqlite::SqlitePool;

use crate::postgres::TestStore;
use crate::support::{Worker, eventually, fresh};

/// A sandbox card that is always accepted.
const PAID: &str = "4242424242424242";
const DECLINED: &str = "4000000000000002";

/// Another expiry date makes another card.
fn fresh_expiry() -> String {
    static CARDS: AtomicU64 = AtomicU64::new(0);
    let card = CARDS.fetch_add(1, Ordering::Relaxed);
    format!("{}/{}", 1 + card % 12, 2040 + card / 12)
}

impl Worker {
    /// The payment method of a new card.
    pub(crate) async fn card(&self, key: &str, number: &str) -> String {
        let intent = self.data(Method::POST, "stripe/setup-intent", &json!({ "api_key": key })).await;
        let card = json!({
            "api_key": key, "client_secret": intent["client_secret"], "number": number, "exp": fresh_expiry(), "cvc": "123",
        });
        let method = self.data(Method::POST, "stripe/sandbox-card", &card).await;
        method["payment_method_id"].as_str().unwrap().to_owned()
    }

    /// Buys package 1 with an idempotency key.
    pub(crate) async fn buy(&self, key: &str, card: &str, idempotency_key: &str) -> (StatusCode, Value) {
        let body = json!({ "api_key": key, "type": "package", "id": 1, "payment_method_id": card });
        let request = self.http.post(self.url("/api/stripe/buy")).header("idempotency-key", idempotency_key);
        let response = request.json(&body).send().await.unwrap();
        (response.status(), response.json().await.unwrap())
    }

    pub(crate) async fn order(&self, key: &str, id: &Value) -> Value {
        self.data(Method::GET, &format!("orders/{id}?api_key={key}"), &Value::Null).await
    }

    pub(crate) async fn settled(&self, key: &str, id: &Value) -> Value {
        eventually("the order is settled", async || {
            let order = self.order(key, id).await;
            (order["status"] != "created").then_some(order)
        })
        .await
    }
}

/// Counts and sums the provider's charges.
pub(crate) const COUNTED: &str = "SELECT COUNT(*) AS times, CAST(COALESCE(SUM(amount), 0) AS BIGINT) AS amount
    FROM sandbox_charges WHERE status = 'succeeded'";

/// Count and sum of the provider's charges.
pub(crate) async fn charges(data: &Path) -> (i64, i64) {
    let store =
        SqlitePool::connect(&format!("sqlite:{}?mode=ro", data.join("channel.sqlite").display())).await.unwrap();
    let row = sqlx::query(COUNTED).fetch_one(&store).await.unwrap();
    store.close().await;
    (row.get("times"), row.get("amount"))
}

async fn killed_once(store: TestStore) {
    let worker = store.start(&["--sandbox-delay-ms", "60000"]);
    let key = worker.register().await;
    let card = worker.card(&key, PAID).await;
    let idempotency_key = fresh("buy");
    let (status, answer) = worker.buy(&key, &card, &idempotency_key).await;
    assert_eq!((status, &answer["data"]["status"]), (StatusCode::OK, &json!("created")), "{answer}");
    let (id, total) = (answer["data"]["id"].clone(), answer["data"]["total"].as_i64().unwrap());
    worker.kill();
    assert_eq!(store.charges().await, (0, 0));

    // The sandbox's minute of delay has passed while the worker was down.
    let worker = store.start(&["--sandbox-delay-ms", "0", "--clock-offset", "120"]);
    let order = worker.settled(&key, &id).await;
    assert_eq!((&order["status"], &order["activity_status"]), (&json!("paid"), &json!("active")));
    let (status, again) = worker.buy(&key, &card, &idempotency_key).await;
    assert_eq!((status, &again["data"]["id"]), (StatusCode::OK, &id), "the repeated response differs: {again}");
    assert!(worker.end().0.success());
    assert_eq!(store.charges().await, (1, total));
}

async fn killed_often(store: TestStore) {
    let mut worker = store.start(&["--sandbox-delay-ms", "40"]);
    let mut orders = Vec::new();
    let mut total = 0;
    // Moments before, during and after the charge; fixed, so that every run is the same.
    for wait_ms in [0, 15, 30, 40, 45, 55, 80] {
        let key = worker.register().await;
        let card = worker.card(&key, PAID).await;
        let (status, answer) = worker.buy(&key, &card, &fresh("buy")).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        total += answer["data"]["total"].as_i64().unwrap();
        orders.push((key, answer["data"]["id"].clone()));
        tokio::time::sleep(std::time::Duration::from_millis(wait_ms)).await;
        worker.kill();
        worker = store.start(&["--sandbox-delay-ms", "40"]);
    }
    for (key, id) in &orders {
        assert_eq!(worker.settled(key, id).await["status"], "paid");
    }
    assert!(worker.end().0.success());
    assert_eq!(store.charges().await, (orders.len() as i64, total));
}

async fn declined(store: TestStore) {
    let worker = store.start(&["--sandbox-delay-ms", "0"]);
    let key = worker.register().await;
    let card = worker.card(&key, DECLINED).await;
    let (_, answer) = worker.buy(&key, &card, &fresh("buy")).await;
    let order = worker.settled(&key, &answer["data"]["id"]).await;
    assert_eq!((&order["status"], &order["activity_status"]), (&json!("failed"), &json!("inactive")));
    assert_eq!(store.charges().await, (0, 0));
}

#[tokio::test]
async fn an_order_pending_when_the_worker_was_killed_is_charged_once() {
    killed_once(TestStore::sqlite()).await;
}

#[tokio::test]
async fn on_postgresql_an_order_pending_when_the_worker_was_killed_is_charged_once() {
    killed_once(TestStore::postgres().await).await;
}

/// Shows PAY-4.
#[tokio::test]
async fn kills_around_the_charge_never_charge_twice_or_lose_an_order() {
    killed_often(TestStore::sqlite()).await;
}

#[tokio::test]
async fn on_postgresql_kills_around_the_charge_never_charge_twice_or_lose_an_order() {
    killed_often(TestStore::postgres().await).await;
}

#[tokio::test]
async fn a_declined_card_fails_the_order_without_a_charge() {
    declined(TestStore::sqlite()).await;
}

#[tokio::test]
async fn on_postgresql_a_declined_card_fails_the_order_without_a_charge() {
    declined(TestStore::postgres().await).await;
}
