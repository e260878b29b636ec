use serde_json::json;
use touchline_channel::routes::operator::accounts;
use touchline_store::no_mail;

use crate::app::{App, PASSWORD};

#[tokio::test]
async fn a_login_leaves_the_visitors_key_a_visitors() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let visitor = app.visitor().await;
    let body = json!({ "email": "ADA@example.com", "password": PASSWORD });
    let session = app.post(&visitor, "v2/auth/login", body).await.data();
    assert_eq!(session["user"]["id"], person.id);
    app.get(session["api_key"].as_str().unwrap(), "profile").await.data();
    app.get(&visitor, "profile").await.fails(401, "unauthenticated");
    // The other device stays logged in.
    app.get(&person.key, "profile").await.data();
}

#[tokio::test]
async fn a_wrong_address_and_a_wrong_password_give_the_same_error() {
    let app = App::new().await;
    app.person("ada").await;
    let wrong_password = app.login("ada@example.com", "wrong horse").await;
    let wrong_address = app.login("bob@example.com", PASSWORD).await;
    assert_eq!(wrong_password.fails(400, "wrong_login"), "Invalid email or password. Please try again.");
    assert_eq!(wrong_password.body, wrong_address.body);
}

#[tokio::test]
async fn a_logged_in_person_cannot_log_in_again() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let body = json!({ "email": person.email, "password": PASSWORD });
    app.post(&person.key, "v2/auth/login", body).await.fails(400, "already_logged_in");
}

#[tokio::test]
async fn a_blocked_person_is_logged_out_and_cannot_return() {
    let app = App::new().await;
    let person = app.person("ada").await;
    app.get(&person.key, "profile").await.data();
    accounts::block(&app.state, person.id, true).await.unwrap();
    app.get(&person.key, "profile").await.fails(400, "api_key");
    app.login(&person.email, PASSWORD).await.fails(400, "wrong_login");
    accounts::block(&app.state, person.id, false).await.unwrap();
    app.login(&person.email, PASSWORD).await.data();
}

#[tokio::test]
async fn an_account_of_another_channel_does_not_work_here() {
    let app = App::new().await;
    let mut new = touchline_store::NewUser {
        channel_key: "moor".to_owned(),
        email: "ada@example.com".to_owned(),
        email_verified: true,
        first_name: String::new(),
        last_name: String::new(),
        password_hash: None,
        temporary_password: false,
        capabilities: Vec::new(),
        social: None,
        at: 0,
    };
    new.password_hash = Some(app.state.passwords.hash(PASSWORD, &*app.state.entropy).await.unwrap());
    app.state.store.register_user(new, None, None, &no_mail).await.unwrap();
    app.login("ada@example.com", PASSWORD).await.fails(400, "wrong_login");
}
