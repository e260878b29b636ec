use serde_json::json;
use touchline_channel::mail::delivery;
use touchline_channel::routes::operator::accounts::{self, Setting};

use super::social::{app, finish, log_in, start_login};
use crate::app::{App, PASSWORD, Person};

/// Connects another person's social login to the account.
async fn connect_login(app: &App, person: &Person) {
    app.state.store.link_social(person.id, "google", "subject of eve@evil.test", 0).await.unwrap();
    assert_eq!(log_in(app, "eve@evil.test", false).await["user"]["id"], person.id);
}

/// Asserts that the social login no longer opens the account.
async fn assert_disconnected(app: &App) {
    let key = app.visitor().await;
    let state = start_login(app, &key).await;
    finish(app, &key, "c:eve@evil.test:false", &state, false).await.fails(400, "not_registered");
}

/// `AUTH-9`.
#[tokio::test]
async fn a_password_reset_disconnects_social_logins() {
    let app = app().await;
    let ada = app.person("ada").await;
    connect_login(&app, &ada).await;
    app.clock.advance_ms(1);
    let visitor = app.visitor().await;
    app.post(&visitor, "auth/password-reset-request", json!({ "email": ada.email })).await.data();
    let mut body = app.link_to(&ada.email).await.unwrap();
    body["password"] = json!("another horse");
    body["password_confirmation"] = json!("another horse");
    app.post(&visitor, "auth/password-reset", body).await.data();
    assert_disconnected(&app).await;
}

#[tokio::test]
async fn an_address_change_disconnects_social_logins_and_notifies_the_former_address() {
    let app = app().await;
    let ada = app.person("ada").await;
    connect_login(&app, &ada).await;
    app.clock.advance_ms(1);
    app.move_to(&ada, "ada2@example.com").await;
    assert_disconnected(&app).await;

    delivery::send_due(&app.state.delivery()).await.unwrap();
    let mails = app.mail().emails().unwrap();
    let notices: Vec<_> = mails.iter().filter(|email| email.raw.contains("was changed")).collect();
    assert_eq!(notices.len(), 1, "{mails:?}");
    assert!(notices[0].raw.contains("To: ada@example.com"), "{notices:?}");
    assert!(!notices[0].raw.contains("http") && !notices[0].raw.contains("ada2@example.com"), "{notices:?}");

    // Changing only the case keeps the address: no mail is sent, and the login stays connected.
    connect_login(&app, &ada).await;
    let body = json!({ "_method": "patch", "email": "Ada2@Example.com", "current_password": PASSWORD });
    app.post(&ada.key, "profile", body).await.data();
    assert_eq!(log_in(&app, "eve@evil.test", false).await["user"]["id"], ada.id);
}

#[tokio::test]
async fn a_temporary_password_disconnects_social_logins() {
    let app = app().await;
    let ada = app.person("ada").await;
    connect_login(&app, &ada).await;
    let setting = Setting { temporary_password: true, ..Setting::default() };
    accounts::set(&app.state, ada.id, setting).await.unwrap().unwrap();
    assert_disconnected(&app).await;
}

#[tokio::test]
async fn a_login_that_proves_the_address_disconnects_older_ones() {
    for verified in [false, true] {
        let app = app().await;
        let ada = if verified { app.verified_person("ada").await } else { app.person("ada").await };
        connect_login(&app, &ada).await;
        assert_eq!(log_in(&app, "ada@example.com", true).await["user"]["id"], ada.id);
        assert_disconnected(&app).await;
        assert_eq!(log_in(&app, "ada@example.com", true).await["user"]["id"], ada.id);
    }
}

#[tokio::test]
async fn a_social_login_survives_only_its_accounts_verification() {
    let app = app().await;
    let ada = app.person("ada").await;
    let link = app.link_to(&ada.email).await.unwrap();
    connect_login(&app, &ada).await;
    app.post(&ada.key, "auth/email-verify", link).await.data();
    assert_eq!(log_in(&app, "eve@evil.test", false).await["user"]["id"], ada.id);

    app.clock.advance_ms(1);
    let bob = app.person("bob").await;
    let link = app.link_to(&bob.email).await.unwrap();
    app.state.store.unlink_social(ada.id, "google").await.unwrap();
    connect_login(&app, &bob).await;
    app.post(&app.visitor().await, "auth/email-verify", link).await.data();
    assert_disconnected(&app).await;
}

/// `AUTH-9`, `CALL-11`.
#[tokio::test]
async fn other_peoples_connected_accounts_are_neither_listed_nor_removed() {
    let app = app().await;
    let (ada, bob) = (app.person("ada").await, app.person("bob").await);
    assert_eq!(app.get(&ada.key, "auth/linked_logins").await.data(), json!([]));
    app.clock.advance_ms(1500);
    connect_login(&app, &ada).await;
    let listed = app.get(&ada.key, "auth/linked_logins").await.data();
    assert_eq!(listed, json!([{ "provider": "google", "linked_at": "1970-01-01T00:00:00.000Z" }]));
    app.delete(&bob.key, "auth/linked_logins/google").await.fails(404, "not_found");
    app.delete(&ada.key, "auth/linked_logins/facebook").await.fails(404, "not_found");
    app.delete(&ada.key, "auth/linked_logins/google").await.data();
    assert_eq!(app.get(&ada.key, "auth/linked_logins").await.data(), json!([]));
    assert_disconnected(&app).await;
    app.get(&app.visitor().await, "auth/linked_logins").await.fails(401, "unauthenticated");
}
