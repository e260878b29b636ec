//! An upstream that is slow, gives wrong answers, disconnects or dies, and workers that die (`UP-4`, `UP-5`).

use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{SOON, Worker, eventually, folder, fresh};
use crate::upstream::{Socket, start_proxy};
use crate::upstream_plain::Plain;

const DIFFICULTIES: &str = "Apologies! Our service is currently experiencing technical difficulties.";

async fn settings(front: &Worker, key: &str) -> (StatusCode, bool) {
    let answer = front.get(&format!("/api/settings?api_key={key}")).await;
    (answer.status(), answer.headers().contains_key("x-touchline-stale"))
}

/// Waits until cached responses are stale.
async fn until_not_fresh() {
    tokio::time::sleep(Duration::from_millis(3_200)).await;
}

/// Shows UP-2c, UP-4a: browsing continues from the cache, marked as stale; a person's own calls fail with an
/// explanation.
#[tokio::test]
async fn with_a_failing_upstream_browsing_continues_and_other_calls_fail_clearly() {
    let (_folder, data) = folder();
    let mut plain = Plain::start(&data.with_extension("plain"), 500).await;
    let front = start_proxy(&data, &plain.origin, &["--upstream-timeout-s", "8"]);
    front.knows_upstream().await;
    let (visitor, person) = (front.key().await, front.register().await);
    assert_eq!(settings(&front, &visitor).await, (StatusCode::OK, false));
    let list = format!("/api/events?limit=3&api_key={visitor}");
    assert_eq!(front.get(&list).await.status(), StatusCode::OK);
    let personal_list = format!("/api/events?limit=3&api_key={person}");
    assert_eq!(front.get(&personal_list).await.status(), StatusCode::OK);
    for mode in ["500", "html", "half", "close", "large", "429"] {
        until_not_fresh().await;
        plain.fail(json!([{ "mode": mode }])).await;
        let (status, is_stale) = settings(&front, &visitor).await;
        // A refusal with the API's own message is passed on.
        let passed = if mode == "429" { StatusCode::TOO_MANY_REQUESTS } else { StatusCode::OK };
        assert_eq!((status, is_stale), (passed, mode != "429"), "{mode}");
        let (status, answer) = front.call(Method::GET, &format!("profile?api_key={person}"), &Value::Null).await;
        if mode == "429" {
            assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
        } else {
            assert!(status.is_server_error(), "{mode}: {status} {answer}");
            assert_eq!(answer["message"], DIFFICULTIES, "{mode}");
        }
        plain.heal().await;
    }

    // At 5 s, a call waits, and a cached response is returned immediately.
    until_not_fresh().await;
    plain.fail(json!([{ "mode": "slow", "ms": 5_000 }])).await;
    assert_eq!(settings(&front, &visitor).await, (StatusCode::OK, true));
    let (status, _) = front.call(Method::GET, &format!("profile?api_key={person}"), &Value::Null).await;
    assert_eq!(status, StatusCode::OK, "a slow upstream counts as down");
    plain.heal().await;

    plain.kill();
    until_not_fresh().await;
    for path in [&list, &personal_list] {
        let answer = front.get(path).await;
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        assert!(answer.headers().contains_key("x-touchline-stale"), "{path}");
    }
    // A response cached for one viewer is never given to another.
    let other = front.get(&format!("/api/events?limit=3&api_key={}", fresh("another"))).await;
    assert_eq!(other.status(), StatusCode::SERVICE_UNAVAILABLE);
    let (status, answer) = front.call(Method::GET, &format!("orders?api_key={person}"), &Value::Null).await;
    assert_eq!((status, &answer["message"]), (StatusCode::SERVICE_UNAVAILABLE, &json!(DIFFICULTIES)));
    assert_eq!(front.get("/").await.status(), StatusCode::OK, "the site fails");
    plain.restart();
    eventually("the upstream is back", async || {
        let (status, is_stale) = settings(&front, &visitor).await;
        (status == StatusCode::OK && !is_stale).then_some(())
    })
    .await;
}

