use std::io::Write;

use axum::http::{Method, header};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use touchline_channel::auth::limits::{LimitedAction, Rate, Rates};
use touchline_channel::reports::{UNPACKED_LIMIT, read_log};

use crate::app::{Answer, App};

const LOG: &str = "{\"format\":\"touchline-log\",\"v\":1}\n";

fn report() -> Value {
    json!({ "note": "the picture froze", "page": "/buy?promo=x", "log": LOG, "request_ids": ["0199", "0198"] })
}

/// Longer than a session's name; the version comes last.
const BROWSER: &str = "Mozilla/5.0 (Linux; Android 16; Pixel 9 Pro XL Build/BP4A.251205.006) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.7444.48 Mobile Safari/537.36";

/// Sent without a key, since a report must work even when keys do not.
async fn send_report(app: &App, body: &Value) -> Answer {
    app.send(Method::POST, "problem-report", &[("user-agent", BROWSER)], body.to_string()).await
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

async fn send_packed(app: &App, body: Vec<u8>) -> Answer {
    app.send(Method::POST, "problem-report", &[("content-encoding", "gzip")], body).await
}

#[tokio::test]
async fn a_compressed_session_is_stored_unchanged() {
    let app = App::new().await;
    // Random ids compress badly.
    let lines = (0..120_000_u64).map(|at| format!("{{\"id\":\"{:016x}\"}}\n", at.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    let log = LOG.to_owned() + &lines.collect::<String>();
    let mut body = report();
    body["log"] = json!(log);
    let packed = gzip(body.to_string().as_bytes());
    assert!(packed.len() > 1 << 20, "{} bytes: more than any other body may have", packed.len());
    let id = send_packed(&app, packed).await.data()["id"].as_str().unwrap().to_owned();
    let stored = app.state.reports.stored().get(&id).unwrap();
    assert_eq!((stored.log_bytes, stored.page.as_str()), (log.len() as u64, "/buy"));
    assert_eq!(read_log(&app.state.reports.stored().log_path(&id).unwrap()).unwrap(), log.as_bytes());
    // Uncompressed, it is too large.
    send_report(&app, &body).await.fails(413, "too_large");
}

#[tokio::test]
async fn damaged_and_oversized_compressed_reports_are_rejected() {
    let app = App::new().await;
    let whole = gzip(report().to_string().as_bytes());
    send_packed(&app, report().to_string().into_bytes()).await.blames("body");
    send_packed(&app, whole[..whole.len() - 9].to_vec()).await.blames("body");
    send_packed(&app, gzip(&vec![b' '; UNPACKED_LIMIT + 1])).await.fails(413, "too_large");
    send_packed(&app, vec![0x1f; (8 << 20) + 1]).await.fails(413, "too_large");
    let mut many = report();
    many["request_ids"] = json!(vec!["x"; 501]);
    send_packed(&app, gzip(many.to_string().as_bytes())).await.blames("request_ids");
    let brotli = app.send(Method::POST, "problem-report", &[("content-encoding", "br")], whole).await;
    brotli.blames("body");
    assert!(app.state.reports.stored().list(|_| true).unwrap().is_empty());
}

#[tokio::test]
async fn a_viewers_report_is_stored_in_full_with_an_id() {
    let app = App::new().await;
    let id = send_report(&app, &report()).await.data()["id"].as_str().unwrap().to_owned();
    let stored = app.state.reports.stored().get(&id).unwrap();
    assert_eq!((stored.note.as_str(), stored.page.as_str()), ("the picture froze", "/buy"));
    assert_eq!((stored.device.as_str(), stored.request_ids.len()), (BROWSER, 2));
    assert_eq!(read_log(&app.state.reports.stored().log_path(&id).unwrap()).unwrap(), LOG.as_bytes());
}

#[tokio::test]
async fn invalid_and_oversized_reports_are_rejected_and_not_stored() {
    let app = App::new().await;
    let with = |field: &str, value: Value| {
        let mut body = report();
        body[field] = value;
        body
    };
    for (field, value) in [
        ("note", json!("x".repeat(4_001))),
        ("page", json!("elsewhere")),
        ("log", json!("not a log")),
        ("request_ids", json!(vec!["x"; 501])),
    ] {
        send_report(&app, &with(field, value)).await.blames(field);
    }
    let mut whole = report();
    whole.as_object_mut().unwrap().remove("log");
    send_report(&app, &whole).await.blames("log");
    send_report(&app, &with("log", json!("x".repeat(1 << 20)))).await.fails(413, "too_large");
    assert!(app.state.reports.stored().list(|_| true).unwrap().is_empty());
}

#[tokio::test]
async fn reports_from_one_address_are_limited() {
    let rates = Rates::unlimited().with(LimitedAction::ReportByAddress, Rate::new(2, 60_000));
    let app = App::with(|options| options.rates = rates).await;
    for _ in 0..2 {
        send_report(&app, &report()).await.data();
    }
    let limited = send_report(&app, &report()).await;
    limited.fails(429, "too_many");
    assert_eq!(limited.header(header::RETRY_AFTER), "60");
    assert_eq!(app.state.reports.stored().list(|_| true).unwrap().len(), 2);
}
