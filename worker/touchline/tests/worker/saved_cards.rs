//! Saved cards (`PAY-11`, `PAY-16`).

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Worker, eventually, folder};

const PAYS: &str = "4242424242424242";
const DECLINED: &str = "4000000000000002";
const ASKS: &str = "4000002500003155";

/// The last digits of the listed cards, with `default` and `declined`.
async fn listed(worker: &Worker, key: &str) -> Vec<String> {
    let cards = worker.data(Method::GET, &format!("stripe/list-cards?api_key={key}"), &Value::Null).await;
    let description = |card: &Value| {
        let mut text = card["last4"].as_str().unwrap().to_owned();
        for (field, word) in [("is_default", " default"), ("declined", " declined")] {
            text += if card[field] == true { word } else { "" };
        }
        text
    };
    cards.as_array().unwrap().iter().map(description).collect()
}

/// Buys a package, and returns the order's id.
async fn buy(worker: &Worker, key: &str, card: &str, package: i64, save_card: bool) -> Value {
    let body = json!({
        "api_key": key, "type": "package", "id": package, "payment_method_id": card, "save_card": save_card,
    });
    worker.data(Method::POST, "stripe/buy", &body).await["id"].clone()
}

async fn start_trial(worker: &Worker, key: &str, card: &str) {
    let body = json!({ "api_key": key, "subscription_id": 1, "payment_method_id": card });
    let id = worker.data(Method::POST, "stripe/subscription/start_trial", &body).await["id"].clone();
    assert_eq!(worker.settled(key, &id).await["status"], "paid");
}

/// Shows PAY-11a, PAY-11b, PAY-11c, PAY-11d.
#[tokio::test]
async fn a_card_is_listed_if_it_was_saved_and_has_paid_or_started_a_trial() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let key = worker.register().await;
    let [unsaved, declined, asks] =
        [worker.card(&key, PAYS).await, worker.card(&key, DECLINED).await, worker.card(&key, ASKS).await];
    let id = buy(&worker, &key, &unsaved, 1, false).await;
    assert_eq!(worker.settled(&key, &id).await["status"], "paid");
    let id = buy(&worker, &key, &declined, 3, true).await;
    assert_eq!(worker.settled(&key, &id).await["status"], "failed");
    let id = buy(&worker, &key, &asks, 3, true).await;
    let secret = eventually("the bank requires confirmation", async || {
        worker.order(&key, &id).await["next_action"]["client_secret"].as_str().map(str::to_owned)
    })
    .await;
    assert_eq!(listed(&worker, &key).await, [""; 0], "a card that has not paid");
    let body = json!({ "api_key": key, "client_secret": secret, "accept": true });
    worker.data(Method::POST, "stripe/sandbox-confirm", &body).await;
    assert_eq!(worker.settled(&key, &id).await["status"], "paid");
    assert_eq!(listed(&worker, &key).await, ["3155 default"]);

    // A subscription's card is saved without being asked.
    let subscriber = worker.register().await;
    let card = worker.card(&subscriber, PAYS).await;
    start_trial(&worker, &subscriber, &card).await;
    assert_eq!(listed(&worker, &subscriber).await, ["4242 default"]);
    assert!(worker.end().0.success());
}

/// Shows PAY-11d, PAY-16b.
#[tokio::test]
async fn the_newest_card_that_works_is_the_default_until_one_is_chosen() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let key = worker.register().await;
    let mut cards = Vec::new();
    for number in [PAYS, ASKS, DECLINED] {
        let card = worker.card(&key, number).await;
        let body = json!({ "api_key": key, "payment_method_id": card });
        worker.data(Method::POST, "stripe/save-card", &body).await;
        cards.push(card);
    }
    assert_eq!(listed(&worker, &key).await, ["0002 default", "3155", "4242"]);
    let id = buy(&worker, &key, &cards[2], 1, true).await;
    assert_eq!(worker.settled(&key, &id).await["status"], "failed");
    assert_eq!(listed(&worker, &key).await, ["3155 default", "0002 declined", "4242"]);
    let body = json!({ "api_key": key, "payment_method_id": cards[0], "is_default": true });
    worker.data(Method::POST, "stripe/save-card", &body).await;
    assert_eq!(listed(&worker, &key).await, ["4242 default", "0002 declined", "3155"]);
    assert!(worker.end().0.success());
}

/// Shows PAY-16c.
#[tokio::test]
async fn a_card_that_renews_a_subscription_is_removed_only_after_another_was_chosen() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let key = worker.register().await;
    let [renews, other] = [worker.card(&key, PAYS).await, worker.card(&key, ASKS).await];
    start_trial(&worker, &key, &renews).await;
    let removal = json!({ "api_key": key, "payment_method_id": renews });
    let (status, answer) = worker.call(Method::POST, "stripe/remove-card", &removal).await;
    assert_eq!((status, &answer["code"]), (StatusCode::CONFLICT, &json!("card_in_use")), "{answer}");
    assert_eq!(listed(&worker, &key).await, ["4242 default"]);
    let change = json!({ "api_key": key, "subscription_id": 1, "payment_method_id": other });
    worker.data(Method::POST, "stripe/subscription/use_card", &change).await;
    worker.data(Method::POST, "stripe/remove-card", &removal).await;
    assert_eq!(listed(&worker, &key).await, ["3155 default"]);
    assert!(worker.end().0.success());
}