/// Shows UP-4c, UP-5a: a failure for one viewer does not affect others.
#[tokio::test]
async fn a_failure_for_one_viewer_does_not_affect_others() {
    let (_folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 500).await;
    let front = start_proxy(&data, &plain.origin, &[]);
    front.knows_upstream().await;
    let (one, other, visitor) = (front.register().await, front.register().await, front.key().await);
    let events = async |key: &str| {
        let answer = front.get(&format!("/api/events?limit=3&api_key={key}")).await;
        (answer.status(), answer.headers().contains_key("x-touchline-stale"))
    };
    let fresh = (StatusCode::OK, false);
    assert_eq!([events(&one).await, events(&other).await, settings(&front, &visitor).await], [fresh; 3]);
    for (mode, only) in [("500", "GET orders"), ("html", "GET orders"), ("close", "GET orders"), ("500", "GET events")]
    {
        until_not_fresh().await;
        // A read whose connection breaks is repeated once.
        plain.fail(json!([{ "mode": mode, "only": only, "times": if mode == "close" { 2 } else { 1 } }])).await;
        if only == "GET events" {
            assert_eq!(events(&one).await, (StatusCode::OK, true), "{mode}: their own older list");
        } else {
            let (status, _) = front.call(Method::GET, &format!("orders?api_key={one}"), &Value::Null).await;
            assert!(status.is_server_error(), "{mode}: {status}");
        }
        assert_eq!([events(&other).await, settings(&front, &visitor).await], [fresh; 2], "{mode} for {only}");
    }
}

