//! Calls that take an `Idempotency-Key`: the same key gives the same answer, another body under it 409, and what was done
//! is on disk with its answer or not at all.

use axum::http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};
use touchline_channel::http::ApiError;
use touchline_channel::http::idempotency::{CallOf, HEADER, once};
use touchline_protocol::favorites::FavoritableType;

use crate::app::{App, NOW, PAYS, Person};

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
    assert_eq!(app.state.payments.cards(ada.id).await.unwrap().len(), 1);

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

/// Sends a request with the worker dying where its answer would be written, asks `nothing_done`, and sends it again: it
/// succeeds as if for the first time, and is answered like that ever after.
async fn is_all_or_nothing(app: &App, person: &Person, path: &str, body: Value, nothing_done: impl AsyncFnOnce()) {
    let send = async || app.post_with(&person.key, path, &[(HEADER, path)], body.clone()).await;
    app.answers_fail().await;
    assert!(send().await.status.is_server_error(), "{path}");
    app.answers_are_kept().await;
    nothing_done().await;
    let done = send().await;
    assert!(done.data().is_object(), "{path}: {done:?}");
    assert_eq!(send().await.body, done.body, "{path}");
}

/// A request that is sent again since its answer was lost with the worker must be neither refused nor done twice.
#[tokio::test]
async fn what_is_done_under_a_key_is_on_disk_with_its_answer_or_not_at_all() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let count = async |path: &str| app.get(&ada.key, path).await.data().as_array().unwrap().len();

    let team = json!({ "favoritable_id": 101, "favoritable_type": "participant" });
    is_all_or_nothing(&app, &ada, "favorite", team, async || assert_eq!(count("favorites").await, 0)).await;
    assert_eq!(count("favorites").await, 1);

    let clip = json!({
        "event_id": 3, "event_media_id": 33, "name": "A save", "start_time": 5.5, "duration": 4, "tags": ["save"],
    });
    is_all_or_nothing(&app, &ada, "clip", clip, async || assert_eq!(count("clips/user").await, 0)).await;
    assert_eq!(count("clips/user").await, 1);

    let device = app.visitor().await;
    let code = app.post(&device, "auth/session_code", json!({})).await.data()["code"].clone();
    is_all_or_nothing(&app, &ada, "auth/add_session", json!({ "code": code }), async || {
        app.get(&device, "profile").await.fails(401, "unauthenticated");
    })
    .await;
    assert_eq!(app.get(&device, "profile").await.data()["id"], ada.id);

    let intent = app.post(&ada.key, "stripe/setup-intent", json!({})).await.data()["client_secret"].clone();
    let card = json!({ "client_secret": intent, "number": "4000 0025 0000 3155", "exp": "12/34", "cvc": "123" });
    let entered = async || app.state.payments.cards(ada.id).await.unwrap();
    let no_card = async || assert_eq!(entered().await, []);
    is_all_or_nothing(&app, &ada, "stripe/sandbox-card", card, no_card).await;
    let card = match entered().await.as_slice() {
        [card] => card.id.clone(),
        other => panic!("{other:?}"),
    };

    let package = json!({ "type": "package", "id": 1, "payment_method_id": card });
    is_all_or_nothing(&app, &ada, "stripe/buy", package, async || assert_eq!(count("orders").await, 0)).await;
    assert_eq!(count("orders").await, 1);

    app.settle().await;
    let asked = app.get(&ada.key, "orders").await.data()[0].clone();
    let answer = json!({ "client_secret": asked["next_action"]["client_secret"], "accept": true });
    is_all_or_nothing(&app, &ada, "stripe/sandbox-confirm", answer, async || {
        app.settle().await;
        assert_eq!(app.charges("requires_action").await, 1);
    })
    .await;
    app.settle().await;
    assert_eq!(app.order(&ada, &asked["id"]).await["status"], "paid");

    let trial = json!({ "subscription_id": 1, "payment_method_id": card });
    is_all_or_nothing(&app, &ada, "stripe/subscription/start_trial", trial, async || {
        assert_eq!(app.get(&ada.key, "profile").await.data()["trial_period_used"], false);
    })
    .await;
    app.settle().await;
    let renews = async || app.get(&ada.key, "orders").await.data()[0]["subscription"]["auto_renew"].clone();
    let this = json!({ "subscription_id": 1 });
    is_all_or_nothing(&app, &ada, "stripe/unsubscribe", this, async || assert_eq!(renews().await, "active")).await;
    assert_eq!(renews().await, "cancelled");

    app.link_to(&ada.email).await.unwrap();
    let letters = || std::fs::read_dir(app.folder.path().join("mail")).unwrap().count();
    let before = letters();
    is_all_or_nothing(&app, &ada, "delete-account", json!({}), async || {
        app.link_to(&ada.email).await.unwrap();
        assert_eq!(letters(), before);
    })
    .await;
    app.link_to(&ada.email).await.unwrap();
    assert_eq!(letters(), before + 1);
}

/// The caller of the first may have gone away while it was being committed, or have come to another worker.
#[tokio::test]
async fn what_is_refused_since_a_twin_has_just_done_it_is_answered_as_the_twin() {
    let app = App::new().await;
    let ada = app.person("ada").await;
    let headers = HeaderMap::from_iter([(HEADER.parse().unwrap(), HeaderValue::from_static("k"))]);
    let of = |fingerprint| CallOf { user_id: ada.id, call: "favorite", fingerprint };
    let twin = async |claim| {
        app.state.store.add_favorite(ada.id, FavoritableType::Group, 1, 9, NOW * 1000, claim).await?;
        Err::<(), _>(ApiError::NotFound)
    };
    let answer = once(&app.state, &headers, of([1; 32]), twin).await.unwrap();
    assert_eq!(answer.status(), 200);
    let refused = once(&app.state, &headers, of([2; 32]), async |_| Ok(())).await.unwrap_err();
    assert!(matches!(refused, ApiError::Conflict { .. }), "{refused:?}");

    let other = HeaderMap::from_iter([(HEADER.parse().unwrap(), HeaderValue::from_static("l"))]);
    let refused = once(&app.state, &other, of([1; 32]), async |_| Err::<(), _>(ApiError::NotFound)).await.unwrap_err();
    assert!(matches!(refused, ApiError::NotFound), "{refused:?}");
}
