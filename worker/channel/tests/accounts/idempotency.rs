//! Calls with an `Idempotency-Key`: the same key returns the same response, another body gets 409, and an effect and
//! its response are stored together or not at all.

use axum::http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};
use touchline_channel::http::ApiError;
use touchline_channel::http::idempotency::{CallIdentity, HEADER, once};
use touchline_protocol::favorites::FavoritableType;
use touchline_store::NewFavorite;

use crate::app::{App, NOW, Person, VALID_CARD};

/// Sends a request twice under a key, then a different one under the same key.
async fn assert_one_effect(app: &App, person: &Person, path: &str, body: Value, other: Value) -> Value {
    let send = async |body: &Value| app.post_with(&person.key, path, &[("idempotency-key", "k")], body.clone()).await;
    let first = send(&body).await;
    let data = first.data();
    assert_eq!(send(&body).await.body, first.body, "{path}");
    send(&other).await.fails(409, "idempotency_conflict");
    data
}

#[tokio::test]
async fn repeating_a_key_has_one_effect_in_every_call() {
    let app = App::new().await;
    let ada = app.person("ada").await;
    let code = app.post(&app.visitor().await, "auth/session_code", json!({})).await.data()["code"].clone();
    let device =
        assert_one_effect(&app, &ada, "auth/add_session", json!({ "code": code }), json!({ "code": "AAAAAA" }));
    assert_eq!(device.await["current"], false);
    app.post(&ada.key, "auth/add_session", json!({ "code": code })).await.fails(400, "wrong_code");

    let intent = app.post(&ada.key, "stripe/setup-intent", json!({})).await.data()["client_secret"].clone();
    let card = |number: &str| json!({ "client_secret": intent, "number": number, "exp": "12/34", "cvc": "123" });
    assert_one_effect(&app, &ada, "stripe/sandbox-card", card(VALID_CARD), card("4000 0000 0000 0002")).await;
    assert_eq!(app.state.payments.cards(ada.id).await.unwrap().len(), 1);

    let order = app.bought(&ada, "4000 0025 0000 3155", json!({ "type": "package", "id": 1 })).await;
    let answer = |accept: bool| json!({ "client_secret": order["next_action"]["client_secret"], "accept": accept });
    assert_one_effect(&app, &ada, "stripe/sandbox-confirm", answer(true), answer(false)).await;
    app.settle().await;
    assert_eq!(app.order(&ada, &order["id"]).await["status"], "paid");

    app.bought(&ada, VALID_CARD, json!({ "type": "subscription", "id": 1 })).await;
    let (this, that) = (json!({ "subscription_id": 1 }), json!({ "subscription_id": 2 }));
    let order = assert_one_effect(&app, &ada, "stripe/unsubscribe", this, that).await;
    assert_eq!(order["subscription"]["auto_renew"], "cancelled");
}

#[tokio::test]
async fn a_deletion_request_sends_one_mail_per_key() {
    let app = App::new().await;
    let ada = app.person("ada").await;
    app.link_to(&ada.email).await.unwrap();
    let mail_count = || std::fs::read_dir(app.folder.path().join("mail")).unwrap().count();
    let before = mail_count();
    assert_one_effect(&app, &ada, "delete-account", json!({}), json!({ "sure": true })).await;
    app.link_to(&ada.email).await.unwrap();
    assert_eq!(mail_count(), before + 1);
}

/// Sends a request while storing responses fails, as if the worker died there, checks `nothing_done`, and sends it
/// again: the request succeeds as if for the first time, and returns the same response ever after.
async fn assert_atomic(app: &App, person: &Person, path: &str, body: Value, nothing_done: impl AsyncFnOnce()) {
    let send = async || app.post_with(&person.key, path, &[(HEADER, path)], body.clone()).await;
    app.fail_writes("INSERT ON answers").await;
    assert!(send().await.status.is_server_error(), "{path}");
    app.allow_writes().await;
    nothing_done().await;
    let done = send().await;
    assert!(done.data().is_object(), "{path}: {done:?}");
    assert_eq!(send().await.body, done.body, "{path}");
}

