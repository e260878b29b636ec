//! A path of a pulled medium, from request to bytes.

use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use foldhash::HashMap;
use parking_lot::Mutex;
use touchline_disk::Disk;
use touchline_protocol::ambient::SharedClock;
use url::Url;

use super::cache::{Kept, Key, PullCache};
use super::rewrite::{end_of, rewrite};
use super::sealed::{Kind, Sealer, Target};
use super::upstream::{Ask, Fetched, MAX_FILE_BYTES, PullError, Upstream};
use crate::media::index::Pull;

/// What addresses stand below, beside the entry.
const BELOW: &str = "u/";
/// A file of which the other host says nothing is kept for this long.
const FILE_KEPT_FOR: Duration = Duration::from_secs(30);
/// However short or long the other host says.
const FILE_KEPT: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(3600));
/// A medium's failures are logged once in this time, milliseconds.
const LOGGED_EVERY_MS: i64 = 10_000;

/// A playlist may come back from an earlier copy by this many segments; farther back its encoder began anew.
const GOES_BACK: u64 = 2;
/// Playlists whose ends are remembered at most.
const LIVES: usize = 10_000;

/// How media are pulled.
#[derive(Debug, Clone)]
pub struct PullOptions {
    /// Where files are kept for a while.
    pub folder: PathBuf,
    /// How many bytes of them.
    pub disk_bytes: u64,
}

/// What a path of a pulled medium is.
#[derive(Debug, Clone)]
pub enum Pulled {
    /// A playlist, with every address sealed.
    Playlist(Bytes),
    /// A file, whole or the part of it that was asked for.
    File {
        /// What it holds.
        bytes: Bytes,
        /// Of a part: its first byte, and the file's length.
        part: Option<(u64, Option<u64>)>,
        /// For how long it is the same, seconds.
        kept_s: u64,
    },
}

/// Pulls media from elsewhere.
#[derive(Debug)]
pub struct Pulls {
    sealer: Sealer,
    upstream: Upstream,
    cache: PullCache,
    clock: SharedClock,
    logged: Mutex<HashMap<String, i64>>,
    /// By medium and path of a playlist.
    lives: Mutex<HashMap<String, Life>>,
}

/// How far a playlist came, and how often it began anew.
#[derive(Debug, Default)]
struct Life {
    end: u64,
    number: u32,
}

impl Pulls {
    /// With secrets that stay the same over restarts. `private`: whether hosts of private networks are asked.
    ///
    /// # Errors
    /// When there is no HTTP client.
    pub fn new(
        options: PullOptions,
        (key, nonces): ([u8; 32], [u8; 32]),
        private: bool,
        disk: Disk,
        clock: SharedClock,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            sealer: Sealer::new(&key, nonces),
            upstream: Upstream::new(private)?,
            cache: PullCache::new(options.folder, options.disk_bytes, disk),
            clock,
            logged: Mutex::default(),
            lives: Mutex::default(),
        })
    }

    /// What `path` of a pulled medium is. `query` is the viewer's; `range` the first and last byte, when they are asked for.
    /// Nothing for a path that was never given out.
    ///
    /// # Errors
    /// The other host's failure, which is logged, without the address.
    pub async fn get(
        &self,
        pull: &Pull,
        path: &str,
        query: Option<&str>,
        range: Option<(u64, u64)>,
    ) -> Result<Option<Pulled>, PullError> {
        let medium = pull.name();
        let target = if path == pull.entry {
            Some(Target { kind: Kind::Playlist, life: 0, url: pull.url.clone() })
        } else {
            path.strip_prefix(BELOW).and_then(|name| self.sealer.open(&medium, name))
        };
        let Some(Target { kind, life, url }) = target else { return Ok(None) };
        // The entry stands above what it names.
        let prefix = if path == pull.entry { BELOW } else { "" };
        let pulled = match kind {
            Kind::Playlist => self.playlist(&medium, asking(url, query), prefix).await,
            Kind::File => self.file(format!("{medium} {life}"), url, range).await,
        };
        pulled.map(Some).inspect_err(|error| self.log(&medium, error))
    }

    async fn playlist(&self, medium: &str, url: Url, prefix: &str) -> Result<Pulled, PullError> {
        let key = Key { medium: format!("{medium}/{prefix}"), url: url.to_string(), range: None };
        let fetch = async {
            let fetched = self.upstream.ask(&url, &Ask::PLAYLIST).await?;
            let text = std::str::from_utf8(&fetched.bytes).map_err(|_| PullError::Wrong("is no text"))?;
            let life = end_of(text).map_or(0, |end| self.life_of(medium, &url, end));
            let seal = |kind, url: &Url| {
                let life = if kind == Kind::File { life } else { 0 };
                Some(format!("{prefix}{}", self.sealer.seal(medium, &Target { kind, life, url: url.clone() })?))
            };
            let rewritten = rewrite(text, &fetched.url, seal).map_err(PullError::Wrong)?;
            Ok(Kept { bytes: rewritten.text.into(), part: None, kept_for: rewritten.kept_for })
        };
        let kept = self.cache.get(key, false, fetch).await?;
        Ok(Pulled::Playlist(kept.bytes.clone()))
    }

    async fn file(&self, medium: String, url: Url, range: Option<(u64, u64)>) -> Result<Pulled, PullError> {
        let range = range.filter(|(from, to)| to >= from && to - from < MAX_FILE_BYTES);
        let key = Key { medium, url: url.to_string(), range };
        let fetch = async {
            let Fetched { bytes, part, kept_for, .. } = self.upstream.ask(&url, &Ask { range, ..Ask::FILE }).await?;
            let kept_for = kept_for.unwrap_or(FILE_KEPT_FOR).clamp(FILE_KEPT.0, FILE_KEPT.1);
            Ok(Kept { bytes, part, kept_for })
        };
        let kept = self.cache.get(key, true, fetch).await?;
        Ok(Pulled::File { bytes: kept.bytes.clone(), part: kept.part, kept_s: kept.kept_for.as_secs() })
    }

    /// The life of the encoder behind a playlist that ends at this number: another one once the numbers have gone back.
    fn life_of(&self, medium: &str, url: &Url, end: u64) -> u32 {
        let mut lives = self.lives.lock();
        if lives.len() >= LIVES {
            lives.clear();
        }
        // What a player waits for is asked for under the same path.
        let life = lives.entry(format!("{medium} {}", url.path())).or_default();
        if end.saturating_add(GOES_BACK) < life.end {
            life.number = life.number.wrapping_add(1);
            life.end = end;
        }
        life.end = life.end.max(end);
        life.number
    }

    fn log(&self, medium: &str, error: &PullError) {
        let now_ms = self.clock.now_ms();
        let mut logged = self.logged.lock();
        let last = logged.entry(medium.to_owned()).or_insert(i64::MIN);
        if now_ms.saturating_sub(*last) >= LOGGED_EVERY_MS {
            *last = now_ms;
            tracing::warn!(medium, %error, "a pulled medium cannot be served");
        }
    }
}

/// The address of a playlist with what a player of a low-latency stream asks for: a segment, and a part.
fn asking(mut url: Url, query: Option<&str>) -> Url {
    let asked: Vec<_> = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes())
        .filter(|(name, value)| {
            let is_number = !value.is_empty() && value.len() < 16 && value.bytes().all(|byte| byte.is_ascii_digit());
            is_number && matches!(&**name, "_HLS_msn" | "_HLS_part")
        })
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    if !asked.is_empty() {
        url.query_pairs_mut().extend_pairs(asked);
    }
    url
}
