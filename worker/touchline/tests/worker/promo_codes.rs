//! Discounts and their limits (`PAY-6`, `PAY-13`, `PAY-17`).

use std::path::{Path, PathBuf};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::demo_channel::{demo_channel, edit};
use crate::support::{Worker, done, eventually, folder, refused, run, text};

const PAYS: &str = "4242424242424242";
const DECLINED: &str = "4000000000000002";

fn promo<'a>(line: &[&'a str]) -> Vec<&'a str> {
    [&["promo"], line, &["--channel", "northfield"]].concat()
}

async fn apply(worker: &Worker, key: &str, code: &str, product: (&str, i64)) -> (StatusCode, Value) {
    let (kind, id) = product;
    let query = format!("apply_coupon?promo_code={code}&type={kind}&id={id}&api_key={key}");
    worker.call(Method::GET, &query, &Value::Null).await
}

/// Buys with a code, and returns the settled order.
async fn buy(worker: &Worker, key: &str, number: &str, mut body: Value) -> Value {
    body["api_key"] = json!(key);
    body["payment_method_id"] = json!(worker.card(key, number).await);
    let (status, placed) = worker.call(Method::POST, "stripe/buy", &body).await;
    assert_eq!(status, StatusCode::OK, "{placed}");
    worker.settled(key, &placed["data"]["id"]).await
}

/// Shows PAY-6a: an event of 7.99 with a fee of 0.60.
#[tokio::test]
async fn a_discount_is_rounded_half_up_once_and_never_exceeds_the_base_price() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    for (code, how, value) in [
        ("HALF", "--percent", "50"),
        ("TENTH", "--percent", "10"),
        ("SIXTH", "--percent", "6"),
        ("ALL", "--percent", "100"),
        ("MORE", "--amount", "900"),
    ] {
        done(&data, &promo(&["add", code, how, value, "--product", "event:1"]));
    }
    let key = worker.register().await;
    // 399.5, 79.9 and 47.94 without rounding.
    for (code, discount, total) in
        [("HALF", 400, 459), ("TENTH", 80, 779), ("SIXTH", 48, 811), ("ALL", 799, 60), ("MORE", 799, 60)]
    {
        let (status, answer) = apply(&worker, &key, code, ("event", 1)).await;
        let sum = &answer["data"];
        assert_eq!(
            (status, &sum["discount"], &sum["service_fee"], &sum["total"]),
            (StatusCode::OK, &json!(discount), &json!(60), &json!(total)),
            "{code}"
        );
    }
    let body = json!({ "type": "event", "id": 1, "single_event_package_id": 1001, "promo_code": "HALF" });
    let order = buy(&worker, &key, PAYS, body).await;
    assert_eq!((&order["status"], &order["total"]), (&json!("paid"), &json!(459)));
    assert!(worker.end().0.success());
}

/// Shows PAY-13b, PAY-13c.
#[tokio::test]
async fn a_declined_order_is_no_use_of_a_code_and_an_operators_code_can_be_ended() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    done(&data, &promo(&["add", "ONCE", "--percent", "50", "--max-uses", "1"]));
    done(&data, &promo(&["add", "SHORT", "--percent", "50"]));
    let body = json!({ "type": "package", "id": 1, "promo_code": "ONCE" });
    let (key, other) = (worker.register().await, worker.register().await);
    assert_eq!(buy(&worker, &key, DECLINED, body.clone()).await["status"], "failed");
    assert_eq!(buy(&worker, &key, PAYS, body).await["status"], "paid");
    assert_eq!(apply(&worker, &other, "ONCE", ("package", 1)).await.0, StatusCode::BAD_REQUEST, "used up");

    assert_eq!(apply(&worker, &other, "SHORT", ("package", 1)).await.0, StatusCode::OK);
    done(&data, &promo(&["end", "SHORT"]));
    assert_eq!(apply(&worker, &other, "SHORT", ("package", 1)).await.0, StatusCode::BAD_REQUEST, "ended");
    assert!(worker.end().0.success());
}

/// A copy of the demo channel.
fn copied(folder: &Path) -> PathBuf {
    let channels = folder.join("channels");
    demo_channel(&channels);
    channels
}

/// Shows PAY-17b, PAY-17c, PAY-17d: the fee is all that a code leaves, and falls below what a card can be charged.
#[tokio::test]
async fn a_code_that_leaves_too_little_is_reported_refused_or_makes_the_purchase_free() {
    let (folder, data) = folder();
    let channels = copied(folder.path());
    let worker = Worker::start(&data, &["--channels", channels.to_str().unwrap(), "--sandbox-delay-ms", "0"]);
    done(&data, &promo(&["add", "GUEST", "--percent", "100", "--product", "event:1"]));
    let key = worker.register().await;
    assert_eq!(apply(&worker, &key, "GUEST", ("event", 1)).await.1["data"]["total"], 60);

    edit(&channels.join("northfield/events.json"), |events| {
        let event = events.as_array_mut().unwrap().iter_mut().find(|event| event["id"] == 1).unwrap();
        event["service_fee"] = json!(30);
    });
    eventually("the fee is waived", async || {
        let total = apply(&worker, &key, "GUEST", ("event", 1)).await.1["data"]["total"].clone();
        (total == 0).then_some(())
    })
    .await;
    let output = refused(&data, &promo(&["add", "LATER", "--percent", "100", "--product", "event:1"]));
    assert!(output.contains("leaves 0.30 USD"), "{output}");
    let body = json!({ "type": "event", "id": 1, "single_event_package_id": 1001, "promo_code": "GUEST" });
    let order = buy(&worker, &key, PAYS, body).await;
    assert_eq!(
        (&order["status"], &order["service_fee"], &order["total"]),
        (&json!("paid"), &json!(0), &json!(0)),
        "{order}"
    );
    assert_eq!(crate::purchase::charges(&data).await, (0, 0));
    assert!(worker.end().0.success());

    edit(&channels.join("northfield/channel.json"), |channel| {
        let products = json!([{ "type": "event", "id": 1 }]);
        channel["coupons"].as_array_mut().unwrap().push(json!({ "code": "LOW", "percent": 100, "products": products }));
    });
    let checked = run(folder.path(), &["check", "--channels", "channels"]);
    let output = text(&checked.stdout);
    assert!(checked.status.success() && output.contains("the code LOW leaves 0.30 USD"), "{output}");
    let worker = Worker::start(&data, &["--channels", channels.to_str().unwrap()]);
    eventually("the log names it", async || worker.log().contains("the code LOW leaves 0.30 USD").then_some(())).await;
    assert!(worker.end().0.success());
}
