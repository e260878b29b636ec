use std::io::Write;

use axum::http::{Method, header};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use touchline_channel::auth::limits::{Limited, Rate, Rates};
use touchline_channel::reports::{UNPACKED_LIMIT, read_log};

use crate::app::{Answer, App};

const LOG: &str = "{\"format\":\"touchline-log\",\"v\":1}\n";

fn report() -> Value {
    json!({ "note": "the picture froze", "page": "/buy?promo=x", "log": LOG, "request_ids": ["0199", "0198"] })
}

/// Longer than the name of a session: its version stands last.
const BROWSER: &str = "Mozilla/5.0 (Linux; Android 16; Pixel 9 Pro XL Build/BP4A.251205.006) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.7444.48 Mobile Safari/537.36";

/// Without a key: where keys are what is broken, a report must still come.
async fn tell(app: &App, body: &Value) -> Answer {
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
async fn a_whole_session_comes_compressed_and_is_stored_as_it_was() {
    let app = App::new().await;
    // Ids do not pack well.
    let lines = (0..120_000_u64).map(|at| format!("{{\"id\":\"{:016x}\"}}\n", at.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    let log = LOG.to_owned() + &lines.collect::<String>();
    let mut body = report();
    body["log"] = json!(log);
    let packed = gzip(body.to_string().as_bytes());
    assert!(packed.len() > 1 << 20, "{} bytes: more than any other body may have", packed.len());
    let id = send_packed(&app, packed).await.data()["id"].as_str().unwrap().to_owned();
    let kept = app.state.reports.kept(&id).unwrap();
    assert_eq!((kept.log_bytes, kept.page.as_str()), (log.len() as u64, "/buy"));
    assert_eq!(read_log(&app.state.reports.log_path(&id).unwrap()).unwrap(), log.as_bytes());
    // Not compressed, it is too large.
    tell(&app, &body).await.fails(413, "too_large");
}

#[tokio::test]
async fn a_compressed_report_that_is_damaged_too_large_or_unpacks_to_too_much_is_refused() {
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
    assert!(app.state.reports.list().unwrap().is_empty());
}

#[tokio::test]
async fn what_a_viewer_tells_is_kept_whole_and_has_a_number() {
    let app = App::new().await;
    let id = tell(&app, &report()).await.data()["id"].as_str().unwrap().to_owned();
    let kept = app.state.reports.kept(&id).unwrap();
    assert_eq!((kept.note.as_str(), kept.page.as_str()), ("the picture froze", "/buy"));
    assert_eq!((kept.device.as_str(), kept.request_ids.len()), (BROWSER, 2));
    assert_eq!(read_log(&app.state.reports.log_path(&id).unwrap()).unwrap(), LOG.as_bytes());
}

#[tokio::test]
async fn a_report_of_another_shape_or_past_a_limit_is_refused_and_nothing_is_kept() {
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
        tell(&app, &with(field, value)).await.blames(field);
    }
    let mut whole = report();
    whole.as_object_mut().unwrap().remove("log");
    tell(&app, &whole).await.blames("log");
    tell(&app, &with("log", json!("x".repeat(1 << 20)))).await.fails(413, "too_large");
    assert!(app.state.reports.list().unwrap().is_empty());
}

#[tokio::test]
async fn reports_from_one_address_are_limited() {
    let rates = Rates::unlimited().with(Limited::ReportByAddress, Rate::new(2, 60_000));
    let app = App::with(|options| options.rates = rates).await;
    for _ in 0..2 {
        tell(&app, &report()).await.data();
    }
    let limited = tell(&app, &report()).await;
    limited.fails(429, "too_many");
    assert_eq!(limited.header(header::RETRY_AFTER), "60");
    assert_eq!(app.state.reports.list().unwrap().len(), 2);
}
