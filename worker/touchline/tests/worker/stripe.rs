//! Payments through Stripe, against a provider with its API and its failures (`PAY-4`, `PAY-14`).

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use touchline_protocol::ambient::{Clock, SystemClock};

use crate::provider::{Provider, SECRET, paid};
use crate::support::{Worker, eventually, folder, fresh};

const PAYS: &str = "4242424242424242";
const DECLINED: &str = "4000000000000002";
const ASKS: &str = "4000002500003155";

async fn started(more: &[&str]) -> (tempfile::TempDir, std::path::PathBuf, Provider, Worker) {
    let (folder, data) = folder();
    let provider = Provider::start(folder.path());
    let worker = Worker::start(&data, &[&provider.flags(), more].concat());
    provider.plan(&worker.url(""), json!({}), json!({})).await;
    (folder, data, provider, worker)
}

impl Worker {
    /// A card entered at the provider.
    pub(crate) async fn stripe_card(&self, provider: &Provider, key: &str, number: &str) -> String {
        let intent = self.data(Method::POST, "stripe/setup-intent", &json!({ "api_key": key })).await;
        provider.card(&intent["client_secret"], number).await
    }

    async fn paid_order(&self, key: &str, card: &str) -> Value {
        let (status, placed) = self.buy(key, card, &fresh("buy")).await;
        assert_eq!(status, StatusCode::OK, "{placed}");
        self.settled(key, &placed["data"]["id"]).await
    }
}

/// Shows PAY-11c, PAY-11d, PAY-14.
#[tokio::test]
async fn a_card_pays_or_is_declined_or_needs_confirmation() {
    let (_folder, _data, provider, worker) = started(&[]).await;
    let key = worker.register().await;
    let card = worker.stripe_card(&provider, &key, DECLINED).await;
    let failed = worker.paid_order(&key, &card).await;
    assert_eq!((&failed["status"], &failed["failure"]), (&json!("failed"), &json!("Your card was declined.")));

    let card = worker.stripe_card(&provider, &key, ASKS).await;
    for (accept, ends) in [(false, "failed"), (true, "paid")] {
        let (_, placed) = worker.buy(&key, &card, &fresh("buy")).await;
        let id = &placed["data"]["id"];
        let secret = eventually("the bank requires confirmation", async || {
            let order = worker.order(&key, id).await;
            order["next_action"]["client_secret"].as_str().map(str::to_owned)
        })
        .await;
        provider.test("answer", json!({ "client_secret": secret, "accept": accept })).await;
        assert_eq!(worker.settled(&key, id).await["status"], ends);
    }
    let books = provider.books().await;
    assert_eq!(paid(&books).len(), 1);
    let open = books["intents"].as_array().unwrap().iter().filter(|intent| intent["status"] != "succeeded");
    assert!(open.clone().all(|intent| intent["status"] == "canceled"), "a failed payment can still be paid");
    let cards = worker.data(Method::GET, &format!("stripe/list-cards?api_key={key}"), &Value::Null).await;
    assert_eq!((cards.as_array().unwrap().len(), &cards[0]["last4"]), (1, &json!("3155")));
    let removal = json!({ "api_key": key, "payment_method_id": card });
    worker.data(Method::POST, "stripe/remove-card", &removal).await;
    let cards = worker.data(Method::GET, &format!("stripe/list-cards?api_key={key}"), &Value::Null).await;
    assert_eq!(cards, json!([]));
}

/// Only a webhook brings the bank's answer (`PAY-11e`).
#[tokio::test]
async fn an_unsaved_card_is_removed_from_stripe_once_a_webhook_settles_its_order() {
    let (_folder, _data, provider, worker) = started(&[]).await;
    for (accept, ends) in [(true, "paid"), (false, "failed")] {
        let key = worker.register().await;
        let card = worker.stripe_card(&provider, &key, ASKS).await;
        let body = json!({ "api_key": key, "type": "package", "id": 1, "payment_method_id": card, "save_card": false });
        let id = worker.data(Method::POST, "stripe/buy", &body).await["id"].clone();
        let secret = eventually("the bank requires confirmation", async || {
            let order = worker.order(&key, &id).await;
            order["next_action"]["client_secret"].as_str().map(str::to_owned)
        })
        .await;
        provider.test("answer", json!({ "client_secret": secret, "accept": accept })).await;
        assert_eq!(worker.settled(&key, &id).await["status"], ends);
        eventually("the card is removed", async || {
            let books = provider.books().await;
            let cards = books["cards"].as_array().unwrap();
            let at_stripe = cards.iter().find(|it| it["id"] == card.as_str()).unwrap();
            at_stripe["customer"].is_null().then_some(())
        })
        .await;
    }
}

