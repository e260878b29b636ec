use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use touchline_channel::auth::recaptcha::RecaptchaOptions;

use crate::app::{App, registration};

/// A service compatible with Google's. Each token determines the response.
async fn service() -> url::Url {
    let verify = |form: String| async move {
        Json(match form.strip_prefix("secret=secret&response=") {
            Some("human") => json!({ "success": true }),
            Some("likely") => json!({ "success": true, "score": 0.5, "action": "register" }),
            Some("unlikely") => json!({ "success": true, "score": 0.4, "action": "register" }),
            Some("elsewhere") => json!({ "success": true, "score": 0.9, "action": "login" }),
            _ => json!({ "success": false, "error-codes": ["invalid-input-response"] }),
        })
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/siteverify", listener.local_addr().unwrap()).parse().unwrap();
    tokio::spawn(async move { axum::serve(listener, Router::new().route("/siteverify", post(verify))).await });
    url
}

async fn guarded() -> App {
    let options = RecaptchaOptions { secret: "secret".to_owned(), verify_url: service().await };
    App::with(|all| all.recaptcha = Some((options, "site".to_owned()))).await
}

async fn register(app: &App, email: &str, token: Option<&str>) -> crate::app::Answer {
    let mut body = registration(email);
    if let Some(token) = token {
        body["recaptcha_token"] = Value::from(token);
    }
    app.post(&app.visitor().await, "v2/auth/register", body).await
}

#[tokio::test]
async fn the_enabled_check_rejects_robots() {
    let app = guarded().await;
    assert_eq!(app.get(&app.visitor().await, "settings").await.data()["recaptcha_site_key"], "site");
    let refused = async |token| register(&app, "ada@example.com", token).await.blames("recaptcha_token");
    assert_eq!(refused(None).await, "recaptcha token required.");
    assert_eq!(refused(Some("")).await, "recaptcha token required.");
    assert_eq!(refused(Some("robot")).await, "recaptcha token invalid or robot.");
    register(&app, "ada@example.com", Some("human")).await.data();
    app.login("ada@example.com", crate::app::PASSWORD).await.blames("recaptcha_token");
    let request = json!({ "email": "ada@example.com" });
    app.post(&app.visitor().await, "auth/password-reset-request", request).await.blames("recaptcha_token");
}

#[tokio::test]
async fn low_scores_and_tokens_of_other_forms_are_rejected() {
    let app = guarded().await;
    for token in ["unlikely", "elsewhere"] {
        let refused = register(&app, "ada@example.com", Some(token)).await;
        assert_eq!(refused.blames("recaptcha_token"), "recaptcha token invalid or robot.", "{token}");
    }
    register(&app, "ada@example.com", Some("likely")).await.data();
}

#[tokio::test]
async fn an_unreachable_check_admits_nobody() {
    let nobody = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let verify_url = format!("http://{}/", nobody.local_addr().unwrap()).parse().unwrap();
    drop(nobody);
    let options = RecaptchaOptions { secret: "secret".to_owned(), verify_url };
    let app = App::with(|all| all.recaptcha = Some((options, "site".to_owned()))).await;
    register(&app, "ada@example.com", Some("human")).await.fails(503, "unavailable");
}
