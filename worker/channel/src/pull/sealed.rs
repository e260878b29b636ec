//! Addresses for viewers. They are encrypted and bound to a medium, so that nobody can read them, forge them or use
//! them with another medium's rights. They are deterministic, so that browsers and caches recognise them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::Sha256;
use url::Url;

pub(super) const MAX_URL: usize = 4096;

/// Kind of file behind an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// A playlist, whose addresses are sealed too.
    Playlist,
    /// Any other file.
    File,
}

/// The target of a sealed address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) kind: Kind,
    /// Number of encoder restarts: a restarted encoder reuses file names.
    pub(super) run: u32,
    pub(super) url: Url,
}

pub(super) struct Sealer {
    key: LessSafeKey,
    nonces: [u8; 32],
}

// The secret must not reach a log.
impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sealer")
    }
}

impl Sealer {
    /// Creates it with secrets that must stay the same over restarts.
    pub(super) fn new(key: &[u8; 32], nonces: [u8; 32]) -> Self {
        #[expect(clippy::expect_used, reason = "ChaCha20 takes a key of 32 bytes")]
        let key = UnboundKey::new(&CHACHA20_POLY1305, key).expect("a key of 32 bytes");
        Self { key: LessSafeKey::new(key), nonces }
    }

    /// Seals a target as a path segment with the file's extension. Returns `None` if the address is too long.
    pub(super) fn seal(&self, medium: &str, target: &Target) -> Option<String> {
        let Target { kind, run, url } = target;
        if url.as_str().len() > MAX_URL {
            return None;
        }
        let mut bytes = vec![if *kind == Kind::Playlist { b'p' } else { b'f' }];
        bytes.extend_from_slice(&run.to_be_bytes());
        bytes.extend_from_slice(url.as_str().as_bytes());
        // The nonce is derived from the contents, so it is never reused for others.
        let nonce = self.nonce(medium, &bytes)?;
        let sealing = Nonce::assume_unique_for_key(nonce);
        self.key.seal_in_place_append_tag(sealing, Aad::from(medium.as_bytes()), &mut bytes).ok()?;
        let token = URL_SAFE_NO_PAD.encode([&nonce[..], &bytes].concat());
        let ending = if *kind == Kind::Playlist { "m3u8" } else { extension_of(url) };
        Some(format!("{token}.{ending}"))
    }

    /// Opens an address that [`Sealer::seal`] returned for this medium.
    pub(super) fn open(&self, medium: &str, name: &str) -> Option<Target> {
        let (token, _) = name.split_once('.')?;
        if token.len() > MAX_URL * 2 {
            return None;
        }
        let mut bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        if bytes.len() <= NONCE_LEN {
            return None;
        }
        let mut sealed = bytes.split_off(NONCE_LEN);
        let nonce = Nonce::try_assume_unique_for_key(&bytes).ok()?;
        let opened = self.key.open_in_place(nonce, Aad::from(medium.as_bytes()), &mut sealed).ok()?;
        let (kind, rest) = opened.split_first()?;
        let (run, text) = rest.split_first_chunk()?;
        let kind = if *kind == b'p' { Kind::Playlist } else { Kind::File };
        let url = Url::parse(std::str::from_utf8(text).ok()?).ok()?;
        Some(Target { kind, run: u32::from_be_bytes(*run), url })
    }

    fn nonce(&self, medium: &str, bytes: &[u8]) -> Option<[u8; NONCE_LEN]> {
        #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.nonces).expect("a key of any length");
        mac.update(medium.as_bytes());
        mac.update(&[0]);
        mac.update(bytes);
        mac.finalize().into_bytes().get(..NONCE_LEN)?.try_into().ok()
    }
}

/// Returns the file's extension, for known kinds.
fn extension_of(url: &Url) -> &'static str {
    const EXTENSIONS: [&str; 10] = ["ts", "m4s", "mp4", "cmfv", "cmfa", "aac", "webm", "vtt", "m4a", "m4v"];
    let ending = url.path().rsplit_once('.').map_or("", |(_, ending)| ending);
    EXTENSIONS.into_iter().find(|extension| ending.eq_ignore_ascii_case(extension)).unwrap_or("bin")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_address_opens_for_its_medium_only_and_is_deterministic() {
        let sealer = Sealer::new(&[7; 32], [8; 32]);
        let url = Url::parse("https://up.example/a/seg 1.m4s?token=secret").unwrap();
        let target = Target { kind: Kind::File, run: 0, url: url.clone() };
        let name = sealer.seal("tv/12", &target).unwrap();
        assert!(name.ends_with(".m4s") && !name.contains("secret"), "{name}");
        assert_eq!(sealer.seal("tv/12", &target).unwrap(), name);
        assert_eq!(sealer.open("tv/12", &name), Some(target.clone()));
        assert_eq!(sealer.open("tv/13", &name), None);
        assert_eq!(Sealer::new(&[9; 32], [8; 32]).open("tv/12", &name), None);
        let altered = format!("A{}", &name[1..]);
        for wrong in [altered.as_str(), "", ".ts", "AAAA.ts", &name[..20]] {
            assert_eq!(sealer.open("tv/12", wrong), None, "{wrong}");
        }
        let playlist = sealer.seal("tv/12", &Target { kind: Kind::Playlist, ..target.clone() }).unwrap();
        assert!(playlist.ends_with(".m3u8") && playlist != name);
        assert_ne!(sealer.seal("tv/12", &Target { run: 1, ..target.clone() }).unwrap(), name);
        let long = Url::parse(&format!("https://up.example/{}", "a".repeat(MAX_URL))).unwrap();
        assert_eq!(sealer.seal("tv/12", &Target { url: long, ..target }), None);
    }
}
