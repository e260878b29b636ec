//! The erasure of a person across a failure, a kill and a restart (`AUTH-12`).

use std::path::Path;
use std::process::Stdio;

use axum::Router;
use axum::http::StatusCode;
use reqwest::Method;
use serde_json::json;
use touchline_protocol::ambient::{Clock, SystemClock};

use crate::books::lake_rows;
use crate::operator::json_output;
use crate::support::{Worker, done, eventually, files_with, folder, fresh, refused, touchline};

const DELAY_S: &str = "120";

async fn visit(worker: &Worker, user: i64, email: &str) {
    let body = json!({ "profile": "p", "session_uuid": "s", "user_id": user, "user_email": email, "event": "visit" });
    let response = worker.http.post(worker.url("/datalake/event/")).json(&body).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
}

/// Whether any file outside of the lake contains an address.
fn is_remembered(data: &Path, email: &str) -> bool {
    let folders = std::fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path());
    folders
        .filter(|path| !path.ends_with("lake"))
        .any(|path| if path.is_dir() { files_with(&path, email) } else { crate::support::holds(&path, email) })
}

/// An operator's action is in the audit log while it waits, and an erasure continues after the worker was killed in
/// between. Shows USER-7a, AUTH-12a, AUTH-12c.
#[tokio::test(flavor = "multi_thread")]
async fn an_erasure_is_logged_at_its_start_and_continues_after_a_kill() {
    // A sink that never answers.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http:http://{}/v1", listener.local_addr().unwrap());
    let (requested, mut requests) = tokio::sync::mpsc::unbounded_channel();
    let silent = Router::new().fallback(move || {
        let _sent = requested.send(()).is_ok();
        std::future::pending::<StatusCode>()
    });
    tokio::spawn(async move { axum::serve(listener, silent).await });
    let (root, data) = folder();
    let line = ["--datalake-close-age-s", "1", "--datalake-sinks"];
    let worker = Worker::start(&data, &[&line[..], &[&url]].concat());
    let email = format!("{}@viewers.example", fresh("erased"));
    let key = worker.register_as(&email).await;
    let id = worker.user_of(&key).await.unwrap();
    visit(&worker, id, &email).await;
    requests.recv().await.unwrap();

    let started = SystemClock::default().now_ms();
    let mut verb = touchline(root.path());
    verb.args(["user", "erase", &id.to_string(), "--data", data.to_str().unwrap()]);
    let mut verb = verb.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let entry = eventually("the action is logged", async || {
        let log = json_output(&data, &["audit-log", "--subject", &format!("user {id}")]);
        log.as_array().unwrap().first().cloned()
    })
    .await;
    assert_eq!((&entry["act"], &entry["outcome"]), (&json!("user erase"), &json!("begun")));
    assert!(entry["at"].as_i64() >= Some(started), "{entry}");
    eventually("the account is gone", async || worker.user_of(&key).await.is_none().then_some(())).await;
    worker.kill();
    assert!(!verb.wait().unwrap().success());
    assert!(is_remembered(&data, &email), "there was nothing to remove");

    let worker = Worker::start(&data, &["--datalake-close-age-s", "1", "--clock-offset", DELAY_S]);
    eventually("no trace remains", async || (!is_remembered(&data, &email)).then_some(())).await;
    assert_eq!(worker.user_of(&key).await, None);
}

/// A failed removal is repeated, and files of the lake with the person are no longer read.
/// Shows AUTH-12b, AUTH-12c, AUTH-12d.
#[tokio::test(flavor = "multi_thread")]
async fn a_failed_erasure_is_repeated_until_it_succeeds() {
    // A service that refuses every event, which makes each a dead letter.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let service = format!("http:http://{}/v1", listener.local_addr().unwrap());
    let refuse = Router::new().fallback(|| std::future::ready(StatusCode::UNPROCESSABLE_ENTITY));
    tokio::spawn(async move { axum::serve(listener, refuse).await });
    let (_folder, data) = folder();
    let sinks = format!("lake:{},{service}", data.join("lake").display());
    let flags = ["--datalake-close-age-s", "1", "--datalake-sinks", &sinks];
    let worker = Worker::start(&data, &flags);
    let email = format!("{}@viewers.example", fresh("erased"));
    let key = worker.register_as(&email).await;
    let id = worker.user_of(&key).await.unwrap();
    visit(&worker, id, &email).await;
    visit(&worker, id + 1, "somebody.else@viewers.example").await;
    let note = format!("I am {email}");
    let report =
        json!({ "note": note, "page": "/", "log": "{\"format\":\"touchline-log\",\"v\":1}\n", "request_ids": [] });
    worker.data(Method::POST, "problem-report", &report).await;
    let seen = || -> Vec<String> {
        let rows = lake_rows(&data, "SELECT user_email FROM event WHERE event = 'visit' ORDER BY user_email");
        rows.into_iter().flatten().collect()
    };
    eventually("the event is shipped", async || files_with(&data.join("lake"), &email).then_some(())).await;
    eventually("the other is shipped", async || (seen().len() == 2).then_some(())).await;
    let letters = || json_output(&data, &["datalake", "dead-letters"])["total"].clone();
    eventually("both are dead letters", async || (letters() == 2).then_some(())).await;

    // The reports cannot be listed for a while.
    let (reports, aside) = (data.join("reports"), data.join("aside"));
    std::fs::rename(&reports, &aside).unwrap();
    std::fs::write(&reports, "").unwrap();
    refused(&data, &["user", "erase", &id.to_string()]);
    assert_eq!(worker.user_of(&key).await, None, "the account is gone in any case");
    std::fs::remove_file(&reports).unwrap();
    std::fs::rename(&aside, &reports).unwrap();
    assert!(files_with(&reports, &email));
    worker.kill();

    let _worker = Worker::start(&data, &[&flags[..], &["--clock-offset", DELAY_S]].concat());
    eventually("no trace remains", async || (!is_remembered(&data, &email)).then_some(())).await;
    let rows: Vec<String> =
        eventually("the lake has the other person only", async || Some(seen()).filter(|rows| !rows.contains(&email)))
            .await;
    assert_eq!(rows.iter().filter(|row| !row.is_empty()).collect::<Vec<_>>(), ["somebody.else@viewers.example"]);
    assert!(files_with(&data.join("lake"), &email), "a reader of the earlier version has an hour");
    assert_eq!(done(&data, &["reports"]), "0 reports\n");
}
