use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use touchline_channel::auth::recaptcha::RecaptchaOptions;

use crate::app::{App, registration};

/// A service that answers as Google's does.
async fn service() -> url::Url {
    let verify = |form: String| async move {
        let human = form == "secret=secret&response=human";
        Json(json!({ "success": human }))
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/siteverify", listener.local_addr().unwrap()).parse().unwrap();
    tokio::spawn(async move { axum::serve(listener, Router::new().route("/siteverify", post(verify))).await });
    url
}

async fn register(app: &App, token: Option<&str>) -> crate::app::Answer {
    let mut body = registration("ada@example.com");
    if let Some(token) = token {
        body["recaptcha_token"] = Value::from(token);
    }
    app.post(&app.visitor().await, "v2/auth/register", body).await
}

#[tokio::test]
async fn robots_are_kept_out_when_the_check_is_on() {
    let verify_url = service().await;
    let options = RecaptchaOptions { secret: "secret".to_owned(), verify_url };
    let app = App::with(|all| all.recaptcha = Some((options, "site".to_owned()))).await;
    assert_eq!(app.get(&app.visitor().await, "settings").await.data()["recaptcha_site_key"], "site");
    assert_eq!(register(&app, None).await.blames("recaptcha_token"), "recaptcha token required.");
    assert_eq!(register(&app, Some("robot")).await.blames("recaptcha_token"), "recaptcha token invalid or robot.");
    register(&app, Some("human")).await.data();
    app.login("ada@example.com", crate::app::PASSWORD).await.blames("recaptcha_token");
}

#[tokio::test]
async fn a_check_that_does_not_answer_lets_nobody_in() {
    let nobody = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let verify_url = format!("http://{}/", nobody.local_addr().unwrap()).parse().unwrap();
    drop(nobody);
    let options = RecaptchaOptions { secret: "secret".to_owned(), verify_url };
    let app = App::with(|all| all.recaptcha = Some((options, "site".to_owned()))).await;
    register(&app, Some("human")).await.fails(503, "unavailable");
}
