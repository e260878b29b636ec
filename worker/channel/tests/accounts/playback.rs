//! A person's playback positions (`PLAYBACK-1`).

use serde_json::{Value, json};

use crate::app::App;

fn position(id: i64, position_ms: i64, at: i64) -> Value {
    json!({ "kind": "event", "id": id, "position_ms": position_ms, "duration_ms": 40_000, "at": at })
}

/// The later position wins in either order; repeating it changes nothing.
#[tokio::test]
async fn the_latest_position_wins_on_every_device() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let newer = app.post(&person.key, "playback", position(1, 9_000, 2_000)).await.data();
    assert_eq!(app.post(&person.key, "playback", position(1, 3_000, 1_000)).await.data(), newer);
    assert_eq!(app.post(&person.key, "playback", position(1, 9_000, 2_000)).await.data(), newer);
    let newest = app.post(&person.key, "playback", position(1, 1_000, 3_000)).await.data();
    let all = app.get(&person.key, "playback").await;
    assert_eq!(all.data(), json!([newest]));
    assert_eq!(all.json()["meta"]["total"], 1);
}

/// A time in the future becomes the current time, and a position beyond the end becomes the end.
#[tokio::test]
async fn a_position_is_clamped_in_time_and_length() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let stored = app.post(&person.key, "playback", position(1, 90_000, 9_007_199_254_740_991)).await.data();
    assert_eq!(stored["position_ms"], 40_000);
    assert!(stored["at"].as_i64().unwrap() < 9_007_199_254_740_991, "{stored}");
    for (field, value) in [("position_ms", -1), ("duration_ms", 0), ("duration_ms", 604_800_001)] {
        let mut body = position(1, 0, 1);
        body[field] = json!(value);
        app.post(&person.key, "playback", body).await.blames(field);
    }
    app.post(&person.key, "playback", position(999_999, 1, 1)).await.fails(404, "not_found");
}

#[tokio::test]
async fn positions_are_private() {
    let app = App::new().await;
    let visitor = app.visitor().await;
    app.get(&visitor, "playback").await.fails(401, "unauthenticated");
    app.post(&visitor, "playback", position(1, 1, 1)).await.fails(401, "unauthenticated");
    let (ada, bob) = (app.person("ada").await, app.person("bob").await);
    app.post(&ada.key, "playback", position(1, 1, 1)).await.data();
    assert_eq!(app.get(&bob.key, "playback").await.data(), json!([]));
}
