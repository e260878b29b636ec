//! Signed, expiring addresses of media that not everyone may watch.
//!
//! The signature stands in the path, `/media/{key}/s/{mount}/{pass}/…`, and covers the purpose, the channel, the mount,
//! the moment and the session, so that the relative addresses of a playlist are signed by the same words.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::limits::Limit;

/// For how long a signed address works, seconds: longer than any event, so that a receiver or a browser's own HLS player,
/// which cannot ask for another address, plays on.
pub const WORKS_FOR_S: i64 = 6 * 3600;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[Limit::millis(
    "media.address",
    (WORKS_FOR_S * 1000) as u64,
    "How long a signed media address works, if its session and its right last.",
)];
/// What stands in the place of a signature where none is needed.
pub const OPEN: &str = "open";

/// Why a signed address is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No signature, or a wrong one.
    Unsigned,
    /// The signature was right once.
    Expired,
    /// Its session has ended, or its person's rights have changed since it was given.
    Ended,
    /// Too many networks use it at once.
    Shared,
}

impl Refusal {
    /// The code that the answer carries.
    pub fn code(self) -> ErrorCode {
        match self {
            Self::Unsigned => ErrorCode::MediaUnsigned,
            Self::Expired => ErrorCode::MediaExpired,
            Self::Ended => ErrorCode::MediaEnded,
            Self::Shared => ErrorCode::MediaShared,
        }
    }
}

/// What an address is for. One for watching opens no download, and the other way round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A player's.
    Watch,
    /// One file, to be kept.
    Download,
}

impl Purpose {
    fn word(self) -> &'static str {
        match self {
            Self::Watch => "watch",
            Self::Download => "download",
        }
    }
}

/// To whom an address was given, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// Milliseconds since 1970; read before the rights were, so that a right that ends meanwhile ends the address.
    pub issued_ms: i64,
    /// The API key's own id: the session.
    pub key_id: i64,
    /// The person, when logged in.
    pub user_id: Option<i64>,
}

impl Grant {
    /// When the address stops working, Unix seconds.
    pub fn expires_s(&self) -> i64 {
        self.issued_ms.div_euclid(1000) + WORKS_FOR_S
    }
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

    /// The path segment that opens `mount` of `channel` for this purpose: `{issued}-{key}-{user}-{signature}`.
    pub fn pass(&self, purpose: Purpose, channel: &str, mount: &str, grant: &Grant) -> String {
        let signature = self.mac(purpose, channel, mount, grant).finalize().into_bytes();
        let Grant { issued_ms, key_id, user_id } = grant;
        let user_id = user_id.unwrap_or_default();
        format!("{issued_ms}-{key_id}-{user_id}-{}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// Whether `pass` opens `mount` of `channel` for this purpose now; gives to whom it was given.
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
        let mut number = || parts.next().and_then(|part| part.parse::<i64>().ok()).ok_or(Refusal::Unsigned);
        let (issued_ms, key_id, user_id) = (number()?, number()?, number()?);
        let grant = Grant { issued_ms, key_id, user_id: Some(user_id).filter(|&id| id != 0) };
        let signature = parts.next().and_then(|part| URL_SAFE_NO_PAD.decode(part).ok()).ok_or(Refusal::Unsigned)?;
        self.mac(purpose, channel, mount, &grant).verify_slice(&signature).map_err(|_| Refusal::Unsigned)?;
        if now_s < grant.expires_s() { Ok(grant) } else { Err(Refusal::Expired) }
    }

    fn mac(&self, purpose: Purpose, channel: &str, mount: &str, grant: &Grant) -> Hmac<Sha256> {
        #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.secret).expect("a key of any length");
        let Grant { issued_ms, key_id, user_id } = grant;
        let (purpose, user_id) = (purpose.word(), user_id.unwrap_or_default());
        // Keys and mounts have no line breaks, so no two lists give the same text.
        let signed = format!("touchline media v2\n{purpose}\n{channel}\n{mount}\n{issued_ms}\n{key_id}\n{user_id}");
        mac.update(signed.as_bytes());
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::Purpose::{Download, Watch};
    use super::*;

    const NOW: i64 = 1_700_000_000;
    const GRANT: Grant = Grant { issued_ms: NOW * 1000, key_id: 3, user_id: Some(7) };

    #[test]
    fn a_pass_opens_its_own_mount_for_its_own_purpose_until_it_expires() {
        let signer = MediaSigner::new([7; 32]);
        let pass = signer.pass(Watch, "northfield", "e1", &GRANT);
        let ends = NOW + WORKS_FOR_S;
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
    fn a_pass_that_was_altered_is_no_pass() {
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
