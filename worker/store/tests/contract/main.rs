//! What any store must hold to. The contract is written once, over `dyn Store`; each backend runs all of it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod charges;
mod clips;
mod foreign;
mod keys;
mod orders;
mod people;
mod sqlite;
mod statuses;
mod tokens;

use async_trait::async_trait;

/// A kind of store.
#[async_trait]
trait Backend: Send {
    /// A store with nothing in it.
    async fn empty() -> Self
    where
        Self: Sized;
    /// The store.
    fn store(&self) -> &dyn Store;
    /// Closes the store and opens it again.
    async fn reopened(self) -> Self
    where
        Self: Sized;
}

/// Runs a part of the contract against a backend, one test a rule.
macro_rules! contract {
    ($backend:ty: $($part:ident :: { $($rule:ident),+ $(,)? }),+ $(,)?) => {
        $(mod $part {
            $(#[tokio::test]
            async fn $rule() {
                crate::$part::$rule(<$backend as crate::Backend>::empty().await).await;
            })+
        })+
    };
}
use contract;
use touchline_store::{NewKey, NewUser, Registered, Store, User};

const AT: i64 = 1_800_000_000_000;

fn new_user(email: &str) -> NewUser {
    NewUser {
        channel_key: "meadow".to_owned(),
        email: email.to_owned(),
        email_verified: false,
        first_name: "Ada".to_owned(),
        last_name: "Byron".to_owned(),
        password_hash: Some("hash".to_owned()),
        temporary_password: false,
        capabilities: vec!["watch".to_owned()],
        social: None,
        at: AT,
    }
}

fn new_key(hash: &str, user_id: Option<i64>) -> NewKey {
    NewKey {
        hash: hash.to_owned(),
        channel_key: "meadow".to_owned(),
        user_id,
        device_name: "A device".to_owned(),
        at: AT,
    }
}

async fn register(store: &dyn Store, email: &str) -> User {
    match store.register_user(new_user(email), None, None).await.unwrap() {
        Registered::New(user, _) => *user,
        other => panic!("{other:?}"),
    }
}
