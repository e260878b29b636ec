//! Purchases happen once, whatever an upstream without `Idempotency-Key` answers (`UP-5`).

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::{Duration, Instant};

use crate::support::{Worker, eventually, folder, fresh};
use crate::upstream::start_proxy;
use crate::upstream_plain::Plain;

/// The time after which a write can no longer take effect, with a margin.
const SETTLED: Duration = Duration::from_secs(31);

/// Buys a team package, which can be bought more than once.
async fn buy_pass(front: &Worker, key: &str, card: &str, idempotency_key: &str) -> (StatusCode, Value) {
    let body = json!({ "api_key": key, "type": "package", "id": 2, "participant_id": 101, "payment_method_id": card });
    let request = front.http.post(front.url("/api/stripe/buy")).header("idempotency-key", idempotency_key);
    let response = request.json(&body).send().await.unwrap();
    (response.status(), response.json().await.unwrap())
}

async fn person(front: &Worker) -> (String, String) {
    let key = front.register().await;
    let card = front.card(&key, "4242424242424242").await;
    (key, card)
}

async fn orders(front: &Worker, key: &str) -> Vec<Value> {
    let orders = front.data(Method::GET, &format!("orders?no_limit=1&api_key={key}"), &Value::Null).await;
    orders.as_array().unwrap().iter().map(|order| order["id"].clone()).collect()
}

/// Shows UP-5b, UP-5d: a refused list says nothing about a purchase.
#[tokio::test]
async fn a_purchase_is_not_repeated_while_the_upstream_refuses_its_list() {
    let (_folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 300).await;
    let front = start_proxy(&data, &plain.origin, &[]);
    front.knows_upstream().await;
    let (key, card) = person(&front).await;
    let lost = json!({ "mode": "lost", "only": "POST stripe/buy", "times": 1 });
    let busy = json!({ "mode": "429", "only": "GET orders" });

    // Without a list before the purchase, an older order could be mistaken for the answer to a newer one, so nothing is
    // sent.
    let (_, older) = buy_pass(&front, &key, &card, &fresh("buy")).await;
    plain.fail(json!([busy])).await;
    let unsent = fresh("buy");
    let (status, answer) = buy_pass(&front, &key, &card, &unsent).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{answer}");
    assert_eq!(plain.count("POST stripe/buy").await, 1, "the purchase was sent");
    plain.heal().await;
    let (status, answer) = buy_pass(&front, &key, &card, &unsent).await;
    assert!(status == StatusCode::OK && answer["data"]["id"] != older["data"]["id"], "{status} {answer}");

    // The response is lost, and the list is refused until the purchase can no longer take effect.
    let (idempotency_key, started) = (fresh("buy"), Instant::now());
    let listed_before = json!({ "mode": "none", "only": "GET orders", "times": 1 });
    plain.fail(json!([lost, listed_before, busy])).await;
    let (status, _) = buy_pass(&front, &key, &card, &idempotency_key).await;
    assert!(status.is_server_error(), "{status}");
    tokio::time::sleep_until(started + SETTLED).await;
    let (status, answer) = buy_pass(&front, &key, &card, &idempotency_key).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{answer}");
    assert_eq!(plain.count("POST stripe/buy").await, 3, "the purchase was sent again");
    plain.heal().await;
    let (status, answer) = buy_pass(&front, &key, &card, &idempotency_key).await;
    assert_eq!(status, StatusCode::OK, "a later attempt does not find it: {answer}");
    let all = orders(&front, &key).await;
    assert!(all.len() == 3 && all.contains(&answer["data"]["id"]), "{all:?}");
}

/// Shows UP-5b, UP-8: an id written as text is the same id.
#[tokio::test]
async fn a_purchase_with_ids_as_text_is_found() {
    let (_folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 300).await;
    let front = start_proxy(&data, &plain.origin, &[]);
    front.knows_upstream().await;
    let (key, card) = person(&front).await;
    let texts = json!({ "mode": "texts", "only": "GET orders" });
    plain.fail(json!([texts])).await;
    let (_, older) = buy_pass(&front, &key, &card, &fresh("buy")).await;
    plain.fail(json!([texts, { "mode": "lost", "only": "POST stripe/buy", "times": 1 }])).await;
    let idempotency_key = fresh("buy");
    let (status, answer) = buy_pass(&front, &key, &card, &idempotency_key).await;
    assert_eq!(status, StatusCode::OK, "the order is not found immediately: {answer}");
    assert!(answer["data"]["id"].is_i64() && answer["data"]["id"] != older["data"]["id"], "{answer}");
    assert_eq!(plain.count("POST stripe/buy").await, 2);
}

