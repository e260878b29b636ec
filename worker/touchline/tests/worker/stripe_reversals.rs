//! Refunds that fail, renewals that cross a cancellation, and subscriptions that are years old (`ORDER-2`, `PAY-14`,
//! `SUB-3`, `SUB-8`).

use std::collections::BTreeSet;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::stripe_place::{Place, letters};
use crate::support::{Worker, done, eventually, refused};

const PAYS: &str = "4242424242424242";
/// Accepted for a trial, and declined when charged.
const DECLINED_LATER: &str = "4000000000000341";
/// The bank asks for confirmation.
const ASKS: &str = "4000002500003155";
const DAY_S: i64 = 86_400;

async fn until_letter(place: &Place, begins: &str) {
    let has = || letters(&place.data).iter().any(|subject| subject.starts_with(begins)).then_some(());
    eventually(begins, async || has()).await;
}

async fn unsubscribe(worker: &Worker, key: &str, pressed_ago_s: i64) -> Value {
    let body = json!({ "api_key": key, "subscription_id": 1, "pressed_ago_s": pressed_ago_s });
    worker.data(Method::POST, "stripe/unsubscribe", &body).await
}

/// Shows ORDER-2.
#[tokio::test]
async fn a_refund_that_fails_later_restores_access_until_it_is_repeated() {
    let mut place = Place::begin(0).await;
    let (ann, bob) = (place.viewer(PAYS).await, place.viewer(PAYS).await);
    let (package, monthly) = (place.bought(&ann, "package", 1).await, place.bought(&bob, "subscription", 1).await);
    let renewed_until = place.order(&bob.0, monthly).await["subscription"]["current_period_end"].clone();
    let books = place.provider.books().await;
    let of_monthly = books["intents"].as_array().unwrap().iter().find(|it| it["amount"] == 1299).unwrap()["id"].clone();
    for (viewer, order, intent) in [(&ann, package, place.intent(package).await), (&bob, monthly, of_monthly)] {
        done(&place.data, &["order", "refund", &order.to_string()]);
        let refunded = place.order(&viewer.0, order).await;
        assert_eq!((&refunded["status"], &refunded["activity_status"]), (&json!("refunded"), &json!("inactive")));
        place.provider.test("refund_fails", json!({ "payment_intent": intent })).await;
        let again = place.until("it is paid again", &viewer.0, order, |order| order["status"] == "paid").await;
        assert_eq!((&again["activity_status"], &again["refunded_minor"]), (&json!("active"), &Value::Null));
        let kinds: Vec<_> = place.lines(&viewer.0).await.into_iter().map(|(words, _)| words).collect();
        assert_eq!(kinds, ["purchase succeeded", "refund succeeded", "refund_failed succeeded"]);
        let sum: i64 = place.lines(&viewer.0).await.iter().map(|(_, amount)| amount).sum();
        assert_eq!(sum, again["total"].as_i64().unwrap(), "the viewer has paid it");
    }
    let kept = place.order(&bob.0, monthly).await["subscription"].clone();
    assert_eq!((&kept["status"], &kept["access_until"]), (&json!("canceled"), &renewed_until), "it renews no more");
    assert!(kept["payment_method_id"].is_null(), "keeping it is not offered: {kept}");
    until_letter(&place, "Your 12.99 USD refund for").await;

    // The operator refunds again while the worker retries too: Stripe reports a key in use, twice. Afterwards nothing
    // is outstanding, and the books agree.
    let in_use = json!({ "in_use": ["POST /v1/refunds", "POST /v1/refunds"] });
    place.provider.plan(&place.url(), in_use, json!({})).await;
    done(&place.data, &["order", "refund", &package.to_string()]);
    let refunded = place.order(&ann.0, package).await;
    assert_eq!((&refunded["status"], &refunded["refunded_minor"]), (&json!("refunded"), &refunded["total"]));
    // A refund outside the card is known to the books but not to the provider.
    let (_, back) = place.moved().await;
    done(&place.data, &["order", "refund", &monthly.to_string(), "--outside", "bank transfer 4711"]);
    let refunded = place.order(&bob.0, monthly).await;
    assert_eq!((&refunded["status"], &refunded["refunded_minor"]), (&json!("refunded"), &json!(1299)));
    assert_eq!(place.moved().await.1, back);
    until_letter(&place, "Refund R-").await;
    place.after(600).await;
    let said = done(&place.data, &["audit"]);
    assert!(said.contains("agree"), "{said}");
}

