//! Callers.

use axum::http::Method;
use serde_json::{Value, json};
use touchline_protocol::ambient::Clock;
use touchline_store::{NewUser, RegisterResult, UserChange, no_mail};

use super::{Answer, App};

pub(crate) const PASSWORD: &str = "correct horse";

/// A logged-in person.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) key: String,
    pub(crate) id: i64,
    pub(crate) email: String,
}

impl App {
    /// A visitor's key.
    pub(crate) async fn visitor(&self) -> String {
        let body = json!({ "channel_key": self.channel_key }).to_string();
        let answer = self.send(Method::POST, "get_api_key", &[], body).await.data();
        answer["api_key"].as_str().unwrap().to_owned()
    }

    /// Registers a person by name.
    pub(crate) async fn person(&self, name: &str) -> Person {
        let email = format!("{name}@example.com");
        let session = self.post(&self.visitor().await, "v2/auth/register", registration(&email)).await.data();
        logged_in(&session, email)
    }

    /// Registers a person with a verified address.
    pub(crate) async fn verified_person(&self, name: &str) -> Person {
        let person = self.person(name).await;
        let change = UserChange { email_verified: Some(true), ..UserChange::default() };
        self.state.store.change_user(person.id, change, &[]).await.unwrap();
        person
    }

    /// A person with only these rights.
    pub(crate) async fn person_with_rights(&self, name: &str, capabilities: &[&str]) -> Person {
        self.stored_person(name, capabilities, false).await
    }

    /// A person who logged in with a temporary password.
    pub(crate) async fn temporary(&self, name: &str) -> Person {
        self.stored_person(name, &["watch", "download"], true).await
    }

    /// Adds a person to the store.
    async fn stored_person(&self, name: &str, capabilities: &[&str], temporary_password: bool) -> Person {
        let email = format!("{name}@example.com");
        let new = NewUser {
            channel_key: self.channel_key.to_owned(),
            email: email.clone(),
            email_verified: true,
            first_name: "Morgan".to_owned(),
            last_name: "Olsen".to_owned(),
            password_hash: Some(self.state.passwords.hash(PASSWORD, &*self.state.entropy).await.unwrap()),
            temporary_password,
            capabilities: capabilities.iter().map(|&name| name.to_owned()).collect(),
            social: None,
            at: self.clock.now_ms(),
        };
        let registered = self.state.store.register_user(new, None, None, &no_mail).await.unwrap();
        assert!(matches!(registered, RegisterResult::New(..)), "{registered:?}");
        logged_in(&self.login(&email, PASSWORD).await.data(), email)
    }

    /// Logs a person in on another device.
    pub(crate) async fn login(&self, email: &str, password: &str) -> Answer {
        let body = json!({ "email": email, "password": password });
        self.post(&self.visitor().await, "v2/auth/login", body).await
    }
}

fn logged_in(session: &Value, email: String) -> Person {
    let key = session["api_key"].as_str().unwrap().to_owned();
    Person { key, id: session["user"]["id"].as_i64().unwrap(), email }
}

/// A valid registration.
pub(crate) fn registration(email: &str) -> Value {
    json!({
        "first_name": "Ada", "last_name": "Byron", "email": email, "password": PASSWORD,
        "password_confirmation": PASSWORD, "terms": true,
    })
}
