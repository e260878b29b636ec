use axum::http::header;
use serde_json::{Value, json};
use touchline_channel::auth::limits::{LimitedAction, Rate, Rates};

use crate::app::{Answer, App, PASSWORD, Person};

fn three_a_minute() -> Rate {
    Rate::new(3, 60_000)
}

#[tokio::test]
async fn password_guesses_are_limited_by_account_even_if_it_does_not_exist() {
    let app = App::with(|options| {
        options.rates = Rates::unlimited().with(LimitedAction::LoginByAccountAndAddress, three_a_minute())
    })
    .await;
    app.person("ada").await;
    for email in ["ada@example.com", "bob@example.com"] {
        for _ in 0..3 {
            app.login(email, "wrong horse").await.fails(400, "wrong_login");
        }
        let limited = app.login(&email.to_uppercase(), PASSWORD).await;
        limited.fails(429, "too_many");
        assert_eq!(limited.header(header::RETRY_AFTER), "60");
    }
    app.advance_rate_limits().await;
    app.login("ada@example.com", PASSWORD).await.data();
    // Other people's guesses do not affect a person who knows the password.
    for _ in 0..3 {
        app.login("ada@example.com", PASSWORD).await.data();
    }
}

#[tokio::test]
async fn password_guesses_are_limited_by_address() {
    let app =
        App::with(|options| options.rates = Rates::unlimited().with(LimitedAction::LoginByAddress, three_a_minute()))
            .await;
    for number in 0..3 {
        app.login(&format!("{number}@example.com"), "wrong horse").await.fails(400, "wrong_login");
    }
    app.login("3@example.com", "wrong horse").await.fails(429, "too_many");
}

#[tokio::test]
async fn links_and_codes_are_limited() {
    let rates = Rates::unlimited().with(LimitedAction::Guess, three_a_minute());
    let app = App::with(|options| options.rates = rates).await;
    let person = app.person("ada").await;
    let forged = json!({ "email": person.email, "expires": 1, "signature": "00" });
    let reset = json!({ "password": PASSWORD, "password_confirmation": PASSWORD });
    for (path, body) in [
        ("auth/add_session", json!({ "code": "ABCDEF" })),
        ("auth/email-verify", forged.clone()),
        ("delete-account-confirm", forged),
        ("auth/password-reset", reset),
    ] {
        for _ in 0..3 {
            assert_ne!(app.post(&person.key, path, body.clone()).await.status, 429, "{path}");
        }
        app.post(&person.key, path, body).await.fails(429, "too_many");
    }
}

/// `AUTH-7`: a school behind one address.
#[tokio::test]
async fn correct_links_do_not_count_as_guesses() {
    let app =
        App::with(|options| options.rates = Rates::unlimited().with(LimitedAction::Guess, three_a_minute())).await;
    let visitor = app.visitor().await;
    for name in ["ada", "bob", "cat", "dot", "eva"] {
        let person = app.person(name).await;
        let link = app.link_to(&person.email).await.unwrap();
        app.post(&visitor, "auth/email-verify", link).await.data();
    }
}

/// `AUTH-7`, `AUTH-13`: a used link is recognised, whatever was tried before.
#[tokio::test]
async fn a_used_link_is_recognised_after_wrong_ones() {
    let app =
        App::with(|options| options.rates = Rates::unlimited().with(LimitedAction::Guess, three_a_minute())).await;
    let visitor = app.visitor().await;
    let person = app.person("ada").await;
    let link = app.link_to(&person.email).await.unwrap();
    app.post(&visitor, "auth/email-verify", link.clone()).await.data();
    let guess = async |link: &Value| {
        let mut forged = link.clone();
        forged["expires"] = json!(link["expires"].as_i64().unwrap() + 1);
        for _ in 0..3 {
            app.post(&visitor, "auth/email-verify", forged.clone()).await.fails(400, "verification_failed");
        }
        app.post(&visitor, "auth/email-verify", forged).await.fails(429, "too_many");
    };
    guess(&link).await;
    app.post(&visitor, "auth/email-verify", link).await.fails(400, "already_verified");

    let change = json!({ "_method": "patch", "email": "ada@new.example", "current_password": PASSWORD });
    app.post(&person.key, "profile", change).await.data();
    let link = app.link_to("ada@new.example").await.unwrap();
    app.post(&visitor, "auth/email-verify", link.clone()).await.data();
    guess(&link).await;
    app.post(&visitor, "auth/email-verify", link).await.fails(400, "already_verified");
}

