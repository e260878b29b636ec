use axum::http::{Method, header};
use serde_json::{Value, json};
use touchline_channel::auth::limits::{Limited, Rate, Rates};

use crate::app::{Answer, App};

const LOG: &str = "{\"format\":\"touchline-log\",\"v\":1}\n";

fn report() -> Value {
    json!({ "note": "the picture froze", "page": "/buy?promo=x", "log": LOG, "request_ids": ["0199", "0198"] })
}

/// Without a key: where keys are what is broken, a report must still come.
async fn tell(app: &App, body: &Value) -> Answer {
    app.send(Method::POST, "problem-report", &[("user-agent", "Firefox/140")], body.to_string()).await
}

#[tokio::test]
async fn what_a_viewer_tells_is_kept_whole_and_has_a_number() {
    let app = App::new().await;
    let id = tell(&app, &report()).await.data()["id"].as_str().unwrap().to_owned();
    let kept = app.state.reports.kept(&id).unwrap();
    assert_eq!((kept.note.as_str(), kept.page.as_str()), ("the picture froze", "/buy"));
    assert_eq!((kept.device.as_str(), kept.request_ids.len()), ("Firefox/140", 2));
    assert_eq!(std::fs::read_to_string(app.state.reports.log_path(&id).unwrap()).unwrap(), LOG);
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
        ("request_ids", json!(vec!["x"; 51])),
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
