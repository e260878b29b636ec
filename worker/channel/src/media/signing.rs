//! Signed, expiring addresses of restricted media.
//!
//! The signature is part of the path, `/media/{key}/s/{mount}/{pass}/…`, so that relative addresses in a playlist are
//! signed too. It covers purpose, channel, mount, time and session.

use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::limits::Limit;
use touchline_store::KeyId;

/// Lifetime of a signed address, in seconds. It exceeds the length of any event, since receivers and browsers' built-in
/// HLS players cannot request another address.
pub const LIFETIME_S: i64 = 6 * 3600;
pub(crate) const LIMITS: &[Limit] = &[Limit::millis(
    "media.address",
    (LIFETIME_S * 1000) as u64,
    "Lifetime of a signed media address, unless its session ends or its rights change.",
)];
/// Path segment instead of a signature where none is needed.
pub const OPEN: &str = "open";

/// Reasons for refusing a signed address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The signature is missing or wrong.
    Unsigned,
    /// The signature has expired.
    Expired,
    /// The session has ended, or the user's rights have changed since it was issued.
    Ended,
    /// Too many networks use the address at once.
    Shared,
}

impl Refusal {
    /// Returns the error code for the response.
    pub fn code(self) -> ErrorCode {
        match self {
            Self::Unsigned => ErrorCode::MediaUnsigned,
            Self::Expired => ErrorCode::MediaExpired,
            Self::Ended => ErrorCode::MediaEnded,
            Self::Shared => ErrorCode::MediaShared,
        }
    }
}

/// Purpose of an address. An address for watching does not allow downloads, and the reverse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Playback.
    Watch,
    /// Download of a file.
    Download,
}

impl Purpose {
    fn as_str(self) -> &'static str {
        match self {
            Self::Watch => "watch",
            Self::Download => "download",
        }
    }
}

/// Recipient and time of an issued address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// Milliseconds since 1970. It is read before the rights are, so that a change in between revokes the address.
    pub issued_ms: i64,
    /// The session.
    pub key_id: KeyId,
    /// The user, if signed in.
    pub user_id: Option<i64>,
}

impl Grant {
    /// Returns the expiry, in Unix seconds.
    pub fn expires_s(&self) -> i64 {
        self.issued_ms.div_euclid(1000) + LIFETIME_S
    }
}