/// `AUTH-5`: televisions in a school behind one address.
#[tokio::test]
async fn correct_codes_do_not_count_as_guesses() {
    let app =
        App::with(|options| options.rates = Rates::unlimited().with(LimitedAction::Guess, three_a_minute())).await;
    let person = app.person("ada").await;
    for _ in 0..5 {
        let device = app.visitor().await;
        let code = app.post(&device, "auth/session_code", json!({})).await.data()["code"].clone();
        app.post(&person.key, "auth/add_session", json!({ "code": code })).await.data();
    }
    for _ in 0..3 {
        app.post(&person.key, "auth/add_session", json!({ "code": "ABCDEF" })).await.fails(400, "wrong_code");
    }
    app.post(&person.key, "auth/add_session", json!({ "code": "ABCDEF" })).await.fails(429, "too_many");

    // Another person at the same address.
    let other = app.person("bob").await;
    let device = app.visitor().await;
    let code = app.post(&device, "auth/session_code", json!({})).await.data()["code"].clone();
    app.post(&other.key, "auth/add_session", json!({ "code": code })).await.data();
}

/// `AUTH-5`: a class logs in its devices at once.
#[tokio::test]
async fn thirty_correct_codes_at_once_are_accepted() {
    let app = App::with(|options| options.rates = Rates::default()).await;
    let mut codes = Vec::new();
    for n in 0..30 {
        let person = app.person(&format!("pupil{n}")).await;
        let device = app.visitor().await;
        codes.push((person.key, app.post(&device, "auth/session_code", json!({})).await.data()["code"].clone()));
    }
    let linked = codes.iter().map(|(key, code)| app.post(key, "auth/add_session", json!({ "code": code })));
    for answer in futures_util::future::join_all(linked).await {
        answer.data();
    }
}