/// Shows UP-5b, UP-5d: a purchase that takes effect long after its response was lost is found, and charged once.
#[tokio::test]
async fn a_purchase_that_takes_effect_late_is_not_repeated() {
    let (_folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 300).await;
    let front = start_proxy(&data, &plain.origin, &[]);
    front.knows_upstream().await;
    let (key, card) = person(&front).await;
    plain.fail(json!([{ "mode": "late", "only": "POST stripe/buy", "times": 1, "ms": 34_000 }])).await;
    let (idempotency_key, started) = (fresh("buy"), Instant::now());
    let (status, _) = buy_pass(&front, &key, &card, &idempotency_key).await;
    assert!(status.is_server_error(), "{status}");
    tokio::time::sleep_until(started + SETTLED).await;
    let (status, answer) = buy_pass(&front, &key, &card, &idempotency_key).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "the order's state was not requested: {answer}");
    let order = eventually("it is found", async || {
        let (status, answer) = buy_pass(&front, &key, &card, &idempotency_key).await;
        (status == StatusCode::OK).then_some(answer)
    })
    .await;
    assert_eq!(orders(&front, &key).await, [order["data"]["id"].clone()]);
    assert_eq!(plain.count("POST stripe/buy").await, 1);
}

/// Shows UP-5d: a viewer learns that a purchase had no effect and can buy again.
#[tokio::test]
async fn only_the_viewer_repeats_an_unconfirmed_purchase() {
    let (_folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 300).await;
    let front = start_proxy(&data, &plain.origin, &[]);
    front.knows_upstream().await;
    let (key, card) = person(&front).await;
    plain.fail(json!([{ "mode": "close", "only": "POST stripe/buy", "times": 1 }])).await;
    let idempotency_key = fresh("buy");
    let (status, _) = buy_pass(&front, &key, &card, &idempotency_key).await;
    assert!(status.is_server_error(), "{status}");
    front.kill();
    let front = start_proxy(&data, &plain.origin, &["--clock-offset", "125"]);
    front.knows_upstream().await;
    for _ in 0..2 {
        let (status, answer) = buy_pass(&front, &key, &card, &idempotency_key).await;
        assert_eq!((status, &answer["code"]), (StatusCode::CONFLICT, &json!("not_confirmed")), "{answer}");
    }
    assert_eq!(plain.count("POST stripe/buy").await, 1);
    let (status, answer) = buy_pass(&front, &key, &card, &fresh("buy")).await;
    assert_eq!(status, StatusCode::OK, "the viewer's second attempt fails: {answer}");
    assert_eq!((orders(&front, &key).await.len(), plain.count("POST stripe/buy").await), (1, 2));
}