/// A request that is repeated because the worker died before responding must be neither refused nor executed twice.
#[tokio::test]
async fn an_effect_and_its_response_are_stored_together_or_not_at_all() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let count = async |path: &str| app.get(&ada.key, path).await.data().as_array().unwrap().len();

    let team = json!({ "favoritable_id": 101, "favoritable_type": "participant" });
    assert_atomic(&app, &ada, "favorite", team, async || assert_eq!(count("favorites").await, 0)).await;
    assert_eq!(count("favorites").await, 1);

    let clip = json!({
        "event_id": 3, "event_media_id": 33, "name": "A save", "start_time": 5.5, "duration": 4, "tags": ["save"],
    });
    assert_atomic(&app, &ada, "clip", clip, async || assert_eq!(count("clips/user").await, 0)).await;
    assert_eq!(count("clips/user").await, 1);

    let displayed = app.post(&app.visitor().await, "auth/session_code", json!({})).await.data();
    let device = displayed["api_key"].as_str().unwrap();
    assert_atomic(&app, &ada, "auth/add_session", json!({ "code": displayed["code"] }), async || {
        app.get(device, "profile").await.fails(401, "unauthenticated");
    })
    .await;
    assert_eq!(app.get(device, "profile").await.data()["id"], ada.id);

    let intent = app.post(&ada.key, "stripe/setup-intent", json!({})).await.data()["client_secret"].clone();
    let card = json!({ "client_secret": intent, "number": "4000 0025 0000 3155", "exp": "12/34", "cvc": "123" });
    let entered = async || app.state.payments.cards(ada.id).await.unwrap();
    let no_card = async || assert_eq!(entered().await, []);
    assert_atomic(&app, &ada, "stripe/sandbox-card", card, no_card).await;
    let card = match entered().await.as_slice() {
        [card] => card.id.clone(),
        other => panic!("{other:?}"),
    };

    let package = json!({ "type": "package", "id": 1, "payment_method_id": card });
    assert_atomic(&app, &ada, "stripe/buy", package, async || assert_eq!(count("orders").await, 0)).await;
    assert_eq!(count("orders").await, 1);

    app.settle().await;
    let order = app.get(&ada.key, "orders").await.data()[0].clone();
    let answer = json!({ "client_secret": order["next_action"]["client_secret"], "accept": true });
    assert_atomic(&app, &ada, "stripe/sandbox-confirm", answer, async || {
        app.settle().await;
        assert_eq!(app.charges("requires_action").await, 1);
    })
    .await;
    app.settle().await;
    assert_eq!(app.order(&ada, &order["id"]).await["status"], "paid");

    let trial = json!({ "subscription_id": 1, "payment_method_id": card });
    assert_atomic(&app, &ada, "stripe/subscription/start_trial", trial, async || {
        assert_eq!(app.get(&ada.key, "profile").await.data()["trial_period_used"], false);
    })
    .await;
    app.settle().await;
    let renews = async || app.get(&ada.key, "orders").await.data()[0]["subscription"]["auto_renew"].clone();
    let this = json!({ "subscription_id": 1 });
    assert_atomic(&app, &ada, "stripe/unsubscribe", this, async || assert_eq!(renews().await, "active")).await;
    assert_eq!(renews().await, "cancelled");

    app.link_to(&ada.email).await.unwrap();
    let mail_count = || std::fs::read_dir(app.folder.path().join("mail")).unwrap().count();
    let before = mail_count();
    assert_atomic(&app, &ada, "delete-account", json!({}), async || {
        app.link_to(&ada.email).await.unwrap();
        assert_eq!(mail_count(), before);
    })
    .await;
    app.link_to(&ada.email).await.unwrap();
    assert_eq!(mail_count(), before + 1);
}

/// The first caller may have disconnected during the commit, or may have reached another worker.
#[tokio::test]
async fn a_request_refused_because_of_its_duplicate_gets_the_duplicates_response() {
    let app = App::new().await;
    let ada = app.person("ada").await;
    let headers = HeaderMap::from_iter([(HEADER.parse().unwrap(), HeaderValue::from_static("k"))]);
    let of = |fingerprint| CallIdentity { user_id: ada.id, call: "favorite", fingerprint };
    let twin = async |claim| {
        let kind = FavoritableType::Group;
        let new = NewFavorite { user_id: ada.id, kind, favoritable_id: 1, context: None, at: NOW * 1000 };
        app.state.store.add_favorite(new, 9, claim).await?;
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
