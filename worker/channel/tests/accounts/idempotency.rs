//! Calls that take an `Idempotency-Key` and need none: the same key gives the same answer, and another body under it 409.

use serde_json::{Value, json};

use crate::app::{App, PAYS, Person};

/// Sends a request twice under a key, then another one under the same.
async fn sees_one_effect(app: &App, person: &Person, path: &str, body: Value, other: Value) -> Value {
    let send = async |body: &Value| app.post_with(&person.key, path, &[("idempotency-key", "k")], body.clone()).await;
    let first = send(&body).await;
    let data = first.data();
    assert_eq!(send(&body).await.body, first.body, "{path}");
    send(&other).await.fails(409, "idempotency_conflict");
    data
}

#[tokio::test]
async fn a_device_a_card_an_answer_to_the_bank_and_the_end_of_a_subscription_happen_once() {
    let app = App::new().await;
    let ada = app.person("ada").await;
    let code = app.post(&app.visitor().await, "auth/session_code", json!({})).await.data()["code"].clone();
    let device = sees_one_effect(&app, &ada, "auth/add_session", json!({ "code": code }), json!({ "code": "AAAAAA" }));
    assert_eq!(device.await["current"], false);
    app.post(&ada.key, "auth/add_session", json!({ "code": code })).await.fails(400, "wrong_code");

    let intent = app.post(&ada.key, "stripe/setup-intent", json!({})).await.data()["client_secret"].clone();
    let card = |number: &str| json!({ "client_secret": intent, "number": number, "exp": "12/34", "cvc": "123" });
    sees_one_effect(&app, &ada, "stripe/sandbox-card", card(PAYS), card("4000 0000 0000 0002")).await;
    assert_eq!(app.get(&ada.key, "stripe/list-cards").await.data().as_array().unwrap().len(), 1);

    let asked = app.bought(&ada, "4000 0025 0000 3155", json!({ "type": "package", "id": 1 })).await;
    let answer = |accept: bool| json!({ "client_secret": asked["next_action"]["client_secret"], "accept": accept });
    sees_one_effect(&app, &ada, "stripe/sandbox-confirm", answer(true), answer(false)).await;
    app.settle().await;
    assert_eq!(app.order(&ada, &asked["id"]).await["status"], "paid");

    app.bought(&ada, PAYS, json!({ "type": "subscription", "id": 1 })).await;
    let (this, that) = (json!({ "subscription_id": 1 }), json!({ "subscription_id": 2 }));
    let order = sees_one_effect(&app, &ada, "stripe/unsubscribe", this, that).await;
    assert_eq!(order["subscription"]["auto_renew"], "cancelled");
}

#[tokio::test]
async fn an_account_that_is_to_be_deleted_gets_one_letter_for_each_key() {
    let app = App::new().await;
    let ada = app.person("ada").await;
    app.link_to(&ada.email).await.unwrap();
    let letters = || std::fs::read_dir(app.folder.path().join("mail")).unwrap().count();
    let before = letters();
    sees_one_effect(&app, &ada, "delete-account", json!({}), json!({ "sure": true })).await;
    app.link_to(&ada.email).await.unwrap();
    assert_eq!(letters(), before + 1);
}
