//! A worker that is killed at any moment loses nothing acknowledged and duplicates nothing; an answer is sent only
//! after its events are synced (ANA-6).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::support::flaky_server::FlakyServer;
use crate::support::process::{start, start_joining};
use crate::support::{self, Workspace, duck, id, until_shipped, visit};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::Instant;
use touchline_datalake::{SinkConfig, Table};
use touchline_protocol::ambient::{Clock, Entropy, ManualClock, SeededEntropy, SystemClock};

const CLOSE_AGE_MS: u64 = 5;
/// More than any round sends.
const BATCHES_A_ROUND: u64 = 4000;

#[derive(Default)]
struct Sent {
    /// Every batch ever sent.
    sent: BTreeSet<u64>,
    /// Unanswered batches.
    waiting: BTreeMap<u64, Vec<Value>>,
    /// Number of answers, repeated ones included.
    answered: u64,
}

type PendingBatches = Arc<Mutex<Sent>>;

/// Sends unanswered and then new batches until the worker is gone.
async fn send_until_killed(url: String, client: reqwest::Client, unanswered: PendingBatches, mut next: u64, step: u64) {
    let mut waiting: Vec<u64> = unanswered.lock().waiting.keys().copied().filter(|n| n % step == next % step).collect();
    next = next.max(waiting.last().map_or(0, |n| n + step));
    loop {
        let now = SystemClock::default().now_ms();
        let n = waiting.pop().unwrap_or_else(|| {
            let n = next;
            next += step;
            n
        });
        let batch = {
            let mut sent = unanswered.lock();
            sent.sent.insert(n);
            let fresh = || (n * 20..n * 20 + 20).map(|n| visit(n, now)).collect();
            sent.waiting.entry(n).or_insert_with(fresh).clone()
        };
        let sent = client.post(&url).json(&json!({"sent_at": now, "events": batch})).send().await;
        let Ok(answer) = sent else { return };
        let Ok(answer) = answer.json::<Value>().await else { return };
        for result in answer["data"]["results"].as_array().into_iter().flatten() {
            assert!(["accepted", "duplicate"].contains(&result["outcome"].as_str().unwrap_or_default()), "{result}");
        }
        if answer["data"]["results"].as_array().map(Vec::len) == Some(20) {
            let mut sent = unanswered.lock();
            sent.waiting.remove(&n);
            sent.answered += 1;
        }
    }
}

/// The process to kill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Victim {
    Worker,
    Sink,
    Both,
}

impl Victim {
    fn drawn(entropy: &SeededEntropy) -> Self {
        match entropy.next_u64() % 6 {
            0 => Self::Sink,
            1 => Self::Both,
            _ => Self::Worker,
        }
    }
}

