use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::Barrier;
use tokio::time::timeout;
use touchline_channel::auth::email_tokens::LinkPurpose;
use touchline_channel::erasure;
use touchline_channel::mail::delivery;
use touchline_channel::person_eraser::PersonEraser;
use touchline_channel::routes::operator::accounts;
use touchline_store::{Erasure, NewUser, RegisterResult, User, no_mail};

use crate::app::{App, PASSWORD, registration};

#[derive(Debug, Default)]
struct Remembers(Mutex<Vec<(i64, String)>>);

#[async_trait]
impl PersonEraser for Remembers {
    async fn erase(&self, person: &Erasure) -> anyhow::Result<()> {
        self.0.lock().push((person.user_id, person.email.clone()));
        Ok(())
    }
}

#[tokio::test]
async fn a_mailed_link_deletes_the_account_and_all_personal_data() {
    let eraser = Arc::new(Remembers::default());
    let app = App::with(|options| options.erasers.push(Arc::clone(&eraser) as Arc<dyn PersonEraser>)).await;
    let person = app.person("ada").await;
    app.post(&person.key, "favorite", json!({ "favoritable_id": 101, "favoritable_type": "participant" })).await.data();
    app.clock.advance_ms(1);
    app.post(&person.key, "delete-account", json!({})).await.data();
    let link = app.link_to(&person.email).await.unwrap();
    let visitor = app.visitor().await;
    let mut forged = link.clone();
    forged["signature"] = json!("00");
    app.post(&visitor, "delete-account-confirm", forged).await.fails(400, "verification_failed");
    assert!(eraser.0.lock().is_empty());

    app.post(&visitor, "delete-account-confirm", link.clone()).await.data();
    // The account is deleted before its other traces.
    app.get(&person.key, "profile").await.fails(400, "api_key");
    assert!(eraser.0.lock().is_empty());
    erasure::finish_due(&app.state.erasures()).await.unwrap();
    erasure::finish_due(&app.state.erasures()).await.unwrap();
    assert_eq!(*eraser.0.lock(), [(person.id, person.email.clone())]);
    app.get(&person.key, "profile").await.fails(400, "api_key");
    app.login(&person.email, PASSWORD).await.fails(400, "wrong_login");
    let again = app.post(&visitor, "delete-account-confirm", link).await;
    assert_eq!(again.fails(400, "user_not_found"), "User not found.");
    assert!(app.state.store.user(person.id).await.unwrap().is_none());
    // Somebody else can register the address.
    let session = app.post(&visitor, "v2/auth/register", registration(&person.email)).await.data();
    assert_ne!(session["user"]["id"], person.id);
}

#[tokio::test]
async fn a_visitor_has_no_account_to_delete() {
    let app = App::new().await;
    app.post(&app.visitor().await, "delete-account", json!({})).await.fails(401, "unauthenticated");
}

/// `AUTH-4`: a link belongs to an account, not to an address.
#[tokio::test]
async fn a_link_does_not_affect_a_later_account_with_the_same_address() {
    let app = App::new().await;
    let first = app.person("ada").await;
    let to_verify = app.link_to(&first.email).await.unwrap();
    app.clock.advance_ms(1);
    app.post(&first.key, "delete-account", json!({})).await.data();
    let to_delete = app.link_to(&first.email).await.unwrap();
    let visitor = app.visitor().await;
    app.post(&visitor, "delete-account-confirm", to_delete.clone()).await.data();

    let second = app.person("ada").await;
    assert_eq!(second.email, first.email);
    app.post(&visitor, "delete-account-confirm", to_delete.clone()).await.fails(400, "user_not_found");
    app.post(&visitor, "auth/email-verify", to_verify).await.fails(400, "user_not_found");
    assert_eq!(app.get(&second.key, "profile").await.data()["email_verified"], false);

    // Nor for an account that got the address while its first owner still exists.
    app.clock.advance_ms(1);
    app.post(&second.key, "delete-account", json!({})).await.data();
    let to_delete = app.link_to(&second.email).await.unwrap();
    app.move_to(&second, "away@example.com").await;
    let third = app.person("ada").await;
    app.post(&visitor, "delete-account-confirm", to_delete).await.fails(400, "user_not_found");
    for person in [&second, &third] {
        assert_eq!(app.get(&person.key, "profile").await.data()["id"], person.id);
    }
}

/// `AUTH-4`: recovering an account invalidates the links of an intruder.
#[tokio::test]
async fn a_password_change_invalidates_a_deletion_link() {
    let app = App::new().await;
    let person = app.person("ada").await;
    app.clock.advance_ms(1);
    app.post(&person.key, "delete-account", json!({})).await.data();
    let link = app.link_to(&person.email).await.unwrap();
    let change = json!({
        "_method": "patch", "current_password": PASSWORD, "password": "another one", "password_confirmation": "another one",
    });
    app.post(&person.key, "profile", change).await.data();
    let visitor = app.visitor().await;
    app.post(&visitor, "delete-account-confirm", link).await.fails(400, "verification_failed");
    app.login(&person.email, "another one").await.data();

    // A link that is requested afterwards works.
    app.clock.advance_ms(1);
    let key = app.login(&person.email, "another one").await.data()["api_key"].as_str().unwrap().to_owned();
    app.post(&key, "delete-account", json!({})).await.data();
    let link = app.link_to(&person.email).await.unwrap();
    app.post(&visitor, "delete-account-confirm", link).await.data();
}

