//! Requests for paths of a pulled medium.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use foldhash::HashMap;
use parking_lot::Mutex;
use tokio::time::timeout;
use touchline_disk::Disk;
use touchline_protocol::ambient::SharedClock;
use url::Url;

use super::blocks::{self, ByteRange};
use super::cache::{DISK_FILES, Kept, Key, PullCache};
use super::live::{Live, Reload};
use super::rewrite::rewrite;
use super::sealed::{Kind, Sealer, Target};
use super::slots::Slots;
use super::upstream::{Ask, FILE_WITHIN, Fetched, PLAYLIST_WITHIN, PullError, Upstream};
use crate::media::index::Pull;

/// Folder of sealed addresses, beside the entry.
const BELOW: &str = "u/";
/// Lifetime of a cached file when the other host specifies none.
const FILE_KEPT_FOR: Duration = Duration::from_secs(30);
/// Bounds on the lifetime that the other host specifies.
const FILE_KEPT: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(3600));
/// Interval between log lines about one medium's failures.
const LOGGED_EVERY_MS: i64 = 10_000;

/// Number of segments by which an older copy of a playlist may lag. A playlist that is further behind means that its
/// encoder restarted.
const GOES_BACK: u64 = 2;
/// Maximum number of playlists whose ends are remembered.
const LIVES: usize = 10_000;

/// Settings of pulled media.
#[derive(Debug, Clone)]
pub struct PullOptions {
    /// Folder of the disk cache.
    pub folder: PathBuf,
    /// Size of the disk cache, in bytes.
    pub disk_bytes: u64,
}

/// Response to a request.
#[derive(Debug, Clone)]
pub enum Pulled {
    /// A playlist with sealed addresses.
    Playlist(Bytes),
    /// A file, or the requested part of it.
    File {
        /// Contents.
        bytes: Bytes,
        /// First byte and the file's length, if it is a part.
        part: Option<(u64, Option<u64>)>,
        /// Time for which it may be cached, in seconds.
        kept_s: u64,
    },
    /// A range after the end of the file. The file's length, if the other host named it.
    PastEnd(Option<u64>),
}

/// A request for a path of a pulled medium.
#[derive(Debug, Clone, Copy)]
pub struct PullRequest<'a> {
    /// The viewer's network address, for limits.
    pub address: &'a String,
    /// Requested part of a file.
    pub range: Option<ByteRange>,
    /// Segment or part that the playlist must contain.
    pub reload: Option<Reload>,
}

/// A viewer who requests a medium.
#[derive(Debug, Clone, Copy)]
struct Requester<'a> {
    medium: &'a String,
    address: &'a String,
}

/// Pulls media from other hosts.
#[derive(Debug)]
pub struct Pulls {
    sealer: Sealer,
    upstream: Upstream,
    slots: Slots,
    cache: PullCache,
    clock: SharedClock,
    logged: Mutex<HashMap<String, i64>>,
    /// Progress of playlists, by medium and path.
    lives: Mutex<HashMap<String, Life>>,
}

/// Progress of a playlist, and the number of encoder restarts.
#[derive(Debug, Default)]
struct Life {
    end: u64,
    number: u32,
}

