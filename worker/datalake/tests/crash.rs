//! A worker that is killed at any moment loses nothing that it acknowledged and shows nothing twice; and what it
//! acknowledges is synced before the answer leaves it (ANA-6).

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use support::process::start;
use support::{Place, id, lake_ids, until_shipped, visit};
use touchline_datalake::Table;
use touchline_protocol::ambient::{Clock, Entropy, SeededEntropy, SystemClock};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a process that the other tests start"]
async fn child() {
    support::process::serve().await;
}

#[derive(Default)]
struct Sent {
    /// Every batch that was ever sent.
    ever: BTreeSet<u64>,
    /// Those that got no answer yet.
    waiting: BTreeMap<u64, Vec<Value>>,
}

type Unanswered = Arc<Mutex<Sent>>;

/// Sends what is unanswered and then new batches until the worker is gone.
async fn send_until_gone(url: String, client: reqwest::Client, unanswered: Unanswered, mut next: u64, step: u64) {
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
            sent.ever.insert(n);
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
            unanswered.lock().waiting.remove(&n);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kills_lose_nothing_acknowledged_and_show_nothing_twice() {
    // `make soak` asks for more.
    let asked = |variable, default| std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (rounds, senders) = (asked("TOUCHLINE_CRASH_ROUNDS", 15), asked("TOUCHLINE_CRASH_SENDERS", 4));
    let at_least = asked("TOUCHLINE_CRASH_EVENTS", 2000);
    let place = Place::new();
    let entropy = SeededEntropy::new(20_261_121);
    let unanswered: Unanswered = Arc::default();
    let mut sent_up_to = 0;
    for round in 0..rounds {
        let worker = start(place.folder.path(), 5, &[]);
        let client = reqwest::Client::builder().timeout(Duration::from_secs(20)).build().unwrap();
        let clients: Vec<_> = (0..senders)
            .map(|n| {
                tokio::spawn(send_until_gone(
                    worker.url.clone(),
                    client.clone(),
                    Arc::clone(&unanswered),
                    sent_up_to + n,
                    senders,
                ))
            })
            .collect();
        // The moment of the kill is the seed's; what it hits is the machine's.
        tokio::time::sleep(Duration::from_millis(30 + entropy.next_u64() % 400)).await;
        drop(worker);
        for client in clients {
            client.await.unwrap();
        }
        // Batch numbers of a round begin where no earlier round can have been.
        sent_up_to = (round + 1) * 4000;
    }
    let lake = place.open().await;
    let left: Vec<Vec<Value>> = std::mem::take(&mut unanswered.lock().waiting).into_values().collect();
    for batch in &left {
        let now = place.clock.now_ms();
        support::outcomes(&support::send(&lake, now, batch).await);
    }
    let batches = std::mem::take(&mut unanswered.lock().ever);
    let events = batches.len() as u64 * 20;
    assert!(events >= at_least, "only {events} events in {rounds} rounds");
    until_shipped(&lake, events).await;
    let shown = lake_ids(&place.lake(), Table::Event);
    assert!(shown.windows(2).all(|pair| pair[0] != pair[1]), "an event is shown twice");
    let mut sent: Vec<String> = batches.iter().flat_map(|n| n * 20..n * 20 + 20).map(id).collect();
    sent.sort();
    assert!(shown == sent, "{} of {} events are shown", shown.len(), sent.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sync_of_a_commit_ends_before_its_answer_is_written() {
    let place = Place::new();
    let trace = place.folder.path().join("trace");
    let calls = "trace=read,recvfrom,pwrite64,fdatasync,write,writev,sendto";
    let trace_arg = trace.display().to_string();
    let worker =
        start(place.folder.path(), 3_600_000, &["strace", "-f", "-y", "-s", "64", "-e", calls, "-o", &trace_arg]);
    let now = place.clock.now_ms();
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
        let place_of = |step| commit.iter().position(|found| *found == step);
        let (written, synced, answered) = (place_of("written"), place_of("synced"), place_of("answered"));
        assert!(written.is_some() && written < synced && synced < answered, "{commit:?}");
        answers += 1;
    }
    assert_eq!(answers, 5);
}
