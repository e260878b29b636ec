use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::json;
use touchline_channel::auth::links::LinkPurpose;
use touchline_channel::mail::{FolderMailer, letters, post};
use touchline_channel::people::{self, PersonEraser};
use touchline_channel::store::{NewUser, Registered, User};

use crate::app::{App, PASSWORD, registration};

#[derive(Debug, Default)]
struct Remembers(Mutex<Vec<(i64, String)>>);

#[async_trait]
impl PersonEraser for Remembers {
    async fn erase(&self, user_id: i64, email: &str) -> anyhow::Result<()> {
        self.0.lock().push((user_id, email.to_owned()));
        Ok(())
    }
}

#[tokio::test]
async fn an_account_is_deleted_by_its_link_with_all_that_names_its_person() {
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
    assert_eq!(*eraser.0.lock(), [(person.id, person.email.clone())]);
    app.get(&person.key, "profile").await.fails(400, "api_key");
    app.login(&person.email, PASSWORD).await.fails(400, "wrong_login");
    let again = app.post(&visitor, "delete-account-confirm", link).await;
    assert_eq!(again.fails(400, "user_not_found"), "User not found.");
    assert!(app.state.store.user(person.id).await.unwrap().is_none());
    // The address is free again, for someone new.
    let session = app.post(&visitor, "v2/auth/register", registration(&person.email)).await.data();
    assert_ne!(session["user"]["id"], person.id);
}

#[tokio::test]
async fn a_visitor_has_no_account_to_delete() {
    let app = App::new().await;
    app.post(&app.visitor().await, "delete-account", json!({})).await.fails(401, "unauthenticated");
}

/// `AUTH-4`: a link is its account's, not its address's.
#[tokio::test]
async fn a_link_does_nothing_to_a_later_account_of_the_same_address() {
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

    // Nor to one that took the address over while its first owner is still there.
    app.clock.advance_ms(1);
    app.post(&second.key, "delete-account", json!({})).await.data();
    let to_delete = app.link_to(&second.email).await.unwrap();
    let away = json!({ "_method": "patch", "email": "away@example.com", "current_password": PASSWORD });
    app.post(&second.key, "profile", away).await.data();
    let third = app.person("ada").await;
    app.post(&visitor, "delete-account-confirm", to_delete).await.fails(400, "user_not_found");
    for person in [&second, &third] {
        assert_eq!(app.get(&person.key, "profile").await.data()["id"], person.id);
    }
}

/// Someone with this address in a channel of their own.
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
    let Registered::New(user, _) = app.state.store.register_user(new, None, None).await.unwrap() else {
        panic!("the address is free in this channel")
    };
    *user
}

#[tokio::test]
async fn letters_to_an_erased_person_are_gone_and_those_to_others_stay() {
    for was_sent in [false, true] {
        let app = App::new().await;
        let ada = app.person("ada").await;
        // A letter to the address that she had before is hers as well.
        let body = json!({ "_method": "patch", "email": "ada2@example.com", "current_password": PASSWORD });
        app.post(&ada.key, "profile", body).await.data();
        let other = elsewhere(&app, "ada2@example.com").await;
        let channel = app.state.channels.by_key("meadow").unwrap();
        letters::queue(&app.state, &channel, LinkPurpose::VerifyEmail, Some(&other), None).await.unwrap();
        if was_sent {
            post::send_due(&app.state).await.unwrap();
        }
        let user = app.state.store.user(ada.id).await.unwrap().unwrap();
        people::erase(&app.state, &user).await.unwrap();
        post::send_due(&app.state).await.unwrap();
        let mail = FolderMailer::new(app.folder.path().join("mail"), "a@b.test".parse().unwrap()).unwrap();
        let left = mail.letters().unwrap();
        assert_eq!(left.len(), 1, "{left:?}");
        assert!(left[0].raw.contains("To: ada2@example.com"), "{left:?}");
    }
}