/// Shows UP-4d, UP-6a: an API with a `Retry-After` is not called earlier.
#[tokio::test]
async fn a_retry_after_is_respected_and_passed_on() {
    let (_folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 600_000).await;
    let front = start_proxy(&data, &plain.origin, &[]);
    front.knows_upstream().await;
    let (visitor, person) = (front.key().await, front.register().await);
    assert_eq!(settings(&front, &visitor).await, (StatusCode::OK, false));
    let busy =
        |only: &str, retry_after: Value| json!({ "mode": "503", "only": only, "retry_after": retry_after, "times": 1 });
    let retry_after = async |call: &str| {
        let answer = front.get(&format!("/api/{call}?api_key={person}")).await;
        let after = answer.headers().get("retry-after").map(|value| value.to_str().unwrap().parse::<u64>().unwrap());
        (answer.status(), after)
    };

    // It is passed on to the viewer, up to a limit.
    plain.fail(json!([busy("GET orders", json!("7"))])).await;
    assert_eq!(retry_after("orders").await, (StatusCode::SERVICE_UNAVAILABLE, Some(7)));
    plain.fail(json!([busy("GET orders", json!("86400"))])).await;
    assert_eq!(retry_after("orders").await, (StatusCode::SERVICE_UNAVAILABLE, Some(60)));

    // Uncached and cached calls both wait.
    plain.fail(json!([busy("GET menu", json!("30")), busy("GET settings", json!("8"))])).await;
    let (status, after) = retry_after("menu").await;
    assert_eq!((status, after), (StatusCode::SERVICE_UNAVAILABLE, Some(30)));
    let (status, after) = retry_after("menu").await;
    assert!(
        status == StatusCode::SERVICE_UNAVAILABLE && after.is_some_and(|s| (20..=30).contains(&s)),
        "{status} {after:?}"
    );
    assert_eq!(plain.count("GET menu").await, 1);
    until_not_fresh().await;
    let (requests_before, started) = (plain.count("GET settings").await, Instant::now());
    assert_eq!(settings(&front, &visitor).await, (StatusCode::OK, true));
    while started.elapsed() < Duration::from_secs(4) {
        assert_eq!(settings(&front, &visitor).await, (StatusCode::OK, true));
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    assert_eq!(plain.count("GET settings").await, requests_before + 1);
    eventually("the upstream is requested again", async || {
        (settings(&front, &visitor).await == (StatusCode::OK, false)).then_some(())
    })
    .await;
    assert!(started.elapsed() > Duration::from_secs(7), "{:?}", started.elapsed());

    // Watches: the refused one waits, another person's does not.
    let other = front.register().await;
    let buy = async |key: &str| {
        let card = front.card(key, "4242424242424242").await;
        let mut socket = Socket::open(&front, key, None).await;
        let (_, order) = front.buy_event(key, &card, &fresh("buy")).await;
        socket.watch("order", &order["data"]["id"]).await;
        socket.wait_for_status("order", &order["data"]["id"], "created").await;
        socket
    };
    let _one = buy(&person).await;
    plain.fail(json!([busy("GET orders/{id}", json!("12"))])).await;
    let before = plain.count("GET orders/{id}").await;
    eventually("it is refused", async || (plain.count("GET orders/{id}").await > before).then_some(())).await;
    tokio::time::sleep(Duration::from_secs(9)).await;
    assert_eq!(plain.count("GET orders/{id}").await, before + 1, "the order was requested too early");
    let _other = buy(&other).await;
}

/// Retries a purchase with the same key until it is answered, as a page does.
async fn buy_until_answered(front: &Worker, key: &str, card: &str, idempotency_key: &str) -> Value {
    eventually("the purchase completes", async || {
        let (status, answer) = front.buy_event(key, card, idempotency_key).await;
        assert!(status == StatusCode::OK || status.is_server_error(), "{status} {answer}");
        (status == StatusCode::OK).then(|| answer["data"].clone())
    })
    .await
}

/// Shows UP-5a, UP-5b.
#[tokio::test]
async fn a_purchase_with_a_lost_response_is_looked_up_and_charged_once() {
    let (_folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 300).await;
    let front = start_proxy(&data, &plain.origin, &[]);
    front.knows_upstream().await;
    let key = front.register().await;
    let card = front.card(&key, "4242424242424242").await;
    for mode in ["lost", "close"] {
        plain.fail(json!([{ "mode": mode, "only": "POST stripe/buy", "times": 1 }])).await;
        let idempotency_key = fresh("buy");
        let (status, answer) = front.buy_event(&key, &card, &idempotency_key).await;
        if mode == "lost" {
            assert_eq!(status, StatusCode::OK, "the order is not found immediately: {answer}");
            let again = buy_until_answered(&front, &key, &card, &idempotency_key).await;
            assert_eq!(again["id"], answer["data"]["id"]);
            let other = json!({ "api_key": key, "type": "package", "id": 1, "payment_method_id": card });
            let request = front.http.post(front.url("/api/stripe/buy")).header("idempotency-key", &idempotency_key);
            assert_eq!(request.json(&other).send().await.unwrap().status(), StatusCode::CONFLICT);
        } else {
            // It had no effect, which is not known yet: it is not sent again until that is certain.
            assert!(status.is_server_error(), "{status}");
            let (status, _) = front.buy_event(&key, &card, &idempotency_key).await;
            assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        }
    }
    tokio::time::sleep(Duration::from_millis(600)).await;
    let counts = plain.counts().await;
    assert_eq!((counts["orders"].clone(), counts["counts"]["POST stripe/buy"].clone()), (json!(1), json!(2)));
}

/// Shows UP-5b, UP-6b: no status is lost or moves backwards, and nothing is charged twice.
#[tokio::test]
async fn a_purchase_survives_sigkill_of_the_worker_the_upstream_or_both() {
    let (_folder, data) = folder();
    let mut plain = Plain::start(&data.with_extension("plain"), 1_000).await;
    let mut front = start_proxy(&data, &plain.origin, &[]);
    front.knows_upstream().await;
    let mut offset_s = 0;
    for (kills_worker, kills_upstream, wait_ms) in
        [(true, false, 5), (false, true, 15), (true, true, 30), (true, false, 500), (true, true, 700)]
    {
        let key = front.register().await;
        let card = front.card(&key, "4242424242424242").await;
        let mut idempotency_key = fresh("buy");
        let buying = {
            let (http, url) = (front.http.clone(), front.url("/api/stripe/buy"));
            let body = json!({ "api_key": key, "type": "event", "id": 1, "single_event_package_id": 1001,
                "payment_method_id": card });
            let request = http.post(url).header("idempotency-key", &idempotency_key).json(&body);
            // The next attempt finds the outcome of this one.
            tokio::spawn(async move { request.send().await.is_ok() })
        };
        tokio::time::sleep(Duration::from_millis(wait_ms)).await;
        let mut restart_upstream = || {
            if kills_upstream {
                plain.kill();
                plain.restart();
            }
        };
        if kills_worker {
            front.kill();
            restart_upstream();
            front = start_proxy(&data, &plain.origin, &["--clock-offset", &offset_s.to_string()]);
        } else {
            restart_upstream();
        }
        let _answered = buying.await;
        let started = Instant::now();
        let mut is_late = false;
        let order = loop {
            let (status, answer) = front.buy_event(&key, &card, &idempotency_key).await;
            if status == StatusCode::OK {
                break answer["data"].clone();
            }
            assert!(started.elapsed() < 2 * SOON, "{status} {answer}");
            if answer["code"] == "not_confirmed" {
                // It had no effect, and the viewer tries again.
                idempotency_key = fresh("buy");
            } else if !is_late && started.elapsed() > Duration::from_secs(5) {
                // Two minutes later.
                (is_late, offset_s) = (true, offset_s + 125);
                front.kill();
                front = start_proxy(&data, &plain.origin, &["--clock-offset", &offset_s.to_string()]);
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        };
        let mut socket = Socket::open(&front, &key, None).await;
        socket.watch("order", &order["id"]).await;
        let snapshot = socket.welcome["snapshot"].as_array().cloned().unwrap_or_default();
        let is_reported = snapshot.iter().any(|it| it["id"] == order["id"] && it["state"]["status"] == "paid");
        if !is_reported {
            socket.wait_for_status("order", &order["id"], "paid").await;
        }
        let orders = front.data(Method::GET, &format!("orders?api_key={key}"), &Value::Null).await;
        assert_eq!(orders.as_array().unwrap().len(), 1, "one order: {orders}");
    }
    assert_eq!(plain.counts().await["charges"].as_array().unwrap().len(), 5);
}
