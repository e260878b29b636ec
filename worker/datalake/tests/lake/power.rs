//! A power failure at any moment neither loses nor duplicates acknowledged events (ANA-6).
//!
//! A worker goes through everything that a queue does: a fresh folder, commits shared by several requests, batches
//! that are shipped and settled, the move to a new folder. A preloaded library records its writes, syncs and answers.
//! Then, for each sync, the test builds the folder as a power failure just before the next sync could leave it, and
//! opens it.

mod disk;
mod recording;
mod workload;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::support::process::start_recorded;
use crate::support::{self, Workspace, lake_ids, send};
use disk::{Disk, Unsynced};
use recording::Step;
use serde_json::{Value, json};
use touchline_datalake::{LedgerRow, Table};
use workload::{files_below, live, put, workspace_in_memory};

const SEED: u64 = 20_261_121;
const CLOSE_AGE_MS: u64 = 20;
/// The power fails at one sync in three, except in `make soak`.
const APART: usize = 3;
/// `make soak` sets higher values.
fn env_or(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Opens a folder after a power failure: acknowledged events are remembered, and arrive in the lake once.
async fn check(workspace: &Workspace, what: &str, acknowledged: &BTreeSet<String>) {
    let lake = workspace.open().await;
    let status = lake.status();
    assert!(status.damaged.is_empty(), "{what}: {status:?}");
    assert!(lake.ledger().iter().all(LedgerRow::balances), "{what}: {status:?}");
    let now = workspace.clock.now_ms();
    let again = |id| json!({"id": id, "path": "/datalake/event/", "at": now, "body": {"event": "visit"}});
    let events: Vec<Value> = acknowledged.iter().map(again).collect();
    for events in events.chunks(500) {
        let answer = send(&lake, now, events).await;
        let lost_ids = support::outcomes(&answer).iter().filter(|outcome| *outcome != "duplicate").count();
        assert_eq!(lost_ids, 0, "{what}: acknowledged ids are forgotten");
    }
    lake.shutdown(Duration::from_secs(20)).await;
    let rows: Vec<String> = Table::ALL.iter().flat_map(|table| lake_ids(&workspace.lake(), *table)).collect();
    let distinct: BTreeSet<_> = rows.iter().cloned().collect();
    assert_eq!(distinct.len(), rows.len(), "{what}: the lake has a duplicate event");
    let lost = acknowledged.difference(&distinct).count();
    assert_eq!(lost, 0, "{what}: of {} acknowledged events {lost} are lost", acknowledged.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_events_survive_a_power_failure_once() {
    let seed = env_or("TOUCHLINE_POWER_SEED", SEED);
    let tears = env_or("TOUCHLINE_POWER_TEARS", 0);
    let tools = tempfile::tempdir().unwrap();
    let recorder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lake/power/record.c");
    let (library, log) = (recording::compile(&recorder, tools.path()), tools.path().join("log"));
    let workspace = workspace_in_memory();
    let worker = start_recorded(workspace.folder.path(), CLOSE_AGE_MS, &library, &log);
    let sent = live(&worker, workspace.folder.path(), seed, env_or("TOUCHLINE_POWER_MOVES", 1)).await;
    worker.until_shipped(sent).await;
    drop(worker);

    let steps = recording::read(&fs::read(&log).unwrap());
    let disk = Disk::of(&steps);
    let worker_files = files_below(workspace.folder.path());
    put(&disk, steps.len(), Unsynced::Kept, workspace.folder.path());
    assert!(
        worker_files == files_below(workspace.folder.path()),
        "seed {seed}: the recording, replayed, is not what the worker left"
    );

    let mut answers = BTreeMap::new();
    for (at, step) in steps.iter().enumerate() {
        if let Step::Answered { body } = step {
            answers.insert(at, recording::acknowledged(body).collect::<Vec<_>>());
        }
    }
    let boundaries: Vec<usize> = disk.boundaries().collect();
    let mut cuts = 0;
    for (n, at) in boundaries.iter().enumerate() {
        let until = boundaries.get(n + 1).copied().unwrap_or(steps.len());
        let acknowledged: BTreeSet<String> = answers.range(..until).flat_map(|(_, ids)| ids.clone()).collect();
        let torn = |tear: u64| Unsynced::Torn(seed ^ (n as u64 * 1000 + tear));
        let fates = match tears {
            0 if n % APART > 0 => vec![],
            0 => vec![[Unsynced::Dropped, Unsynced::Kept, torn(0)][n / APART % 3]],
            tears => [Unsynced::Dropped, Unsynced::Kept].into_iter().chain((0..tears).map(torn)).collect(),
        };
        for fate in fates {
            put(&disk, until, fate, workspace.folder.path());
            let what = format!("seed {seed}: power cut after sync {n} (step {at}), {fate:?}");
            check(&workspace, &what, &acknowledged).await;
            cuts += 1;
        }
    }
    eprintln!("seed {seed}: {sent} events, {} syncs, {cuts} power cuts", boundaries.len());
}
