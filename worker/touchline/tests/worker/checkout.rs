//! Requests and amounts accepted at checkout.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::demo_channel::demo_channel;
use crate::support::{Worker, done, eventually, folder, refused, run, text};

/// Makes a call as a client that only knows the specification.
async fn post(worker: &Worker, path: &str, body: &Value) -> Value {
    let response = worker.http.post(worker.url(&format!("/api/{path}"))).json(body).send().await.unwrap();
    let (status, answer) = (response.status(), response.json::<Value>().await.unwrap());
    assert_eq!(status, StatusCode::OK, "{path}: {answer}");
    answer["data"].clone()
}

/// Shows CALL-12: equal requests are one purchase until it fails.
#[tokio::test]
async fn a_purchase_without_a_key_happens_once_until_it_is_declined() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let key = worker.register().await;
    let body = async |number| {
        let card = worker.card(&key, number).await;
        json!({ "api_key": key, "type": "event", "id": 1, "single_event_package_id": 1001, "payment_method_id": card })
    };
    let declined = body("4000000000000002").await;
    let first = post(&worker, "stripe/buy", &declined).await;
    let path = format!("orders/{}?api_key={key}", first["id"]);
    eventually("the order fails", async || {
        let order = worker.data(Method::GET, &path, &Value::Null).await;
        (order["status"] == "failed").then_some(())
    })
    .await;
    let second = post(&worker, "stripe/buy", &declined).await;
    assert_ne!(second["id"], first["id"], "a new attempt after a decline reused the order");
    let paid = body("4242424242424242").await;
    let (one, two) = tokio::join!(post(&worker, "stripe/buy", &paid), post(&worker, "stripe/buy", &paid));
    assert_eq!(one["id"], two["id"], "a repeated request created a second order");
    worker.end();
}

/// Shows PAY-17b: `check` and the log report a price too low to charge to a card; neither fails.
#[tokio::test]
async fn a_price_below_the_currencys_minimum_is_reported_without_failing() {
    let (folder, data) = folder();
    let copy = folder.path().join("channels");
    demo_channel(&copy);
    let check = || {
        let checked = run(folder.path(), &["check", "--channels", "channels"]);
        let output = format!("{}{}", text(&checked.stdout), text(&checked.stderr));
        assert_eq!(checked.status.code(), Some(0), "{output}");
        output
    };
    assert!(!check().contains("can be charged no less than"), "the demo can sell");
    let file = copy.join("northfield/events.json");
    let mut events: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let priced = events.as_array_mut().unwrap().iter_mut().find(|event| event["base_price"].is_number()).unwrap();
    priced["base_price"] = json!(30);
    priced["service_fee"] = json!(0);
    std::fs::write(&file, events.to_string()).unwrap();
    assert!(check().contains("costs 0.30 USD, but a card can be charged no less than 0.50 USD"));
    let worker = Worker::start(&data, &["--channels", copy.to_str().unwrap()]);
    eventually("the log contains the price", async || worker.log().contains("no less than 0.50 USD").then_some(()))
        .await;
    worker.end();
}

