use serde_json::{Value, json};
use touchline_channel::routes::operator::accounts;
use touchline_store::Mail;

use crate::app::{App, PASSWORD, Person};

async fn patch(app: &App, person: &Person, mut body: Value) -> crate::app::Answer {
    body["_method"] = json!("patch");
    app.post(&person.key, "profile", body).await
}

/// `CALL-3`.
#[tokio::test]
async fn only_the_fields_of_the_request_change() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let before = app.get(&person.key, "profile").await.data();
    let body = json!({ "first_name": " Augusta ", "phone": "+1 (555) 123-4567" });
    let after = patch(&app, &person, body).await.data();
    let mut expected = before;
    expected["first_name"] = json!("Augusta");
    expected["phone"] = json!("+1 (555) 123-4567");
    assert_eq!(after, expected);
    assert_eq!(app.get(&person.key, "profile").await.data(), expected);
}

#[tokio::test]
async fn an_invalid_value_changes_nothing() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let before = app.get(&person.key, "profile").await.data();
    app.post(&person.key, "profile", json!({ "first_name": "X" })).await.blames("_method");
    for field in ["current_password", "password_confirmation"] {
        patch(&app, &person, json!({ "first_name": "X", field: "x".repeat(129) })).await.blames(field);
    }
    for (field, value) in
        [("first_name", ""), ("last_name", " "), ("email", "nobody"), ("phone", "555"), ("password", "short")]
    {
        patch(&app, &person, json!({ "current_password": PASSWORD, field: value })).await.blames(field);
    }
    app.person("bob").await;
    let existing = json!({ "email": "BOB@example.com", "current_password": PASSWORD });
    assert_eq!(
        patch(&app, &person, existing).await.blames("email"),
        "The email address you have entered is already registered."
    );
    assert_eq!(app.get(&person.key, "profile").await.data(), before);
}

/// `AUTH-13`.
#[tokio::test]
async fn a_new_address_requires_the_password_and_a_confirmation() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let link = app.link_to(&person.email).await.unwrap();
    app.post(&person.key, "auth/email-verify", link).await.data();

    assert_eq!(
        patch(&app, &person, json!({ "email": "new@example.com" })).await.blames("current_password"),
        "Field is required."
    );
    let wrong = json!({ "email": "new@example.com", "current_password": "wrong horse" });
    patch(&app, &person, wrong).await.blames("current_password");
    let right = json!({ "email": "new@example.com", "current_password": PASSWORD });
    let now = patch(&app, &person, right).await.data();
    assert_eq!(
        (&now["email"], &now["email_verified"]),
        (&json!(person.email), &json!(true)),
        "nothing has changed yet"
    );
    app.login(&person.email, PASSWORD).await.data();
    let link = app.link_to("new@example.com").await.unwrap();
    app.post(&app.visitor().await, "auth/email-verify", link.clone()).await.data();
    let now = app.get(&person.key, "profile").await.data();
    assert_eq!((&now["email"], &now["email_verified"]), (&json!("new@example.com"), &json!(true)));
    app.login(&person.email, PASSWORD).await.fails(400, "wrong_login");
    app.post(&person.key, "auth/email-verify", link).await.fails(400, "already_verified");
}

#[tokio::test]
async fn a_new_password_logs_out_all_other_devices() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let other = app.login(&person.email, PASSWORD).await.data();
    let other = other["api_key"].as_str().unwrap();
    app.get(other, "profile").await.data();
    let unproved = json!({ "password": "new password", "password_confirmation": "new password" });
    assert_eq!(patch(&app, &person, unproved).await.blames("current_password"), "Field is required.");
    let body = json!({
        "current_password": PASSWORD, "password": "new password", "password_confirmation": "new password"
    });
    patch(&app, &person, body).await.data();
    app.get(&person.key, "profile").await.data();
    app.get(other, "profile").await.fails(400, "api_key");
    app.login(&person.email, PASSWORD).await.fails(400, "wrong_login");
    app.login(&person.email, "new password").await.data();
}

/// `AUTH-15`.
#[tokio::test]
async fn a_new_password_is_announced_to_a_confirmed_address() {
    let app = App::new().await;
    let headers = [("user-agent", "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0")];
    for (person, is_sent) in [(app.verified_person("ada").await, true), (app.person("bob").await, false)] {
        let body = json!({
            "_method": "patch", "current_password": PASSWORD, "password": "new password",
            "password_confirmation": "new password"
        });
        app.post_with(&person.key, "profile", &headers, body).await.data();
        let mails = app.state.store.due_mails(i64::MAX, 10).await.unwrap();
        let of_person = |mail: &&Mail| mail.recipient == person.email && mail.subject.contains("password");
        let notice = mails.iter().find(of_person);
        assert_eq!(notice.is_some(), is_sent, "{mails:?}");
        if let Some(Mail { subject, text, .. }) = notice {
            assert_eq!(subject, "Your Meadow Sports password was changed");
            let parts = ["\nTime: ", "\nDevice: Firefox, Windows\n", "choose \u{201c}Forgot your password?\u{201d}"];
            assert!(parts.iter().all(|part| text.contains(part)), "{text}");
            assert!(!text.contains("://"), "{text}");
        }
    }
}

