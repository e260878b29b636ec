//! The verbs that speak to the running worker, and its metrics.

use std::os::unix::fs::PermissionsExt;

use reqwest::StatusCode;
use serde_json::json;

use crate::support::{Worker, eventually, folder, run, text};

#[tokio::test]
async fn metrics_are_open_and_the_rest_wants_the_token() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    worker.get("/healthz").await;
    let admin = |path: &str| format!("http://{}{path}", worker.admin);
    let metrics = worker.http.get(admin("/metrics")).send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("touchline_http_requests_total{area=\"health\",status=\"200\"}"), "{metrics}");

    let status = |token: Option<String>| {
        let request = worker.http.post(admin("/admin/datalake/status")).json(&json!({}));
        let request = token.into_iter().fold(request, |request, token| request.bearer_auth(token));
        async { request.send().await.unwrap().status() }
    };
    let file = data.join("admin.token");
    let token = std::fs::read_to_string(&file).unwrap().trim().to_owned();
    assert_eq!(status(None).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(Some(token[1..].to_owned())).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(Some(token)).await, StatusCode::OK);
    assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(worker.get("/admin/datalake/status").await.status(), StatusCode::NOT_FOUND, "not on the public port");
    assert_eq!(worker.get("/metrics").await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn datalake_status_tells_what_became_of_an_event() {
    let (folder, data) = folder();
    let worker = Worker::start(&data, &["--datalake-close-age-s", "1"]);
    let body =
        json!({ "profile": "p", "session_uuid": "s", "event": "page_view", "extras": {}, "origin_url": "http://x/" });
    let response = worker.http.post(worker.url("/datalake/event/")).json(&body).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let data = data.to_str().unwrap();
    let row = eventually("the event is shipped", async || {
        let output = run(folder.path(), &["datalake", "status", "--data", data]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let said = text(&output.stdout);
        let row =
            said.lines().find(|line| line.starts_with("lake:") && line.split_whitespace().nth(1) == Some("event"));
        let cells: Vec<String> =
            row.unwrap_or_else(|| panic!("{said}")).split_whitespace().map(str::to_owned).collect();
        (cells[3] == "1").then_some(cells)
    })
    .await;
    assert_eq!(row[2..6], ["1", "1", "0", "0"], "accepted, shipped, queued, dead");
    let letters = run(folder.path(), &["datalake", "dead-letters", "--data", data]);
    assert!(text(&letters.stdout).ends_with("0 of 0\n"), "{}", text(&letters.stdout));
    let requeued = run(folder.path(), &["datalake", "requeue", "--data", data]);
    assert!(text(&requeued.stdout).starts_with("0 put back"), "{}", text(&requeued.stdout));
}

#[test]
fn a_verb_without_a_worker_says_so() {
    let (folder, data) = folder();
    let output = run(folder.path(), &["datalake", "status", "--data", data.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains(data.to_str().unwrap()) && said.contains("does a worker run"), "{said}");
}
