//! Webhooks, stores and responses that are lost, late or outdated, and erased people (`PAY-4`, `PAY-14`, `AUTH-4`).

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use touchline_protocol::ambient::{Clock, SystemClock};

use crate::provider::{SECRET, paid};
use crate::stripe::signature;
use crate::stripe_place::{Place, count};
use crate::support::{done, eventually, refused};

const PAYS: &str = "4242424242424242";
const ASKS: &str = "4000002500003155";
const DAY_S: i64 = 86_400;

#[tokio::test]
async fn webhooks_repeated_days_later_in_any_order_change_nothing() {
    let mut place = Place::begin(0).await;
    let (ann, bob) = (place.viewer(PAYS).await, place.viewer(PAYS).await);
    let bought = place.bought(&ann, "package", 1).await;
    let trial = place.trial(&bob).await;
    let refund = json!({ "payment_intent": place.intent(bought).await, "amount": 100 });
    place.provider.act("POST /v1/refunds", "", refund).await;
    place.until("the refund", &ann.0, bought, |order| order["refunded_minor"] == 100).await;
    place.after(8 * DAY_S).await;
    place.until("it renews", &bob.0, trial, |order| order["version"] == 3).await;

    place.after(12 * DAY_S).await;
    let before = (place.order(&ann.0, bought).await, place.order(&bob.0, trial).await);
    let (lines, moved) = (place.lines(&ann.0).await, place.moved().await);
    let mut events = place.provider.test("events", json!({})).await.as_array().unwrap().clone();
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
        let request = place.worker().http.post(format!("{}/webhooks/stripe", place.url()));
        let signed = request.header("stripe-signature", signature(SECRET, &body, at));
        signed.body(body).send().await.unwrap().status()
    };
    assert_eq!(post(&twice[0], now - 12 * DAY_S).await, StatusCode::BAD_REQUEST, "signed when it happened: a replay");
    for event in &twice {
        assert_eq!(post(event, now).await, StatusCode::OK);
    }
    let applied = "SELECT COUNT(*) FROM webhooks WHERE due_at IS NOT NULL";
    eventually("every one is applied", async || (count(&place.data, applied).await == 0).then_some(())).await;
    assert_eq!((place.order(&ann.0, bought).await, place.order(&bob.0, trial).await), before);
    assert_eq!((place.lines(&ann.0).await, place.moved().await), (lines, moved));
}

/// An older store has pending orders that were paid meanwhile, and lacks later ones.
#[tokio::test]
async fn after_a_restore_earlier_payments_are_found_and_not_repeated() {
    let mut place = Place::begin(0).await;
    let (ann, bob) = (place.viewer(PAYS).await, place.viewer(PAYS).await);
    let breaks = json!({ "breaks": ["POST /v1/payment_intents", "POST /v1/subscriptions"] });
    place.provider.plan(&place.url(), breaks, json!({})).await;
    let package = place.placed((&ann.0, &ann.1), "package", 1).await;
    let subscription = place.placed((&bob.0, &bob.1), "subscription", 1).await;
    let backup = place.data.parent().unwrap().join("backup.sqlite").display().to_string();
    done(&place.data, &["backup", &backup]);
    place.provider.plan(&place.url(), json!({}), json!({})).await;
    for (key, order) in [(&ann.0, package), (&bob.0, subscription)] {
        place.until("it is paid", key, order, |order| order["status"] == "paid").await;
    }
    let later = place.bought(&ann, "package", 3).await;
    let before = place.moved().await;
    place.stop();

    done(&place.data, &["restore", &backup]);
    let store = sqlx::SqlitePool::connect(&format!("sqlite:{}", place.data.join("channel.sqlite").display())).await;
    let store = store.unwrap();
    // As if the backup was older than the first attempt, so that only a key that Stripe has expired guards the payment.
    sqlx::query("UPDATE orders SET attempts = 0").execute(&store).await.unwrap();
    store.close().await;
    place.after(25 * 3600).await;
    for (key, order) in [(&ann.0, package), (&bob.0, subscription)] {
        let order = place.until("it is found", key, order, |order| order["status"] == "paid").await;
        assert_eq!(order["activity_status"], "active", "{order}");
    }
    assert_eq!(place.moved().await, before, "nothing is paid twice");
    let books = place.provider.books().await;
    assert_eq!(books["subscriptions"].as_array().unwrap().len(), 1);
    // Orders missing from the older store are reported to the operator.
    place.after(26 * 3600).await;
    let said = refused(&place.data, &["audit"]);
    assert!(said.contains(&format!("order {later}: provider payment: the provider charged 4190 as pi_")), "{said}");
}

