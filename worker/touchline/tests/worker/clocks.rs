//! Workers with wrong clocks that share a PostgreSQL database (`OPS-51`).

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::postgres::SHARED;
use crate::support::{Worker, eventually, folder, fresh};

/// Tries to sign in from one address.
async fn log_in(worker: &Worker, email: &str, password: &str) -> (StatusCode, Value) {
    let login = json!({ "api_key": worker.key().await, "email": email, "password": password });
    worker.call(Method::POST, "v2/auth/login", &login).await
}

/// Shows OPS-51c, OPS-51d.
#[tokio::test]
async fn a_wrong_clock_is_reported_and_affects_no_limit() {
    let url = SHARED.database().await;
    let folders: Vec<_> = (0..4).map(|_| folder()).collect();
    let start = |number: usize, offset_s: i64| {
        let offset = offset_s.to_string();
        Worker::start(&folders[number].1, &["--store", &url, "--clock-offset", &offset])
    };
    let (right, ahead) = (start(0, 0), start(1, 3_600));
    eventually("the worker compares clocks", async || {
        ahead.log().contains("this worker's clock differs from the database's").then_some(())
    })
    .await;
    assert!(ahead.log().contains("ahead_s=3600") || ahead.log().contains("ahead_s=3599"), "{}", ahead.log());
    assert!(!right.log().contains("differs from the database's"), "{}", right.log());

    // An attempt at the worker that is ahead does not limit the viewer at the other.
    let email = format!("{}@viewers.example", fresh("clock"));
    right.register_as(&email).await;
    assert_ne!(log_in(&ahead, &email, "wrong").await.0, StatusCode::TOO_MANY_REQUESTS);
    let (status, answer) = log_in(&right, &email, "correct horse").await;
    assert_eq!(status, StatusCode::OK, "{answer}");

    // A viewer with too many attempts is limited at every worker, regardless of its clock.
    let mut tries = 0;
    while log_in(&right, &email, "wrong").await.0 != StatusCode::TOO_MANY_REQUESTS {
        tries += 1;
        assert!(tries < 30, "wrong passwords are limited");
    }
    for (number, days) in [(2, -400), (3, 400)] {
        let stepped = start(number, days * 86_400);
        let login = json!({ "api_key": stepped.key().await, "email": email, "password": "wrong" });
        let refused = stepped.http.post(stepped.url("/api/v2/auth/login")).json(&login).send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS, "{days} days");
        let wait: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
        assert!(wait <= 60, "{days} days: {wait} s");
    }
}