/// Shows PAY-10b, PAY-10d.
#[tokio::test]
async fn a_purchase_or_trial_on_other_terms_sells_nothing_and_names_the_current_ones() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let key = worker.register().await;
    let card = worker.card(&key, "4242424242424242").await;
    let event = json!({
        "type": "event", "id": 1, "single_event_package_id": 1001, "expected_total": 859, "expected_service_fee": 60,
        "currency": "USD",
    });
    let trial = json!({
        "subscription_id": 1, "expected_total": 0, "expected_renewal_price": 1299, "expected_trial_days": 7,
        "currency": "USD",
    });
    let (buy, start) = ("stripe/buy", "stripe/subscription/start_trial");
    let post = async |path: &str, idempotency_key: &str, body: &Value| {
        let mut body = body.clone();
        body["api_key"] = json!(key);
        body["payment_method_id"] = json!(card);
        let request = worker.http.post(worker.url(&format!("/api/{path}"))).header("idempotency-key", idempotency_key);
        let response = request.json(&body).send().await.unwrap();
        (response.status(), response.json::<Value>().await.unwrap())
    };
    for (path, terms, field, outdated) in [
        (buy, &event, "expected_total", json!(759)),
        (buy, &event, "expected_service_fee", json!(50)),
        (buy, &event, "currency", json!("CAD")),
        (start, &trial, "expected_total", json!(100)),
        (start, &trial, "expected_renewal_price", json!(1199)),
        (start, &trial, "expected_trial_days", json!(14)),
        (start, &trial, "currency", json!("CAD")),
    ] {
        let mut body = terms.clone();
        body[field] = outdated;
        let (status, answer) = post(path, "refused", &body).await;
        assert_eq!((status, &answer["code"]), (StatusCode::CONFLICT, &json!("price_changed")), "{field}: {answer}");
        let price = &answer["price"];
        let figures = [&price["total"], &price["renewal_price"], &price["trial_days"], &price["currency"]];
        let current = if path == buy {
            [json!(859), Value::Null, Value::Null, json!("USD")]
        } else {
            [json!(0), json!(1299), json!(7), json!("USD")]
        };
        assert_eq!(figures, current.each_ref(), "{field}: {answer}");
    }
    let orders = worker.data(Method::GET, &format!("orders?api_key={key}"), &Value::Null).await;
    assert_eq!(orders, json!([]));
    for (path, terms) in [(buy, &event), (start, &trial)] {
        let (status, answer) = post(path, "refused", terms).await;
        assert_eq!(status, StatusCode::OK, "the refused key stores no answer: {answer}");
        assert_eq!(worker.settled(&key, &answer["data"]["id"]).await["status"], "paid");
    }
    worker.end();
}

/// Shows PAY-17a: a currency of three decimals, whose last one no card can be charged.
#[tokio::test]
async fn amounts_have_the_decimals_and_steps_of_their_currency() {
    let (folder, data) = folder();
    let copy = folder.path().join("channels");
    demo_channel(&copy);
    let file = copy.join("northfield/settings.json");
    let settings = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, settings.replace("\"USD\"", "\"KWD\"")).unwrap();
    let checked = run(folder.path(), &["check", "--channels", "channels"]);
    let output = text(&checked.stdout);
    let warning = "is not a multiple of 10, as KWD requires";
    assert!(checked.status.success() && output.contains(warning), "{output}");
    let worker = Worker::start(&data, &["--channels", copy.to_str().unwrap(), "--sandbox-delay-ms", "0"]);
    done(&data, &["promo", "add", "HALF", "--channel", "northfield", "--percent", "50", "--product", "package:1"]);
    let key = worker.register().await;
    let card = worker.card(&key, "4242424242424242").await;
    // Half of 8.900 and a fee of 0.650; 33 % would leave a remainder that is no multiple of 0.010.
    done(&data, &["promo", "add", "THIRD", "--channel", "northfield", "--percent", "33", "--product", "package:1"]);
    let query = format!("apply_coupon?promo_code=THIRD&type=package&id=1&api_key={key}");
    let third = worker.data(Method::GET, &query, &Value::Null).await;
    assert_eq!(third["discount"], 2940, "2.937 is rounded to what a card can be charged");
    let body = json!({ "api_key": key, "type": "package", "id": 1, "payment_method_id": card, "promo_code": "HALF" });
    let id = worker.data(Method::POST, "stripe/buy", &body).await["id"].clone();
    assert_eq!(worker.settled(&key, &id).await["total"], 5100);
    let details = done(&data, &["order", "show", &id.to_string()]);
    assert!(details.contains("5.100 KWD"), "{details}");
    let output = refused(&data, &["order", "refund", &id.to_string(), "--amount", "105"]);
    assert!(output.contains("multiples of 0.010"), "{output}");
    done(&data, &["order", "refund", &id.to_string(), "--amount", "110"]);
    worker.end();
}
