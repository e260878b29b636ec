//! Search on a running worker.

use std::fs;
use std::path::Path;
use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{Worker, folder};

const EVENTS: i64 = 2_000;
/// The limit for the median of a hundred searches, several times what a debug build on a shared machine needs.
const MEDIAN_LIMIT: Duration = Duration::from_secs(2);

/// The demo's channel with 2,000 events.
fn channels(root: &Path) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/channels/northfield");
    crate::media::copy(&from, &root.join("northfield"));
    let file = root.join("northfield/events.json");
    let mut events: Vec<Value> = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    for id in 100_000..100_000 + EVENTS - i64::try_from(events.len()).unwrap() {
        let mut event = events[0].clone();
        let fields = event.as_object_mut().unwrap();
        fields.insert("id".into(), json!(id));
        fields.insert("name".into(), json!(format!("Élan tournament {id}")));
        fields.insert("access_type".into(), json!("free"));
        fields.insert("type".into(), json!("other"));
        for sold in ["single_event_package_id", "base_price", "service_fee", "media"] {
            fields.remove(sold);
        }
        fields.insert("media".into(), json!([]));
        events.push(event);
    }
    fs::write(file, json!(events).to_string()).unwrap();
}

async fn search(worker: &Worker, key: &str, query: &str) -> (StatusCode, Value) {
    worker.call(Method::GET, &format!("search?api_key={key}&q={query}"), &json!({})).await
}

/// `SEARCH-1`, `SEARCH-2`.
#[tokio::test]
async fn two_thousand_events_are_searched_fast_by_accents_prefixes_and_typos() {
    let (root, data) = folder();
    let channels_folder = root.path().join("channels");
    channels(&channels_folder);
    let worker = Worker::start(&data, &["--channels", channels_folder.to_str().unwrap()]);
    let key = worker.key().await;
    for query in ["elan", "%C3%89LAN%20tourn", "tournamnet"] {
        let (status, answer) = search(&worker, &key, query).await;
        let events = &answer["data"]["events"];
        assert_eq!((status, &events["meta"]["limit"]), (StatusCode::OK, &json!(24)), "{query}: {answer}");
        assert!(events["meta"]["total"].as_i64().unwrap() > EVENTS - 100, "{query}: {}", events["meta"]);
        assert_eq!(events["data"].as_array().unwrap().len(), 24);
    }
    let mut times = Vec::new();
    for id in 100_500..100_600 {
        let before = Instant::now();
        let (_, answer) = search(&worker, &key, &format!("tournamnet%20{id}")).await;
        times.push(before.elapsed());
        assert_eq!(answer["data"]["events"]["data"][0]["id"], json!(id));
    }
    times.sort_unstable();
    assert!(times[50] < MEDIAN_LIMIT, "median {:?}, slowest {:?}", times[50], times[99]);
}

/// `SEARCH-1`.
#[tokio::test]
async fn a_search_is_limited_and_needs_a_key() {
    let (_root, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.key().await;
    assert_eq!(search(&worker, &key, &"a".repeat(201)).await.0, StatusCode::BAD_REQUEST);
    assert_eq!(search(&worker, &key, "a&limit=51").await.0, StatusCode::BAD_REQUEST);
    assert_eq!(search(&worker, "nobodys", "a").await.0, StatusCode::BAD_REQUEST);
    let (status, answer) = search(&worker, &key, &"a+".repeat(100)).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
}
