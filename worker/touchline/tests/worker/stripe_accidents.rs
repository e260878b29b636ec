//! Webhooks, stores and responses that are lost, late or outdated, and erased people (`PAY-4`, `PAY-14`, `AUTH-4`).

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use touchline_protocol::ambient::{Clock, SystemClock};

use crate::provider::{SECRET, paid};
use crate::stripe::signature;
use crate::stripe_shop::{Shop, count};
use crate::support::{done, eventually, refused};

const PAYS: &str = "4242424242424242";
const ASKS: &str = "4000002500003155";
const DAY_S: i64 = 86_400;

/// Shows ORDER-2a, PAY-14c.
#[tokio::test]
async fn webhooks_repeated_days_later_in_any_order_change_nothing() {
    let mut shop = Shop::begin(0).await;
    let (ann, bob) = (shop.viewer(PAYS).await, shop.viewer(PAYS).await);
    let buy = shop.buy(&ann, "package", 1).await;
    let trial = shop.trial(&bob).await;
    let refund = json!({ "payment_intent": shop.intent(buy).await, "amount": 100 });
    shop.provider.act("POST /v1/refunds", "", refund).await;
    shop.until("the refund", &ann.0, buy, |order| order["refunded_minor"] == 100).await;
    shop.after(8 * DAY_S).await;
    shop.until("it renews", &bob.0, trial, |order| order["version"] == 3).await;

    shop.after(12 * DAY_S).await;
    let before = (shop.order(&ann.0, buy).await, shop.order(&bob.0, trial).await);
    let (lines, moved) = (shop.lines(&ann.0).await, shop.moved().await);
    let mut events = shop.provider.test("events", json!({})).await.as_array().unwrap().clone();
    assert!(events.len() > 8, "{}", events.len());
    // Half of them with new ids, as if never received.
    for (number, event) in events.iter_mut().enumerate().filter(|(number, _)| number % 2 == 0) {
        event["id"] = json!(format!("evt_again_{number}"));
    }
    let mut twice = [events.clone(), events].concat();
    twice.shuffle(&mut StdRng::seed_from_u64(16));
    let now = SystemClock::default().now_s() + 12 * DAY_S;
    let post = async |event: &Value, at: i64| {
        let body = event.to_string();
        let request = shop.worker().http.post(format!("{}/webhooks/stripe", shop.url()));
        let signed = request.header("stripe-signature", signature(SECRET, &body, at));
        signed.body(body).send().await.unwrap().status()
    };
    assert_eq!(
        post(&twice[0], now - 12 * DAY_S).await,
        StatusCode::BAD_REQUEST,
        "a replay with the original signature time"
    );
    for event in &twice {
        assert_eq!(post(event, now).await, StatusCode::OK);
    }
    let applied = "SELECT COUNT(*) FROM webhooks WHERE due_at IS NOT NULL";
    eventually("every one is applied", async || (count(&shop.data, applied).await == 0).then_some(())).await;
    assert_eq!((shop.order(&ann.0, buy).await, shop.order(&bob.0, trial).await), before);
    assert_eq!((shop.lines(&ann.0).await, shop.moved().await), (lines, moved));
}

/// An older store has pending orders that were paid meanwhile, and lacks later ones.
#[tokio::test]
async fn after_a_restore_earlier_payments_are_found_and_not_repeated() {
    let mut shop = Shop::begin(0).await;
    let (ann, bob) = (shop.viewer(PAYS).await, shop.viewer(PAYS).await);
    let breaks = json!({ "breaks": ["POST /v1/payment_intents", "POST /v1/subscriptions"] });
    shop.provider.plan(&shop.url(), breaks, json!({})).await;
    let package = shop.create_order((&ann.0, &ann.1), "package", 1).await;
    let subscription = shop.create_order((&bob.0, &bob.1), "subscription", 1).await;
    let backup = shop.data.parent().unwrap().join("backup.sqlite").display().to_string();
    done(&shop.data, &["backup", &backup]);
    shop.provider.plan(&shop.url(), json!({}), json!({})).await;
    for (key, order) in [(&ann.0, package), (&bob.0, subscription)] {
        shop.until("it is paid", key, order, |order| order["status"] == "paid").await;
    }
    let later = shop.buy(&ann, "package", 3).await;
    let before = shop.moved().await;
    shop.stop();

    done(&shop.data, &["restore", &backup]);
    let store = sqlx::SqlitePool::connect(&format!("sqlite:{}", shop.data.join("channel.sqlite").display())).await;
    let store = store.unwrap();
    // As if the backup was older than the first attempt, so that only a key that Stripe has expired guards the payment.
    sqlx::query("UPDATE orders SET attempts = 0").execute(&store).await.unwrap();
    store.close().await;
    shop.after(25 * 3600).await;
    for (key, order) in [(&ann.0, package), (&bob.0, subscription)] {
        let order = shop.until("it is found", key, order, |order| order["status"] == "paid").await;
        assert_eq!(order["activity_status"], "active", "{order}");
    }
    assert_eq!(shop.moved().await, before, "an order was paid twice");
    let books = shop.provider.books().await;
    assert_eq!(books["subscriptions"].as_array().unwrap().len(), 1);
    // Orders missing from the older store are reported to the operator.
    shop.after(26 * 3600).await;
    let output = refused(&shop.data, &["audit"]);
    assert!(output.contains(&format!("order {later}: provider payment: the provider charged 4190 as pi_")), "{output}");
}