/// Shows PAY-14c: the payment differs from the order.
#[tokio::test]
async fn a_payment_with_a_different_amount_currency_or_customer_settles_nothing() {
    let (_folder, data, provider, worker) = started(&[]).await;
    for fields in [json!({ "amount": 1 }), json!({ "currency": "jpy" }), json!({ "customer": "cus_other" })] {
        let key = worker.register().await;
        let card = worker.stripe_card(&provider, &key, ASKS).await;
        let (_, placed) = worker.buy(&key, &card, &fresh("buy")).await;
        let id = placed["data"]["id"].clone();
        let secret = eventually("the bank requires confirmation", async || {
            let order = worker.order(&key, &id).await;
            order["next_action"]["client_secret"].as_str().map(str::to_owned)
        })
        .await;
        provider.test("tamper", json!({ "client_secret": secret, "fields": fields })).await;
        provider.test("answer", json!({ "client_secret": secret, "accept": true })).await;
        let order = worker.settled(&key, &id).await;
        assert_eq!((&order["status"], &order["activity_status"]), (&json!("failed"), &json!("inactive")), "{fields}");
    }
    eventually("each payment is logged", async || {
        (worker.log().matches("a payment was ignored").count() >= 3).then_some(())
    })
    .await;
    assert_eq!(crate::purchase::charges(&data).await, (0, 0));
    assert!(worker.end().0.success());
    let _later = Worker::start(&data, &[&provider.flags()[..], &["--clock-offset", "3600"]].concat());
    let output = crate::support::refused(&data, &["audit"]);
    assert_eq!(output.matches("the books have no such payment").count(), 3, "{output}");
}

/// Shows ORDER-2b.
#[tokio::test]
async fn refunds_and_disputes_at_the_provider_are_applied() {
    let (_folder, _data, provider, worker) = started(&[]).await;
    for (call, body, ends) in [
        ("refund", json!({ "amount": 100 }), json!(["paid", 100])),
        ("refund", json!({}), json!(["refunded", 7770])),
        ("dispute", json!({}), json!(["refunded", 7770])),
    ] {
        let key = worker.register().await;
        let card = worker.stripe_card(&provider, &key, PAYS).await;
        let order = worker.paid_order(&key, &card).await;
        let total = order["total"].as_i64().unwrap();
        let name = format!("\"order-{}-", order["id"]);
        let books = provider.books().await;
        let intent = books["intents"]
            .as_array()
            .unwrap()
            .iter()
            .find(|intent| intent["metadata"]["order"].to_string().starts_with(&name));
        let mut body = body;
        body["payment_intent"] = intent.unwrap()["id"].clone();
        match call {
            "refund" => provider.act("POST /v1/refunds", "", body).await,
            other => provider.test(other, body).await,
        };
        let expected = if ends[1] == 100 { 100 } else { total };
        eventually("the order is updated", async || {
            let now = worker.order(&key, &order["id"]).await;
            (now["status"] == ends[0] && now["refunded_minor"] == expected).then_some(())
        })
        .await;
    }
    provider.books().await;
}