/// The worker writes a lake and ships to an HTTP datalake, a separate process with a lake of its own.
#[tokio::test(flavor = "multi_thread")]
async fn kills_neither_lose_nor_duplicate_acknowledged_events() {
    // `make soak` sets higher values.
    let env_or = |variable, default| std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (rounds, senders) = (env_or("TOUCHLINE_CRASH_ROUNDS", 15), env_or("TOUCHLINE_CRASH_SENDERS", 4));
    let at_least = env_or("TOUCHLINE_CRASH_EVENTS", 2000);
    let seed = env_or("TOUCHLINE_CRASH_SEED", 20_261_121);
    let begin = Instant::now();
    let (mut near, mut far) = (Workspace::new(), Workspace::new());
    let flaky = FlakyServer::new().await;
    let url = format!("http:http://{}/datalake/batch", flaky.address);
    let sinks = [&*format!("lake:{}", near.lake().display()), &url];
    let entropy = SeededEntropy::new(seed);
    let unanswered: PendingBatches = Arc::default();
    let mut victims = BTreeMap::<Victim, u64>::new();
    let (mut worker, mut sink, mut clients) = (None, None, JoinSet::new());
    for round in 0..rounds {
        if sink.is_none() {
            let started = start_joining(far.folder.path(), CLOSE_AGE_MS, None);
            flaky.lead_to(started.address);
            sink = Some(started);
        }
        let url =
            worker.get_or_insert_with(|| start_joining(near.folder.path(), CLOSE_AGE_MS, Some(&sinks))).url.clone();
        if clients.is_empty() {
            let client = reqwest::Client::builder().timeout(Duration::from_secs(20)).build().unwrap();
            for n in 0..senders {
                // Batch numbers of a round start beyond those of earlier rounds.
                let first = round * BATCHES_A_ROUND + n;
                let sending = send_until_killed(url.clone(), client.clone(), Arc::clone(&unanswered), first, senders);
                clients.spawn(sending);
            }
        }
        // The seed decides the moment of the kill, in batches and then microseconds; the state at that moment depends
        // on the machine.
        let until = unanswered.lock().answered + 1 + entropy.next_u64() % (5 * at_least / (2 * 20 * rounds)).max(1);
        let patience = Instant::now() + Duration::from_secs(60);
        while unanswered.lock().answered < until {
            assert!(Instant::now() < patience, "seed {seed}: in round {round} no answer arrived");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::time::sleep(Duration::from_micros(entropy.next_u64() % 20_000)).await;
        let victim = Victim::drawn(&entropy);
        *victims.entry(victim).or_default() += 1;
        if victim != Victim::Worker {
            sink = None;
        }
        if victim != Victim::Sink {
            worker = None;
            while let Some(ended) = clients.join_next().await {
                ended.unwrap();
            }
        }
    }
    drop(worker);
    while let Some(ended) = clients.join_next().await {
        ended.unwrap();
    }
    let killed = begin.elapsed();
    let sink = sink.unwrap_or_else(|| start_joining(far.folder.path(), CLOSE_AGE_MS, None));
    flaky.lead_to(sink.address);
    near.sinks = vec![SinkConfig::LakeFolder(near.lake()), url.parse().unwrap()];
    let lake = near.open().await;
    let unanswered_batches: Vec<Vec<Value>> = std::mem::take(&mut unanswered.lock().waiting).into_values().collect();
    for batch in &unanswered_batches {
        let now = near.clock.now_ms();
        support::outcomes(&support::send(&lake, now, batch).await);
    }
    let batches = std::mem::take(&mut unanswered.lock().sent);
    let events = batches.len() as u64 * 20;
    assert!(events >= at_least, "seed {seed}: only {events} events in {rounds} rounds");
    until_shipped(&lake, events).await;
    drop(sink);
    let upstream = far.open().await;
    until_shipped(&upstream, events).await;
    for lake in [lake, upstream] {
        lake.shutdown(Duration::from_secs(5)).await;
    }

    let mut sent: Vec<String> = batches.iter().flat_map(|n| n * 20..n * 20 + 20).map(id).collect();
    sent.sort();
    for workspace in [&near, &far] {
        let rows = duck::ids(&workspace.lake());
        let of = if std::ptr::eq(workspace, &near) { "worker" } else { "sink" };
        assert!(rows.windows(2).all(|pair| pair[0] != pair[1]), "seed {seed}: the {of}'s lake has a duplicate event");
        assert!(rows == sent, "seed {seed}: the {of}'s lake has {} of {} events", rows.len(), sent.len());
        let versions = duck::every_version(&workspace.lake(), Table::Event);
        assert_eq!(versions["doubled"], json!([]), "seed {seed}: versions of the {of}'s lake with duplicates");
        assert_eq!(
            versions["missing"],
            json!([]),
            "seed {seed}: versions of the {of}'s lake with fewer rows than before"
        );
        eprintln!("seed {seed}: the {of}'s lake: {versions}");
    }
    // Uncommitted and unfinished files are removed after an hour.
    let later = ManualClock::at_ms(SystemClock::default().now_ms() + 2 * 60 * 60 * 1000);
    let orphans = |lake: &Path| duck::every_version(lake, Table::Event)["orphans"].clone();
    for workspace in [&mut near, &mut far] {
        workspace.sinks = vec![SinkConfig::LakeFolder(workspace.lake())];
        workspace.clock = later.clone();
        let lake = workspace.open().await;
        lake.sweep().await.unwrap();
        assert_eq!(orphans(&workspace.lake()), json!([]), "seed {seed}");
        lake.shutdown(Duration::from_secs(5)).await;
    }
    let (killed, all) = (killed.as_secs(), begin.elapsed().as_secs());
    eprintln!("seed {seed}: {events} events, kills {victims:?} in {killed} s, all counted after {all} s");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sync_of_a_commit_ends_before_its_answer_is_written() {
    let workspace = Workspace::new();
    let trace = workspace.folder.path().join("trace");
    let calls = "trace=read,recvfrom,pwrite64,fdatasync,write,writev,sendto";
    let trace_arg = trace.display().to_string();
    let worker =
        start(workspace.folder.path(), 3_600_000, &["strace", "-f", "-y", "-s", "64", "-e", calls, "-o", &trace_arg]);
    let now = workspace.clock.now_ms();
    let client = reqwest::Client::new();
    for n in 0..5 {
        let batch = json!({"sent_at": now, "events": [visit(n, now)]});
        let answer = client.post(&worker.url).json(&batch).send().await.unwrap();
        assert_eq!(answer.status(), 200);
    }
    drop(worker);

    let trace = std::fs::read_to_string(&trace).unwrap();
    let mut steps = Vec::new();
    for line in trace.lines() {
        let resumed = line.contains("fdatasync resumed>");
        if line.contains("POST /datalake/batch") {
            steps.push("asked");
        } else if line.contains("pwrite64(") && line.contains("/db>") {
            steps.push("written");
        } else if line.ends_with("= 0") && (resumed || (line.contains("fdatasync(") && line.contains("/db>"))) {
            steps.push("synced");
        } else if line.contains("HTTP/1.1 200") {
            steps.push("answered");
        }
    }
    let mut answers = 0;
    for commit in steps.split(|step| *step == "asked").skip(1) {
        let index_of = |step| commit.iter().position(|found| *found == step);
        let (written, synced, answered) = (index_of("written"), index_of("synced"), index_of("answered"));
        assert!(written.is_some() && written < synced && synced < answered, "{commit:?}");
        answers += 1;
    }
    assert_eq!(answers, 5);
}
