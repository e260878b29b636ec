//! Problem reports and the verb that finds them.

use std::path::Path;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Worker, done, folder, refused};

/// Shows OPS-5c.
#[tokio::test]
async fn a_problem_report_is_listed_and_displayed_with_its_recording() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    assert_eq!(done(&data, &["reports"]), "0 reports\n");
    let log = "{\"format\":\"touchline-log\",\"v\":1}\n";
    let mut ids = Vec::new();
    for note in ["the picture froze\u{1b}[2J\nthen it went on", "the sound is late"] {
        let report = json!({ "note": note, "page": "/watch/3?trk=x", "log": log, "request_ids": ["0199"] });
        let receipt = worker.data(Method::POST, "problem-report", &report).await;
        ids.push(receipt["id"].as_str().unwrap().to_owned());
    }
    let listed = done(&data, &["reports"]);
    let lines: Vec<_> = listed.lines().collect();
    assert_eq!((lines.len(), lines[2]), (3, "2 reports"));
    assert!(
        lines[0].starts_with(&ids[1]) && lines[0].ends_with("/watch/3  the sound is late"),
        "newest first: {listed}"
    );
    assert!(lines[1].starts_with(&ids[0]) && !listed.contains('\u{1b}'), "{listed}");

    let report_text = done(&data, &["reports", &ids[0]]);
    assert!(report_text.contains("requests 0199\n") && report_text.ends_with("\n  then it went on\n"), "{report_text}");
    let file = report_text.lines().find_map(|line| line.strip_prefix("log      ")?.split_once(" (")).unwrap().0;
    assert!(file.ends_with(&format!("{}.jsonl.gz", ids[0])) && Path::new(file).is_file(), "{file}");
    assert_eq!(done(&data, &["reports", &ids[0], "--recording"]), log);
    let json = |line: &[&str]| -> Value { serde_json::from_str(&done(&data, &[line, &["--json"]].concat())).unwrap() };
    assert_eq!(json(&["reports"])[1]["id"], ids[0].as_str());
    let found = json(&["reports", &ids[0]]);
    assert_eq!((&found["report"]["id"], found["log"].as_str()), (&json!(ids[0]), Some(file)));
    assert_eq!(json(&["reports", &ids[0], "--server"])["report"]["page"], "/watch/3");
    assert!(refused(&data, &["reports", "../channel"]).contains("There is no report"));
    assert!(!worker.log().contains("the sound is late"), "the viewer's text is only for the operator");
}

/// Shows LOG-5a, LOG-5b.
#[tokio::test]
async fn reports_are_found_by_what_happened_also_once_the_worker_is_stopped() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let log = "{\"format\":\"touchline-log\",\"v\":2}\n";
    let declined = json!({ "kind": "purchase_failed", "count": 1 });
    let changed = json!({ "kind": "refused", "code": "price_changed", "count": 2 });
    let summary = |build: &str, outcome: Value, wait: u32| json!({ "build": build, "language": "fr", "outcomes": [outcome], "longest_wait_ms": wait });
    let mut ids = Vec::new();
    for summary in [Some(summary("0.1.0+abc", declined, 900)), Some(summary("0.1.0+def", changed, 31_000)), None] {
        let mut report = json!({ "note": "n", "page": "/", "log": log, "request_ids": [] });
        if let Some(summary) = summary {
            report["summary"] = summary;
        }
        let receipt = worker.data(Method::POST, "problem-report", &report).await;
        ids.push(receipt["id"].as_str().unwrap().to_owned());
    }
    let mut outcome = json!({ "note": "n", "page": "/", "log": log, "request_ids": [], "summary": summary("b", json!({ "kind": "lost", "count": 1 }), 0) });
    assert_eq!(worker.call(Method::POST, "problem-report", &outcome).await.0, StatusCode::BAD_REQUEST);
    outcome["summary"] = summary(&"b".repeat(101), json!({ "kind": "crash", "count": 1 }), 0);
    assert_eq!(worker.call(Method::POST, "problem-report", &outcome).await.0, StatusCode::BAD_REQUEST);

    let cases: [(&[&str], &[usize]); 8] = [
        (&[], &[2, 1, 0]),
        (&["--outcome", "purchase_failed", "--build", "0.1.0+abc"], &[0]),
        (&["--outcome", "purchase_failed", "--build", "0.1.0+def"], &[]),
        (&["--outcome", "refused:price_changed"], &[1]),
        (&["--waited", "31"], &[1]),
        (&["--build", "unknown"], &[2]),
        (&["--language", "fr", "--channel", "northfield"], &[1, 0]),
        (&["--device", "no such browser"], &[]),
    ];
    let all = |data: &Path| {
        cases.map(|(filter, _)| -> Vec<String> {
            let found: Value = serde_json::from_str(&done(data, &[&["reports", "--json"], filter].concat())).unwrap();
            found.as_array().unwrap().iter().map(|report| report["id"].as_str().unwrap().to_owned()).collect()
        })
    };
    let expected = cases.map(|(_, indices)| indices.iter().map(|&index| ids[index].clone()).collect::<Vec<_>>());
    assert_eq!(all(&data), expected);
    let listed = done(&data, &["reports", "--waited", "1"]);
    assert!(listed.contains("0.1.0+def  refused:price_changed ×2  /  n\n1 report"), "{listed}");
    let report_text = done(&data, &["reports", &ids[0]]);
    assert!(report_text.contains("build    0.1.0+abc\nlanguage fr\noutcomes purchase_failed\n"), "{report_text}");

    worker.kill();
    assert_eq!(all(&data), expected);
    assert_eq!(done(&data, &["reports", &ids[0], "--recording"]), log);
    assert!(refused(&data, &["reports", &ids[0], "--channel", "laurentides"]).contains("of channel laurentides"));
    assert!(refused(&data, &["reports", &ids[0], "--server"]).contains("needs a running worker"));
    let (_empty, nothing) = folder();
    assert!(refused(&nothing, &["reports"]).contains("no worker runs on it"));
}
