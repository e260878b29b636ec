//! With random writes, reordered and lost notices, and random reconnects, a client that follows the protocol receives
//! every status once, and ends with the log's state.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::support::{Client, Log, Server, TIMEOUT, patient_limits};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use tokio::time::timeout;
use touchline_sync::{Limits, Scope};

const WRITES: i64 = 600;

/// A client's state: its positions, and the newest version of each resource.
#[derive(Default)]
struct Viewer {
    epoch: Option<Value>,
    positions: BTreeMap<String, u64>,
    state: BTreeMap<(String, i64), i64>,
    resumed: usize,
    snapshots: usize,
}

impl Viewer {
    fn resume(&self) -> Option<Value> {
        let epoch = self.epoch.clone()?;
        Some(json!({ "epoch": epoch, "channel_seq": self.positions["channel"], "user_seq": self.positions["user"] }))
    }

    fn receive(&mut self, frame: &Value) {
        match frame["t"].as_str().unwrap() {
            "welcome" => {
                self.epoch = Some(frame["epoch"].clone());
                for stream in ["channel", "user"] {
                    let seq = frame[format!("{stream}_seq")].as_u64().unwrap();
                    if frame["mode"] == "resumed" {
                        assert_eq!(self.positions[stream], seq);
                    }
                    self.positions.insert(stream.to_owned(), seq);
                }
                if frame["mode"] == "resumed" {
                    self.resumed += 1;
                } else {
                    self.snapshots += 1;
                    self.state.clear();
                    frame["snapshot"].as_array().unwrap().iter().for_each(|item| self.take(item));
                }
            }
            "status" => {
                let position = self.positions.get_mut(frame["stream"].as_str().unwrap()).unwrap();
                *position += 1;
                assert_eq!(frame["seq"].as_u64(), Some(*position), "lost or duplicated status");
                self.take(frame);
            }
            other => panic!("unexpected {other}"),
        }
    }

    fn take(&mut self, item: &Value) {
        let key = (item["stream"].as_str().unwrap().to_owned(), item["id"].as_i64().unwrap());
        let version = item["version"].as_i64().unwrap();
        let newest = self.state.entry(key).or_default();
        *newest = version.max(*newest);
    }

    fn of(&self, stream: &str) -> BTreeMap<i64, i64> {
        self.state.iter().filter(|((of, _), _)| of == stream).map(|((_, id), version)| (*id, *version)).collect()
    }
}

async fn connect(server: &Server, viewer: &mut Viewer) -> Client {
    let (client, welcome) = server.welcome("ann", viewer.resume()).await;
    viewer.receive(&welcome);
    client
}

/// Writes at random; notifies late, out of order or never; and sometimes prunes the log.
async fn write(log: std::sync::Arc<Log>, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let scopes = [Scope::Channel("northfield".into()), Scope::User(1), Scope::User(2)];
    let mut pending = Vec::new();
    for _ in 0..WRITES {
        let scope = &scopes[rng.random_range(0..scopes.len())];
        pending.push((scope.clone(), log.write(scope, rng.random_range(0..12))));
        while !pending.is_empty() && rng.random_bool(0.6) {
            let (scope, status) = pending.swap_remove(rng.random_range(0..pending.len()));
            if rng.random_bool(0.9) {
                log.notify(&scope, status);
            }
        }
        if rng.random_bool(0.01) {
            let newest = log.write_and_notify(scope, 0);
            log.prune(scope, newest.seq.saturating_sub(20));
        }
        if rng.random_bool(0.2) {
            tokio::time::sleep(Duration::from_micros(rng.random_range(0..800))).await;
        }
    }
    // A final notified change in each scope, which reveals all earlier gaps.
    for scope in &scopes {
        log.write_and_notify(scope, 0);
    }
}

async fn session(seed: u64) -> (usize, usize) {
    let server = Server::on(Log::new(16), Limits { backlog: 80, ..patient_limits() }).await;
    let mut rng = StdRng::seed_from_u64(seed ^ 0x5eed);
    let mut viewer = Viewer::default();
    let writer = tokio::spawn(write(server.log.clone(), seed));
    let mut client = connect(&server, &mut viewer).await;
    let (channel, mine) = (Scope::Channel("northfield".into()), Scope::User(1));
    timeout(TIMEOUT, async {
        while !writer.is_finished()
            || viewer.of("channel") != server.log.versions(&channel)
            || viewer.of("user") != server.log.versions(&mine)
        {
            if !writer.is_finished() && rng.random_bool(0.1) {
                // Disconnected without a close frame, perhaps with unread frames.
                drop(client);
                client = connect(&server, &mut viewer).await;
            }
            match timeout(Duration::from_millis(20), client.next_or_close()).await {
                Ok(Ok(frame)) if frame["t"] == "error" => assert_eq!(frame["code"], "gap", "{frame}"),
                Ok(Ok(frame)) => viewer.receive(&frame),
                Ok(Err(_closed)) => client = connect(&server, &mut viewer).await,
                Err(_quiet) => {}
            }
        }
    })
    .await
    .unwrap_or_else(|_| panic!("seed {seed}: the viewer did not reach the log's state"));
    writer.await.unwrap();
    (viewer.resumed, viewer.snapshots)
}

#[tokio::test]
async fn no_status_is_lost_or_duplicated_under_random_reconnects() {
    let (mut resumed, mut snapshots) = (0, 0);
    for seed in 1..=24 {
        let (resumes, starts) = session(seed).await;
        resumed += resumes;
        snapshots += starts;
    }
    assert!(resumed > 20 && snapshots > 20, "both cases occurred: {resumed} resumed, {snapshots} snapshots");
}