/// Shows SUB-8.
#[tokio::test]
async fn a_cancellation_near_a_renewal_depends_on_the_time_of_the_charge() {
    let mut place = Place::begin(0).await;
    let (early, later, now) = (place.viewer(PAYS).await, place.viewer(PAYS).await, place.viewer(PAYS).await);
    let mut orders = Vec::new();
    for viewer in [&early, &later, &now] {
        orders.push(place.bought(viewer, "subscription", 1).await);
    }
    // Stripe renews without webhooks; the worker's clock has not reached the end of the period.
    place.provider.plan(&place.url(), json!({}), json!({ "never": 1 })).await;
    place.provider.clock(30 * DAY_S + 60).await;
    let kept = unsubscribe(place.worker(), &now.0, 0).await;
    assert_eq!((&kept["subscription"]["status"], &kept["status"]), (&json!("canceled"), &json!("paid")));
    let kinds: Vec<_> = place.lines(&now.0).await.into_iter().map(|(words, _)| words).collect();
    assert_eq!(kinds, ["purchase succeeded", "renewal succeeded"], "the renewal came first");

    // An hour after the renewals the worker is up, and two cancellations made offline arrive.
    place.after(30 * DAY_S + 3660).await;
    let kept = unsubscribe(place.worker(), &later.0, 1800).await;
    assert_eq!((&kept["status"], &kept["subscription"]["status"]), (&json!("paid"), &json!("canceled")));
    assert!(kept["refunded_minor"].is_null(), "pressed half an hour after the charge: {kept}");
    let gone = unsubscribe(place.worker(), &early.0, 3 * 3600).await;
    assert_eq!((&gone["status"], &gone["refunded_minor"]), (&json!("refunded"), &json!(1299)), "pressed before it");
    let lines = place.lines(&early.0).await;
    let kinds: Vec<_> = lines.iter().map(|(words, _)| words.as_str()).collect();
    assert_eq!(kinds, ["purchase succeeded", "renewal succeeded", "refund succeeded"]);
    let path = format!("transactions?api_key={}", early.0);
    let shown = place.worker().data(Method::GET, &path, &Value::Null).await;
    assert!(shown.as_array().unwrap().iter().all(|line| line["receipt"].is_string()), "{shown}");
    until_letter(&place, "Refund R-").await;
}

/// Shows SUB-3, SUB-6.
#[tokio::test]
async fn cancelling_while_past_due_retains_the_grace_period_without_a_charge() {
    let mut place = Place::begin(0).await;
    let ann = place.viewer(DECLINED_LATER).await;
    let trial = place.trial(&ann).await;
    place.after(7 * DAY_S + 60).await;
    let late = place.until("the refusal", &ann.0, trial, |order| order["subscription"]["past_due"] == true).await;
    let until = late["subscription"]["access_until"].clone();
    assert!(until.as_str() > late["subscription"]["current_period_end"].as_str(), "{late}");
    let stopped = unsubscribe(place.worker(), &ann.0, 0).await;
    assert_eq!(
        (&stopped["activity_status"], &stopped["subscription"]["status"]),
        (&json!("active"), &json!("canceled"))
    );
    assert_eq!(stopped["subscription"]["access_until"], until);
    assert_eq!(place.object("subscriptions", trial).await["status"], "canceled", "no card is tried again");
    let body = json!({ "api_key": ann.0, "subscription_id": 1 });
    let (status, _) = place.worker().call(Method::POST, "stripe/subscription/resume", &body).await;
    assert_eq!(status, StatusCode::NOT_FOUND, "what is not paid is not kept");
    until_letter(&place, "Monthly subscription has been cancelled").await;
    place.after(10 * DAY_S + 3600).await;
    place.until("the grace is over", &ann.0, trial, |order| order["activity_status"] == "inactive").await;
    place.after(10 * DAY_S + 7200).await;
    let said = done(&place.data, &["audit"]);
    assert!(said.contains("agree"), "{said}");
}

/// Stripe returns a hundred invoices per page, eight years of a monthly plan. Here a page has five. Shows SUB-5.
#[tokio::test]
async fn a_plan_is_followed_past_the_first_page_of_invoices() {
    const MONTHS: i64 = 14;
    let mut place = Place::begin(0).await;
    let ann = place.viewer(PAYS).await;
    let order = place.bought(&ann, "subscription", 1).await;
    place.faults = json!({ "page": 5 });
    place.after(MONTHS * 30 * DAY_S + 60).await;
    place.until("every month", &ann.0, order, |order| order["version"] == 2 + MONTHS).await;
    assert_eq!(place.moved().await, ((MONTHS + 1) * 1299, 0));
}