impl Pulls {
    /// Creates it with secrets that must stay the same over restarts. `private` allows hosts in private networks.
    ///
    /// # Errors
    /// If the HTTP client cannot be created.
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
            slots: Slots::new(),
            cache: PullCache::new(options.folder, (options.disk_bytes, DISK_FILES), disk),
            clock,
            logged: Mutex::default(),
            lives: Mutex::default(),
        })
    }

    /// Returns the response for `path`, or `None` if the path was never issued.
    ///
    /// # Errors
    /// The other host's failure. It is logged without the address.
    pub async fn get(&self, pull: &Pull, path: &str, request: PullRequest<'_>) -> Result<Option<Pulled>, PullError> {
        let medium = pull.name();
        let target = if path == pull.entry {
            Some(Target { kind: Kind::Playlist, life: 0, url: pull.url.clone() })
        } else {
            path.strip_prefix(BELOW).and_then(|name| self.sealer.open(&medium, name))
        };
        let Some(Target { kind, life, url }) = target else { return Ok(None) };
        // Entry paths are one level above the paths they name.
        let prefix = if path == pull.entry { BELOW } else { "" };
        // The timeout covers waiting for a slot, for concurrent requests and for the host.
        let requester = Requester { medium: &medium, address: request.address };
        let pulled = match kind {
            Kind::Playlist => timeout(PLAYLIST_WITHIN, self.playlist(requester, url, prefix, request.reload)).await,
            Kind::File => timeout(FILE_WITHIN, self.file(requester, life, url, request.range)).await,
        };
        pulled.unwrap_or(Err(PullError::TimedOut)).map(Some).inspect_err(|error| self.log(&medium, error))
    }

    /// Returns the cached response, or that of `fetch` once the viewer's address and the medium have a free slot.
    async fn get_with_slots<F: Future<Output = Result<Kept, PullError>> + Send>(
        &self,
        requester: Requester<'_>,
        key: &Key,
        is_file: bool,
        fetch: impl Fn() -> F + Send + Sync,
    ) -> Result<Arc<Kept>, PullError> {
        let mut slot = None;
        loop {
            let with_slots = async {
                // Other viewers wait for the same response, so they must not wait for a slot of this address.
                let Some(_slot) = slot.take().or_else(|| self.slots.try_address(requester.address)) else {
                    return Err(PullError::NoSlot);
                };
                let Some(_slots) = self.slots.medium(requester.medium).await else { return Err(PullError::TimedOut) };
                fetch().await
            };
            match self.cache.get(key, is_file, with_slots).await {
                Err(PullError::NoSlot) => slot = self.slots.address(requester.address).await,
                result => return result,
            }
        }
    }

    async fn playlist(
        &self,
        requester: Requester<'_>,
        url: Url,
        prefix: &str,
        reload: Option<Reload>,
    ) -> Result<Pulled, PullError> {
        let medium = requester.medium;
        let key = Key { medium: format!("{medium}/{prefix}"), url: url.to_string(), block: None };
        let fetch = || self.fetch_playlist(medium, &url, &url, prefix);
        let mut playlist = self.get_with_slots(requester, &key, false, fetch).await?;
        while let (Some(live), Some(reload)) = (playlist.live, reload)
            && live.may_wait_for(reload)
        {
            let next = self.next_playlist(medium, &key, &url, (prefix, &live)).await?;
            playlist = match next {
                Some(next) if next.live.is_some_and(|next| next.is_past(&live)) => next,
                Some(next) => return Ok(Pulled::Playlist(next.bytes.clone())),
                None => break,
            };
        }
        Ok(Pulled::Playlist(playlist.bytes.clone()))
    }

    /// Returns the playlist once it is ahead of `live`. However many viewers wait, its host gets one request. Returns
    /// `None` if too many other playlists of the medium are waited for.
    async fn next_playlist(
        &self,
        medium: &String,
        key: &Key,
        url: &Url,
        (prefix, live): (&str, &Live),
    ) -> Result<Option<Arc<Kept>>, PullError> {
        let waiting = live.next().at(url.clone());
        let fetch = async {
            let Some(_slots) = self.slots.try_waiting(medium) else { return Err(PullError::NoSlot) };
            let playlist = self.fetch_playlist(medium, url, &waiting, prefix).await?;
            self.cache.insert_playlist(key.clone(), playlist.clone()).await;
            Ok(playlist)
        };
        let next = Key { url: waiting.to_string(), ..key.clone() };
        match self.cache.get(&next, false, fetch).await {
            Err(PullError::NoSlot) => Ok(None),
            result => result.map(Some),
        }
    }

    /// Fetches a playlist from `at` and seals its addresses.
    async fn fetch_playlist(&self, medium: &str, url: &Url, at: &Url, prefix: &str) -> Result<Kept, PullError> {
        let fetched = self.upstream.ask(at, &Ask::PLAYLIST).await?;
        let text = std::str::from_utf8(&fetched.bytes).map_err(|_| PullError::Wrong("is not text"))?;
        let live = Live::of(text);
        let life = live.map_or(0, |live| self.life_of(medium, url, live.end));
        let seal = |kind, url: &Url| {
            let life = if kind == Kind::File { life } else { 0 };
            Some(format!("{prefix}{}", self.sealer.seal(medium, &Target { kind, life, url: url.clone() })?))
        };
        let rewritten = rewrite(text, &fetched.url, seal).map_err(PullError::Wrong)?;
        Ok(Kept { bytes: rewritten.text.into(), part: None, kept_for: rewritten.kept_for, live })
    }

    async fn file(
        &self,
        requester: Requester<'_>,
        life: u32,
        url: Url,
        range: Option<ByteRange>,
    ) -> Result<Pulled, PullError> {
        let whole = Key { medium: format!("{} {life}", requester.medium), url: url.to_string(), block: None };
        let Some(range) = range else {
            let fetch = || self.fetch_file(&url, None);
            return self.get_with_slots(requester, &whole, true, fetch).await.map(|file| of_file(&file));
        };
        // The first block tells the file's length, so that nothing after its end is requested.
        let (total, kept_for) = match self.cache.file(&whole).await {
            Some(file) => return Ok(of_file(&file)),
            None => match self.block(requester, &whole, &url, 0).await {
                Ok(first) => (first.part.and_then(|(_, total)| total), first.kept_for),
                Err(PullError::Status(416)) => return Ok(Pulled::PastEnd(None)),
                Err(error) => return Err(error),
            },
        };
        let Some(numbers) = range.blocks(total) else { return Ok(Pulled::PastEnd(total)) };
        let mut parts = Vec::new();
        for number in numbers {
            let bytes = self.block(requester, &whole, &url, number).await?.bytes.clone();
            let is_last = (bytes.len() as u64) < blocks::BLOCK;
            parts.push((number, bytes));
            if is_last {
                break;
            }
        }
        let bytes = range.join(&parts);
        if bytes.is_empty() {
            return Ok(Pulled::PastEnd(total));
        }
        Ok(Pulled::File { bytes, part: Some((range.from(), total)), kept_s: kept_for.as_secs() })
    }

    async fn block(
        &self,
        requester: Requester<'_>,
        whole: &Key,
        url: &Url,
        number: u64,
    ) -> Result<Arc<Kept>, PullError> {
        let key = Key { block: Some(number), ..whole.clone() };
        self.get_with_slots(requester, &key, true, || self.fetch_block(whole, url, number)).await
    }

    async fn fetch_file(&self, url: &Url, range: Option<(u64, u64)>) -> Result<Kept, PullError> {
        let Fetched { bytes, part, kept_for, .. } = self.upstream.ask(url, &Ask { range, ..Ask::FILE }).await?;
        let kept_for = kept_for.unwrap_or(FILE_KEPT_FOR).clamp(FILE_KEPT.0, FILE_KEPT.1);
        Ok(Kept { bytes, part, kept_for, live: None })
    }

    /// Returns a block of a file. If the host does not support ranges, the whole file is cached.
    async fn fetch_block(&self, whole: &Key, url: &Url, number: u64) -> Result<Kept, PullError> {
        let file = match self.cache.file(whole).await {
            Some(file) => Kept::clone(&file),
            None => self.fetch_file(url, Some(blocks::bytes_of(number))).await?,
        };
        if let Some(part) = file.part {
            blocks::check(number, file.bytes.len(), part)?;
            return Ok(file);
        }
        let (total, (from, to)) = (file.bytes.len() as u64, blocks::bytes_of(number));
        let block = file.bytes.slice(from.min(total) as usize..(to + 1).min(total) as usize);
        let kept_for = file.kept_for;
        self.cache.insert_file(whole.clone(), file).await;
        Ok(Kept { bytes: block, part: Some((from, Some(total))), kept_for, live: None })
    }

    /// Returns the number of encoder restarts for a playlist that ends at this number. A restart resets the numbers.
    fn life_of(&self, medium: &str, url: &Url, end: u64) -> u32 {
        let mut lives = self.lives.lock();
        if lives.len() >= LIVES {
            lives.clear();
        }
        // Blocking requests have the same path.
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

fn of_file(file: &Kept) -> Pulled {
    Pulled::File { bytes: file.bytes.clone(), part: file.part, kept_s: file.kept_for.as_secs() }
}
