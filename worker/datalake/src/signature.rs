//! Signatures of requests to HTTP sinks.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The shared secret of HTTP sinks, which never appears in logs.
#[derive(Clone)]
pub struct SinkSecret(Hmac<Sha256>);

impl fmt::Debug for SinkSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SinkSecret(..)")
    }
}

impl SinkSecret {
    /// `None` if it is shorter than 24 bytes.
    pub fn new(secret: &str) -> Option<Self> {
        if secret.len() < 24 {
            return None;
        }
        Hmac::new_from_slice(secret.as_bytes()).ok().map(Self)
    }

    /// The value of `Touchline-Signature`: `t=SECONDS,v1=HEX`, where HEX is the HMAC-SHA256 of `SECONDS.id.occurred_at.`
    /// and the body. `id` and `occurred_at` are the other headers of a single call, and empty for a batch.
    pub(crate) fn sign(&self, at_s: i64, id: &str, occurred_at: &str, body: &[u8]) -> String {
        let mut mac = self.0.clone();
        mac.update(format!("{at_s}.{id}.{occurred_at}.").as_bytes());
        mac.update(body);
        format!("t={at_s},v1={}", hex::encode(mac.finalize().into_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::SinkSecret;

    #[test]
    fn a_signature_equals_the_one_that_python_computes() {
        let secret = SinkSecret::new("correct horse battery staple").expect("it is long enough");
        let signature = secret.sign(1_700_000_000, "6b1", "2026-11-29T10:00:00.000Z", br#"{"event":"visit"}"#);
        assert_eq!(signature, "t=1700000000,v1=4cd6694032ce587766dd9fcaeb3be73f3dfe63a23701c3d6413f21b9b6601b45");
    }
}
