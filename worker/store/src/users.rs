//! Users.

use async_trait::async_trait;
use touchline_domain::accounts::{User, UserChange};

use super::StoreResult;
use super::keys::{KeyRecord, NewKey};
use super::mails::Mail;

/// A user to register.
#[derive(Clone)]
pub struct NewUser {
    /// Key of the channel.
    pub channel_key: String,
    /// Email address, as entered.
    pub email: String,
    /// Whether the email address is verified.
    pub email_verified: bool,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// argon2id hash in PHC format.
    pub password_hash: Option<String>,
    /// Whether the password must be changed first.
    pub temporary_password: bool,
    /// Capabilities, in lower case.
    pub capabilities: Vec<String>,
    /// Provider and subject, for a social login.
    pub social: Option<(String, String)>,
    /// Time in Unix milliseconds.
    pub at: i64,
}

/// The result of a registration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegisterResult {
    /// The user, and their key if one was requested.
    New(Box<User>, Option<KeyRecord>),
    /// The email address belongs to an account of the channel.
    EmailTaken,
    /// The key to replace was no longer valid.
    KeyRevoked,
}

/// A connected account that a user can sign in with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SocialLoginRecord {
    /// Name of the provider.
    pub provider: String,
    /// Time of connection in Unix milliseconds.
    pub linked_at: i64,
}

/// The mail to a new user, if any.
pub type MailTo<'a> = &'a (dyn Fn(&User) -> Option<Mail> + Send + Sync);

/// No mail to a new user.
#[must_use]
pub fn no_mail(_: &User) -> Option<Mail> {
    None
}

/// Storage of users.
#[async_trait]
pub trait Users {
    /// Registers a user and queues the mail to them in one transaction. With a key, `replaced` is revoked in it too, and
    /// its sign-in is recorded as a registration. The key's `user_id` is filled in.
    async fn register_user(
        &self,
        new: NewUser,
        key: Option<NewKey>,
        replaced: Option<i64>,
        mail: MailTo<'_>,
    ) -> StoreResult<RegisterResult>;
    /// Returns a user by id.
    async fn user(&self, id: i64) -> StoreResult<Option<User>>;
    /// Returns a user by email address, ignoring case.
    async fn user_by_email(&self, channel_key: &str, email: &str) -> StoreResult<Option<User>>;
    /// Returns a user by the subject of a social login.
    async fn user_by_social(&self, channel_key: &str, provider: &str, subject: &str) -> StoreResult<Option<User>>;
    /// Connects a social login to a user, whose email address it just verified. Earlier ones are removed.
    async fn link_social(&self, user_id: i64, provider: &str, subject: &str, at: i64) -> StoreResult<()>;
    /// Returns a user's connected accounts, by provider.
    async fn social_logins(&self, user_id: i64) -> StoreResult<Vec<SocialLoginRecord>>;
    /// Removes a user's connected account. Returns `false` if there was none.
    async fn unlink_social(&self, user_id: i64, provider: &str) -> StoreResult<bool>;
    /// Updates a user and queues the mails in the same transaction. A new email address removes the connected accounts.
    /// `None` if the user doesn't exist, and `EmailTaken` if the address belongs to another user.
    async fn change_user(&self, id: i64, change: UserChange, mails: &[Mail]) -> StoreResult<Option<RegisterResult>>;
    /// Counts a download.
    async fn count_download(&self, id: i64) -> StoreResult<()>;
}
