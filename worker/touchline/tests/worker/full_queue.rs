//! A full analytics queue, while its sink is down and afterwards.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::support::{Worker, done, eventually, folder};

/// An HTTP sink that answers 503 until the flag is set. Returns its URL.
async fn sink(is_up: Arc<AtomicBool>) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let answer = move || {
        let is_up = is_up.load(Ordering::Relaxed);
        std::future::ready(if is_up { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE })
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    url
}

/// Twenty page views of 5 KB that do not compress.
fn page_views(first: u64) -> Value {
    let event = |n: u64| {
        let noise: String = (0..300_u64)
            .map(|part| format!("{:016x}", (n * 300 + part + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)))
            .collect();
        let id = format!("01900000-0000-7000-8000-{n:012x}");
        let body = json!({ "event": "visit", "other": noise });
        json!({ "id": id, "path": "/datalake/event/", "at": "2026-11-22T10:00:00Z", "body": body })
    };
    json!({ "sent_at": "2026-11-22T10:00:01Z", "events": (first..first + 20).map(event).collect::<Vec<_>>() })
}

/// Shows ANA-13a, ANA-13b, ANA-13c, ANA-13d.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_is_logged_counted_and_measured_until_its_sink_accepts_events() {
    let is_up = Arc::new(AtomicBool::new(false));
    let sink = format!("http:{}", sink(Arc::clone(&is_up)).await);
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--datalake-queue-bytes", "1048576", "--datalake-sinks", &sink]);
    let send = async |first: u64| {
        let request = worker.http.post(worker.url("/datalake/batch")).json(&page_views(first));
        request.send().await.unwrap().status()
    };
    let is_refusing = async || {
        let text = reqwest::get(format!("http://{}/metrics", worker.admin)).await.unwrap().text().await.unwrap();
        let series = "touchline_datalake_refusing{purpose=\"analytics\"} ";
        text.lines().find_map(|line| line.strip_prefix(series).map(|value| value == "1"))
    };
    let lines = |text: &str| worker.log().lines().filter(|line| line.contains(text)).count();

    assert_eq!(is_refusing().await, Some(false));
    let mut sent = 0;
    while send(sent).await == StatusCode::OK {
        sent += 20;
        assert!(sent < 1000, "the queue is never full");
    }
    for _ in 0..5 {
        assert_eq!(send(sent).await, StatusCode::TOO_MANY_REQUESTS);
    }
    assert_eq!(is_refusing().await, Some(true));
    let full = "the analytics queue is full";
    eventually("a line in the log", async || (lines(full) > 0).then_some(())).await;
    let status = done(&data, &["datalake", "status"]);
    assert!(status.contains("THE QUEUE IS FULL for analytics: refused 1"), "{status}");
    assert!(status.contains("; the oldest event has waited "), "{status}");
    assert_eq!(worker.get("/readyz").await.status(), StatusCode::OK, "the site can still sell");

    let alerts = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/deploy/alerts.yml");
    assert!(std::fs::read_to_string(alerts).unwrap().contains("touchline_datalake_refusing"), "there is no alert");

    is_up.store(true, Ordering::Relaxed);
    eventually("refusing ends", async || (is_refusing().await == Some(false)).then_some(())).await;
    let again = "the analytics queue accepts events again";
    eventually("a line in the log", async || (lines(again) > 0).then_some(())).await;
    assert_eq!(send(sent).await, StatusCode::OK);
    let status = done(&data, &["datalake", "status"]);
    assert!(status.contains("the queue was full for analytics: refused 1"), "{status}");
    assert_eq!((lines(full), lines(again)), (1, 1), "{}", worker.log());
}
