//! Short-lived things that are used once: device codes, states of social logins, links.

use async_trait::async_trait;
use touchline_protocol::account::Device;

use super::{IdempotencyClaim, StoreResult};

/// A code that a device shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCodeRecord {
    /// SHA-256 of the code, hexadecimal.
    pub code_hash: String,
    /// The channel.
    pub channel_key: String,
    /// The key of the device.
    pub key_id: i64,
    /// Until when it works.
    pub expires: i64,
}

/// Giving and using up tokens.
#[async_trait]
pub trait Tokens {
    /// Keeps the code of a device, instead of its last one. Whether it was free: a code that another device shows is not.
    async fn give_session_code(&self, code: SessionCodeRecord, at: i64) -> StoreResult<bool>;
    /// Uses a code up, with its answer when it was claimed: its device's key is the person's from now on. Nothing for a
    /// code that does not work.
    async fn link_device(
        &self,
        code_hash: &str,
        channel_key: &str,
        user_id: i64,
        at: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<Option<Device>>;
    /// Keeps a token for one use. `subject` is what it is bound to.
    async fn give_token(&self, hash: &str, subject: &str, expires: i64) -> StoreResult<()>;
    /// Uses a token up; whether it worked and was bound to `subject`.
    async fn use_token(&self, hash: &str, subject: &str, at: i64) -> StoreResult<bool>;
    /// Keeps a text for one reading. `subject` is what it is bound to.
    async fn give_text(&self, hash: &str, subject: &str, expires: i64, text: &str) -> StoreResult<()>;
    /// Reads a text, which is gone then; nothing for one that is none, too old or bound to another `subject`.
    async fn take_text(&self, hash: &str, subject: &str, at: i64) -> StoreResult<Option<String>>;
    /// Notes that something was used, for ever or until `expires`; whether this was the first time.
    async fn use_once(&self, hash: &str, expires: i64) -> StoreResult<bool>;
    /// Forgets what expired before `at`.
    async fn forget_tokens(&self, at: i64) -> StoreResult<u64>;
}