#[tokio::test]
async fn an_erased_person_leaves_no_customer_card_or_open_payment() {
    let mut place = Place::begin(0).await;
    let (gone, asked) = (place.viewer(PAYS).await, place.viewer(ASKS).await);
    let subscription = place.bought(&gone, "subscription", 1).await;
    let waiting = place.placed((&asked.0, &asked.1), "package", 1).await;
    let next = place.until("the bank asks", &asked.0, waiting, |order| order["next_action"].is_object()).await;
    let books = place.provider.books().await;
    for customer in books["customers"].as_array().unwrap() {
        for field in ["email", "name", "phone", "description", "address", "shipping"] {
            assert!(customer[field].is_null(), "Stripe is told a number alone: {customer}");
        }
    }
    let ids = [place.worker().user_of(&gone.0).await.unwrap(), place.worker().user_of(&asked.0).await.unwrap()];
    // Stripe is down: the account is erased immediately, its data at Stripe later.
    place.provider.plan(&place.url(), json!({ "breaks": ["DELETE /v1/customers/:id"] }), json!({})).await;
    for id in ids {
        refused(&place.data, &["user", "erase", &id.to_string()]);
    }
    assert_eq!(place.worker().user_of(&gone.0).await, None);
    place.after(DAY_S).await;
    eventually("Stripe has deleted them", async || {
        let books = place.provider.books().await;
        let customers = books["customers"].as_array().unwrap();
        customers.iter().all(|customer| customer["deleted"] == true).then_some(())
    })
    .await;
    assert_eq!(place.object("subscriptions", subscription).await["status"], "canceled");
    let secret = &next["next_action"]["client_secret"];
    place.provider.test("answer", json!({ "client_secret": secret, "accept": true })).await;
    assert_eq!(place.object("intents", waiting).await["status"], "canceled", "the forgotten tab pays nothing");
    let customers = "SELECT COUNT(*) FROM customers";
    eventually("nothing is left here", async || (count(&place.data, customers).await == 0).then_some(())).await;
    assert_eq!(paid(&place.provider.books().await).len(), 1);
}

#[tokio::test]
async fn a_refund_with_a_lost_response_happens_once() {
    let mut place = Place::begin(0).await;
    let ann = place.viewer(PAYS).await;
    let order = place.bought(&ann, "package", 1).await;
    // The connection breaks before or after Stripe's refund: it is pending, and is made only once, although Stripe has
    // expired its key by the time it is retried.
    for (round, (plan, acted)) in [(json!({ "before": 1 }), 0), (json!({ "after": 1 }), 100)].into_iter().enumerate() {
        let back = 100 * round as i64;
        place.provider.plan(&place.url(), plan, json!({ "never": 1 })).await;
        let said = refused(&place.data, &["order", "refund", &order.to_string(), "--amount", "100"]);
        assert!(said.contains("does not answer") && said.contains("made as soon as it does"), "{said}");
        assert_eq!(place.moved().await.1, back + acted);
        place.after(25 * 3600 * (round as i64 + 1)).await;
        place.until("it is refunded", &ann.0, order, |order| order["refunded_minor"] == back + 100).await;
        assert_eq!(place.moved().await.1, back + 100, "once");
    }
    // A dispute that is lost.
    place.provider.test("dispute", json!({ "payment_intent": place.intent(order).await })).await;
    place.until("the dispute", &ann.0, order, |order| order["status"] == "refunded").await;
    let before = place.lines(&ann.0).await;
    let lost = json!({ "payment_intent": place.intent(order).await, "status": "lost" });
    place.provider.test("dispute", lost).await;
    let applied = "SELECT COUNT(*) FROM webhooks WHERE kind = 'charge.dispute.closed' AND due_at IS NULL";
    eventually("it is told", async || (count(&place.data, applied).await == 1).then_some(())).await;
    assert_eq!(place.lines(&ann.0).await, before, "what was lost is lost already");

    let path = format!("stripe/customer-portal?api_key={}", ann.0);
    let portal = place.worker().data(Method::GET, &path, &Value::Null).await;
    assert!(portal["url"].as_str().unwrap().starts_with(&format!("{}/portal/bps_", place.provider.url)));
    place.provider.books().await;
}