/// `AUTH-7`: more addresses do not raise the limit, and the limit never blocks a valid link.
#[tokio::test]
async fn forged_links_are_limited_by_account_from_any_address() {
    let app =
        App::with(|options| options.rates = Rates::unlimited().with(LimitedAction::Guess, three_a_minute())).await;
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
async fn address_change_mails_are_limited_by_account_and_by_address() {
    let rates = Rates::unlimited().with(LimitedAction::MailByAccountAndAddress, three_a_minute());
    let app = App::with(|options| options.rates = rates).await;
    let [ada, bob] = [app.person("ada").await, app.person("bob").await];
    for number in 0..3 {
        moves(&app, &ada, &format!("ada{number}@example.com")).await.data();
    }
    moves(&app, &ada, "ada3@example.com").await.fails(429, "too_many");
    let renamed = app.post(&ada.key, "profile", json!({ "_method": "patch", "first_name": "Augusta" })).await.data();
    assert_eq!(renamed["first_name"], "Augusta", "requests without mail are not limited");
    // Nor can anyone probe for long which addresses have an account.
    let registered = app.person("abe").await.email;
    for _ in 0..3 {
        moves(&app, &bob, &registered).await.blames("email");
    }
    moves(&app, &bob, &registered).await.fails(429, "too_many");
    // Many accounts cannot send more mail to an address than one.
    for name in ["cy", "di", "ed"] {
        let person = app.person(name).await;
        moves(&app, &person, "victim@example.com").await.data();
        moves(&app, &person, &person.email).await.data();
    }
    moves(&app, &app.person("flo").await, "victim@example.com").await.fails(429, "too_many");

    let rates = Rates::unlimited().with(LimitedAction::MailByAddress, three_a_minute());
    let app = App::with(|options| options.rates = rates).await;
    for name in ["ada", "bob", "cy"] {
        moves(&app, &app.person(name).await, &format!("{name}2@example.com")).await.data();
    }
    moves(&app, &app.person("di").await, "di2@example.com").await.fails(429, "too_many");
}

const OWNERS: [u8; 4] = [10, 1, 0, 1];
const GUESSERS: [u8; 4] = [10, 2, 0, 1];

/// The device cookie of a response, as a browser returns it.
fn device_of(answer: &Answer) -> String {
    let cookie = answer.header(header::SET_COOKIE);
    for mark in ["HttpOnly", "SameSite=Strict", "Path=/api"] {
        assert!(cookie.contains(mark), "{cookie}");
    }
    cookie.split(';').next().unwrap().to_owned()
}

async fn logs_in(app: &App, address: [u8; 4], device: Option<&str>, password: &str) -> Answer {
    let body = json!({ "email": "ada@example.com", "password": password });
    app.post_on(address, device, &app.visitor().await, "v2/auth/login", body).await
}

async fn request_reset(app: &App, address: [u8; 4], device: Option<&str>) -> u64 {
    let body = json!({ "email": "ada@example.com" });
    app.post_on(address, device, &app.visitor().await, "auth/password-reset-request", body).await.data();
    app.mail_count().await
}

/// `AUTH-7`: guesses from elsewhere lock the owner out neither at home nor on a known device.
#[tokio::test]
async fn guesses_from_one_address_lock_nobody_out_elsewhere() {
    let app = App::with(|options| options.rates = Rates::default()).await;
    app.person("ada").await;
    for _ in 0..10 {
        logs_in(&app, GUESSERS, None, "wrong horse").await.fails(400, "wrong_login");
    }
    logs_in(&app, GUESSERS, None, PASSWORD).await.fails(429, "too_many");
    let device = device_of(&logs_in(&app, OWNERS, None, PASSWORD).await);

    // Ten more addresses use up the account's shared limit.
    for last in 2..13 {
        for _ in 0..10 {
            logs_in(&app, [10, 2, 0, last], None, "wrong horse").await;
        }
    }
    logs_in(&app, OWNERS, None, PASSWORD).await.fails(429, "too_many");
    logs_in(&app, GUESSERS, Some(&device), PASSWORD).await.data();
    // The cookie gives a separate bucket, not access. A forged cookie gives nothing.
    for _ in 0..10 {
        logs_in(&app, OWNERS, Some(&device), "wrong horse").await.fails(400, "wrong_login");
    }
    logs_in(&app, OWNERS, Some(&device), PASSWORD).await.fails(429, "too_many");
    let forged = format!("{}x.{}", device.split('.').next().unwrap(), device.split_once('.').unwrap().1);
    logs_in(&app, OWNERS, Some(&forged), PASSWORD).await.fails(429, "too_many");
}

/// `AUTH-7`: above the limit, a request gets the usual response but sends no mail; the owner still gets theirs.
#[tokio::test]
async fn reset_requests_from_one_address_do_not_block_the_owners_mail() {
    let app = App::with(|options| options.rates = Rates::default()).await;
    app.person("ada").await;
    let device = device_of(&logs_in(&app, OWNERS, None, PASSWORD).await);
    let before = app.mail_count().await;
    for count in 1..=4 {
        assert_eq!(request_reset(&app, GUESSERS, None).await, before + count);
    }
    assert_eq!(request_reset(&app, GUESSERS, None).await, before + 4, "without revealing it");
    assert_eq!(request_reset(&app, OWNERS, None).await, before + 5);
    for last in 2..6 {
        for _ in 0..4 {
            request_reset(&app, [10, 2, 0, last], None).await;
        }
    }
    let sent = request_reset(&app, OWNERS, None).await;
    assert_eq!(sent, before + 12, "all addresses together used up the account's limit");
    assert_eq!(request_reset(&app, OWNERS, Some(&device)).await, sent + 1);
}

/// `AUTH-7`: a known code refills nothing, and buying does not bypass the limit.
#[tokio::test]
async fn a_valid_promo_code_does_not_help_guessing_others() {
    let app = App::with(|options| options.rates = Rates::default()).await;
    let person = app.person("ada").await;
    let mut guesses = 0;
    for guess in 0..100 {
        let _valid_code = app.get(&person.key, "apply_coupon?promo_code=TEN&type=event&id=1").await;
        let answer = app.get(&person.key, &format!("apply_coupon?promo_code=G{guess}&type=event&id=1")).await;
        if answer.status == 429 {
            break;
        }
        answer.blames("promo_code");
        guesses += 1;
    }
    assert_eq!(guesses, 12);
    app.get(&person.key, "apply_coupon?promo_code=TEN&type=event&id=1").await.fails(429, "too_many");
    let buys = json!({ "type": "package", "id": 1, "promo_code": "G1", "payment_method_id": "pm" });
    app.buy(&person, "one", buys).await.fails(429, "too_many");
}

/// `LIM-6`: new keys for the same call use bounded memory per person, and the latest ones still work.
#[tokio::test]
async fn stored_responses_are_limited_per_person() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let body = json!({ "favoritable_id": 101, "favoritable_type": "participant" });
    let mark =
        async |key: &str| app.post_with(&person.key, "favorite", &[("idempotency-key", key)], body.clone()).await;
    for key in 0..1_050 {
        app.clock.advance_ms(1);
        mark(&format!("key {key}")).await.data();
    }
    let stored = app.count("SELECT COUNT(*) FROM answers").await;
    assert!((900..=1_000).contains(&stored), "{stored}");
    let other = json!({ "favoritable_id": 102, "favoritable_type": "participant" });
    let again = app.post_with(&person.key, "favorite", &[("idempotency-key", "key 1049")], other).await;
    again.fails(409, "idempotency_conflict");
}
