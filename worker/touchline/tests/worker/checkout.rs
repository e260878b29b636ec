//! Requests and amounts accepted at checkout.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Worker, eventually, folder, run, text};

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

/// Shows PAY-17: `check` and the log report a price too low to charge to a card; neither fails.
#[tokio::test]
async fn a_price_below_the_currencys_minimum_is_reported_without_failing() {
    let (folder, data) = folder();
    let from = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/channels/northfield");
    let copy = folder.path().join("channels");
    std::fs::create_dir_all(&copy).unwrap();
    assert!(std::process::Command::new("cp").arg("-r").arg(from).arg(&copy).status().unwrap().success());
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
