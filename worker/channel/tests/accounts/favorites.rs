use serde_json::json;

use crate::app::App;

/// `CALL-9`, `FAV-1`.
#[tokio::test]
async fn favourites_are_added_once_listed_and_removed() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let mark = |kind: &'static str, id: i64| {
        let (app, key) = (&app, person.key.clone());
        async move { app.post(&key, "favorite", json!({ "favoritable_id": id, "favoritable_type": kind })).await }
    };
    let team = mark("participant", 101).await.data();
    let school = mark("participant_group", 1).await.data();
    let sport = mark("event_category", 10).await.data();
    assert_eq!(school["favoritable_type"], "group");
    assert_eq!(sport["favoritable_type"], "category");
    assert_eq!(mark("participant", 101).await.data(), team);
    assert_eq!(mark("group", 1).await.data(), school);
    assert_eq!(mark("category", 10).await.data(), sport);

    let all = app.get(&person.key, "favorites").await;
    assert_eq!(all.data(), json!([team, school, sport]));
    assert_eq!(all.json()["meta"]["total"], 3);
    app.delete(&person.key, &format!("favorite/{}", school["id"])).await.data();
    assert_eq!(app.get(&person.key, "favorites").await.data(), json!([team, sport]));
    app.delete(&person.key, &format!("favorite/{}", school["id"])).await.fails(404, "not_found");
}

/// `FAV-2`.
#[tokio::test]
async fn an_invalid_type_lists_the_allowed_ones() {
    let app = App::new().await;
    let person = app.person("ada").await;
    for kind in [json!("event"), json!(7), json!(null), json!(["group"])] {
        let answer = app.post(&person.key, "favorite", json!({ "favoritable_id": 1, "favoritable_type": kind })).await;
        let message = answer.blames("favoritable_type");
        assert!(message.contains("equal to one of the allowed values: participant, group, category"), "{message}");
    }
    app.post(&person.key, "favorite", json!({ "favoritable_type": "group" })).await.blames("favoritable_id");
    let unknown = json!({ "favoritable_id": 10, "favoritable_type": "participant" });
    app.post(&person.key, "favorite", unknown).await.fails(404, "not_found");
    assert_eq!(app.get(&person.key, "favorites").await.data(), json!([]));
}

#[tokio::test]
async fn favourites_require_a_login_and_are_private() {
    let app = App::new().await;
    let visitor = app.visitor().await;
    assert_eq!(app.get(&visitor, "favorites").await.fails(401, "unauthenticated"), "user must be logged in");
    let body = json!({ "favoritable_id": 101, "favoritable_type": "participant" });
    app.post(&visitor, "favorite", body.clone()).await.fails(401, "unauthenticated");
    app.delete(&visitor, "favorite/1").await.fails(401, "unauthenticated");

    let (ada, bob) = (app.person("ada").await, app.person("bob").await);
    let marked = app.post(&ada.key, "favorite", body).await.data();
    app.delete(&bob.key, &format!("favorite/{}", marked["id"])).await.fails(404, "not_found");
    app.delete(&ada.key, "favorite/none").await.fails(404, "not_found");
    assert_eq!(app.get(&bob.key, "favorites").await.data(), json!([]));
    assert_eq!(app.get(&ada.key, "favorites").await.data(), json!([marked]));
}

/// An outbox repeats a request without a response, perhaps long after the viewer changed their mind.
#[tokio::test]
async fn repeating_a_key_neither_duplicates_nor_restores_a_favourite() {
    let app = App::new().await;
    let (ada, bob) = (app.person("ada").await, app.person("bob").await);
    let mark = async |key: &str, id: i64| {
        let body = json!({ "favoritable_id": id, "favoritable_type": "participant" });
        app.post_with(&ada.key, "favorite", &[("idempotency-key", key)], body).await
    };
    let first = mark("one", 101).await;
    assert_eq!(mark("one", 101).await.body, first.body);
    assert_eq!(app.get(&ada.key, "favorites").await.data(), json!([first.data()]));
    mark("one", 102).await.fails(409, "idempotency_conflict");
    assert_eq!(app.get(&ada.key, "favorites").await.data(), json!([first.data()]));

    app.delete(&ada.key, &format!("favorite/{}", first.data()["id"])).await.data();
    assert_eq!(mark("one", 101).await.body, first.body);
    assert_eq!(app.get(&ada.key, "favorites").await.data(), json!([]), "it was already executed and answered");
    assert_ne!(mark("two", 101).await.data()["id"], first.data()["id"]);

    // A refusal is not stored, an invalid key is reported, and another person's key is a different key.
    mark("three", 999).await.fails(404, "not_found");
    mark("three", 102).await.data();
    mark(&"k".repeat(129), 103).await.blames("idempotency-key");
    let body = json!({ "favoritable_id": 103, "favoritable_type": "participant" });
    app.post_with(&bob.key, "favorite", &[("idempotency-key", "one")], body).await.data();
}
