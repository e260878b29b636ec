use serde_json::json;
use touchline_channel::mail::delivery;
use touchline_channel::routes::operator::accounts::{self, Setting};

use super::social::{app, begin, finish, log_in};
use crate::app::{App, PASSWORD, Person};

/// Someone else's login that opens this account, and does so now.
async fn left_over(app: &App, person: &Person) {
    app.state.store.link_social(person.id, "google", "subject of eve@evil.test", 0).await.unwrap();
    assert_eq!(log_in(app, "eve@evil.test", false).await["user"]["id"], person.id);
}

/// The left-over login opens nothing any more.
async fn opens_nothing(app: &App) {
    let key = app.visitor().await;
    let state = begin(app, &key).await;
    finish(app, &key, "c:eve@evil.test:false", &state, false).await.fails(400, "not_registered");
}

/// `AUTH-9`.
#[tokio::test]
async fn a_left_over_login_does_not_outlive_a_password_reset() {
    let app = app().await;
    let ada = app.person("ada").await;
    left_over(&app, &ada).await;
    app.clock.advance_ms(1);
    let visitor = app.visitor().await;
    app.post(&visitor, "auth/password-reset-request", json!({ "email": ada.email })).await.data();
    let mut body = app.link_to(&ada.email).await.unwrap();
    body["password"] = json!("another horse");
    body["password_confirmation"] = json!("another horse");
    app.post(&visitor, "auth/password-reset", body).await.data();
    opens_nothing(&app).await;
}

#[tokio::test]
async fn a_left_over_login_does_not_outlive_a_change_of_address_and_the_former_one_is_told() {
    let app = app().await;
    let ada = app.person("ada").await;
    left_over(&app, &ada).await;
    app.clock.advance_ms(1);
    app.move_to(&ada, "ada2@example.com").await;
    opens_nothing(&app).await;

    delivery::send_due(&app.state.delivery()).await.unwrap();
    let letters = app.mail().letters().unwrap();
    let told: Vec<_> = letters.iter().filter(|letter| letter.raw.contains("was changed")).collect();
    assert_eq!(told.len(), 1, "{letters:?}");
    assert!(told[0].raw.contains("To: ada@example.com"), "{told:?}");
    assert!(!told[0].raw.contains("http") && !told[0].raw.contains("ada2@example.com"), "{told:?}");

    // Another case of the same letters is the same address: nobody is told, nothing is dropped.
    left_over(&app, &ada).await;
    let body = json!({ "_method": "patch", "email": "Ada2@Example.com", "current_password": PASSWORD });
    app.post(&ada.key, "profile", body).await.data();
    assert_eq!(log_in(&app, "eve@evil.test", false).await["user"]["id"], ada.id);
}

#[tokio::test]
async fn a_left_over_login_does_not_outlive_a_temporary_password() {
    let app = app().await;
    let ada = app.person("ada").await;
    left_over(&app, &ada).await;
    let setting = Setting { temporary_password: true, ..Setting::default() };
    accounts::set(&app.state, ada.id, setting).await.unwrap().unwrap();
    opens_nothing(&app).await;
}

#[tokio::test]
async fn a_left_over_login_does_not_outlive_one_that_proves_the_address() {
    for verified in [false, true] {
        let app = app().await;
        let ada = if verified { app.verified_person("ada").await } else { app.person("ada").await };
        left_over(&app, &ada).await;
        assert_eq!(log_in(&app, "ada@example.com", true).await["user"]["id"], ada.id);
        opens_nothing(&app).await;
        assert_eq!(log_in(&app, "ada@example.com", true).await["user"]["id"], ada.id);
    }
}

#[tokio::test]
async fn a_left_over_login_outlives_a_verified_address_only_where_its_own_account_verifies_it() {
    let app = app().await;
    let ada = app.person("ada").await;
    let link = app.link_to(&ada.email).await.unwrap();
    left_over(&app, &ada).await;
    app.post(&ada.key, "auth/email-verify", link).await.data();
    assert_eq!(log_in(&app, "eve@evil.test", false).await["user"]["id"], ada.id);

    app.clock.advance_ms(1);
    let bob = app.person("bob").await;
    let link = app.link_to(&bob.email).await.unwrap();
    app.state.store.unlink_social(ada.id, "google").await.unwrap();
    left_over(&app, &bob).await;
    app.post(&app.visitor().await, "auth/email-verify", link).await.data();
    opens_nothing(&app).await;
}

/// `AUTH-9`, `CALL-11`.
#[tokio::test]
async fn linked_logins_are_listed_and_removed_and_anothers_are_not() {
    let app = app().await;
    let (ada, bob) = (app.person("ada").await, app.person("bob").await);
    assert_eq!(app.get(&ada.key, "auth/linked_logins").await.data(), json!([]));
    app.clock.advance_ms(1500);
    left_over(&app, &ada).await;
    let listed = app.get(&ada.key, "auth/linked_logins").await.data();
    assert_eq!(listed, json!([{ "provider": "google", "linked_at": "1970-01-01T00:00:00.000Z" }]));
    app.delete(&bob.key, "auth/linked_logins/google").await.fails(404, "not_found");
    app.delete(&ada.key, "auth/linked_logins/facebook").await.fails(404, "not_found");
    app.delete(&ada.key, "auth/linked_logins/google").await.data();
    assert_eq!(app.get(&ada.key, "auth/linked_logins").await.data(), json!([]));
    opens_nothing(&app).await;
    app.get(&app.visitor().await, "auth/linked_logins").await.fails(401, "unauthenticated");
}