/// Signs and checks addresses.
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
    /// Creates a signer. Addresses stay valid over restarts if the secret stays the same.
    pub fn new(secret: [u8; 32]) -> Self {
        Self { secret }
    }

    /// Returns the path segment that opens `mount` of `channel` for this purpose: `{issued}-{key}-{user}-{signature}`.
    pub fn pass(&self, purpose: Purpose, channel: &str, mount: &str, grant: &Grant) -> String {
        let signature = self.mac(purpose, channel, mount, grant).finalize().into_bytes();
        let Grant { issued_ms, key_id, user_id } = grant;
        let user_id = user_id.unwrap_or_default();
        format!("{issued_ms}-{key_id}-{user_id}-{}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// Checks that `pass` opens `mount` of `channel` for this purpose now, and returns its grant.
    ///
    /// # Errors
    /// [`Refusal::Unsigned`], [`Refusal::Expired`].
    pub fn check(
        &self,
        purpose: Purpose,
        channel: &str,
        mount: &str,
        pass: &str,
        now_s: i64,
    ) -> Result<Grant, Refusal> {
        let mut parts = pass.splitn(4, '-');
        let issued_ms = parsed(parts.next())?;
        let key_id = parsed(parts.next())?;
        let user_id = parsed(parts.next())?;
        let grant = Grant { issued_ms, key_id, user_id: Some(user_id).filter(|&id| id != 0) };
        let signature = parts.next().and_then(|part| URL_SAFE_NO_PAD.decode(part).ok()).ok_or(Refusal::Unsigned)?;
        self.mac(purpose, channel, mount, &grant).verify_slice(&signature).map_err(|_| Refusal::Unsigned)?;
        if now_s < grant.expires_s() { Ok(grant) } else { Err(Refusal::Expired) }
    }

    fn mac(&self, purpose: Purpose, channel: &str, mount: &str, grant: &Grant) -> Hmac<Sha256> {
        #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.secret).expect("a key of any length");
        let Grant { issued_ms, key_id, user_id } = grant;
        let (purpose, user_id) = (purpose.as_str(), user_id.unwrap_or_default());
        // Keys and mounts contain no line breaks, so the text is unambiguous.
        let signed = format!("touchline media v2\n{purpose}\n{channel}\n{mount}\n{issued_ms}\n{key_id}\n{user_id}");
        mac.update(signed.as_bytes());
        mac
    }
}

fn parsed<T: FromStr>(part: Option<&str>) -> Result<T, Refusal> {
    part.and_then(|part| part.parse().ok()).ok_or(Refusal::Unsigned)
}

#[cfg(test)]
mod tests {
    use super::Purpose::{Download, Watch};
    use super::*;

    const NOW: i64 = 1_700_000_000;
    const GRANT: Grant = Grant { issued_ms: NOW * 1000, key_id: KeyId::Stored(3), user_id: Some(7) };

    #[test]
    fn a_pass_is_valid_for_its_mount_and_purpose_until_it_expires() {
        let signer = MediaSigner::new([7; 32]);
        let pass = signer.pass(Watch, "northfield", "e1", &GRANT);
        let ends = NOW + LIFETIME_S;
        assert_eq!(signer.check(Watch, "northfield", "e1", &pass, NOW), Ok(GRANT));
        assert_eq!(signer.check(Watch, "northfield", "e1", &pass, ends - 1), Ok(GRANT));
        assert_eq!(signer.check(Watch, "northfield", "e1", &pass, ends), Err(Refusal::Expired));
        assert_eq!(signer.check(Download, "northfield", "e1", &pass, NOW), Err(Refusal::Unsigned));
        assert_eq!(signer.check(Watch, "northfield", "e2", &pass, NOW), Err(Refusal::Unsigned));
        assert_eq!(signer.check(Watch, "laurentides", "e1", &pass, NOW), Err(Refusal::Unsigned));
        let other = MediaSigner::new([8; 32]);
        assert_eq!(other.check(Watch, "northfield", "e1", &pass, NOW), Err(Refusal::Unsigned));
    }

    #[test]
    fn a_pass_identifies_a_visitors_token_by_its_bits() {
        let signer = MediaSigner::new([7; 32]);
        let grant = |key_id| Grant { issued_ms: NOW * 1000, key_id, user_id: None };
        for key_id in [KeyId::Token(0), KeyId::Token(3), KeyId::Token(u128::MAX), KeyId::Stored(3)] {
            let pass = signer.pass(Watch, "northfield", "e1", &grant(key_id));
            assert_eq!(signer.check(Watch, "northfield", "e1", &pass, NOW), Ok(grant(key_id)), "{pass}");
        }
        let pass = signer.pass(Watch, "northfield", "e1", &grant(KeyId::Token(3)));
        let of_a_person = pass.replacen(&KeyId::Token(3).to_string(), "3", 1);
        assert_eq!(signer.check(Watch, "northfield", "e1", &of_a_person, NOW), Err(Refusal::Unsigned));
    }

    #[test]
    fn an_altered_pass_is_refused() {
        let signer = MediaSigner::new([7; 32]);
        let pass = signer.pass(Watch, "northfield", "e1", &GRANT);
        let moved = pass.replacen(&(NOW * 1000).to_string(), &(NOW * 1000 + 1).to_string(), 1);
        let of_another_session = pass.replacen("-3-", "-4-", 1);
        let of_nobody = pass.replacen("-7-", "-0-", 1);
        for wrong in [&moved, &of_another_session, &of_nobody, &pass[..pass.len() - 1], OPEN, "", "-", "---", "1-3-7"] {
            assert_ne!(wrong, pass);
            assert_eq!(signer.check(Watch, "northfield", "e1", wrong, NOW), Err(Refusal::Unsigned), "{wrong}");
        }
    }
}
