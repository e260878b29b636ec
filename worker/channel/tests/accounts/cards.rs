//! Saved cards (`PAY-11`).

use serde_json::{Value, json};

use crate::app::{App, DAY_MS, Person, VALID_CARD};

const DECLINED: &str = "4000000000000002";
const ASKS: &str = "4000002500003155";

async fn listed(app: &App, person: &Person) -> Vec<(String, bool)> {
    let cards = app.get(&person.key, "stripe/list-cards").await.data();
    let listed = |card: &Value| (card["last4"].as_str().unwrap().to_owned(), card["declined"] == true);
    cards.as_array().unwrap().iter().map(listed).collect()
}

fn card(last4: &str, declined: bool) -> (String, bool) {
    (last4.to_owned(), declined)
}

fn event() -> Value {
    json!({ "type": "event", "id": 1, "single_event_package_id": 1001 })
}

#[tokio::test]
async fn a_declined_card_is_not_saved() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let declined = app.card(&person, DECLINED).await;
    assert_eq!(listed(&app, &person).await, Vec::new(), "not used for a payment yet");
    let mut body = event();
    body["payment_method_id"] = json!(declined);
    app.buy(&person, "one", body).await.data();
    assert_eq!(listed(&app, &person).await, Vec::new(), "nor during the charge");
    app.settle().await;
    assert_eq!(listed(&app, &person).await, Vec::new());
    assert_eq!(app.bought(&person, VALID_CARD, event()).await["status"], "paid");
    assert_eq!(listed(&app, &person).await, [card("4242", false)]);
}

#[tokio::test]
async fn a_card_rejected_during_confirmation_is_not_saved() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let waiting = app.bought(&person, ASKS, event()).await;
    let answer = json!({ "client_secret": waiting["next_action"]["client_secret"], "accept": false });
    app.post(&person.key, "stripe/sandbox-confirm", answer).await.data();
    app.settle().await;
    assert_eq!(listed(&app, &person).await, Vec::new());
}

#[tokio::test]
async fn a_trials_card_is_saved_and_marked_once_its_renewal_is_declined() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let paid = app.card(&person, DECLINED).await;
    let trial = json!({ "subscription_id": 1, "payment_method_id": paid });
    app.post(&person.key, "stripe/subscription/start_trial", trial).await.data();
    app.settle().await;
    assert_eq!(listed(&app, &person).await, [card("0002", false)]);
    app.clock.advance_ms(7 * DAY_MS);
    app.settle().await;
    assert_eq!(listed(&app, &person).await, [card("0002", true)]);
    // A payment with another card does not affect this one.
    app.bought(&person, VALID_CARD, json!({ "type": "package", "id": 1 })).await;
    let mut both = listed(&app, &person).await;
    both.sort();
    assert_eq!(both, [card("0002", true), card("4242", false)]);
}

#[tokio::test]
async fn an_unsaved_card_is_removed_when_its_subscription_ends() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let once = app.card(&person, VALID_CARD).await;
    let mut body = event();
    body["payment_method_id"] = json!(once);
    body["save_card"] = json!(false);
    app.buy(&person, "one", body).await.data();
    app.settle().await;
    assert_eq!(listed(&app, &person).await, Vec::new());
    // The provider no longer has the card, so it cannot be used again.
    let other = json!({ "type": "package", "id": 1, "payment_method_id": once });
    app.buy(&person, "two", other).await.blames("payment_method_id");
}

#[tokio::test]
async fn exactly_one_saved_card_is_the_default_and_listed_first() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let other = app.person("bob").await;
    let defaults = async || {
        let cards = app.get(&person.key, "stripe/list-cards").await.data();
        let of = |card: &Value| (card["last4"].as_str().unwrap().to_owned(), card["is_default"] == true);
        cards.as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    };
    let save = async |person: &Person, id: &str, is_default: bool| {
        let body = json!({ "payment_method_id": id, "is_default": is_default });
        app.post(&person.key, "stripe/save-card", body).await
    };
    let (pays, asking) = (app.card(&person, VALID_CARD).await, app.card(&person, ASKS).await);
    save(&person, &pays, false).await.data();
    assert_eq!(defaults().await, [card("4242", true)], "a single card is the default");
    save(&person, &asking, true).await.data();
    assert_eq!(defaults().await, [card("3155", true), card("4242", false)]);
    save(&person, &pays, true).await.data();
    assert_eq!(defaults().await, [card("4242", true), card("3155", false)]);
    assert_eq!(save(&other, &pays, true).await.status, 404, "a person cannot save another's card");
    app.post(&person.key, "stripe/remove-card", json!({ "payment_method_id": pays })).await.data();
    assert_eq!(defaults().await, [card("3155", true)]);
}
