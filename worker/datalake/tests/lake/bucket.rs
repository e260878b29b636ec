//! A lake in an S3-compatible bucket (moto's server) contains each event once, even after kills.

use std::time::Duration;

use crate::support::bucket::{moto, rows_in_bucket};
use crate::support::process::start_on_bucket;
use crate::support::{Workspace, ids, visit};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_contains_each_event_once_despite_kills() {
    let workspace = Workspace::new();
    let moto = moto();
    let client = reqwest::Client::new();
    let bucket = format!("{}/games", moto.url);
    assert_eq!(client.put(&bucket).send().await.unwrap().status(), 200);
    for round in 0..4 {
        let worker = start_on_bucket(workspace.folder.path(), &moto.url, "lake:s3://games/north");
        let now = workspace.clock.now_ms();
        for part in 0..5 {
            let first = (round * 5 + part) * 20;
            let events: Vec<Value> = (first..first + 20).map(|n| visit(n, now)).collect();
            let answer =
                client.post(&worker.url).json(&json!({"sent_at": now, "events": events})).send().await.unwrap();
            assert_eq!(answer.status(), 200);
        }
        if round == 3 {
            for _ in 0..100 {
                if rows_in_bucket(&client, &bucket).await.len() >= 400 {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    let rows = rows_in_bucket(&client, &bucket).await;
    assert!(rows == ids(0..400), "the bucket contains {} of 400 events", rows.len());
}
