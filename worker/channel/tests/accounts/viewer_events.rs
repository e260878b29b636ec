//! Changes by a viewer reach the lake with the browser's analytics profile, or as a count (`ANA-14`).

use axum::http::Method;
use serde_json::{Value, json};

use crate::app::{App, ChannelFolder, PASSWORD, VALID_CARD, registration};

const ALLOWS: [(&str, &str); 1] = [("touchline-analytics", "p-1/s-1")];

/// Table, event and extras of the rows that wait for the lake's queue, without those of books and catalogue.
async fn events(app: &App) -> Vec<(String, String, Value)> {
    let rows = app.state.store().lake_rows(1000).await.unwrap();
    let rows = rows.into_iter().filter(|row| ["event", "event_count"].contains(&&*row.lake_table));
    let event = |row: touchline_store::LakeRow| {
        let body: Value = serde_json::from_str(&row.body).unwrap();
        if row.lake_table == "event" {
            assert_eq!([&body["profile"], &body["session_uuid"]], ["p-1", "s-1"]);
            assert!(row.user_id.is_some());
        } else {
            assert_eq!(body.as_object().unwrap().keys().collect::<Vec<_>>(), ["event", "channel"]);
            assert_eq!((row.user_id, row.at % crate::app::DAY_MS), (None, 0));
        }
        assert_eq!(body["channel"], "meadow");
        (row.lake_table, body["event"].as_str().unwrap().to_owned(), body["extras"].clone())
    };
    rows.map(event).collect()
}

/// Registers, logs in, adds a favourite twice and removes it, creates a clip, buys a subscription and cancels it twice.
async fn make_changes(app: &App, headers: &[(&str, &str)]) {
    let post =
        |key: String, path: &'static str, body: Value| async move { app.post_with(&key, path, headers, body).await };
    post(app.visitor().await, "v2/auth/register", registration("ada@example.com")).await.data();
    let login = json!({ "email": "ada@example.com", "password": PASSWORD });
    post(app.visitor().await, "v2/auth/login", json!({ "email": "ada@example.com", "password": "wrong" })).await;
    let session = post(app.visitor().await, "v2/auth/login", login).await.data();
    let key = session["api_key"].as_str().unwrap().to_owned();
    let person = crate::app::Person {
        key: key.clone(),
        id: session["user"]["id"].as_i64().unwrap(),
        email: "ada@example.com".to_owned(),
    };
    let favorite = json!({ "favoritable_id": 101, "favoritable_type": "participant" });
    let id = post(key.clone(), "favorite", favorite.clone()).await.data()["id"].clone();
    post(key.clone(), "favorite", favorite).await.data();
    for status in [200, 404] {
        let path = format!("favorite/{id}?api_key={key}");
        assert_eq!(app.send(Method::DELETE, &path, headers, String::new()).await.status, status);
    }
    let change = touchline_store::UserChange { email_verified: Some(true), ..touchline_store::UserChange::default() };
    app.state.store.change_user(person.id, change, &[]).await.unwrap();
    let clip = json!({ "event_id": 3, "event_media_id": 33, "name": "A goal", "start_time": 5.5, "duration": 4,
        "tags": ["goal"] });
    let mut with_key = headers.to_vec();
    with_key.push(("idempotency-key", "one"));
    for _ in 0..2 {
        app.post_with(&key, "clip", &with_key, clip.clone()).await.data();
    }
    app.bought(&person, VALID_CARD, json!({ "type": "subscription", "id": 1 })).await;
    for _ in 0..2 {
        post(key.clone(), "stripe/unsubscribe", json!({ "subscription_id": 1 })).await.data();
    }
}

#[tokio::test]
async fn each_change_by_a_viewer_who_allows_analytics_is_one_event() {
    let app = App::new().await;
    make_changes(&app, &ALLOWS).await;
    let favorite = || json!({ "favoritable_type": "participant", "favoritable_id": "101" });
    let expected = [
        ("registered", json!({ "method": "password" })),
        ("logged_in", json!({ "method": "password" })),
        ("favorite_added", favorite()),
        ("favorite_removed", favorite()),
        (
            "clip_created",
            json!({ "clip_id": "1", "event_id": "3", "vod_id": null, "duration": 4.0, "visibility": "link" }),
        ),
        ("subscription_cancelled", json!({ "subscription_id": "1", "order_id": "1" })),
    ];
    let expected = expected.map(|(name, extras)| ("event".to_owned(), name.to_owned(), extras));
    assert_eq!(events(&app).await, expected);
}

#[tokio::test]
async fn changes_by_any_other_viewer_are_only_counted() {
    let app = App::new().await;
    make_changes(&app, &[]).await;
    let names =
        ["registered", "logged_in", "favorite_added", "favorite_removed", "clip_created", "subscription_cancelled"];
    let expected = names.map(|name| ("event_count".to_owned(), name.to_owned(), Value::Null));
    assert_eq!(events(&app).await, expected);
}

#[tokio::test]
async fn a_channel_without_analytics_records_and_counts_nothing() {
    let folder = ChannelFolder::copied();
    folder.edit("meadow/settings.json", |settings| drop(settings.as_object_mut().unwrap().remove("yare-analytics")));
    let app = App::of(&folder).await;
    make_changes(&app, &ALLOWS).await;
    assert_eq!(events(&app).await, []);
}
