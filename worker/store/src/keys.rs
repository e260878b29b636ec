//! API keys. A person's key has a record, of which only the hash identifies it. A visitor's key is a signed token
//! without a record.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use async_trait::async_trait;

use touchline_protocol::account::Device;
use touchline_protocol::time::rfc3339;

use super::StoreResult;
use super::viewer_events::SignIn;

/// Digits of a [`KeyId::Token`]. The id of a record is shorter.
const TOKEN_DIGITS: usize = 32;

/// Identity of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyId {
    /// A key's record, by its id. Ids aren't reused.
    Stored(i64),
    /// Random bits of a visitor's token.
    Token(u128),
}

impl KeyId {
    /// Returns the id of the key's record, if it has one.
    pub fn stored(self) -> Option<i64> {
        match self {
            Self::Stored(id) => Some(id),
            Self::Token(_) => None,
        }
    }
}

/// A decimal number, or 32 hexadecimal digits.
impl fmt::Display for KeyId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stored(id) => write!(formatter, "{id}"),
            Self::Token(bits) => write!(formatter, "{bits:0TOKEN_DIGITS$x}"),
        }
    }
}

impl FromStr for KeyId {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        if text.len() == TOKEN_DIGITS {
            return u128::from_str_radix(text, 16).map(Self::Token);
        }
        text.parse().map(Self::Stored)
    }
}

/// A key to issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// SHA-256 of the key, in hex.
    pub hash: String,
    /// Key of the channel.
    pub channel_key: String,
    /// ID of the user, if signed in.
    pub user_id: Option<i64>,
    /// Display name of the device.
    pub device_name: String,
    /// The sign-in, if analytics record it.
    pub sign_in: Option<SignIn>,
    /// Time in Unix milliseconds.
    pub at: i64,
}

/// A valid key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// ID of the key.
    pub id: i64,
    /// SHA-256 of the key, in hex.
    pub hash: String,
    /// Key of the channel.
    pub channel_key: String,
    /// ID of the user, if signed in.
    pub user_id: Option<i64>,
    /// Display name of the device.
    pub device_name: String,
    /// Time of issue in Unix milliseconds.
    pub created_at: i64,
    /// Time of the last use, accurate to some minutes except for the first use. Equals `created_at` before that.
    pub last_seen_at: i64,
    /// Whether the user must change their password first. Only set by [`Keys::key`].
    pub must_change_password: bool,
}

impl KeyRecord {
    /// Whether the key was ever used. A response with an unused key may never have arrived, for example if the page was
    /// left during sign-in.
    pub fn was_used(&self) -> bool {
        self.last_seen_at > self.created_at
    }

    /// Converts the key to its user's device.
    pub fn device(self, current: bool) -> Device {
        Device {
            id: self.id,
            name: self.device_name,
            created_at: rfc3339(self.created_at),
            last_seen_at: rfc3339(self.last_seen_at),
            current,
        }
    }
}

/// A revocation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Revoked {
    /// A session, by the id of its key.
    Session(i64),
    /// A user's previous rights.
    Person(i64),
    /// The visitors' tokens of a channel, by its key.
    Visitors(String),
}

/// Storage of API keys. A revoked key is treated as if it never existed.
#[async_trait]
pub trait Keys {
    /// Issues a key and records the log-in. `replaced` is revoked in the same transaction. If it was no longer valid, no key is issued.
    async fn issue_key(&self, new: NewKey, replaced: Option<i64>) -> StoreResult<Option<KeyRecord>>;
    /// Returns the valid key with a hash.
    async fn key(&self, hash: &str) -> StoreResult<Option<KeyRecord>>;
    /// Records the use of a key.
    async fn record_key_use(&self, id: i64, at: i64) -> StoreResult<()>;
    /// Revokes a key.
    async fn revoke_key(&self, id: i64, at: i64) -> StoreResult<bool>;
    /// Returns a user's valid keys, newest first.
    async fn user_keys(&self, user_id: i64) -> StoreResult<Vec<KeyRecord>>;
    /// Revokes a user's keys except `except`, and returns their number.
    async fn revoke_user_keys(&self, user_id: i64, except: Option<i64>, at: i64) -> StoreResult<usize>;
    /// Returns the revocations at or after `since`, oldest first. If there are more than `limit`, the newest.
    async fn revoked_since(&self, since: i64, limit: usize) -> StoreResult<Vec<(Revoked, i64)>>;
    /// Returns the generation of a channel's tokens, 0 at first.
    async fn key_generation(&self, channel_key: &str) -> StoreResult<i64>;
    /// Raises the generation of a channel's tokens, and returns the new one. Earlier tokens stop working.
    async fn raise_key_generation(&self, channel_key: &str, at: i64) -> StoreResult<i64>;
    /// Deletes at most `limit` keys last used before `before` that are anonymous, revoked or never used, or anonymous
    /// ones issued before `unused_before` and never used. Returns their number.
    async fn delete_idle_keys(&self, before: i64, unused_before: i64, limit: u32) -> StoreResult<u64>;
}