/// A person with this address in another channel.
async fn elsewhere(app: &App, email: &str) -> User {
    let new = NewUser {
        channel_key: "moor".to_owned(),
        email: email.to_owned(),
        email_verified: false,
        first_name: "Ada".to_owned(),
        last_name: "Byron".to_owned(),
        password_hash: None,
        temporary_password: false,
        capabilities: Vec::new(),
        social: None,
        at: 0,
    };
    let RegisterResult::New(user, _) = app.state.store.register_user(new, None, None, &no_mail).await.unwrap() else {
        panic!("the address is free in this channel")
    };
    *user
}

#[tokio::test]
async fn mails_to_an_erased_person_are_removed_and_other_mails_stay() {
    for was_sent in [false, true] {
        let app = App::new().await;
        let ada = app.person("ada").await;
        // A mail to her former address is hers as well.
        let body = json!({ "_method": "patch", "email": "ada2@example.com", "current_password": PASSWORD });
        app.post(&ada.key, "profile", body).await.data();
        let other = elsewhere(&app, "ada2@example.com").await;
        let channel = app.state.channels.by_key("meadow").unwrap();
        app.state.queue_mail(&channel, LinkPurpose::VerifyEmail, Some(&other), None).await.unwrap();
        if was_sent {
            delivery::send_due(&app.state.delivery()).await.unwrap();
        }
        let user = app.state.store.user(ada.id).await.unwrap().unwrap();
        accounts::erase(&app.state, &user).await.unwrap();
        delivery::send_due(&app.state.delivery()).await.unwrap();
        let remaining = app.mail().emails().unwrap();
        assert_eq!(remaining.len(), 1, "{remaining:?}");
        assert!(remaining[0].raw.contains("To: ada2@example.com"), "{remaining:?}");
    }
}

/// Fails until the flag is set.
#[derive(Debug, Default)]
struct Unreachable(AtomicBool);

#[async_trait]
impl PersonEraser for Unreachable {
    async fn erase(&self, _: &Erasure) -> anyhow::Result<()> {
        if self.0.load(Ordering::Relaxed) { Ok(()) } else { Err(anyhow::anyhow!("the lake is away")) }
    }
}

/// Erases two people only if both wait for it at once.
#[derive(Debug)]
struct Together(Barrier);

#[async_trait]
impl PersonEraser for Together {
    async fn erase(&self, _: &Erasure) -> anyhow::Result<()> {
        timeout(Duration::from_secs(5), self.0.wait()).await?;
        Ok(())
    }
}

/// `AUTH-12`.
#[tokio::test]
async fn people_who_are_due_are_erased_together() {
    let eraser = Arc::new(Together(Barrier::new(2)));
    let app = App::with(|options| options.erasers.push(Arc::clone(&eraser) as Arc<dyn PersonEraser>)).await;
    let people = [app.person("ada").await, app.person("bo").await];
    for person in &people {
        app.state.store.erase_user(person.id, app.state.clock.now_ms()).await.unwrap();
    }
    erasure::finish_due(&app.state.erasures()).await.unwrap();
    for person in &people {
        let remaining = app.state.store.erasure(person.id).await.unwrap();
        let is_delayed_for_others = app.state.store.is_shared();
        assert_eq!(remaining.is_some(), is_delayed_for_others, "{remaining:?}");
    }
}

/// `AUTH-12`.
#[tokio::test]
async fn an_unfinished_erasure_is_recorded_and_resumes_automatically() {
    let lake = Arc::new(Unreachable::default());
    let app = App::with(|options| options.erasers.push(Arc::clone(&lake) as Arc<dyn PersonEraser>)).await;
    let ada = app.person("ada").await;
    app.clock.advance_ms(1);
    app.post(&ada.key, "delete-account", json!({})).await.data();
    let link = app.link_to(&ada.email).await.unwrap();
    app.post(&app.visitor().await, "delete-account-confirm", link).await.data();
    app.login(&ada.email, PASSWORD).await.fails(400, "wrong_login");

    erasure::finish_due(&app.state.erasures()).await.unwrap();
    let remaining = app.state.store.erasure(ada.id).await.unwrap().unwrap();
    assert_eq!((remaining.email.as_str(), remaining.attempts), (ada.email.as_str(), 1));
    erasure::finish_due(&app.state.erasures()).await.unwrap();
    assert_eq!(app.state.store.erasure(ada.id).await.unwrap().unwrap().attempts, 1, "the retry is delayed");

    lake.0.store(true, Ordering::Relaxed);
    // Every one of several workers gets time to remove its data.
    while let Some(due) = app.state.store.next_erasure().await.unwrap() {
        app.clock.advance_ms(due - app.state.clock.now_ms());
        erasure::finish_due(&app.state.erasures()).await.unwrap();
    }
    assert_eq!(app.state.store.erasure(ada.id).await.unwrap(), None, "the address is removed at the end");
}

/// `AUTH-12`.
#[tokio::test]
async fn problem_reports_naming_an_erased_person_are_removed_and_others_stay() {
    let app = App::new().await;
    let ada = app.person("ada").await;
    let visitor = app.visitor().await;
    let report = async |note: &str, seen: &str| {
        let log = format!("{{\"format\":\"touchline-log\",\"v\":1,\"seen\":\"{seen}\"}}\n");
        let body = json!({ "note": note, "page": "/", "log": log, "request_ids": [] });
        app.post(&visitor, "problem-report", body).await.data();
    };
    report("I am ADA@example.com and nothing plays", "").await;
    report("", "/verify-email?email=ada%40example.com").await;
    report("write to joada@example.com", "").await;
    let user = app.state.store.user(ada.id).await.unwrap().unwrap();
    accounts::erase(&app.state, &user).await.unwrap();
    let notes: Vec<_> =
        app.state.reports.stored().list(|_| true).unwrap().into_iter().map(|report| report.note).collect();
    assert_eq!(notes, ["write to joada@example.com"]);
}
