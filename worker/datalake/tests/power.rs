//! A power cut at any moment loses nothing that was acknowledged by then (ANA-6).
//!
//! The worker's writes and syncs are recorded from its system calls. Then, for each sync, the disk is put together as a
//! power cut just before the next one could leave it: with everything that was written before the sync, and none,
//! some or torn parts of what was written after it.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use support::process::start;
use support::{Place, event, outcomes, send};
use touchline_protocol::ambient::{Entropy, SeededEntropy};

const BATCHES: u64 = 12;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a process that the other tests start"]
async fn child() {
    support::process::serve().await;
}

#[derive(Debug)]
struct Write {
    file: String,
    offset: u64,
    bytes: Vec<u8>,
}

#[derive(Debug)]
enum Step {
    Written(Write),
    /// Everything written before is on disk.
    Synced,
    /// A request got its 200.
    Answered,
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = text.split("\\x").skip(1);
    digits.map(|pair| u8::from_str_radix(&pair[..2], 16).unwrap_or_default()).collect()
}

fn file_name(call: &str) -> String {
    let path = call.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map_or("", |(path, _)| path);
    String::from_utf8_lossy(&unhex(path)).rsplit('/').next().unwrap_or_default().to_owned()
}

/// Reads what happened to the queue's two files, in order. A write counts from when it was begun, a sync from when it
/// ended, and covers what had ended when it began.
fn steps(trace: &str) -> Vec<Step> {
    let http_200 = "HTTP/1.1 200".bytes().map(|byte| format!("\\x{byte:02x}")).collect::<String>();
    let mut steps = Vec::new();
    let mut syncing: BTreeSet<&str> = BTreeSet::new();
    for line in trace.lines() {
        let Some((pid, call)) = line.split_once(' ') else { continue };
        let call = call.trim_start();
        if call.starts_with("pwrite64(") && ["db", "commits"].contains(&file_name(call).as_str()) {
            let mut parts = call.split('"');
            let bytes = unhex(parts.nth(1).unwrap_or_default());
            let numbers: Vec<u64> = parts
                .next()
                .unwrap_or_default()
                .split(|c: char| !c.is_ascii_digit())
                .filter_map(|number| number.parse().ok())
                .collect();
            assert_eq!(numbers.first().copied(), Some(bytes.len() as u64), "a write is recorded in part");
            steps.push(Step::Written(Write { file: file_name(call), offset: numbers[1], bytes }));
        } else if call.starts_with("fdatasync(") && file_name(call) == "db" {
            if call.ends_with("= 0") {
                steps.push(Step::Synced);
            } else {
                syncing.insert(pid);
            }
        } else if call.contains("fdatasync resumed>") && call.ends_with("= 0") && syncing.remove(pid) {
            steps.push(Step::Synced);
        } else if call.contains(&http_200) {
            steps.push(Step::Answered);
        }
    }
    steps
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap_or_default();
    for entry in fs::read_dir(from).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap_or_default();
        }
    }
}

fn apply(queue: &Path, write: &Write, length: usize) {
    let path: PathBuf = queue.join(&write.file);
    let mut image = fs::read(&path).unwrap_or_default();
    let from = write.offset as usize;
    image.resize(image.len().max(from + length), 0);
    image[from..from + length].copy_from_slice(&write.bytes[..length]);
    fs::write(path, image).unwrap_or_default();
}

fn database(folder: &Path) -> PathBuf {
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries
        .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("queue-")))
        .unwrap_or_default()
}

fn batch(n: u64, at: i64) -> Vec<Value> {
    let entropy = SeededEntropy::new(n);
    let noisy = |n| {
        let noise: String = (0..60).map(|_| format!("{:016x}", entropy.next_u64())).collect();
        event(n, "/datalake/event/", at, json!({"event": "visit", "noise": noise}))
    };
    (n * 30..(n + 1) * 30).map(noisy).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_was_acknowledged_before_a_power_cut_is_there_after_it() {
    let place = Place::new();
    let trace = place.folder.path().join("trace");
    let trace_arg = trace.display().to_string();
    let calls = "trace=pwrite64,fdatasync,write,writev,sendto";
    let tracer = ["strace", "-f", "-y", "-xx", "-s", "4194304", "-e", calls, "-o", &trace_arg];
    let worker = start(place.folder.path(), 3_600_000, &tracer);
    let client = reqwest::Client::new();
    let now = place.clock.now_ms();
    // Its answer marks where the recording begins.
    let hash = worker.url.replace("/batch", "/hash/");
    assert_eq!(client.get(&hash).send().await.unwrap().status(), 200);
    let base = tempfile::tempdir().unwrap();
    copy_folder(&place.queue(), base.path());
    for n in 0..BATCHES {
        let body = json!({"sent_at": now, "events": batch(n, now)});
        assert_eq!(client.post(&worker.url).json(&body).send().await.unwrap().status(), 200);
    }
    drop(worker);
    let trace = fs::read_to_string(&trace).unwrap();
    let steps = steps(&trace);
    let begin = steps.iter().position(|step| matches!(step, Step::Answered)).unwrap() + 1;
    let steps = &steps[begin..];
    let syncs: Vec<usize> =
        steps.iter().enumerate().filter(|(_, step)| matches!(step, Step::Synced)).map(|(at, _)| at).collect();
    assert_eq!(syncs.len() as u64, BATCHES, "one sync for each commit");

    for (cut, at) in syncs.iter().enumerate() {
        let until = syncs.get(cut + 1).copied().unwrap_or(steps.len());
        let acknowledged = steps[..until].iter().filter(|step| matches!(step, Step::Answered)).count() as u64;
        for seed in 0..3 {
            let after = Place::new();
            copy_folder(base.path(), &after.queue());
            let queue = database(&after.queue());
            let entropy = SeededEntropy::new(seed * 1000 + cut as u64);
            for (n, step) in steps[..until].iter().enumerate() {
                let Step::Written(write) = step else { continue };
                // What was not synced survives by chance. The count of commits always does: it then claims the most.
                let length = match (n < *at || write.file == "commits", seed) {
                    (true, _) => write.bytes.len(),
                    (false, 0) => 0,
                    (false, 1) => write.bytes.len() * (entropy.next_u64() % 2) as usize,
                    (false, _) => (entropy.next_u64() % (write.bytes.len() as u64 + 1)) as usize,
                };
                apply(&queue, write, length);
            }
            let lake = after.open().await;
            let status = lake.status();
            assert!(status.damaged.is_empty(), "cut {cut} seed {seed}: {status:?}");
            for n in 0..acknowledged {
                let answer = send(&lake, now, &batch(n, now)).await;
                let known = outcomes(&answer).iter().all(|outcome| outcome == "duplicate");
                assert!(known, "cut {cut} seed {seed}: batch {n} of {acknowledged} is lost");
            }
            lake.shutdown(std::time::Duration::from_secs(10)).await;
        }
    }
}
