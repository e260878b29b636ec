//! API keys: the store has their hashes alone.

use async_trait::async_trait;

use touchline_protocol::account::Device;
use touchline_protocol::time::rfc3339;

use super::StoreResult;

/// A key that is to be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// SHA-256 of the key, hexadecimal.
    pub hash: String,
    /// The channel.
    pub channel_key: String,
    /// The person, when logged in.
    pub user_id: Option<i64>,
    /// What the device calls itself.
    pub device_name: String,
    /// When.
    pub at: i64,
}

/// A key that works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// Its own id.
    pub id: i64,
    /// SHA-256 of the key, hexadecimal.
    pub hash: String,
    /// The channel.
    pub channel_key: String,
    /// The person, when logged in.
    pub user_id: Option<i64>,
    /// What the device calls itself.
    pub device_name: String,
    /// When it was given.
    pub created_at: i64,
    /// When it was last used, to some minutes, but for its first use; until then when it was given.
    pub last_seen_at: i64,
    /// Whether its person must change their password before anything else; [`Keys::key`] alone says so.
    pub must_change_password: bool,
}

impl KeyRecord {
    /// Whether it was ever used. The answer that carried one that was not may have reached nobody: a page that was left
    /// while it logged in.
    pub fn was_used(&self) -> bool {
        self.last_seen_at > self.created_at
    }

    /// The key as its person's device.
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

/// What a session or a person was given stopped working.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Revoked {
    /// All of a session, by its key's id. Ids are not given twice.
    Session(i64),
    /// What a person was given until then.
    Person(i64),
}

/// Giving, finding and revoking keys. A revoked key is as if it had never been.
#[async_trait]
pub trait Keys {
    /// Gives a key. With `replaced`, that one stops working in the same moment; when it did not work any more,
    /// nothing is given.
    async fn give_key(&self, new: NewKey, replaced: Option<i64>) -> StoreResult<Option<KeyRecord>>;
    /// The working key of this hash.
    async fn key(&self, hash: &str) -> StoreResult<Option<KeyRecord>>;
    /// Notes that a key was used.
    async fn note_key_seen(&self, id: i64, at: i64) -> StoreResult<()>;
    /// Revokes a key.
    async fn revoke_key(&self, id: i64, at: i64) -> StoreResult<bool>;
    /// The working keys of a person, newest first.
    async fn keys_of_user(&self, user_id: i64) -> StoreResult<Vec<KeyRecord>>;
    /// Revokes every key of a person but one; gives how many.
    async fn revoke_keys_of_user(&self, user_id: i64, but: Option<i64>, at: i64) -> StoreResult<usize>;
    /// Which sessions ended, and which people's rights changed, at or after `since`, oldest first; when there are more than
    /// `limit`, the newest of them.
    async fn revoked_since(&self, since: i64, limit: usize) -> StoreResult<Vec<(Revoked, i64)>>;
    /// Forgets keys that were last used before `before`, of nobody, or revoked, or never used; those of visitors that were
    /// given before `unused_before` and never used; and those of visitors beyond so many, the ones that were never used
    /// first, then by when they last were.
    async fn forget_idle_keys(&self, before: i64, unused_before: i64, visitors: i64) -> StoreResult<u64>;
}
