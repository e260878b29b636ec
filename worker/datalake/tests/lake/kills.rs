//! A SIGKILL at a chosen moment, of the worker, of the HTTP datalake it ships to, or of both: after a restart nothing
//! acknowledged is missing or duplicated (ANA-6). These are real processes; a proxy between them holds a request at the
//! chosen moment.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::time::Duration;

use crate::support::bucket::{moto, rows_in_bucket};
use crate::support::flaky_server::{FlakyServer, Hold};
use crate::support::process::{Worker, start, start_on_bucket, start_shipping};
use crate::support::{Workspace, duck, ids, until_shipped, visit};
use serde_json::{Value, json};
use tokio::time::timeout;
use touchline_datalake::SinkConfig;
use touchline_protocol::ambient::{Clock, SystemClock};

const EVENTS: u64 = 100;
const CLOSE_AGE_MS: u64 = 5;

/// Sends the events and waits until they are acknowledged.
async fn send_all(worker: &Worker) {
    let now = SystemClock::default().now_ms();
    let events: Vec<Value> = (0..EVENTS).map(|n| visit(n, now)).collect();
    let body = json!({"sent_at": now, "events": events});
    let answer = reqwest::Client::new().post(&worker.url).json(&body).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    let accepted = answer["data"]["results"].as_array().unwrap().iter().filter(|one| one["outcome"] == "accepted");
    assert_eq!(accepted.count() as u64, EVENTS, "{answer}");
}

/// Reopens the data of a killed worker: everything is shipped, the ledger balances, and each event is there once.
async fn expect_each_once(workspace: &Workspace) {
    let lake = workspace.open().await;
    until_shipped(&lake, EVENTS).await;
    assert!(lake.status().dead_letters == 0 && lake.status().damaged.is_empty(), "{:?}", lake.status());
    lake.shutdown(Duration::from_secs(5)).await;
    assert_eq!(duck::ids(&workspace.lake()), ids(0..EVENTS));
}

/// Kills while a batch is on its way from a worker to the HTTP datalake, held at `hold`.
async fn killed_on_the_way(hold: Hold, kill_worker: bool, kill_sink: bool) {
    let (mut near, far) = (Workspace::new(), Workspace::new());
    let flaky = FlakyServer::new().await;
    let mut sink = start(far.folder.path(), CLOSE_AGE_MS, &[]);
    flaky.lead_to(sink.address);
    flaky.hold("POST /datalake/batch", hold);
    let url = format!("http:http://{}/datalake/batch", flaky.address);
    let sinks = [&*format!("lake:{}", near.lake().display()), &url];
    let mut worker = start_shipping(near.folder.path(), CLOSE_AGE_MS, &sinks);
    send_all(&worker).await;
    flaky.until_holding().await;
    let came = if matches!(hold, Hold::Answer) { EVENTS } else { 0 };
    assert_eq!(sink.accepted().await, came, "{hold:?}");
    if kill_sink {
        drop(sink);
        sink = start(far.folder.path(), CLOSE_AGE_MS, &[]);
        flaky.lead_to(sink.address);
    }
    if kill_worker {
        drop(worker);
        worker = start_shipping(near.folder.path(), CLOSE_AGE_MS, &sinks);
    }
    flaky.release();
    worker.until_shipped(EVENTS).await;
    sink.until_shipped(EVENTS).await;
    drop(worker);

    near.sinks = vec![SinkConfig::LakeFolder(near.lake()), url.parse().unwrap()];
    expect_each_once(&near).await;
    drop(sink);
    expect_each_once(&far).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_sink_has_each_event_once() {
    for hold in [Hold::Request(0), Hold::Request(5000), Hold::Answer] {
        killed_on_the_way(hold, false, true).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_resent_after_a_kill_counts_once() {
    for hold in [Hold::Request(0), Hold::Request(5000), Hold::Answer] {
        killed_on_the_way(hold, true, false).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_and_its_sink_killed_together_lose_and_duplicate_nothing() {
    for hold in [Hold::Request(5000), Hold::Answer] {
        killed_on_the_way(hold, true, true).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_killed_around_an_upload_leaves_each_event_in_the_bucket_once() {
    let moto = moto();
    let client = reqwest::Client::new();
    let bucket = format!("{}/games", moto.url);
    let file = "PUT /games/north/event/received_date";
    let commit = "PUT /games/north/event/_delta_log/00000000000000000001.json";
    let holds = [
        (file, Hold::Request(0)),
        (file, Hold::Request(3000)),
        (file, Hold::Answer),
        (commit, Hold::Request(0)),
        (commit, Hold::Request(300)),
        (commit, Hold::Answer),
    ];
    for (upload, hold) in holds {
        assert_eq!(client.put(&bucket).send().await.unwrap().status(), 200);
        let workspace = Workspace::new();
        let flaky = FlakyServer::new().await;
        flaky.lead_to(moto.address);
        flaky.hold(upload, hold);
        let endpoint = format!("http://{}", flaky.address);
        let worker = start_on_bucket(workspace.folder.path(), &endpoint, "lake:s3://games/north");
        send_all(&worker).await;
        flaky.until_holding().await;
        let before = rows_in_bucket(&client, &bucket).await.len() as u64;
        let is_committed = upload == commit && matches!(hold, Hold::Answer);
        assert_eq!(before, if is_committed { EVENTS } else { 0 }, "{upload} {hold:?}");
        drop(worker);
        flaky.release();
        let worker = start_on_bucket(workspace.folder.path(), &endpoint, "lake:s3://games/north");
        worker.until_shipped(EVENTS).await;
        assert_eq!(rows_in_bucket(&client, &bucket).await, ids(0..EVENTS), "{hold:?}");
        drop(worker);
        assert_eq!(client.post(format!("{}/moto-api/reset", moto.url)).send().await.unwrap().status(), 200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_killed_while_naming_a_lake_file_leaves_each_event_once() {
    // The file of the commit is complete under its temporary name; then under both names.
    for (call, rows) in [("linkat", 0), ("unlink", EVENTS)] {
        let workspace = Workspace::new();
        // The tables exist, so the next file that is named belongs to the batch.
        let lake = workspace.open().await;
        lake.compact().await.unwrap();
        lake.shutdown(Duration::from_secs(5)).await;
        std::fs::remove_dir_all(workspace.queue()).unwrap();
        let (trace, inject) = (format!("trace={call}"), format!("inject={call}:signal=KILL:when=1"));
        let tracer = ["strace", "-f", "-o", "/dev/null", "-e", &trace, "-e", &inject];
        // The answer arrives before the batch closes.
        let worker = start(workspace.folder.path(), 300, &tracer);
        send_all(&worker).await;
        timeout(Duration::from_secs(20), worker.killed()).await.unwrap();
        assert_eq!(duck::ids(&workspace.lake()).len() as u64, rows, "not killed before {call}");
        expect_each_once(&workspace).await;
    }
}
