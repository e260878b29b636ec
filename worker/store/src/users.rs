//! People.

use async_trait::async_trait;
use touchline_domain::accounts::{User, UserChange};

use super::StoreResult;
use super::keys::{KeyRecord, NewKey};
use super::mails::Mail;

/// Someone who registers.
#[derive(Clone)]
pub struct NewUser {
    /// The channel.
    pub channel_key: String,
    /// Their address, as they wrote it.
    pub email: String,
    /// Whether it is known to be theirs.
    pub email_verified: bool,
    /// Their first name.
    pub first_name: String,
    /// Their last name.
    pub last_name: String,
    /// argon2id, in PHC form.
    pub password_hash: Option<String>,
    /// Whether the password must be changed before anything else.
    pub temporary_password: bool,
    /// Their rights, lower case.
    pub capabilities: Vec<String>,
    /// Provider and subject, of one who comes through a social login.
    pub social: Option<(String, String)>,
    /// When.
    pub at: i64,
}

/// How a registration ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registered {
    /// The person, and their key when one was asked for.
    New(Box<User>, Option<KeyRecord>),
    /// The address belongs to an account of the channel.
    EmailTaken,
    /// The key that was to be replaced did not work any more.
    KeyGone,
}

/// A login through another site that is tied to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SocialLoginRecord {
    /// The provider's name.
    pub provider: String,
    /// When it was tied to them.
    pub linked_at: i64,
}

/// Registering, finding and changing people.
#[async_trait]
pub trait Users {
    /// Registers someone; with a key, that replaces `replaced`, in the same transaction. The key's `user_id` is filled in.
    async fn register_user(&self, new: NewUser, key: Option<NewKey>, replaced: Option<i64>) -> StoreResult<Registered>;
    /// A person by id.
    async fn user(&self, id: i64) -> StoreResult<Option<User>>;
    /// A person by address; its case does not count.
    async fn user_by_email(&self, channel_key: &str, email: &str) -> StoreResult<Option<User>>;
    /// A person by what a social login says they are.
    async fn user_by_social(&self, channel_key: &str, provider: &str, subject: &str) -> StoreResult<Option<User>>;
    /// Ties a social login to a person whose address it has just proven: those from before are dropped.
    async fn link_social(&self, user_id: i64, provider: &str, subject: &str, at: i64) -> StoreResult<()>;
    /// The logins through other sites that are tied to a person, by provider.
    async fn social_logins(&self, user_id: i64) -> StoreResult<Vec<SocialLoginRecord>>;
    /// Drops the logins through one provider; whether there was one.
    async fn unlink_social(&self, user_id: i64, provider: &str) -> StoreResult<bool>;
    /// Changes a person, and queues these mails in the same transaction. A new address drops their logins through other
    /// sites. Nothing when they are gone; `EmailTaken` when the new address is another's.
    async fn change_user(&self, id: i64, change: UserChange, mails: &[Mail]) -> StoreResult<Option<Registered>>;
    /// Counts one file downloaded.
    async fn count_download(&self, id: i64) -> StoreResult<()>;
}
