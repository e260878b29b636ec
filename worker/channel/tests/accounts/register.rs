use serde_json::json;

use crate::app::{App, PASSWORD, registration};

#[tokio::test]
async fn a_registration_leaves_the_visitors_key_a_visitors() {
    let app = App::new().await;
    let visitor = app.visitor().await;
    app.get(&visitor, "settings").await.data();
    let session = app.post(&visitor, "v2/auth/register", registration(" Ada@Example.com ")).await.data();
    let user = &session["user"];
    assert_eq!(user["email"], "Ada@Example.com");
    assert_eq!((&user["email_verified"], &user["temporary_password"]), (&json!(false), &json!(false)));
    assert_eq!(user["capabilities"], json!(["watch", "clipping", "download_clip", "vod_media"]));
    let key = session["api_key"].as_str().unwrap();
    assert_eq!(&app.get(key, "profile").await.data(), user);
    app.get(&visitor, "profile").await.fails(401, "unauthenticated");
}

/// `AUTH-6`, `VAL-5`, `VAL-6`.
#[tokio::test]
async fn every_fault_of_a_registration_is_reported() {
    let app = App::new().await;
    let visitor = app.visitor().await;
    let answer = app.post(&visitor, "v2/auth/register", json!({})).await;
    assert_eq!(answer.fails(400, "validation"), "Enter your first name.");
    assert_eq!(answer.blames("last_name"), "Enter your last name.");
    assert_eq!(answer.blames("email"), "Enter your Email.");
    assert_eq!(answer.blames("password"), "The password is too short.");
    assert_eq!(answer.blames("terms"), "Please accept terms & conditions.");
    for (field, value, message) in [
        ("first_name", json!("x".repeat(101)), "Field length must be less than 101."),
        ("email", json!("ada@example"), "A valid email address is required"),
        ("password", json!("x".repeat(129)), "Field length must be less than 129."),
        ("terms", json!(false), "Please accept terms & conditions."),
    ] {
        let mut body = registration("ada@example.com");
        body[field] = value;
        assert_eq!(app.post(&visitor, "v2/auth/register", body).await.blames(field), message);
    }
    let mut body = registration("ada@example.com");
    body["password_confirmation"] = json!("another horse");
    let answer = app.post(&visitor, "v2/auth/register", body).await;
    assert_eq!(answer.blames("password_confirmation"), "The password and password confirmation do not match.");
}

#[tokio::test]
async fn an_address_is_registered_once_regardless_of_case() {
    let app = App::new().await;
    app.person("ada").await;
    let visitor = app.visitor().await;
    let answer = app.post(&visitor, "v2/auth/register", registration("ADA@example.com")).await;
    assert_eq!(answer.blames("email"), "The email address you have entered is already registered.");
    // The visitor keeps their key.
    app.get(&visitor, "settings").await.data();
}

/// `VAL-1`: the Unicode and DNS forms of a domain are equal.
#[tokio::test]
async fn unicode_and_dns_domains_are_the_same_account() {
    let app = App::new().await;
    let [unicode, dns] = ["J\u{f6}rg@b\u{fc}cher.example", "j\u{f6}rg@xn--bcher-kva.example"];
    let visitor = app.visitor().await;
    let session = app.post(&visitor, "v2/auth/register", registration(unicode)).await.data();
    assert_eq!(session["user"]["email"], unicode);
    let refused = app.post(&app.visitor().await, "v2/auth/register", registration(dns)).await;
    assert_eq!(refused.blames("email"), "The email address you have entered is already registered.");
    assert_eq!(app.login(dns, PASSWORD).await.data()["user"]["id"], session["user"]["id"]);
}

#[tokio::test]
async fn a_logged_in_person_cannot_register() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let answer = app.post(&person.key, "v2/auth/register", registration("b@example.com")).await;
    assert_eq!(answer.fails(400, "already_logged_in"), "You are already logged in.");
}

#[tokio::test]
async fn a_link_verifies_an_address_once() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let link = app.link_to(&person.email).await.unwrap();
    let visitor = app.visitor().await;

    let mut forged = link.clone();
    forged["expires"] = json!(link["expires"].as_i64().unwrap() + 1);
    let answer = app.post(&visitor, "auth/email-verify", forged).await;
    assert_eq!(answer.fails(400, "verification_failed"), "Verification failed.");
    // A link for another purpose does not verify.
    app.post(&visitor, "auth/password-reset-request", json!({ "email": person.email })).await.data();
    app.clock.advance_ms(1);
    let reset = app.link_to(&person.email).await.unwrap();
    app.post(&visitor, "auth/email-verify", reset).await.fails(400, "verification_failed");
    assert_eq!(app.get(&person.key, "profile").await.data()["email_verified"], false);

    app.post(&visitor, "auth/email-verify", link.clone()).await.data();
    assert_eq!(app.get(&person.key, "profile").await.data()["email_verified"], true);
    let answer = app.post(&visitor, "auth/email-verify", link).await;
    assert_eq!(answer.fails(400, "already_verified"), "Email already verified.");
}

#[tokio::test]
async fn a_link_expires() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let link = app.link_to(&person.email).await.unwrap();
    app.clock.advance_ms(7 * 24 * 3600 * 1000);
    app.post(&app.visitor().await, "auth/email-verify", link).await.fails(400, "verification_failed");
}
