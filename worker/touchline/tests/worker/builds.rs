//! Pages of one build of the site beside workers of another (`OPS-32`).

use reqwest::StatusCode;
use reqwest::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_TYPE};
use sqlx::SqlitePool;

use crate::support::{Worker, folder};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Shows OPS-32.
#[tokio::test]
async fn a_worker_serves_the_files_of_builds_that_were_served_in_the_last_two_weeks() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let page = worker.get("/").await.text().await.unwrap();
    let script = page.split('"').find(|part| part.starts_with("/assets/") && part.ends_with(".js")).unwrap();
    let script = script.trim_start_matches('/').to_owned();
    worker.end();

    // Another build: the same files under another name, one of them last served 15 days ago.
    let store = SqlitePool::connect(&format!("sqlite:{}", data.join("channel.sqlite").display())).await.unwrap();
    for (path, age_ms) in [("assets/site-earlier.js", 13 * DAY_MS), ("assets/site-expired.js", 15 * DAY_MS)] {
        let copied = sqlx::query(
            "INSERT INTO site_files (path, body, is_brotli, served_at)
             SELECT $1, body, is_brotli, served_at - $2 FROM site_files WHERE path = $3",
        );
        let rows = copied.bind(path).bind(age_ms).bind(&script).execute(&store).await.unwrap().rows_affected();
        assert_eq!(rows, 1, "{script} was not stored before the worker was ready");
    }
    store.close().await;

    let worker = Worker::start(&data, &[]);
    let current = worker.get(&format!("/{script}")).await.bytes().await.unwrap();
    let earlier = worker.get("/assets/site-earlier.js").await;
    assert_eq!(earlier.status(), StatusCode::OK);
    assert_eq!(earlier.headers()[CACHE_CONTROL], "public, max-age=31536000, immutable");
    assert_eq!(earlier.headers()[CONTENT_TYPE], "text/javascript; charset=utf-8");
    assert_eq!(earlier.bytes().await.unwrap(), current);
    let plain = worker.http.get(worker.url("/assets/site-earlier.js")).header(ACCEPT_ENCODING, "identity");
    assert_eq!(plain.send().await.unwrap().bytes().await.unwrap(), current);
    for gone in ["/assets/site-expired.js", "/assets/site-invented.js", "/assets/..%2fadmin-token.js"] {
        assert_eq!(worker.get(gone).await.status(), StatusCode::NOT_FOUND, "{gone}");
    }
}
