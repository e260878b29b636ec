//! The limits of stored problem reports (`OPS-5`).

use std::fs;
use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};
use touchline_protocol::ambient::{Clock, SystemClock};

use crate::support::{Worker, done, folder};

const DAY_MS: i64 = 86_400_000;
/// More than 256 MiB.
const TOO_LARGE: u64 = 257 << 20;

/// Copies a report as one of another time and network, and returns its id.
fn copy(folder: &Path, original: &str, at_ms: i64, number: usize, network: &str) -> String {
    let time = format!("{at_ms:012x}");
    let id = format!("{}-{}-7000-8000-{number:012x}", &time[..8], &time[8..]);
    let mut facts: Value = serde_json::from_slice(&fs::read(folder.join(format!("{original}.json"))).unwrap()).unwrap();
    facts["id"] = json!(id);
    facts["network"] = json!(network);
    fs::copy(folder.join(format!("{original}.jsonl.gz")), folder.join(format!("{id}.jsonl.gz"))).unwrap();
    fs::write(folder.join(format!("{id}.json")), facts.to_string()).unwrap();
    id
}

/// Shows OPS-5d.
#[tokio::test]
async fn reports_are_stored_for_90_days_up_to_500_and_256_mib() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let report = json!({ "note": "", "page": "/", "log": "", "request_ids": [] });
    let receipt = worker.data(Method::POST, "problem-report", &report).await;
    let first = receipt["id"].as_str().unwrap().to_owned();
    assert!(worker.end().0.success());

    let (reports, now) = (data.join("reports"), SystemClock::default().now_ms());
    let age = |days: i64| now - days * DAY_MS;
    let [expired, retained] = [91, 89].map(|days| copy(&reports, &first, age(days), 1, &format!("of {days} days ago")));
    let oldest = copy(&reports, &first, age(2), 1, "busy");
    let others: Vec<_> = (0..498).map(|number| copy(&reports, &first, age(1), number, "busy")).collect();
    let worker = Worker::start(&data, &[]);
    let listed = done(&data, &["reports"]);
    assert!(listed.ends_with("500 reports\n"), "{listed}");
    for (id, is_stored) in [(&first, true), (&retained, true), (&expired, false), (&oldest, false), (&others[0], true)]
    {
        assert_eq!(listed.contains(id.as_str()), is_stored, "{id}");
    }
    assert!(worker.end().0.success());

    let log = fs::File::options().write(true).open(reports.join(format!("{}.jsonl.gz", others[7]))).unwrap();
    log.set_len(TOO_LARGE).unwrap();
    let worker = Worker::start(&data, &[]);
    // The size counts with the channel's next report.
    worker.data(Method::POST, "problem-report", &report).await;
    let listed = done(&data, &["reports"]);
    assert!(!listed.contains(&others[7]) && listed.contains(&others[8]), "{listed}");
    assert!(worker.end().0.success());
}