#[tokio::test]
async fn an_erased_person_leaves_no_customer_card_or_open_payment() {
    let mut shop = Shop::begin(0).await;
    let (erased, waiting_viewer) = (shop.viewer(PAYS).await, shop.viewer(ASKS).await);
    let subscription = shop.buy(&erased, "subscription", 1).await;
    let waiting = shop.create_order((&waiting_viewer.0, &waiting_viewer.1), "package", 1).await;
    let next = shop.until("the bank asks", &waiting_viewer.0, waiting, |order| order["next_action"].is_object()).await;
    let books = shop.provider.books().await;
    for customer in books["customers"].as_array().unwrap() {
        for field in ["email", "name", "phone", "description", "address", "shipping"] {
            assert!(customer[field].is_null(), "Stripe received more than a number: {customer}");
        }
    }
    let ids =
        [shop.worker().user_of(&erased.0).await.unwrap(), shop.worker().user_of(&waiting_viewer.0).await.unwrap()];
    // Stripe is down: the account is erased immediately, its data at Stripe later.
    shop.provider.plan(&shop.url(), json!({ "breaks": ["DELETE /v1/customers/:id"] }), json!({})).await;
    for id in ids {
        refused(&shop.data, &["user", "erase", &id.to_string()]);
    }
    assert_eq!(shop.worker().user_of(&erased.0).await, None);
    shop.after(DAY_S).await;
    eventually("Stripe has deleted them", async || {
        let books = shop.provider.books().await;
        let customers = books["customers"].as_array().unwrap();
        customers.iter().all(|customer| customer["deleted"] == true).then_some(())
    })
    .await;
    assert_eq!(shop.object("subscriptions", subscription).await["status"], "canceled");
    let secret = &next["next_action"]["client_secret"];
    shop.provider.test("answer", json!({ "client_secret": secret, "accept": true })).await;
    assert_eq!(shop.object("intents", waiting).await["status"], "canceled", "the open tab could pay");
    let customers = "SELECT COUNT(*) FROM customers";
    eventually("no customer is left", async || (count(&shop.data, customers).await == 0).then_some(())).await;
    assert_eq!(paid(&shop.provider.books().await).len(), 1);
}

#[tokio::test]
async fn a_refund_with_a_lost_response_happens_once() {
    let mut shop = Shop::begin(0).await;
    let ann = shop.viewer(PAYS).await;
    let order = shop.buy(&ann, "package", 1).await;
    // The connection breaks before or after Stripe's refund: it is pending, and is made only once, although Stripe has
    // expired its key by the time it is retried.
    for (round, (plan, acted)) in [(json!({ "before": 1 }), 0), (json!({ "after": 1 }), 100)].into_iter().enumerate() {
        let back = 100 * round as i64;
        shop.provider.plan(&shop.url(), plan, json!({ "never": 1 })).await;
        let output = refused(&shop.data, &["order", "refund", &order.to_string(), "--amount", "100"]);
        assert!(output.contains("does not answer") && output.contains("made as soon as it does"), "{output}");
        assert_eq!(shop.moved().await.1, back + acted);
        shop.after(25 * 3600 * (round as i64 + 1)).await;
        shop.until("it is refunded", &ann.0, order, |order| order["refunded_minor"] == back + 100).await;
        assert_eq!(shop.moved().await.1, back + 100, "once");
    }
    // A dispute that is lost.
    shop.provider.test("dispute", json!({ "payment_intent": shop.intent(order).await })).await;
    shop.until("the dispute", &ann.0, order, |order| order["status"] == "refunded").await;
    let before = shop.lines(&ann.0).await;
    let lost = json!({ "payment_intent": shop.intent(order).await, "status": "lost" });
    shop.provider.test("dispute", lost).await;
    let applied = "SELECT COUNT(*) FROM webhooks WHERE kind = 'charge.dispute.closed' AND due_at IS NULL";
    eventually("the dispute is applied", async || (count(&shop.data, applied).await == 1).then_some(())).await;
    assert_eq!(shop.lines(&ann.0).await, before, "a dispute over a refunded payment changed the transactions");

    let path = format!("stripe/customer-portal?api_key={}", ann.0);
    let portal = shop.worker().data(Method::GET, &path, &Value::Null).await;
    assert!(portal["url"].as_str().unwrap().starts_with(&format!("{}/portal/bps_", shop.provider.url)));
    shop.provider.books().await;
}
