//! Single-use tokens: device codes, states of social logins, links.

use async_trait::async_trait;
use touchline_protocol::account::Device;

use super::{IdempotencyClaim, KeyId, NewKey, StoreResult};

/// The code displayed by a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCodeRecord {
    /// SHA-256 of the code, in hex.
    pub code_hash: String,
    /// Key of the channel.
    pub channel_key: String,
    /// The device's session.
    pub key_id: KeyId,
    /// Key for a device whose own one is a token, which can't become a user's.
    pub device_key: Option<NewKey>,
    /// Expiry in Unix milliseconds.
    pub expires: i64,
}

/// Storage of single-use tokens.
#[async_trait]
pub trait Tokens {
    /// Stores a device's code in place of its previous one, and issues its key. Returns `false` and changes nothing if
    /// another device displays the same code.
    async fn store_session_code(&self, code: SessionCodeRecord, at: i64) -> StoreResult<bool>;
    /// Uses up a code and assigns its device's key to the user. The response is stored with it if claimed. `None` if
    /// the code is invalid.
    async fn link_device(
        &self,
        code_hash: &str,
        channel_key: &str,
        user_id: i64,
        at: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<Option<Device>>;
    /// Stores a token for `subject`.
    async fn store_token(&self, hash: &str, subject: &str, expires: i64) -> StoreResult<()>;
    /// Uses up a token. Returns `false` if it is invalid or was issued for another subject.
    async fn use_token(&self, hash: &str, subject: &str, at: i64) -> StoreResult<bool>;
    /// Stores a text for `subject`, to be read once.
    async fn store_text(&self, hash: &str, subject: &str, expires: i64, text: &str) -> StoreResult<()>;
    /// Reads and deletes a text. `None` if it doesn't exist, has expired or was stored for another `subject`.
    async fn take_text(&self, hash: &str, subject: &str, at: i64) -> StoreResult<Option<String>>;
    /// Records a use, until `expires`. Returns `false` if it was recorded before.
    async fn use_once(&self, hash: &str, expires: i64) -> StoreResult<bool>;
    /// Deletes tokens that expired before `at`.
    async fn delete_expired_tokens(&self, at: i64) -> StoreResult<u64>;
}
