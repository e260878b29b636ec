//! Refunds that fail, renewals that cross a cancellation, and subscriptions that are years old (`ORDER-2`, `PAY-14`,
//! `SUB-3`, `SUB-8`).

use std::collections::BTreeSet;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::stripe_shop::{Shop, count, emails};
use crate::support::{Worker, done, eventually, refused};

const PAYS: &str = "4242424242424242";
/// Accepted for a trial, and declined when charged.
const DECLINED_LATER: &str = "4000000000000341";
/// The bank asks for confirmation.
const ASKS: &str = "4000002500003155";
const DAY_S: i64 = 86_400;

async fn wait_for_email(shop: &Shop, begins: &str) {
    let has = || emails(&shop.data).iter().any(|subject| subject.starts_with(begins)).then_some(());
    eventually(begins, async || has()).await;
}

async fn unsubscribe(worker: &Worker, key: &str, pressed_ago_s: i64) -> Value {
    let body = json!({ "api_key": key, "subscription_id": 1, "pressed_ago_s": pressed_ago_s });
    worker.data(Method::POST, "stripe/unsubscribe", &body).await
}

/// Shows ORDER-2b, ORDER-2c.
#[tokio::test]
async fn a_refund_that_fails_later_restores_access_until_it_is_repeated() {
    let mut shop = Shop::begin(0).await;
    let (ann, bob) = (shop.viewer(PAYS).await, shop.viewer(PAYS).await);
    let (package, monthly) = (shop.buy(&ann, "package", 1).await, shop.buy(&bob, "subscription", 1).await);
    let renewed_until = shop.order(&bob.0, monthly).await["subscription"]["current_period_end"].clone();
    let books = shop.provider.books().await;
    let of_monthly = books["intents"].as_array().unwrap().iter().find(|it| it["amount"] == 1299).unwrap()["id"].clone();
    for (viewer, order, intent) in [(&ann, package, shop.intent(package).await), (&bob, monthly, of_monthly)] {
        done(&shop.data, &["order", "refund", &order.to_string()]);
        let refunded = shop.order(&viewer.0, order).await;
        assert_eq!((&refunded["status"], &refunded["activity_status"]), (&json!("refunded"), &json!("inactive")));
        shop.provider.test("refund_fails", json!({ "payment_intent": intent })).await;
        let again = shop.until("it is paid again", &viewer.0, order, |order| order["status"] == "paid").await;
        assert_eq!((&again["activity_status"], &again["refunded_minor"]), (&json!("active"), &Value::Null));
        let kinds: Vec<_> = shop.lines(&viewer.0).await.into_iter().map(|(words, _)| words).collect();
        assert_eq!(kinds, ["purchase succeeded", "refund succeeded", "refund_failed succeeded"]);
        let sum: i64 = shop.lines(&viewer.0).await.iter().map(|(_, amount)| amount).sum();
        assert_eq!(sum, again["total"].as_i64().unwrap(), "the viewer has paid it");
    }
    let retained = shop.order(&bob.0, monthly).await["subscription"].clone();
    assert_eq!(
        (&retained["status"], &retained["access_until"]),
        (&json!("canceled"), &renewed_until),
        "the subscription still renews"
    );
    assert!(retained["payment_method_id"].is_null(), "keeping it is offered: {retained}");
    wait_for_email(&shop, "Your 12.99 USD refund for").await;

    // The operator and the worker retry the refund concurrently, and Stripe reports "key in use" twice. Afterwards nothing
    // is outstanding, and the books agree.
    let in_use = json!({ "in_use": ["POST /v1/refunds", "POST /v1/refunds"] });
    shop.provider.plan(&shop.url(), in_use, json!({})).await;
    done(&shop.data, &["order", "refund", &package.to_string()]);
    let refunded = shop.order(&ann.0, package).await;
    assert_eq!((&refunded["status"], &refunded["refunded_minor"]), (&json!("refunded"), &refunded["total"]));
    // A refund outside the card is known to the books but not to the provider.
    let (_, back) = shop.moved().await;
    done(&shop.data, &["order", "refund", &monthly.to_string(), "--outside", "bank transfer 4711"]);
    let refunded = shop.order(&bob.0, monthly).await;
    assert_eq!((&refunded["status"], &refunded["refunded_minor"]), (&json!("refunded"), &json!(1299)));
    assert_eq!(shop.moved().await.1, back);
    wait_for_email(&shop, "Refund R-").await;
    shop.after(600).await;
    let output = done(&shop.data, &["audit"]);
    assert!(output.contains("agree"), "{output}");
}

