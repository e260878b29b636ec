//! The store's master secret, from which all others are derived.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use touchline_protocol::ambient::SharedEntropy;

use super::{Store, StoreError, StoreResult};

/// 32 random bytes, created at the store's first start and stored in it.
#[derive(Clone)]
pub struct MasterSecret([u8; 32]);

impl MasterSecret {
    /// Returns the store's secret, created on first use.
    ///
    /// # Errors
    /// Fails if the store fails or contains an invalid secret.
    pub async fn of(store: &dyn Store, entropy: &SharedEntropy) -> StoreResult<Self> {
        let mut fresh = [0; 32];
        entropy.fill(&mut fresh);
        let stored = store.stored_value("master_secret", &hex::encode(fresh)).await?;
        let mut bytes = [0; 32];
        hex::decode_to_slice(&stored, &mut bytes).map_err(StoreError::encoding)?;
        Ok(Self(bytes))
    }

    /// Derives a secret for one purpose in one channel. An empty key means all channels.
    pub fn derive(&self, purpose: &str, channel_key: &str) -> [u8; 32] {
        self.sign(&[b"derive", purpose.as_bytes(), channel_key.as_bytes()])
    }

    /// HMAC-SHA256 of these parts. Each is preceded by its length, so no two lists have the same signature by accident.
    pub fn sign(&self, parts: &[&[u8]]) -> [u8; 32] {
        sign(&self.0, parts)
    }
}

/// HMAC-SHA256 of these parts, each preceded by its length.
#[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
pub(super) fn sign(secret: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes a key of any length");
    for part in parts {
        mac.update(&(part.len() as u64).to_le_bytes());
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

impl fmt::Debug for MasterSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("MasterSecret(..)")
    }
}
