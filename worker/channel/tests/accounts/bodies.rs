use axum::body::Body;
use axum::http::Method;
use serde_json::json;

use crate::app::App;

#[tokio::test]
async fn anything_but_a_json_object_is_rejected_in_the_error_format() {
    let app = App::new().await;
    let key = app.visitor().await;
    for body in [
        Body::empty(),
        Body::from("{"),
        Body::from("[]"),
        Body::from("\"text\""),
        Body::from(vec![0xff, 0xfe]),
        Body::from(format!(r#"{{"api_key": "{key}", "email": "a\u0000b"}}"#)),
        Body::from("[".repeat(100_000)),
    ] {
        app.send(Method::POST, "v2/auth/login", &[], body).await.blames("body");
    }
}

#[tokio::test]
async fn a_wrong_type_is_reported_with_its_field() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let body = json!({ "type": "event", "id": "1", "payment_method_id": "pm" });
    app.buy(&person, "k", body).await.blames("id");
    let body = json!({ "type": "car", "id": 1, "payment_method_id": "pm" });
    app.buy(&person, "k", body).await.blames("type");
    app.post(&person.key, "stripe/unsubscribe", json!({ "subscription_id": 1.5 })).await.blames("subscription_id");
}

#[tokio::test]
async fn a_body_of_one_mebibyte_is_accepted_and_a_larger_one_rejected() {
    let app = App::new().await;
    let body = |len: usize| {
        let frame = r#"{"channel_key":""}"#.len();
        json!({ "channel_key": "x".repeat(len - frame) }).to_string()
    };
    app.send(Method::POST, "get_api_key", &[], body(1 << 20)).await.fails(400, "channel_key");
    app.send(Method::POST, "get_api_key", &[], body((1 << 20) + 1)).await.fails(413, "too_large");
}

#[tokio::test]
async fn an_error_log_line_needs_no_key() {
    let app = App::new().await;
    let line = json!({ "date": "2026-11-21T10:00:00Z", "status": 500, "message": "m", "url": "https://a.example/api" });
    app.send(Method::POST, "error-log", &[], line.to_string()).await.data();
    app.send(Method::POST, "error-log", &[], "{}").await.fails(400, "malformed");
    let no_status = json!({ "date": "", "status": 1000, "message": "", "url": "" });
    app.send(Method::POST, "error-log", &[], no_status.to_string()).await.fails(400, "malformed");
}
