//! A lake in an S3-compatible bucket (moto's server) contains each event once, even after kills.

use std::time::Duration;

use crate::support::bucket::{moto, shown};
use crate::support::process::start_on_bucket;
use crate::support::{Place, ids, visit};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_shows_each_event_once_though_the_worker_is_killed() {
    let place = Place::new();
    let moto = moto();
    let client = reqwest::Client::new();
    let bucket = format!("{}/games", moto.url);
    assert_eq!(client.put(&bucket).send().await.unwrap().status(), 200);
    for round in 0..4 {
        let worker = start_on_bucket(place.folder.path(), &moto.url, "lake:s3://games/north");
        let now = place.clock.now_ms();
        for part in 0..5 {
            let first = (round * 5 + part) * 20;
            let events: Vec<Value> = (first..first + 20).map(|n| visit(n, now)).collect();
            let answer =
                client.post(&worker.url).json(&json!({"sent_at": now, "events": events})).send().await.unwrap();
            assert_eq!(answer.status(), 200);
        }
        if round == 3 {
            for _ in 0..100 {
                if shown(&client, &bucket).await.len() >= 400 {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    let shown = shown(&client, &bucket).await;
    assert!(shown == ids(0..400), "{} events of 400 are shown", shown.len());
}