/// Shows UP-8: an unreadable price is not 0.
#[tokio::test]
async fn products_with_an_unreadable_price_are_not_offered() {
    let (_folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 300).await;
    let front = start_proxy(&data, &plain.origin, &[]);
    front.knows_upstream().await;
    // A person's responses are not cached for others, and are fetched each time.
    let key = front.register().await;
    let list = async |call: &str| front.data(Method::GET, &format!("{call}?api_key={key}"), &Value::Null).await;
    let whole = list("packages").await.as_array().unwrap().len();
    assert!(whole > 0 && list("events/1").await["single_event_package_id"].is_i64());
    for odd in [json!("12.50"), json!(12.5), json!({ "amount": 1250 }), json!(true), json!(-5)] {
        plain.fail(json!([{ "mode": "fields", "fields": { "base_price": odd } }])).await;
        for call in ["packages", "subscriptions"] {
            assert_eq!(list(call).await, json!([]), "{call}: {odd}");
        }
        assert_eq!(list("channel-bootstrap-data").await["packages"], json!([]), "{odd}");
        let event = list("events/1").await;
        assert_eq!((&event["id"], &event["single_event_package_id"]), (&json!(1), &Value::Null), "{odd}: {event}");
        assert_eq!(list("events").await[0]["single_event_package_id"], Value::Null, "{odd}");
        let (status, answer) = front.call(Method::GET, &format!("packages/1?api_key={key}"), &Value::Null).await;
        assert_eq!(status, StatusCode::BAD_GATEWAY, "{odd}: {answer}");
        let coupon = format!("apply_coupon?type=package&id=1&promo_code=KICKOFF20&api_key={key}");
        let (status, answer) = front.call(Method::GET, &coupon, &Value::Null).await;
        assert_eq!(status, StatusCode::BAD_GATEWAY, "{odd}: {answer}");
    }
    let log = front.log();
    for field in
        [r#"call="GET packages" field="data[].base_price""#, r#"call="GET events/{id}" field="data.base_price""#]
    {
        let line = log.lines().find(|line| line.contains(field)).unwrap_or_else(|| panic!("{field}: {log}"));
        assert!(line.contains(r#"expected="an amount in whole minor units""#) && line.contains("a string"), "{line}");
    }
    // A price that converts without loss is accepted.
    plain.fail(json!([{ "mode": "fields", "fields": { "base_price": "1250" } }])).await;
    let packages = list("packages").await;
    assert_eq!((packages.as_array().unwrap().len(), &packages[0]["base_price"]), (whole, &json!(1250)));
}

/// Sends a write under a key, as a page repeats it.
async fn write(front: &Worker, path: &str, body: &Value, idempotency_key: &str) -> (StatusCode, Value) {
    let request = front.http.post(front.url(&format!("/api/{path}"))).header("idempotency-key", idempotency_key);
    let response = request.json(body).send().await.unwrap();
    (response.status(), response.json().await.unwrap())
}

/// Shows UP-5b, UP-5c: a clip or favourite without a response is looked up, and sent again once it has no effect any
/// more.
#[tokio::test]
async fn an_unanswered_clip_or_favourite_is_looked_up_and_finally_sent_again() {
    let (_folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 300).await;
    let front = start_proxy(&data, &plain.origin, &[]);
    front.knows_upstream().await;
    let key = front.register().await;
    let clip = |name: &str| {
        json!({ "api_key": key, "event_id": 25, "name": name, "start_time": 1.0, "duration": 4.0,
        "tags": ["goal"], "event_media_id": 253 })
    };
    let mark = |id: i64| json!({ "api_key": key, "favoritable_id": id, "favoritable_type": "participant" });
    let writes = [("clip", clip("A goal"), clip("Another goal")), ("favorite", mark(101), mark(102))];
    let mut waiting = Vec::new();
    for (path, answered, unanswered) in &writes {
        let call = format!("POST {path}");
        plain.fail(json!([{ "mode": "lost", "only": call, "times": 1 }])).await;
        let idempotency_key = fresh("write");
        let (status, answer) = write(&front, path, answered, &idempotency_key).await;
        assert_eq!(status, StatusCode::OK, "it is not found: {answer}");
        assert_eq!(write(&front, path, answered, &idempotency_key).await.1["data"]["id"], answer["data"]["id"]);
        assert_eq!(plain.count(&call).await, 1, "it was sent again");

        plain.fail(json!([{ "mode": "close", "only": call, "times": 1 }])).await;
        let idempotency_key = fresh("write");
        for _ in 0..2 {
            let (status, answer) = write(&front, path, unanswered, &idempotency_key).await;
            assert!(status.is_server_error(), "{status} {answer}");
        }
        assert_eq!(plain.count(&call).await, 2, "it was sent again too early");
        waiting.push((*path, unanswered, idempotency_key, call));
    }
    front.kill();
    let front = start_proxy(&data, &plain.origin, &["--clock-offset", "35"]);
    front.knows_upstream().await;
    for (path, body, idempotency_key, call) in waiting {
        let (status, answer) = write(&front, path, body, &idempotency_key).await;
        assert_eq!((status, plain.count(&call).await), (StatusCode::OK, 3), "{answer}");
    }
}

/// Shows UP-5b, UP-5d: a trial is a purchase.
#[tokio::test]
async fn an_unanswered_trial_is_looked_up_and_never_sent_again() {
    let (_folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 300).await;
    let front = start_proxy(&data, &plain.origin, &[]);
    front.knows_upstream().await;
    let call = "POST stripe/subscription/start_trial";
    let body =
        |(key, card): &(String, String)| json!({ "api_key": key, "subscription_id": 1, "payment_method_id": card });
    let (found, lost) = (person(&front).await, person(&front).await);
    plain.fail(json!([{ "mode": "lost", "only": call, "times": 1 }])).await;
    let path = "stripe/subscription/start_trial";
    let (status, answer) = write(&front, path, &body(&found), &fresh("trial")).await;
    assert!(status == StatusCode::OK && answer["data"]["id"].is_i64(), "{status} {answer}");
    plain.fail(json!([{ "mode": "close", "only": call, "times": 1 }])).await;
    let idempotency_key = fresh("trial");
    assert!(write(&front, path, &body(&lost), &idempotency_key).await.0.is_server_error());
    front.kill();
    let front = start_proxy(&data, &plain.origin, &["--clock-offset", "125"]);
    front.knows_upstream().await;
    let (status, answer) = write(&front, path, &body(&lost), &idempotency_key).await;
    assert_eq!((status, &answer["code"]), (StatusCode::CONFLICT, &json!("not_confirmed")), "{answer}");
    assert_eq!(plain.count(call).await, 2);
}
