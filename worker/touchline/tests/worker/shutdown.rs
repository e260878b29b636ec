//! Shutdown: in order, without losing confirmed data.

use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Worker, folder};

/// The number of row files in the lake's day folders.
fn parquet_files(folder: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    let is_row_file = |path: &Path| {
        let day = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        day.starts_with("received_date=") && path.extension() == Some("parquet".as_ref())
    };
    let below =
        paths.iter().filter(|path| path.is_dir() && !path.ends_with("_columns")).map(|path| parquet_files(path));
    below.sum::<usize>() + paths.iter().filter(|path| is_row_file(path)).count()
}

#[tokio::test]
async fn a_worker_exits_with_0_and_restarts_on_the_same_data() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.register().await;
    let (status, log) = worker.end();
    assert!(status.success(), "{log}");
    assert!(!log.contains("ERROR"), "{log}");
    let worker = Worker::start(&data, &[]);
    worker.data(Method::GET, &format!("profile?api_key={key}"), &Value::Null).await;
}

#[tokio::test]
async fn accepted_analytics_are_shipped_before_the_exit() {
    let (_folder, data) = folder();
    // Batches close after a minute, so the shutdown ships these.
    let worker = Worker::start(&data, &["--datalake-close-age-s", "60"]);
    let body =
        json!({ "profile": "p", "session_uuid": "s", "event": "page_view", "extras": {}, "origin_url": "http://x/" });
    let response = worker.http.post(worker.url("/datalake/event/")).json(&body).send().await.unwrap();
    assert_eq!(response.status(), 200, "{}", response.text().await.unwrap());
    assert_eq!(parquet_files(&data.join("lake/event")), 0);
    assert!(worker.end().0.success());
    assert_eq!(parquet_files(&data.join("lake/event")), 1);
}