/// Shows PAY-11.
#[tokio::test]
async fn an_unsaved_card_is_removed_after_a_crash_and_an_outage() {
    let mut place = Place::begin(0).await;
    let (key, card) = place.viewer(PAYS).await;
    place.provider.plan(&place.url(), json!({ "breaks": ["POST /v1/payment_methods/:id/detach"] }), json!({})).await;
    let body = json!({ "api_key": key, "type": "package", "id": 1, "payment_method_id": card, "save_card": false });
    let order = place.worker().data(Method::POST, "stripe/buy", &body).await["id"].clone();
    assert_eq!(place.worker().settled(&key, &order).await["status"], "paid");
    place.after(60).await;
    eventually("the card is taken off", async || {
        let books = place.provider.books().await;
        let cards = books["cards"].as_array().unwrap();
        cards.iter().find(|it| it["id"] == card.as_str()).unwrap()["customer"].is_null().then_some(())
    })
    .await;
}

/// A key rotated at Stripe but not here is not a failure of an order or a card. Shows PAY-14.
#[tokio::test]
async fn a_refused_stripe_key_fails_no_order_and_no_renewal() {
    let mut place = Place::begin(0).await;
    let (ann, bob) = (place.viewer(PAYS).await, place.viewer(PAYS).await);
    let monthly = place.bought(&ann, "subscription", 1).await;
    place.provider.plan(&place.url(), json!({ "breaks": ["POST /v1/payment_intents/:id/confirm"] }), json!({})).await;
    let package = place.placed((&bob.0, &bob.1), "package", 1).await;
    place.faults = json!({ "refuses": true });
    place.after(30 * DAY_S + 60).await;
    eventually("both were tried", async || {
        let log = place.worker().log();
        (log.matches("a payment got no response").count() >= 2).then_some(())
    })
    .await;
    assert_eq!(place.order(&bob.0, package).await["status"], "created");
    let waiting = place.order(&ann.0, monthly).await;
    assert_eq!((&waiting["version"], &waiting["subscription"]["past_due"]), (&json!(2), &json!(false)));
    place.faults = json!({});
    place.after(30 * DAY_S + 120).await;
    place.until("it is paid", &bob.0, package, |order| order["status"] == "paid").await;
    place.until("it renews", &ann.0, monthly, |order| order["version"] == 3).await;
    assert_eq!(place.lines(&ann.0).await.len(), 2);
}

/// Stripe's portal sets `cancel_at`, not `cancel_at_period_end`, and can end a subscription immediately, depending on
/// the account's settings. Shows SUB-3.
#[tokio::test]
async fn a_cancellation_at_stripe_is_applied_and_is_not_a_decline() {
    let mut place = Place::begin(0).await;
    let (ann, bob) = (place.viewer(PAYS).await, place.viewer(PAYS).await);
    let (later, now) = (place.bought(&ann, "subscription", 1).await, place.bought(&bob, "subscription", 1).await);
    let of_ann = place.object("subscriptions", later).await;
    let (id, end) = (of_ann["id"].as_str().unwrap(), &of_ann["items"]["data"][0]["current_period_end"]);
    let change = "POST /v1/subscriptions/:id";
    let is = |status: &'static str| move |order: &Value| order["subscription"]["status"] == status;
    place.provider.act(change, id, json!({ "cancel_at": end })).await;
    place.until("it is cancelled", &ann.0, later, is("canceled")).await;
    until_letter(&place, "Monthly subscription has been cancelled").await;
    // Ann resumes it here: Stripe no longer has an end date.
    let body = json!({ "api_key": ann.0, "subscription_id": 1 });
    place.worker().data(Method::POST, "stripe/subscription/resume", &body).await;
    assert_eq!(place.object("subscriptions", later).await["cancel_at"], Value::Null);
    place.provider.act(change, id, json!({ "cancel_at": end })).await;
    let ends = place.object("subscriptions", now).await["id"].clone();
    place.provider.act("DELETE /v1/subscriptions/:id", ends.as_str().unwrap(), json!({})).await;
    for (viewer, order) in [(&ann, later), (&bob, now)] {
        let cancelled = place.until("it is cancelled", &viewer.0, order, is("canceled")).await;
        assert_eq!(cancelled["activity_status"], "active", "what is paid is used: {cancelled}");
    }
    place.after(30 * DAY_S + 60).await;
    for (viewer, order) in [(&ann, later), (&bob, now)] {
        let over = |order: &Value| order["activity_status"] == "inactive";
        let ended = place.until("it is over", &viewer.0, order, over).await;
        assert_eq!((&ended["failure"], &ended["status"]), (&Value::Null, &json!("paid")), "{ended}");
    }
    place.after(30 * DAY_S + 600).await;
    assert!(done(&place.data, &["audit"]).contains("agree"));
    let told = letters(&place.data);
    assert!(!told.iter().any(|subject| subject.contains("has ended") || subject.contains("be renewed")), "{told:?}");
    assert_eq!(place.moved().await, (2 * 1299, 0));
}