/// Shows PAY-14c, CALL-1c.
#[tokio::test]
async fn webhooks_that_are_not_genuine_change_nothing() {
    let (_folder, _data, provider, worker) = started(&[]).await;
    let now = SystemClock::default().now_s();
    let event = json!({
        "id": "evt_1", "type": "payment_intent.succeeded", "livemode": false,
        "data": { "object": { "id": "pi_1", "object": "payment_intent", "status": "succeeded" } },
    });
    let post = async |event: &Value, secret: &str, at: i64| {
        let body = event.to_string();
        let signature = signature(secret, &body, at);
        let request = worker.http.post(worker.url("/webhooks/stripe")).header("stripe-signature", signature);
        request.body(body).send().await.unwrap().status()
    };
    assert_eq!(post(&event, "whsec_other", now).await, StatusCode::BAD_REQUEST);
    assert_eq!(post(&event, SECRET, now - 600).await, StatusCode::BAD_REQUEST, "a replay");
    let with = |name: &str, value: Value| {
        let mut event = event.clone();
        event[name] = value;
        event
    };
    assert_eq!(post(&with("livemode", json!(true)), SECRET, now).await, StatusCode::BAD_REQUEST);
    assert_eq!(post(&with("account", json!("acct_2")), SECRET, now).await, StatusCode::BAD_REQUEST);
    assert_eq!(post(&with("pad", json!("x".repeat(300_000))), SECRET, now).await, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(post(&with("pad", json!("x".repeat(200_000))), SECRET, now).await, StatusCode::OK);
    assert_eq!(post(&event, SECRET, now).await, StatusCode::OK, "again");
    let metrics =
        worker.http.get(format!("http://{}/metrics", worker.admin)).send().await.unwrap().text().await.unwrap();
    let count = |outcome: &str| {
        let lines =
            metrics.lines().filter(|line| line.starts_with("touchline_webhooks_total") && line.contains(outcome));
        lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum::<f64>()
    };
    assert_eq!((count("refused"), count("stored"), count("repeated")), (4.0, 1.0, 1.0), "{metrics}");
    provider.books().await;
}

pub(crate) fn signature(secret: &str, body: &str, at: i64) -> String {
    use hmac::{Hmac, KeyInit, Mac};
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("{at}.{body}").as_bytes());
    format!("t={at},v1={}", hex::encode(mac.finalize().into_bytes()))
}

#[tokio::test]
async fn two_hundred_simultaneous_purchases_of_one_product_are_one_charge() {
    let (_folder, _data, provider, worker) = started(&[]).await;
    for is_one_key in [true, false] {
        let key = worker.register().await;
        let card = worker.stripe_card(&provider, &key, PAYS).await;
        let once = fresh("once");
        let buys = (0..200).map(|_| {
            let idempotency_key = if is_one_key { once.clone() } else { fresh("each") };
            let (worker, key, card) = (&worker, &key, &card);
            async move {
                let body = json!({ "api_key": key, "type": "package", "id": 1, "payment_method_id": card });
                loop {
                    // With so many connections at once, one may be reset; the site sends the request again with its
                    // key.
                    let request = worker.http.post(worker.url("/api/stripe/buy")).json(&body);
                    let sent = request.header("idempotency-key", &idempotency_key).send().await;
                    if let Ok(answer) = sent {
                        return (answer.status(), answer.json::<Value>().await.unwrap_or_default());
                    }
                }
            }
        });
        let answers = futures_util::future::join_all(buys).await;
        let bought: Vec<_> = answers.iter().filter(|(status, _)| *status == StatusCode::OK).collect();
        assert!(!bought.is_empty(), "{:?}", answers[0]);
        let ids: std::collections::BTreeSet<String> =
            bought.iter().map(|(_, answer)| answer["data"]["id"].to_string()).collect();
        assert_eq!(ids.len(), 1, "one order, {is_one_key}");
        assert_eq!(worker.settled(&key, &bought[0].1["data"]["id"]).await["status"], "paid");
    }
    assert_eq!(paid(&provider.books().await).len(), 2);
}

/// Shows SUB-4a, SUB-4c, PAY-14b.
#[tokio::test]
async fn a_trial_started_on_four_devices_is_one_and_renews_at_its_end() {
    let (_folder, data, provider, worker) = started(&[]).await;
    let key = worker.register().await;
    let card = worker.stripe_card(&provider, &key, PAYS).await;
    let body = json!({ "api_key": key, "subscription_id": 1, "payment_method_id": card });
    let starts = (0..4).map(|_| worker.call(Method::POST, "stripe/subscription/start_trial", &body));
    let answers = futures_util::future::join_all(starts).await;
    let accepted: Vec<_> = answers.iter().filter(|(status, _)| *status == StatusCode::OK).collect();
    assert_eq!(accepted.len(), 1, "{answers:?}");
    let id = accepted[0].1["data"]["id"].clone();
    assert_eq!(worker.settled(&key, &id).await["subscription"]["status"], "active");
    let books = provider.books().await;
    assert_eq!((books["subscriptions"].as_array().unwrap().len(), paid(&books).len()), (1, 0));
    assert!(worker.end().0.success());

    // Stripe renews by its own clock; a worker that starts later catches up.
    for (days, renewals) in [(8, 1), (39, 2)] {
        provider.test("clock", json!({ "offset": days * 86_400 })).await;
        let offset = (days * 86_400).to_string();
        let worker = Worker::start(&data, &[&provider.flags()[..], &["--clock-offset", &offset]].concat());
        let now = eventually("it renews", async || {
            let order = worker.order(&key, &id).await;
            (order["version"].as_i64() == Some(2 + renewals)).then_some(order)
        })
        .await;
        assert_eq!((&now["status"], &now["subscription"]["status"]), (&json!("paid"), &json!("active")));
        assert!(worker.end().0.success());
        let books = provider.books().await;
        assert_eq!(paid(&books).len() as i64, renewals);
    }
}

