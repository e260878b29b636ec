//! Products that can never open anything, and packages of one event.

use std::path::{Path, PathBuf};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::demo_channel::demo_channel;
use crate::support::{Worker, folder, run, text};

const PAYS: &str = "4242424242424242";

/// A copy of the demo channel with more packages.
fn channel_with(folder: &Path, more: &[Value]) -> PathBuf {
    let channels = folder.join("channels");
    demo_channel(&channels);
    let file = channels.join("northfield/packages.json");
    let mut packages: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    packages.as_array_mut().unwrap().extend(more.iter().cloned());
    std::fs::write(&file, packages.to_string()).unwrap();
    channels
}

fn package(id: i64, kind: &str, more: Value) -> Value {
    let mut package = json!({ "id": id, "name": format!("Package {id}"), "base_price": 500, "service_fee": 50 });
    package["type"] = json!(kind);
    package.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    package
}

/// Shows PKG-6a: `check` refuses such products, and the worker starts without selling them.
#[tokio::test]
async fn products_that_can_never_open_anything_are_refused_by_check_and_hidden_by_the_worker() {
    let (folder, data) = folder();
    let products = [
        package(501, "single_event", json!({})),
        package(502, "package", json!({ "event_categories": [] })),
        package(503, "pass", json!({ "is_team_pass": true, "participants": [] })),
        package(504, "single_event", json!({ "event_categories": [10] })),
    ];
    let channels = channel_with(folder.path(), &products);
    let checked = run(folder.path(), &["check", "--channels", "channels"]);
    let output = format!("{}{}", text(&checked.stdout), text(&checked.stderr));
    assert!(!checked.status.success(), "{output}");
    for problem in ["].type: is `single_event`, but no event", "].event_categories: must", "].participants: must"] {
        assert!(output.contains(problem), "{problem}: {output}");
    }
    assert_eq!(output.matches("northfield/packages.json").count(), 4, "{output}");

    let worker = Worker::start(&data, &["--channels", channels.to_str().unwrap(), "--sandbox-delay-ms", "0"]);
    assert_eq!(worker.log().matches("not sold: northfield/packages.json").count(), 4, "{}", worker.log());
    let key = worker.register().await;
    let card = worker.card(&key, PAYS).await;
    let listed = worker.data(Method::GET, &format!("packages?api_key={key}"), &Value::Null).await;
    let ids: Vec<_> = listed.as_array().unwrap().iter().filter_map(|item| item["id"].as_i64()).collect();
    for id in 501..=504 {
        assert!(!ids.contains(&id), "{id} is listed");
        let buy =
            json!({ "api_key": key, "type": "package", "id": id, "payment_method_id": card, "participant_id": 1 });
        let (status, answer) = worker.call(Method::POST, "stripe/buy", &buy).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{answer}");
    }
    assert!(worker.end().0.success());
}

/// Shows PKG-6b: a package of one event opens it, and is not sold again.
#[tokio::test]
async fn a_package_named_by_an_event_opens_it() {
    let (folder, data) = folder();
    let channels = channel_with(folder.path(), &[package(1001, "single_event", json!({}))]);
    let checked = run(folder.path(), &["check", "--channels", "channels"]);
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    let worker = Worker::start(&data, &["--channels", channels.to_str().unwrap(), "--sandbox-delay-ms", "0"]);
    let key = worker.register().await;
    let card = worker.card(&key, PAYS).await;
    let contents = worker.data(Method::GET, &format!("packages/contents?api_key={key}"), &Value::Null).await;
    let of_package = contents.as_array().unwrap().iter().find(|item| item["package_id"] == 1001).unwrap();
    assert_eq!(of_package["events"], 1);
    let buy = json!({ "api_key": key, "type": "package", "id": 1001, "payment_method_id": card });
    let placed = worker.data(Method::POST, "stripe/buy", &buy).await;
    let order = worker.settled(&key, &placed["id"]).await;
    assert_eq!((&order["status"], &order["total"], &order["product"]["id"]), (&json!("paid"), &json!(550), &json!(1)));
    let event = worker.data(Method::GET, &format!("events/1?api_key={key}"), &Value::Null).await;
    assert_eq!(event["has_access"], true);
    let single = json!({ "type": "event", "id": 1, "single_event_package_id": 1001 });
    for again in [json!({ "type": "package", "id": 1001 }), single] {
        let mut body = json!({ "api_key": key, "payment_method_id": card });
        body.as_object_mut().unwrap().extend(again.as_object().unwrap().clone());
        let (status, answer) = worker.call(Method::POST, "stripe/buy", &body).await;
        assert_eq!((status, &answer["code"]), (StatusCode::BAD_REQUEST, &json!("already_bought")), "{answer}");
    }
    assert!(worker.end().0.success());
}

/// Shows PAY-7: the API refuses what the page does not offer.
#[tokio::test]
async fn an_event_that_a_pass_opens_is_not_sold() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let key = worker.register().await;
    let card = worker.card(&key, PAYS).await;
    let buy = json!({ "api_key": key, "type": "package", "id": 1, "payment_method_id": card });
    let placed = worker.data(Method::POST, "stripe/buy", &buy).await;
    assert_eq!(worker.settled(&key, &placed["id"]).await["status"], "paid");
    let event = worker.data(Method::GET, &format!("events/1?api_key={key}"), &Value::Null).await;
    assert_eq!(event["has_access"], true);
    let single = json!({
        "api_key": key, "type": "event", "id": 1, "single_event_package_id": 1001, "payment_method_id": card
    });
    let (status, answer) = worker.call(Method::POST, "stripe/buy", &single).await;
    assert_eq!((status, &answer["code"]), (StatusCode::BAD_REQUEST, &json!("already_bought")), "{answer}");
    assert!(worker.end().0.success());
}

/// Shows PKG-6c.
#[test]
fn check_notes_a_paid_event_that_nothing_sells() {
    let (folder, _) = folder();
    let channels = channel_with(folder.path(), &[]);
    let check = || {
        let checked = run(folder.path(), &["check", "--channels", "channels"]);
        let output = format!("{}{}", text(&checked.stdout), text(&checked.stderr));
        assert!(checked.status.success(), "{output}");
        output
    };
    assert!(!check().contains("cannot be bought individually"), "the demo sells its events");
    for name in ["packages.json", "subscriptions.json"] {
        std::fs::write(channels.join("northfield").join(name), "[]").unwrap();
    }
    let file = channels.join("northfield/channel.json");
    let mut channel: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    channel["coupons"] = json!([]);
    std::fs::write(&file, channel.to_string()).unwrap();
    let file = channels.join("northfield/events.json");
    let mut events: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let event = events.as_array_mut().unwrap().iter_mut().find(|event| event["id"] == 1).unwrap();
    let name = event["name"].as_str().unwrap().to_owned();
    event
        .as_object_mut()
        .unwrap()
        .retain(|field, _| !["single_event_package_id", "base_price", "service_fee"].contains(&field.as_str()));
    std::fs::write(&file, events.to_string()).unwrap();
    let output = check();
    assert!(
        output.contains(&format!("the paid event \"{name}\"")) && output.contains("cannot be bought individually"),
        "{output}"
    );
}