/// Shows SUB-8c, SUB-8e, ORDER-5f.
#[tokio::test]
async fn a_cancellation_near_a_renewal_depends_on_the_time_of_the_charge() {
    let mut shop = Shop::begin(0).await;
    let (early, later, now) = (shop.viewer(PAYS).await, shop.viewer(PAYS).await, shop.viewer(PAYS).await);
    let mut orders = Vec::new();
    for viewer in [&early, &later, &now] {
        orders.push(shop.buy(viewer, "subscription", 1).await);
    }
    // Stripe renews without webhooks; the worker's clock has not reached the end of the period.
    shop.provider.plan(&shop.url(), json!({}), json!({ "never": 1 })).await;
    shop.provider.clock(30 * DAY_S + 60).await;
    let retained = unsubscribe(shop.worker(), &now.0, 0).await;
    assert_eq!((&retained["subscription"]["status"], &retained["status"]), (&json!("canceled"), &json!("paid")));
    let kinds: Vec<_> = shop.lines(&now.0).await.into_iter().map(|(words, _)| words).collect();
    assert_eq!(kinds, ["purchase succeeded", "renewal succeeded"], "the renewal came first");
    let path = format!("transactions?api_key={}", now.0);
    let transactions = shop.worker().data(Method::GET, &path, &Value::Null).await;
    let [renewed, bought] =
        [0_usize, 1].map(|line| transactions[line]["at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap());
    // By the provider's clock: the worker's has not moved.
    assert!((29 * DAY_S..31 * DAY_S).contains(&renewed.duration_since(bought).as_secs()), "{transactions}");

    // An hour after the renewals the worker is up, and two cancellations made offline arrive.
    shop.after(30 * DAY_S + 3660).await;
    let retained = unsubscribe(shop.worker(), &later.0, 1800).await;
    assert_eq!((&retained["status"], &retained["subscription"]["status"]), (&json!("paid"), &json!("canceled")));
    assert!(retained["refunded_minor"].is_null(), "cancelled half an hour after the charge: {retained}");
    let refunded = unsubscribe(shop.worker(), &early.0, 3 * 3600).await;
    assert_eq!(
        (&refunded["status"], &refunded["refunded_minor"]),
        (&json!("refunded"), &json!(1299)),
        "pressed before it"
    );
    let lines = shop.lines(&early.0).await;
    let kinds: Vec<_> = lines.iter().map(|(words, _)| words.as_str()).collect();
    assert_eq!(kinds, ["purchase succeeded", "renewal succeeded", "refund succeeded"]);
    let path = format!("transactions?api_key={}", early.0);
    let transactions = shop.worker().data(Method::GET, &path, &Value::Null).await;
    assert!(transactions.as_array().unwrap().iter().all(|line| line["receipt"].is_string()), "{transactions}");
    wait_for_email(&shop, "Refund R-").await;
}

/// Shows SUB-3, SUB-6f.
#[tokio::test]
async fn cancelling_while_past_due_retains_the_grace_period_without_a_charge() {
    let mut shop = Shop::begin(0).await;
    let ann = shop.viewer(DECLINED_LATER).await;
    let trial = shop.trial(&ann).await;
    shop.after(7 * DAY_S + 60).await;
    let late = shop.until("the refusal", &ann.0, trial, |order| order["subscription"]["past_due"] == true).await;
    let until = late["subscription"]["access_until"].clone();
    assert!(until.as_str() > late["subscription"]["current_period_end"].as_str(), "{late}");
    let stopped = unsubscribe(shop.worker(), &ann.0, 0).await;
    assert_eq!(
        (&stopped["activity_status"], &stopped["subscription"]["status"]),
        (&json!("active"), &json!("canceled"))
    );
    assert_eq!(stopped["subscription"]["access_until"], until);
    assert_eq!(shop.object("subscriptions", trial).await["status"], "canceled", "the provider retries the card");
    let body = json!({ "api_key": ann.0, "subscription_id": 1 });
    let (status, _) = shop.worker().call(Method::POST, "stripe/subscription/resume", &body).await;
    assert_eq!(status, StatusCode::NOT_FOUND, "an unpaid subscription can be resumed");
    wait_for_email(&shop, "Monthly subscription has been cancelled").await;
    shop.after(10 * DAY_S + 3600).await;
    shop.until("the grace period is over", &ann.0, trial, |order| order["activity_status"] == "inactive").await;
    shop.after(10 * DAY_S + 7200).await;
    let output = done(&shop.data, &["audit"]);
    assert!(output.contains("agree"), "{output}");
}

/// Stripe returns a hundred invoices per page, eight years of a monthly plan. Here a page has five. Shows SUB-5.
#[tokio::test]
async fn a_plan_is_followed_past_the_first_page_of_invoices() {
    const MONTHS: i64 = 14;
    let mut shop = Shop::begin(0).await;
    let ann = shop.viewer(PAYS).await;
    let order = shop.buy(&ann, "subscription", 1).await;
    shop.faults = json!({ "page": 5 });
    shop.after(MONTHS * 30 * DAY_S + 60).await;
    shop.until("every month", &ann.0, order, |order| order["version"] == 2 + MONTHS).await;
    assert_eq!(shop.moved().await, ((MONTHS + 1) * 1299, 0));
}

/// Shows PAY-11e.
#[tokio::test]
async fn an_unsaved_card_is_removed_after_a_crash_and_an_outage() {
    let mut shop = Shop::begin(0).await;
    let (key, card) = shop.viewer(PAYS).await;
    shop.provider.plan(&shop.url(), json!({ "breaks": ["POST /v1/payment_methods/:id/detach"] }), json!({})).await;
    let body = json!({ "api_key": key, "type": "package", "id": 1, "payment_method_id": card, "save_card": false });
    let order = shop.worker().data(Method::POST, "stripe/buy", &body).await["id"].clone();
    assert_eq!(shop.worker().settled(&key, &order).await["status"], "paid");
    shop.after(60).await;
    eventually("the card is removed", async || {
        let books = shop.provider.books().await;
        let cards = books["cards"].as_array().unwrap();
        cards.iter().find(|it| it["id"] == card.as_str()).unwrap()["customer"].is_null().then_some(())
    })
    .await;
}

/// A key rotated at Stripe but not here is not a failure of an order or a card. Shows PAY-14a.
#[tokio::test]
async fn a_refused_stripe_key_fails_no_order_and_no_renewal() {
    let mut shop = Shop::begin(0).await;
    let (ann, bob) = (shop.viewer(PAYS).await, shop.viewer(PAYS).await);
    let monthly = shop.buy(&ann, "subscription", 1).await;
    shop.provider.plan(&shop.url(), json!({ "breaks": ["POST /v1/payment_intents/:id/confirm"] }), json!({})).await;
    let package = shop.create_order((&bob.0, &bob.1), "package", 1).await;
    let stored = "SELECT COUNT(*) FROM orders WHERE status = 'created' AND provider_ref LIKE 'pi_%'";
    eventually("the unconfirmed intent is on disk", async || (count(&shop.data, stored).await == 1).then_some(()))
        .await;
    shop.faults = json!({ "refuses": true });
    shop.after(30 * DAY_S + 60).await;
    eventually("both were tried", async || {
        let log = shop.worker().log();
        (log.matches("a payment got no response").count() >= 2).then_some(())
    })
    .await;
    assert_eq!(shop.order(&bob.0, package).await["status"], "created");
    let waiting = shop.order(&ann.0, monthly).await;
    assert_eq!((&waiting["version"], &waiting["subscription"]["past_due"]), (&json!(2), &json!(false)));
    shop.faults = json!({});
    shop.after(30 * DAY_S + 120).await;
    shop.until("it is paid", &bob.0, package, |order| order["status"] == "paid").await;
    shop.until("it renews", &ann.0, monthly, |order| order["version"] == 3).await;
    assert_eq!(shop.lines(&ann.0).await.len(), 2);
}

/// Stripe's portal sets `cancel_at`, not `cancel_at_period_end`, and can end a subscription immediately, depending on
/// the account's settings. Shows SUB-3.
#[tokio::test]
async fn a_cancellation_at_stripe_is_applied_and_is_not_a_decline() {
    let mut shop = Shop::begin(0).await;
    let (ann, bob) = (shop.viewer(PAYS).await, shop.viewer(PAYS).await);
    let (later, now) = (shop.buy(&ann, "subscription", 1).await, shop.buy(&bob, "subscription", 1).await);
    let anns_subscription = shop.object("subscriptions", later).await;
    let (id, end) =
        (anns_subscription["id"].as_str().unwrap(), &anns_subscription["items"]["data"][0]["current_period_end"]);
    let change = "POST /v1/subscriptions/:id";
    let is = |status: &'static str| move |order: &Value| order["subscription"]["status"] == status;
    shop.provider.act(change, id, json!({ "cancel_at": end })).await;
    shop.until("it is cancelled", &ann.0, later, is("canceled")).await;
    wait_for_email(&shop, "Monthly subscription has been cancelled").await;
    // Ann resumes it here: Stripe no longer has an end date.
    let body = json!({ "api_key": ann.0, "subscription_id": 1 });
    shop.worker().data(Method::POST, "stripe/subscription/resume", &body).await;
    assert_eq!(shop.object("subscriptions", later).await["cancel_at"], Value::Null);
    shop.provider.act(change, id, json!({ "cancel_at": end })).await;
    let ends = shop.object("subscriptions", now).await["id"].clone();
    shop.provider.act("DELETE /v1/subscriptions/:id", ends.as_str().unwrap(), json!({})).await;
    for (viewer, order) in [(&ann, later), (&bob, now)] {
        let cancelled = shop.until("it is cancelled", &viewer.0, order, is("canceled")).await;
        assert_eq!(cancelled["activity_status"], "active", "the paid period is lost: {cancelled}");
    }
    shop.after(30 * DAY_S + 60).await;
    for (viewer, order) in [(&ann, later), (&bob, now)] {
        let over = |order: &Value| order["activity_status"] == "inactive";
        let ended = shop.until("it is over", &viewer.0, order, over).await;
        assert_eq!((&ended["failure"], &ended["status"]), (&Value::Null, &json!("paid")), "{ended}");
    }
    shop.after(30 * DAY_S + 600).await;
    assert!(done(&shop.data, &["audit"]).contains("agree"));
    let subjects = emails(&shop.data);
    assert!(
        !subjects.iter().any(|subject| subject.contains("has ended") || subject.contains("be renewed")),
        "{subjects:?}"
    );
    assert_eq!(shop.moved().await, (2 * 1299, 0));
}

/// Without a webhook, the end is noticed when the period ends. Shows SUB-3.
#[tokio::test]
async fn a_subscription_ended_at_stripe_without_a_webhook_is_not_a_decline() {
    let mut shop = Shop::begin(0).await;
    let ann = shop.viewer(PAYS).await;
    let order = shop.buy(&ann, "subscription", 1).await;
    shop.provider.plan(&shop.url(), json!({}), json!({ "never": 1 })).await;
    let id = shop.object("subscriptions", order).await["id"].clone();
    shop.provider.act("DELETE /v1/subscriptions/:id", id.as_str().unwrap(), json!({})).await;
    shop.after(30 * DAY_S + 60).await;
    let ended = shop.until("it is over", &ann.0, order, |order| order["activity_status"] == "inactive").await;
    assert_eq!((&ended["failure"], &ended["subscription"]["status"]), (&Value::Null, &json!("expired")), "{ended}");
    assert!(!emails(&shop.data).iter().any(|subject| subject.contains("not paid")));
}

/// Shows ORDER-2b: an operator's refund covers the latest charge, even without a webhook about it.
#[tokio::test]
async fn a_refund_covers_a_renewal_without_a_webhook() {
    let shop = Shop::begin(0).await;
    let ann = shop.viewer(PAYS).await;
    let order = shop.buy(&ann, "subscription", 1).await;
    shop.provider.plan(&shop.url(), json!({}), json!({ "never": 1 })).await;
    shop.provider.clock(30 * DAY_S + 60).await;
    done(&shop.data, &["order", "refund", &order.to_string()]);
    // The provider's clock is a month ahead of the worker's.
    let kinds: BTreeSet<String> = shop.lines(&ann.0).await.into_iter().map(|(words, _)| words).collect();
    assert_eq!(kinds, ["purchase succeeded", "refund succeeded", "renewal succeeded"].map(str::to_owned).into());
    assert_eq!(shop.moved().await, (2 * 1299, 1299));
    assert_eq!(shop.object("subscriptions", order).await["status"], "canceled");
}

/// Shows ORDER-2a, PAY-14: a payment that arrives after its order was given up is refunded, and again if the card
/// refuses the refund.
#[tokio::test]
async fn a_payment_approved_after_its_order_failed_is_refunded() {
    let mut shop = Shop::begin(0).await;
    let (key, card) = shop.viewer(ASKS).await;
    let order = shop.create_order((&key, &card), "subscription", 1).await;
    shop.until("the bank asks", &key, order, |order| order["next_action"].is_object()).await;
    shop.faults = json!({ "approves": true });
    shop.after(16 * 60).await;
    let failed = shop.until("the order failed", &key, order, |order| order["status"] == "failed").await;
    assert_eq!(failed["activity_status"], "inactive");
    let back = async || Some(shop.moved().await).filter(|moved| *moved == (1299, 1299));
    eventually("the payment is refunded", back).await;
    eventually("the transactions list the refund", async || {
        Some(shop.lines(&key).await).filter(|lines| lines.len() == 2)
    })
    .await;

    let books = shop.provider.books().await;
    let intent = books["intents"].as_array().unwrap().iter().find(|it| it["status"] == "succeeded").unwrap();
    shop.provider.test("refund_fails", json!({ "payment_intent": intent["id"] })).await;
    eventually("the transactions list the failed refund", async || {
        Some(shop.lines(&key).await).filter(|lines| lines.len() == 3)
    })
    .await;
    shop.after(16 * 60 + 600).await;
    assert!(refused(&shop.data, &["audit"]).contains("was not accepted, but it is not refunded"));
    done(&shop.data, &["order", "refund", &order.to_string()]);
    assert_eq!(shop.moved().await, (1299, 2 * 1299), "with the one that failed");
    assert_eq!(shop.order(&key, order).await["status"], "failed");
    shop.after(16 * 60 + 1200).await;
    assert!(done(&shop.data, &["audit"]).contains("agree"));
}

/// Shows PAY-14f: the bank's answer crosses the cancellation of an unpaid subscription.
#[tokio::test]
async fn a_payment_of_a_stopped_subscription_is_refunded_with_a_receipt_and_an_email() {
    let mut shop = Shop::begin(0).await;
    let ann = shop.viewer(ASKS).await;
    let trial = shop.trial(&ann).await;
    shop.after(7 * DAY_S + 60).await;
    shop.until("the bank asks", &ann.0, trial, |order| order["next_action"].is_object()).await;
    shop.provider.plan(&shop.url(), json!({ "approves": true }), json!({})).await;
    let stopped = unsubscribe(shop.worker(), &ann.0, 0).await;
    assert_eq!(stopped["subscription"]["status"], "canceled");
    let lines = eventually("the payment and its refund", async || {
        let path = format!("transactions?api_key={}", ann.0);
        let lines = shop.worker().data(Method::GET, &path, &Value::Null).await;
        let mut moved: Vec<_> =
            lines.as_array().unwrap().iter().filter(|line| line["receipt"].is_string()).cloned().collect();
        moved.sort_by_key(|line| line["amount"].as_i64());
        (moved.len() == 2).then_some(moved)
    })
    .await;
    assert_eq!((&lines[0]["amount"], &lines[1]["amount"]), (&json!(-1299), &json!(1299)), "{lines:?}");
    assert_eq!(shop.moved().await, (1299, 1299));
    wait_for_email(&shop, "Refund R-").await;
    assert_eq!(shop.order(&ann.0, trial).await["subscription"]["status"], "canceled");
}