/// Shows SUB-6b, SUB-6d, SUB-6e.
#[tokio::test]
async fn a_failed_renewal_is_tracked_until_paid_or_cancelled() {
    let (_folder, data, provider, worker) = started(&[]).await;
    let at = |days: i64| (days * 86_400).to_string();
    let subscribe = async |key: &str, number: &str| {
        let card = worker.stripe_card(&provider, key, number).await;
        let body = json!({ "api_key": key, "subscription_id": 1, "payment_method_id": card });
        let placed = worker.data(Method::POST, "stripe/subscription/start_trial", &body).await;
        worker.settled(key, &placed["id"]).await["id"].clone()
    };
    // A card that is accepted for the trial and declined at its end.
    let (ann, bob, cara) = (worker.register().await, worker.register().await, worker.register().await);
    let late = subscribe(&ann, "4000000000000341").await;
    let never = subscribe(&bob, "4000000000000341").await;
    let stopped = subscribe(&cara, PAYS).await;
    let stop = json!({ "api_key": cara, "subscription_id": 1 });
    let order = worker.data(Method::POST, "stripe/unsubscribe", &stop).await;
    assert_eq!(order["subscription"]["status"], "canceled");
    worker.data(Method::POST, "stripe/subscription/resume", &stop).await;
    let order = worker.data(Method::POST, "stripe/unsubscribe", &stop).await;
    assert_eq!(order["subscription"]["auto_renew"], "cancelled");
    assert!(worker.end().0.success());

    provider.test("clock", json!({ "offset": 7 * 86_400 + 60 })).await;
    let worker =
        Worker::start(&data, &[&provider.flags()[..], &["--clock-offset", &(7 * 86_400 + 60).to_string()]].concat());
    provider.plan(&worker.url(""), json!({}), json!({})).await;
    for (key, id) in [(&ann, &late), (&bob, &never)] {
        eventually("the failure is seen", async || {
            (worker.order(key, id).await["failure"] == "Your card was declined.").then_some(())
        })
        .await;
        let order = worker.order(key, id).await;
        assert_eq!((&order["status"], &order["subscription"]["status"]), (&json!("paid"), &json!("active")));
    }
    let card = worker.stripe_card(&provider, &ann, PAYS).await;
    let change = json!({ "api_key": ann, "subscription_id": 1, "payment_method_id": card });
    worker.data(Method::POST, "stripe/subscription/use_card", &change).await;
    eventually("the other card pays", async || worker.order(&ann, &late).await["failure"].is_null().then_some(()))
        .await;
    assert_eq!(paid(&provider.books().await).len(), 1);
    assert!(worker.end().0.success());

    // Stripe retries for a week and then ends it.
    for days in [9, 11, 13, 15, 17] {
        provider.test("clock", json!({ "offset": days * 86_400 })).await;
    }
    let worker = Worker::start(&data, &[&provider.flags()[..], &["--clock-offset", &at(17)]].concat());
    for (key, id) in [(&bob, &never), (&cara, &stopped)] {
        eventually("it has ended", async || {
            (worker.order(key, id).await["subscription"]["status"] == "expired").then_some(())
        })
        .await;
    }
    assert_eq!(worker.order(&ann, &late).await["activity_status"], "active");
    let books = provider.books().await;
    let active = books["subscriptions"].as_array().unwrap().iter().filter(|it| it["status"] == "active");
    assert_eq!((active.count(), paid(&books).len()), (1, 1));
}
