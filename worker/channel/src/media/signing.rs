//! Signed, expiring addresses of media that not everyone may watch.
//!
//! The signature stands in the path, `/media/{key}/s/{mount}/{expires}-{signature}/…`, and covers the channel, the
//! mount and the time, so that the relative addresses of a playlist are signed by the same words.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// For how long a signed address works at least, seconds: longer than any event.
pub const WORKS_FOR_S: i64 = 6 * 3600;
/// Expiry is rounded up to this, seconds, so that answers that carry signed addresses stay the same for a while.
pub const ROUNDED_TO_S: i64 = 900;
/// What stands in the place of a signature where none is needed.
pub const OPEN: &str = "open";

/// Why a signed address is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No signature, or a wrong one.
    Unsigned,
    /// The signature was right once.
    Expired,
}

/// Signs addresses and checks them.
#[derive(Clone)]
pub struct MediaSigner {
    secret: [u8; 32],
}

// The secret must not reach a log.
impl std::fmt::Debug for MediaSigner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MediaSigner")
    }
}

impl MediaSigner {
    /// A signer with this secret, which must stay the same over restarts for addresses to go on working.
    pub fn new(secret: [u8; 32]) -> Self {
        Self { secret }
    }

    /// When an address that is signed now expires, Unix seconds.
    pub fn expiry(now_s: i64) -> i64 {
        (now_s.div_euclid(ROUNDED_TO_S) + 1) * ROUNDED_TO_S + WORKS_FOR_S
    }

    /// The path segment that opens `mount` of `channel` until `expires`.
    pub fn pass(&self, channel: &str, mount: &str, expires: i64) -> String {
        let signature = self.mac(channel, mount, expires).finalize().into_bytes();
        format!("{expires}-{}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// Whether `pass` opens `mount` of `channel` now; gives when it expires.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn check(&self, channel: &str, mount: &str, pass: &str, now_s: i64) -> Result<i64, Refusal> {
        let (expires, signature) = pass.split_once('-').ok_or(Refusal::Unsigned)?;
        let expires: i64 = expires.parse().map_err(|_| Refusal::Unsigned)?;
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| Refusal::Unsigned)?;
        self.mac(channel, mount, expires).verify_slice(&signature).map_err(|_| Refusal::Unsigned)?;
        if now_s < expires { Ok(expires) } else { Err(Refusal::Expired) }
    }

    fn mac(&self, channel: &str, mount: &str, expires: i64) -> Hmac<Sha256> {
        #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.secret).expect("a key of any length");
        // Keys and mounts have no line breaks, so no two triples give the same text.
        mac.update(format!("touchline media v1\n{channel}\n{mount}\n{expires}").as_bytes());
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_700_000_000;

    #[test]
    fn a_pass_opens_its_own_mount_until_it_expires() {
        let signer = MediaSigner::new([7; 32]);
        let expires = MediaSigner::expiry(NOW);
        let pass = signer.pass("northfield", "e1", expires);
        assert_eq!(signer.check("northfield", "e1", &pass, NOW), Ok(expires));
        assert_eq!(signer.check("northfield", "e1", &pass, expires - 1), Ok(expires));
        assert_eq!(signer.check("northfield", "e1", &pass, expires), Err(Refusal::Expired));
        assert_eq!(signer.check("northfield", "e2", &pass, NOW), Err(Refusal::Unsigned));
        assert_eq!(signer.check("laurentides", "e1", &pass, NOW), Err(Refusal::Unsigned));
        assert_eq!(MediaSigner::new([8; 32]).check("northfield", "e1", &pass, NOW), Err(Refusal::Unsigned));
    }

    #[test]
    fn a_pass_whose_time_was_moved_is_no_pass() {
        let signer = MediaSigner::new([7; 32]);
        let pass = signer.pass("northfield", "e1", NOW + 10);
        let moved = pass.replacen(&(NOW + 10).to_string(), &(NOW + 99_999).to_string(), 1);
        assert_ne!(pass, moved);
        for wrong in [moved.as_str(), OPEN, "", "-", "x-y", "1700000010-", &pass[..pass.len() - 1]] {
            assert_eq!(signer.check("northfield", "e1", wrong, NOW), Err(Refusal::Unsigned), "{wrong}");
        }
    }

    #[test]
    fn an_expiry_is_at_least_the_promised_time_away_and_stays_for_a_while() {
        for now in NOW..NOW + 2 * ROUNDED_TO_S {
            let lasts = MediaSigner::expiry(now) - now;
            assert!((WORKS_FOR_S..=WORKS_FOR_S + ROUNDED_TO_S).contains(&lasts), "{lasts}");
        }
        assert_eq!(MediaSigner::expiry(900 * 5), MediaSigner::expiry(900 * 5 + 899));
    }
}
