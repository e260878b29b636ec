use serde_json::{Value, json};

use crate::app::{App, PASSWORD};

fn with_password(mut link: Value, password: &str) -> Value {
    link["password"] = json!(password);
    link["password_confirmation"] = json!(password);
    link
}

async fn request(app: &App, email: &str) -> crate::app::Answer {
    // Letters are found by their time.
    app.clock.advance_ms(1);
    app.post(&app.visitor().await, "auth/password-reset-request", json!({ "email": email })).await
}

#[tokio::test]
async fn a_link_sets_a_new_password_once_and_logs_out_everywhere() {
    let app = App::new().await;
    let person = app.person("ada").await;
    request(&app, &person.email).await.data();
    let link = app.link_to(&person.email).await.unwrap();
    let visitor = app.visitor().await;

    let mut body = with_password(link.clone(), "new password");
    body["password_confirmation"] = json!("newer password");
    let answer = app.post(&visitor, "auth/password-reset", body).await;
    assert_eq!(answer.blames("password_confirmation"), "PASSWORDS DON'T MATCH.");

    app.post(&visitor, "auth/password-reset", with_password(link.clone(), "new password")).await.data();
    app.get(&person.key, "profile").await.fails(400, "api_key");
    app.login(&person.email, PASSWORD).await.fails(400, "wrong_login");
    app.login(&person.email, "new password").await.data();

    let again = app.post(&visitor, "auth/password-reset", with_password(link, "newer password")).await;
    assert_eq!(again.fails(400, "reset_failed"), "Reset password failed.");
    app.login(&person.email, "new password").await.data();
}

#[tokio::test]
async fn a_link_that_is_too_old_or_forged_sets_nothing() {
    let app = App::new().await;
    let person = app.person("ada").await;
    request(&app, &person.email).await.data();
    let link = app.link_to(&person.email).await.unwrap();
    let visitor = app.visitor().await;
    let mut forged = link.clone();
    forged["expires"] = json!(link["expires"].as_i64().unwrap() + 3600);
    app.post(&visitor, "auth/password-reset", with_password(forged, "new password")).await.fails(400, "reset_failed");
    app.clock.advance_ms(3600 * 1000);
    let old = app.post(&visitor, "auth/password-reset", with_password(link, "new password")).await;
    assert_eq!(old.fails(400, "reset_expired"), "Reset password key expired.");
    app.login(&person.email, PASSWORD).await.data();
}

#[tokio::test]
async fn the_answer_does_not_tell_whether_the_account_exists() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let known = request(&app, &person.email).await;
    let unknown = request(&app, "bob@example.com").await;
    assert_eq!((known.status, &known.body), (unknown.status, &unknown.body));
    assert!(app.link_to("bob@example.com").await.is_none());
}
