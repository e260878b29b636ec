//! Playback positions of an account (`PLAYBACK-1`).

use reqwest::Method;
use serde_json::{Value, json};
use sqlx::sqlite::SqlitePool;

use crate::demo_channel::{add_free_events, demo_channel};
use crate::support::{Worker, done, folder, fresh};

/// Positions that an account retains.
const RETAINED: usize = 200;

/// Shows PLAYBACK-1a, PLAYBACK-1d.
#[tokio::test]
async fn an_account_retains_its_newest_positions_until_it_is_erased() {
    let (root, data) = folder();
    let channels = root.path().join("channels");
    add_free_events(&demo_channel(&channels), RETAINED + 1, |number, event| {
        event["id"] = json!(9_000 + number);
        event["media"] = json!([]);
    });
    let worker = Worker::start(&data, &["--channels", channels.to_str().unwrap()]);
    let email = format!("{}@viewers.example", fresh("viewer"));
    let key = worker.register_as(&email).await;
    for id in 0..=RETAINED {
        let position = json!({
            "api_key": key, "kind": "event", "id": 9_000 + id, "position_ms": 9_000, "duration_ms": 40_000,
            "at": 1_000 + id,
        });
        worker.data(Method::POST, "playback", &position).await;
    }
    let found = worker.data(Method::GET, &format!("playback?api_key={key}"), &Value::Null).await;
    let ids: Vec<_> = found.as_array().unwrap().iter().map(|position| position["id"].clone()).collect();
    assert_eq!(ids, (1..=RETAINED).rev().map(|id| json!(9_000 + id)).collect::<Vec<_>>());

    let stored = async || {
        let url = format!("sqlite:{}?mode=ro", data.join("channel.sqlite").display());
        let store = SqlitePool::connect(&url).await.unwrap();
        let count: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM playback_positions").fetch_one(&store).await.unwrap();
        store.close().await;
        usize::try_from(count).unwrap()
    };
    assert_eq!(stored().await, RETAINED);
    done(&data, &["user", "erase", "--channel", "northfield", "--email", &email]);
    assert_eq!(stored().await, 0);
}
