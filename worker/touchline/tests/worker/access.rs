//! Access to events (`EVENT-8`).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Worker, done, folder, fresh};

/// Events of each access type: the first is for everybody; a pass for hockey and basketball covers the last two.
const EVENTS: [(i64, &str); 4] = [(25, "free"), (3, "register"), (1, "paid"), (2, "ppv")];

/// The events of the list that a viewer may watch.
async fn watchable(worker: &Worker, key: &str) -> Vec<i64> {
    let mut ids = Vec::new();
    for (id, access_type) in EVENTS {
        let event = worker.data(Method::GET, &format!("events/{id}?api_key={key}"), &Value::Null).await;
        assert_eq!(event["access_type"], access_type);
        // Its stream, or its recording.
        let kind = if event["stream_status"] == "live" { 2 } else { 3 };
        let medium = event["media"].as_array().unwrap().iter().find(|medium| medium["type"] == kind);
        let path = format!("events/{id}/playback/{}?api_key={key}", medium.unwrap()["id"]);
        let playback = worker.call(Method::GET, &path, &Value::Null).await;
        assert_eq!(event["has_access"], json!(playback.0.is_success()), "{id}: {playback:?}");
        if playback.0.is_success() {
            ids.push(id);
        }
    }
    ids
}

/// Shows EVENT-4a, EVENT-8a, EVENT-8b, EVENT-8c, EVENT-8d.
#[tokio::test]
async fn each_type_of_access_opens_an_event_to_its_viewers_and_to_no_others() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    assert_eq!(watchable(&worker, &worker.key().await).await, [25], "a visitor");
    let grants: [(&[&str], &[i64]); 8] = [
        (&[], &[25, 3]),
        (&["event", "--id", "1"], &[25, 3, 1]),
        (&["event", "--id", "2"], &[25, 3, 2]),
        (&["package", "--id", "1"], &[25, 3, 1]),
        (&["package", "--id", "3"], &[25, 3]),
        (&["package", "--id", "2", "--participant-id", "101"], &[25, 3, 1]),
        (&["package", "--id", "2", "--participant-id", "105"], &[25, 3]),
        (&["subscription", "--id", "1"], &[25, 3, 1]),
    ];
    for (grant, opened) in grants {
        let email = format!("{}@viewers.example", fresh("viewer"));
        let key = worker.register_as(&email).await;
        if !grant.is_empty() {
            let line = ["order", "grant", "--channel", "northfield", "--email", &email, "--type"];
            done(&data, &[&line[..], grant].concat());
        }
        assert_eq!(watchable(&worker, &key).await, opened, "{grant:?}");
    }
}
