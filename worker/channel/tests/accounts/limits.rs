use serde_json::json;
use touchline_channel::auth::limits::{Rate, Rates};

use crate::app::{Answer, App, PASSWORD, Person};

fn three_a_minute() -> Rate {
    Rate { burst: 3, every_ms: 60_000 }
}

#[tokio::test]
async fn guessing_a_password_is_limited_by_account_whether_it_exists_or_not() {
    let app =
        App::with(|options| options.rates = Rates { login_by_account: three_a_minute(), ..Rates::unlimited() }).await;
    app.person("ada").await;
    for email in ["ada@example.com", "bob@example.com"] {
        for _ in 0..3 {
            app.login(email, "wrong horse").await.fails(400, "wrong_login");
        }
        let limited = app.login(&email.to_uppercase(), PASSWORD).await;
        limited.fails(429, "too_many");
        assert_eq!(limited.headers["retry-after"], "60");
    }
    app.clock.advance_ms(60_000);
    app.login("ada@example.com", PASSWORD).await.data();
    // Who knows the password is not held to the guesses of others.
    for _ in 0..3 {
        app.login("ada@example.com", PASSWORD).await.data();
    }
}

#[tokio::test]
async fn guessing_is_limited_by_address() {
    let app =
        App::with(|options| options.rates = Rates { login_by_address: three_a_minute(), ..Rates::unlimited() }).await;
    for number in 0..3 {
        app.login(&format!("{number}@example.com"), "wrong horse").await.fails(400, "wrong_login");
    }
    app.login("3@example.com", "wrong horse").await.fails(429, "too_many");
}

#[tokio::test]
async fn links_codes_letters_and_keys_are_limited() {
    let rates = Rates { guess: three_a_minute(), mail_by_account: three_a_minute(), ..Rates::unlimited() };
    let app = App::with(|options| options.rates = rates).await;
    let person = app.person("ada").await;
    let forged = json!({ "email": person.email, "expires": 1, "signature": "00" });
    let reset = json!({ "password": PASSWORD, "password_confirmation": PASSWORD });
    for (path, body) in [
        ("auth/add_session", json!({ "code": "ABCDEF" })),
        ("auth/email-verify", forged.clone()),
        ("delete-account-confirm", forged),
        ("auth/password-reset", reset),
        ("auth/password-reset-request", json!({ "email": "bob@example.com" })),
    ] {
        for _ in 0..3 {
            assert_ne!(app.post(&person.key, path, body.clone()).await.status, 429, "{path}");
        }
        app.post(&person.key, path, body).await.fails(429, "too_many");
    }
}

/// `AUTH-7`: many addresses are no way around the limit, and the limit keeps nobody from their own link.
#[tokio::test]
async fn forged_links_are_limited_by_account_wherever_they_come_from() {
    let app = App::with(|options| options.rates = Rates { guess: three_a_minute(), ..Rates::unlimited() }).await;
    let [ada, bob] = [app.person("ada").await, app.person("bob").await];
    let visitor = app.visitor().await;
    let mut addresses = (1..).map(|last| [10, 0, 0, last]);
    let mut post = async |path: &str, body| {
        let address = addresses.next().unwrap();
        app.post_from(address, &visitor, path, body).await
    };
    for path in ["auth/password-reset", "auth/email-verify", "delete-account-confirm"] {
        let forged = |email: &str| {
            json!({
                "email": email, "expires": 1, "signature": "00", "password": "new password",
                "password_confirmation": "new password",
            })
        };
        for _ in 0..3 {
            assert_eq!(post(path, forged(&ada.email)).await.status, 400, "{path}");
        }
        post(path, forged(&ada.email.to_uppercase())).await.fails(429, "too_many");
        assert_eq!(post(path, forged(&bob.email)).await.status, 400, "{path}: another's");
    }
    let link = app.link_to(&ada.email).await.unwrap();
    post("auth/email-verify", link).await.data();
}

async fn moves(app: &App, person: &Person, email: &str) -> Answer {
    let body = json!({ "_method": "patch", "email": email, "current_password": PASSWORD });
    app.post(&person.key, "profile", body).await
}

#[tokio::test]
async fn letters_to_a_changed_address_are_limited_by_account_and_by_address() {
    let rates = Rates { mail_by_account: three_a_minute(), ..Rates::unlimited() };
    let app = App::with(|options| options.rates = rates).await;
    let [ada, bob] = [app.person("ada").await, app.person("bob").await];
    for number in 0..3 {
        moves(&app, &ada, &format!("ada{number}@example.com")).await.data();
    }
    moves(&app, &ada, "ada3@example.com").await.fails(429, "too_many");
    let renamed = app.post(&ada.key, "profile", json!({ "_method": "patch", "first_name": "Augusta" })).await.data();
    assert_eq!(renamed["email"], "ada2@example.com", "and what sends no letter is not limited");
    // Nor can anyone try for long which addresses have an account.
    let taken = app.person("abe").await.email;
    for _ in 0..3 {
        moves(&app, &bob, &taken).await.blames("email");
    }
    moves(&app, &bob, &taken).await.fails(429, "too_many");
    // One address is written to by many accounts as rarely as by one.
    for name in ["cy", "di", "ed"] {
        let person = app.person(name).await;
        moves(&app, &person, "victim@example.com").await.data();
        moves(&app, &person, &person.email).await.data();
    }
    moves(&app, &app.person("flo").await, "victim@example.com").await.fails(429, "too_many");

    let rates = Rates { mail_by_address: three_a_minute(), ..Rates::unlimited() };
    let app = App::with(|options| options.rates = rates).await;
    for name in ["ada", "bob", "cy"] {
        moves(&app, &app.person(name).await, &format!("{name}2@example.com")).await.data();
    }
    moves(&app, &app.person("di").await, "di2@example.com").await.fails(429, "too_many");
}
