//! Visitors' keys: signed tokens without a record, so that a visitor costs the store nothing.
//!
//! A token is `v.{payload}.{signature}`. The payload holds 128 random bits, the time, the channel's generation and the
//! channel's key. Keys with a record contain no dot.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use touchline_protocol::ambient::Entropy;
use touchline_protocol::limits::Limit;

/// Lifetime of a token. The site replaces one after a third of it.
const LIFETIME_MS: i64 = 90 * 24 * 3600 * 1000;
pub(crate) const LIMITS: &[Limit] =
    &[Limit::millis("keys.visitor", LIFETIME_MS as u64, "Lifetime of a visitor's key, unless an operator ends all.")];

const PREFIX: &str = "v.";

/// A genuine token's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VisitorToken {
    /// 128 random bits, which identify the session.
    pub(crate) bits: u128,
    /// Time of issue, in Unix milliseconds.
    pub(crate) issued_ms: i64,
    /// The channel's generation at that time.
    pub(crate) generation: i64,
    /// The channel's key.
    pub(crate) channel_key: String,
}

impl VisitorToken {
    /// Draws a new token.
    pub(crate) fn draw(entropy: &dyn Entropy, channel_key: &str, generation: i64, issued_ms: i64) -> Self {
        let mut bits = [0; 16];
        entropy.fill(&mut bits);
        Self { bits: u128::from_be_bytes(bits), issued_ms, generation, channel_key: channel_key.to_owned() }
    }

    /// Whether it works now, in the channel's current generation.
    pub(crate) fn is_valid(&self, now_ms: i64, generation: i64) -> bool {
        // Another worker may have seen a newer generation first.
        now_ms < self.issued_ms + LIFETIME_MS && self.generation >= generation
    }

    fn payload(&self) -> Vec<u8> {
        let Self { bits, issued_ms, generation, channel_key } = self;
        [&bits.to_be_bytes()[..], &issued_ms.to_be_bytes(), &generation.to_be_bytes(), channel_key.as_bytes()].concat()
    }

    fn from_payload(payload: &[u8]) -> Option<Self> {
        let (bits, rest) = payload.split_first_chunk()?;
        let (issued_ms, rest) = rest.split_first_chunk()?;
        let (generation, channel_key) = rest.split_first_chunk()?;
        Some(Self {
            bits: u128::from_be_bytes(*bits),
            issued_ms: i64::from_be_bytes(*issued_ms),
            generation: i64::from_be_bytes(*generation),
            channel_key: String::from_utf8(channel_key.to_vec()).ok()?,
        })
    }
}

/// Signs and reads tokens, with a secret that all workers of a store share.
pub(crate) struct TokenSigner([u8; 32]);

impl TokenSigner {
    pub(crate) fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }

    /// The key for the caller.
    pub(crate) fn sign(&self, token: &VisitorToken) -> String {
        let payload = token.payload();
        let signature = self.mac(&payload).finalize().into_bytes();
        format!("{PREFIX}{}.{}", URL_SAFE_NO_PAD.encode(payload), URL_SAFE_NO_PAD.encode(signature))
    }

    /// The token in a key; `None` if the key is none that these workers signed.
    pub(crate) fn read(&self, api_key: &str) -> Option<VisitorToken> {
        let (payload, signature) = api_key.strip_prefix(PREFIX)?.split_once('.')?;
        let payload = URL_SAFE_NO_PAD.decode(payload).ok()?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        self.mac(&payload).verify_slice(&signature).ok()?;
        VisitorToken::from_payload(&payload)
    }

    fn mac(&self, payload: &[u8]) -> Hmac<Sha256> {
        #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key of any length");
        mac.update(payload);
        mac
    }
}

/// Whether a key has the form of a token, and so no record.
pub(crate) fn is_token(api_key: &str) -> bool {
    api_key.starts_with(PREFIX)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use touchline_protocol::ambient::{SeededEntropy, SystemEntropy};

    use super::*;

    const NOW: i64 = 1_700_000_000_000;

    fn token(channel_key: &str) -> VisitorToken {
        VisitorToken::draw(&*SeededEntropy::new(7), channel_key, 3, NOW)
    }

    #[test]
    fn a_token_is_read_by_the_workers_of_its_store_alone() {
        let signer = TokenSigner::new([7; 32]);
        let token = token("northfield");
        let key = signer.sign(&token);
        assert!(key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte)), "{key}");
        assert_eq!(TokenSigner::new([7; 32]).read(&key), Some(token));
        assert_eq!(TokenSigner::new([8; 32]).read(&key), None);
    }

    #[test]
    fn an_altered_token_is_refused() {
        let signer = TokenSigner::new([7; 32]);
        let key = signer.sign(&token("northfield"));
        let other = signer.sign(&token("southfield"));
        let (payload, signature) = key[2..].split_once('.').unwrap();
        let foreign = format!("v.{payload}.{}", other[2..].split_once('.').unwrap().1);
        for wrong in ["", "v.", "v..", payload, &key[1..], &key[..key.len() - 2], &foreign, &format!("v.{signature}.")]
        {
            assert_eq!(signer.read(wrong), None, "{wrong}");
        }
        for at in 2..key.len() - 1 {
            let mut altered = key.clone().into_bytes();
            altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(signer.read(std::str::from_utf8(&altered).unwrap()), None, "{at}");
        }
    }

    #[test]
    fn a_token_ends_after_90_days_or_with_its_generation() {
        let token = token("northfield");
        assert!(token.is_valid(NOW, 3) && token.is_valid(NOW + LIFETIME_MS - 1, 3));
        assert!(!token.is_valid(NOW + LIFETIME_MS, 3));
        assert!(!token.is_valid(NOW, 4));
        assert!(token.is_valid(NOW, 2), "at a worker that has not heard of the raise");
    }

    /// A thousand of them in each millisecond. A key contains its payload, which is cheaper than the signature.
    #[test]
    fn a_million_tokens_are_all_different() {
        let mut payloads = HashSet::with_capacity(1_000_000);
        for count in 0..1_000_000 {
            let token = VisitorToken::draw(&SystemEntropy, "northfield", 0, NOW + count / 1_000);
            payloads.insert(token.payload());
        }
        assert_eq!(payloads.len(), 1_000_000);
    }
}
