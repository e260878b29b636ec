//! The running worker enforces the limits in `docs/security.md` (`LIM-6`).

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use reqwest::header::{CONTENT_ENCODING, RETRY_AFTER};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Worker, folder};

/// The number in a row of the table, as a count or in bytes.
fn limit_of(table: &str, name: &str) -> usize {
    let row = table.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
    let row = row.unwrap_or_else(|| panic!("{name} has no row"));
    let (number, unit) = row.split('|').nth(2).unwrap().trim().split_once([' ', ';']).unwrap();
    let scale = match unit {
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        _ => 1,
    };
    number.replace(',', "").parse::<usize>().unwrap() * scale
}

/// Shows LIM-6, LIM-8a: sizes, counts and rates.
#[tokio::test]
async fn the_documented_limits_are_enforced() {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/security.md");
    let table = std::fs::read_to_string(table).unwrap();
    let limit = |name: &str| limit_of(&table, name);
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.register().await;

    // A value at the limit passes, one above it fails.
    let get = async |path: String| worker.get(&format!("/api/{path}&api_key={key}")).await.status();
    for (name, path) in [("lists.limit", "events?limit="), ("search.limit", "search?q=a&limit=")] {
        assert_eq!(get(format!("{path}{}", limit(name))).await, StatusCode::OK, "{name}");
        assert_eq!(get(format!("{path}{}", limit(name) + 1)).await, StatusCode::BAD_REQUEST, "{name}");
    }
    let text = |length: usize| "a".repeat(length);
    assert_eq!(get(format!("events?text={}", text(limit("query.value")))).await, StatusCode::OK);
    assert_eq!(get(format!("events?text={}", text(limit("query.value") + 1))).await, StatusCode::BAD_REQUEST);
    let renamed = async |length: usize| {
        let body = json!({ "api_key": key, "_method": "patch", "first_name": text(length) });
        worker.call(Method::POST, "profile", &body).await.0
    };
    assert_eq!(renamed(limit("name")).await, StatusCode::OK);
    assert_eq!(renamed(limit("name") + 1).await, StatusCode::BAD_REQUEST);
    let bare = json!({ "api_key": key, "_method": "patch", "x": "" }).to_string().len();
    let sent = async |bytes: usize| {
        let body = json!({ "api_key": key, "_method": "patch", "x": text(bytes - bare) });
        worker.call(Method::POST, "profile", &body).await.0
    };
    assert_eq!(sent(limit("bodies.call")).await, StatusCode::OK);
    assert_eq!(sent(limit("bodies.call") + 1).await, StatusCode::PAYLOAD_TOO_LARGE);

    // Exceeding a rate limit returns the time to retry.
    let report =
        json!({ "note": "", "page": "/", "log": "{\"format\":\"touchline-log\",\"v\":1}\n", "request_ids": [] });
    let guess = json!({ "api_key": key, "code": "ABCDEF" });
    let frequent: [(&str, &str, Value); 2] =
        [("reports.address", "problem-report", report), ("guess", "auth/add_session", guess)];
    for (name, path, body) in frequent {
        for _ in 0..limit_of(&table.replace(", then", ";"), name) {
            assert_ne!(worker.call(Method::POST, path, &body).await.0, StatusCode::TOO_MANY_REQUESTS, "{name}");
        }
        let refused = worker.http.post(worker.url(&format!("/api/{path}"))).json(&body).send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS, "{name}");
        assert!(refused.headers()[RETRY_AFTER].to_str().unwrap().parse::<u64>().unwrap() > 0, "{name}");
    }
}

/// Shows LIM-8a: a compressed problem report may have 8 MiB, and 32 MiB unpacked.
#[tokio::test]
async fn compressed_reports_are_limited_by_their_announced_and_unpacked_size() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let send = async |log: usize| {
        let report = json!({ "note": "", "page": "/", "log": "x".repeat(log), "request_ids": [] });
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(report.to_string().as_bytes()).unwrap();
        let request = worker.http.post(worker.url("/api/problem-report")).header(CONTENT_ENCODING, "gzip");
        request.body(packed.finish().unwrap()).send().await.unwrap().status()
    };
    assert_ne!(send(1 << 21).await, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(send(32 << 20).await, StatusCode::PAYLOAD_TOO_LARGE);
    let announced = (8 << 20) + 1;
    let mut stream = TcpStream::connect(&worker.address).await.unwrap();
    let head = "POST /api/problem-report HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-encoding: gzip\r\ncontent-length: ";
    stream.write_all(format!("{head}{announced}\r\n\r\n").as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
}
