//! The workload of the recorded worker, and its folder.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokio::task::JoinSet;
use touchline_datalake::SinkConfig;
use touchline_protocol::ambient::{Clock, Entropy, SeededEntropy, SystemClock};

use super::disk::{Disk, Unsynced};
use crate::support::process::Worker;
use crate::support::{Workspace, event};

/// Events per request.
const EVENTS: u64 = 50;
const SENDERS: u64 = 3;

/// Noise, so that a folder grows by the bytes written to it.
fn batch(seed: u64, n: u64, at: i64) -> Vec<Value> {
    let entropy = SeededEntropy::new(seed ^ n);
    let noisy = |n: u64| {
        let noise: String = (0..60).map(|_| format!("{:016x}", entropy.next_u64())).collect();
        match n % 5 {
            0 => event(n, "/datalake/video/viewing/", at, json!({"viewing_time": 1, "noise": noise})),
            _ => event(n, "/datalake/event/", at, json!({"event": "visit", "noise": noise})),
        }
    };
    (n * EVENTS..(n + 1) * EVENTS).map(noisy).collect()
}

fn queues(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder.join("queue")).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("queue-") && !name.ends_with(".unfinished")).collect()
}

/// Sends until the queue has moved this often. Returns the number of events sent.
pub(crate) async fn live(worker: &Worker, folder: &Path, seed: u64, moves: u64) -> u64 {
    let now = SystemClock::default().now_ms();
    let client = reqwest::Client::new();
    let mut senders = JoinSet::new();
    let (mut next, mut moved, mut last) = (0, 0, queues(folder));
    loop {
        while (senders.len() as u64) < SENDERS {
            let body = json!({"sent_at": now, "events": batch(seed, next, now)});
            let request = client.post(&worker.url).json(&body).send();
            senders.spawn(async move { assert_eq!(request.await.unwrap().status(), 200) });
            next += 1;
        }
        senders.join_next().await.unwrap().unwrap();
        assert!(next < 2000, "seed {seed}: the queue moved {moved} times in {next} batches");
        let now = queues(folder);
        if now.len() == 1 && now != last {
            (moved, last) = (moved + 1, now);
            if moved == moves {
                break;
            }
        }
        // Ships what waits in the meantime: a queue only moves when it is mostly empty.
        if next % 12 == 0 {
            while let Some(sent) = senders.join_next().await {
                sent.unwrap();
            }
            worker.until_shipped(next * EVENTS).await;
        }
    }
    senders.join_all().await;
    next * EVENTS
}

/// The files in a folder, by relative path.
pub(crate) fn files_below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(&at).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                found.insert(entry.path().strip_prefix(folder).unwrap().to_owned(), fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

/// A folder in memory if the machine has one: hundreds of queues are opened in it, and none survives the test.
pub(crate) fn workspace_in_memory() -> Workspace {
    let mut workspace = Workspace::new();
    if let Ok(folder) = tempfile::tempdir_in("/dev/shm") {
        workspace.folder = folder;
        workspace.sinks = vec![SinkConfig::LakeFolder(workspace.lake())];
    }
    workspace
}

/// Puts another state of the disk in place of the worker's: a sink is identified by its path.
pub(crate) fn put(disk: &Disk, until: usize, unsynced: Unsynced, folder: &Path) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        fs::remove_dir_all(entry.path()).unwrap();
    }
    disk.write(until, unsynced, folder);
}