#[tokio::test]
async fn a_temporary_password_only_allows_changing_it() {
    let app = App::new().await;
    let person = app.temporary("temp").await;
    assert_eq!(app.get(&person.key, "profile").await.data()["temporary_password"], true);

    app.get(&person.key, "orders").await.fails(403, "temporary_password");
    app.get(&person.key, "favorites").await.fails(403, "temporary_password");
    app.get(&person.key, "auth/sessions").await.fails(403, "temporary_password");
    app.post(&person.key, "stripe/setup-intent", json!({})).await.fails(403, "temporary_password");
    app.get(&person.key, "user/access").await.fails(403, "temporary_password");
    let register_only = app.get(&person.key, "events/3").await.data();
    assert_eq!(register_only["has_access"], false);

    let same =
        json!({ "current_password": PASSWORD, "password": PASSWORD, "password_confirmation": PASSWORD, "phone": "" });
    assert_eq!(patch(&app, &person, same).await.blames("password"), "Please change your temporary password first.");
    assert_eq!(app.get(&person.key, "profile").await.data()["temporary_password"], true);
    app.get(&person.key, "orders").await.fails(403, "temporary_password");

    let body = json!({
        "current_password": PASSWORD, "password": "new password", "password_confirmation": "new password"
    });
    assert_eq!(patch(&app, &person, body).await.data()["temporary_password"], false);
    app.get(&person.key, "orders").await.data();
    assert_eq!(app.get(&person.key, "events/3").await.data()["has_access"], true);
}

#[tokio::test]
async fn a_visitor_has_no_profile() {
    let app = App::new().await;
    let visitor = app.visitor().await;
    app.get(&visitor, "profile").await.fails(401, "unauthenticated");
    app.get(&visitor, "user/access").await.fails(401, "unauthenticated");
    app.post(&visitor, "profile", json!({ "_method": "patch" })).await.fails(401, "unauthenticated");
}

/// `AUTH-10`.
#[tokio::test]
async fn a_person_with_a_temporary_password_can_change_only_that() {
    let app = App::new().await;
    let ada = app.person("ada").await;
    let setting = accounts::Setting { temporary_password: true, ..accounts::Setting::default() };
    let password = accounts::set(&app.state, ada.id, setting).await.unwrap().unwrap();
    let session = app.login(&ada.email, &password).await.data();
    let ada = Person { key: session["api_key"].as_str().unwrap().to_owned(), ..ada };
    let before = app.get(&ada.key, "profile").await.data();
    for change in [
        json!({ "first_name": "Eve" }),
        json!({ "last_name": "Eve" }),
        json!({ "phone": "+1 (555) 123-4567" }),
        json!({ "email": "eve@example.com", "current_password": password }),
        json!({}),
    ] {
        patch(&app, &ada, change).await.fails(403, "temporary_password");
    }
    let body =
        json!({ "current_password": password, "password": "another horse", "password_confirmation": "another horse" });
    let mut with_name = body.clone();
    with_name["first_name"] = json!("Eve");
    patch(&app, &ada, with_name).await.fails(403, "temporary_password");
    for path in ["user/access", "orders", "favorites", "clips/user", "auth/sessions", "auth/linked_logins"] {
        app.get(&ada.key, path).await.fails(403, "temporary_password");
    }
    assert_eq!(app.get(&ada.key, "profile").await.data(), before);
    // Nor may they receive the status socket's messages, which uses the same check.
    let identity = app.state.authenticate(&ada.key).await.unwrap().unwrap();
    assert_eq!((identity.user_id, identity.person_id), (None, Some(ada.id)));

    // Repeating an unchanged value is not a change.
    let mut repeated = body;
    repeated["first_name"] = before["first_name"].clone();
    patch(&app, &ada, repeated).await.data();
    app.get(&ada.key, "user/access").await.data();
    assert_eq!(app.state.authenticate(&ada.key).await.unwrap().unwrap().user_id, Some(ada.id));
    patch(&app, &ada, json!({ "first_name": "Augusta" })).await.data();
}
