use futures_util::future;
use serde_json::{Value, json};
use touchline_store::{NewUser, RegisterResult, no_mail};

use crate::app::{App, PASSWORD};

fn with_password(mut link: Value, password: &str) -> Value {
    link["password"] = json!(password);
    link["password_confirmation"] = json!(password);
    link
}

async fn request(app: &App, email: &str) -> crate::app::Answer {
    // Mails are found by their time.
    app.clock.advance_ms(1);
    app.post(&app.visitor().await, "auth/password-reset-request", json!({ "email": email })).await
}

#[tokio::test]
async fn a_reset_link_works_once_and_logs_out_everywhere() {
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
    let mails = app.state.store.due_mails(i64::MAX, 10).await.unwrap();
    let notices: Vec<_> = mails.iter().filter(|mail| mail.text.contains("was just changed")).collect();
    assert_eq!(notices.len(), 1, "{mails:?}");
    assert!(notices[0].text.contains("All devices are logged out.") && !notices[0].text.contains("://"));

    let again = app.post(&visitor, "auth/password-reset", with_password(link, "newer password")).await;
    assert_eq!(again.fails(400, "reset_expired"), "Reset password key expired.");
    app.login(&person.email, "new password").await.data();
}

/// `AUTH-4`.
#[tokio::test]
async fn concurrent_uses_of_a_reset_link_set_one_password() {
    let app = App::new().await;
    let person = app.person("ada").await;
    request(&app, &person.email).await.data();
    let link = app.link_to(&person.email).await.unwrap();
    let visitor = app.visitor().await;
    let uses = (0..12).map(|number| {
        let body = with_password(link.clone(), &format!("new password {number}"));
        app.post(&visitor, "auth/password-reset", body)
    });
    let answers = future::join_all(uses).await;
    let successes: Vec<_> = (0..12).filter(|number| answers[*number].status == 200).collect();
    assert_eq!(successes.len(), 1, "{successes:?}");
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        assert_eq!(answer.fails(400, "reset_expired"), "Reset password key expired.");
    }
    app.login(&person.email, &format!("new password {}", successes[0])).await.data();
}

#[tokio::test]
async fn an_expired_or_forged_reset_link_does_nothing() {
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
async fn the_response_does_not_reveal_whether_the_account_exists() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let existing = request(&app, &person.email).await;
    let unknown = request(&app, "bob@example.com").await;
    assert_eq!((existing.status, &existing.body), (unknown.status, &unknown.body));
    assert!(app.link_to("bob@example.com").await.is_none());
}

#[tokio::test]
async fn the_temporary_password_cannot_be_reused() {
    let app = App::new().await;
    let person = app.temporary("temp").await;
    request(&app, &person.email).await.data();
    let link = app.link_to(&person.email).await.unwrap();
    let visitor = app.visitor().await;
    let same = app.post(&visitor, "auth/password-reset", with_password(link.clone(), PASSWORD)).await;
    assert_eq!(same.blames("password"), "Please change your temporary password first.");
    assert_eq!(app.get(&person.key, "profile").await.data()["temporary_password"], true);
    app.post(&visitor, "auth/password-reset", with_password(link, "new password")).await.data();
    let session = app.login(&person.email, "new password").await.data();
    assert_eq!(session["user"]["temporary_password"], false);
}

/// A person who registered through another site has no password that a link could be bound to.
#[tokio::test]
async fn a_link_of_an_account_without_a_password_does_not_affect_a_later_one() {
    let app = App::new().await;
    let email = "social@example.com";
    let register = async || {
        let new = NewUser {
            channel_key: "meadow".to_owned(),
            email: email.to_owned(),
            email_verified: true,
            first_name: "Sol".to_owned(),
            last_name: "Person".to_owned(),
            password_hash: None,
            temporary_password: false,
            capabilities: Vec::new(),
            social: None,
            at: 0,
        };
        let RegisterResult::New(user, _) = app.state.store.register_user(new, None, None, &no_mail).await.unwrap()
        else {
            panic!("the address is free")
        };
        user
    };
    let first = register().await;
    request(&app, email).await.data();
    let old = app.link_to(email).await.unwrap();
    app.state.store.erase_user(first.id, 0).await.unwrap();
    register().await;
    let visitor = app.visitor().await;
    app.post(&visitor, "auth/password-reset", with_password(old, PASSWORD)).await.fails(400, "reset_failed");
    request(&app, email).await.data();
    let new = app.link_to(email).await.unwrap();
    app.post(&visitor, "auth/password-reset", with_password(new, PASSWORD)).await.data();
    app.login(email, PASSWORD).await.data();
}