/// Without a webhook, the end is noticed when the period ends. Shows SUB-3.
#[tokio::test]
async fn a_subscription_ended_at_stripe_without_a_webhook_is_not_a_decline() {
    let mut place = Place::begin(0).await;
    let ann = place.viewer(PAYS).await;
    let order = place.bought(&ann, "subscription", 1).await;
    place.provider.plan(&place.url(), json!({}), json!({ "never": 1 })).await;
    let id = place.object("subscriptions", order).await["id"].clone();
    place.provider.act("DELETE /v1/subscriptions/:id", id.as_str().unwrap(), json!({})).await;
    place.after(30 * DAY_S + 60).await;
    let ended = place.until("it is over", &ann.0, order, |order| order["activity_status"] == "inactive").await;
    assert_eq!((&ended["failure"], &ended["subscription"]["status"]), (&Value::Null, &json!("expired")), "{ended}");
    assert!(!letters(&place.data).iter().any(|subject| subject.contains("not paid")));
}

/// Shows ORDER-2: an operator's refund covers the latest charge, even without a webhook about it.
#[tokio::test]
async fn a_refund_covers_a_renewal_without_a_webhook() {
    let place = Place::begin(0).await;
    let ann = place.viewer(PAYS).await;
    let order = place.bought(&ann, "subscription", 1).await;
    place.provider.plan(&place.url(), json!({}), json!({ "never": 1 })).await;
    place.provider.clock(30 * DAY_S + 60).await;
    done(&place.data, &["order", "refund", &order.to_string()]);
    // The provider's clock is a month ahead of the worker's.
    let kinds: BTreeSet<String> = place.lines(&ann.0).await.into_iter().map(|(words, _)| words).collect();
    assert_eq!(kinds, ["purchase succeeded", "refund succeeded", "renewal succeeded"].map(str::to_owned).into());
    assert_eq!(place.moved().await, (2 * 1299, 1299));
    assert_eq!(place.object("subscriptions", order).await["status"], "canceled");
}

/// Shows PAY-14: a payment that arrives after its order was given up is refunded, and again if the card refuses the
/// refund.
#[tokio::test]
async fn a_payment_approved_after_its_order_failed_is_refunded() {
    let mut place = Place::begin(0).await;
    let (key, card) = place.viewer(ASKS).await;
    let order = place.placed((&key, &card), "subscription", 1).await;
    place.until("the bank asks", &key, order, |order| order["next_action"].is_object()).await;
    place.faults = json!({ "approves": true });
    place.after(16 * 60).await;
    let failed = place.until("it is given up", &key, order, |order| order["status"] == "failed").await;
    assert_eq!(failed["activity_status"], "inactive");
    let back = async || Some(place.moved().await).filter(|moved| *moved == (1299, 1299));
    eventually("the money goes back", back).await;
    eventually("it is a line", async || Some(place.lines(&key).await).filter(|lines| lines.len() == 2)).await;

    let books = place.provider.books().await;
    let intent = books["intents"].as_array().unwrap().iter().find(|it| it["status"] == "succeeded").unwrap();
    place.provider.test("refund_fails", json!({ "payment_intent": intent["id"] })).await;
    eventually("it is known", async || Some(place.lines(&key).await).filter(|lines| lines.len() == 3)).await;
    place.after(16 * 60 + 600).await;
    assert!(refused(&place.data, &["audit"]).contains("was not taken"));
    done(&place.data, &["order", "refund", &order.to_string()]);
    assert_eq!(place.moved().await, (1299, 2 * 1299), "with the one that failed");
    assert_eq!(place.order(&key, order).await["status"], "failed");
    place.after(16 * 60 + 1200).await;
    assert!(done(&place.data, &["audit"]).contains("agree"));
}
