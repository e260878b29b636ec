//! A lake in an S3-compatible bucket (moto's server) holds each event once, kills included.

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use support::process::start_on_bucket;
use support::{Place, ids, rows_of, visit};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a process that the other tests start"]
async fn child() {
    support::process::serve().await;
}

/// moto wants a signature of readers, and does not look at it.
const ANYONE: &str =
    "AWS4-HMAC-SHA256 Credential=test/20261121/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0";

/// moto's server, for as long as this lives.
struct Moto {
    process: Child,
    url: String,
}

impl Drop for Moto {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[expect(clippy::unwrap_used, clippy::panic, reason = "what the test cannot do fails it")]
fn moto() -> Moto {
    let program = "from moto.server import main; main(['-H', '127.0.0.1', '-p', '0'])";
    let mut process = Command::new("python3").args(["-c", program]).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
    let url = lines.find_map(|line| Some(line.split_once("Running on ")?.1.trim().to_owned()));
    // It goes on telling of requests: a full pipe would stop it.
    std::thread::spawn(move || lines.for_each(drop));
    let Some(url) = url else { panic!("moto (PyPI: moto[server]) did not start") };
    Moto { process, url }
}

/// The ids of every row of every file of the bucket, sorted, doubles included.
#[expect(clippy::unwrap_used, reason = "what the test cannot do fails it")]
async fn shown(client: &reqwest::Client, bucket: &str) -> Vec<String> {
    let listing = client.get(format!("{bucket}?list-type=2")).send().await.unwrap().text().await.unwrap();
    let mut ids = Vec::new();
    for key in listing.split("<Key>").skip(1) {
        let key = key.split("</Key>").next().unwrap();
        assert!(key.starts_with("north/event/received_date=") && key.ends_with(".parquet"), "{key}");
        let file = client.get(format!("{bucket}/{key}")).header("authorization", ANYONE).send().await.unwrap();
        let file = file.error_for_status().unwrap().bytes().await.unwrap();
        ids.extend(rows_of(file).into_iter().map(|mut row| row.remove("event_id").unwrap()));
    }
    ids.sort();
    ids
}

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
            for _ in 0..500 {
                if shown(&client, &bucket).await.len() >= 400 {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
    let shown = shown(&client, &bucket).await;
    assert!(shown == ids(0..400), "{} events of 400 are shown", shown.len());
}
