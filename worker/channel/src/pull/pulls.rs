//! Requests for paths of a pulled medium.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use foldhash::HashMap;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::time::timeout;
use touchline_disk::Disk;
use touchline_protocol::ambient::SharedClock;
use url::Url;

use super::blocks::{self, ByteRange};
use super::cache::{CachedResponse, DISK_FILES, FileFacts, Key, PullCache};
use super::content::{Content, RemoteFile};
use super::live::{Live, Reload};
use super::rewrite::rewrite;
use super::sealed::{Kind, Sealer, Target};
use super::slots::{Memory, Slots};
use super::upstream::{FILE_TIMEOUT, FetchOptions, Fetched, PLAYLIST_TIMEOUT, PullError, Upstream};
use crate::media::index::Pull;
use crate::media::memory::MediaMemory;

/// Folder of sealed addresses, beside the entry.
const SEALED_PREFIX: &str = "u/";
/// Lifetime of a cached file when the other host specifies none.
const DEFAULT_FILE_LIFETIME: Duration = Duration::from_secs(30);
/// Bounds on the lifetime that the other host specifies.
const FILE_LIFETIMES: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(3600));
/// Interval between log lines about one medium's failures.
const LOG_INTERVAL_MS: i64 = 10_000;

/// Number of segments by which an older copy of a playlist may lag. A playlist that is further behind means that its
/// encoder restarted.
const MAX_LAG: u64 = 2;
/// Maximum number of playlists whose ends are remembered.
const MAX_PROGRESS: usize = 10_000;

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
        content: Box<Content>,
        /// First byte and the file's length, if it is a part.
        part: Option<(u64, Option<u64>)>,
        /// Time for which it may be cached, in seconds.
        max_age_s: u64,
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

/// A file requested by a viewer.
#[derive(Debug)]
struct File {
    pulls: Arc<Pulls>,
    medium: String,
    address: String,
    key: Key,
    url: Url,
}

impl RemoteFile for File {
    fn cache(&self) -> &PullCache {
        &self.pulls.cache
    }

    fn key(&self) -> &Key {
        &self.key
    }

    fn fetch<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Arc<CachedResponse>, PullError>> {
        let requester = Requester { medium: &self.medium, address: &self.address };
        Box::pin(self.pulls.fetched(requester, key, &self.key, &self.url))
    }
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
    progress: Mutex<HashMap<String, Progress>>,
}

/// Progress of a playlist, and the number of encoder restarts.
#[derive(Debug, Default)]
struct Progress {
    end: u64,
    run: u32,
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
        (memory, disk): (MediaMemory, Disk),
        clock: SharedClock,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            sealer: Sealer::new(&key, nonces),
            upstream: Upstream::new(private)?,
            slots: Slots::new(),
            cache: PullCache::new(options.folder, (options.disk_bytes, DISK_FILES), (memory, disk)),
            clock,
            logged: Mutex::default(),
            progress: Mutex::default(),
        })
    }

    /// Returns whether `path` was issued for a file other than a playlist.
    pub fn is_file(&self, pull: &Pull, path: &str) -> bool {
        self.target(pull, &pull.name(), path).is_some_and(|target| target.kind == Kind::File)
    }

    fn target(&self, pull: &Pull, medium: &str, path: &str) -> Option<Target> {
        if path == pull.entry {
            Some(Target { kind: Kind::Playlist, run: 0, url: pull.url.clone() })
        } else {
            self.sealer.open(medium, path.strip_prefix(SEALED_PREFIX)?)
        }
    }

    /// Returns the response for `path`, or `None` if the path was never issued.
    ///
    /// # Errors
    /// The other host's failure. It is logged without the address.
    pub async fn get(
        self: &Arc<Self>,
        pull: &Pull,
        path: &str,
        request: PullRequest<'_>,
    ) -> Result<Option<Pulled>, PullError> {
        let medium = pull.name();
        let Some(Target { kind, run, url }) = self.target(pull, &medium, path) else { return Ok(None) };
        // Entry paths are one level above the paths they name.
        let prefix = if path == pull.entry { SEALED_PREFIX } else { "" };
        // The timeout covers waiting for a slot, for concurrent requests and for the host.
        let requester = Requester { medium: &medium, address: request.address };
        let pulled = match kind {
            Kind::Playlist => timeout(PLAYLIST_TIMEOUT, self.playlist(requester, url, prefix, request.reload)).await,
            Kind::File => timeout(FILE_TIMEOUT, self.file(requester, run, url, request.range)).await,
        };
        pulled.unwrap_or(Err(PullError::TimedOut)).map(Some).inspect_err(|error| self.log(&medium, error))
    }

    /// Returns the cached response, or that of `fetch` once the viewer's address and the medium have a free slot.
    async fn get_with_slots<F: Future<Output = Result<CachedResponse, PullError>> + Send>(
        &self,
        requester: Requester<'_>,
        key: &Key,
        is_file: bool,
        fetch: impl Fn(Arc<Memory>) -> F + Send + Sync,
    ) -> Result<Arc<CachedResponse>, PullError> {
        let mut slot = None;
        let has_fetched = AtomicBool::new(false);
        loop {
            let with_slots = async {
                // Other viewers wait for the same response, so they must not wait for a slot of this address.
                let Some(slot) = slot.take().or_else(|| self.slots.try_address(requester.address)) else {
                    return Err(PullError::NoSlot);
                };
                let Some(slots) = self.slots.medium(requester.medium).await else { return Err(PullError::TimedOut) };
                has_fetched.store(true, Ordering::Relaxed);
                let memory = Arc::new(self.slots.memory(requester.medium, requester.address));
                let response = fetch(Arc::clone(&memory)).await?;
                Ok((response, (slot, slots, memory)))
            };
            match self.cache.get(key, is_file, with_slots).await {
                Err(PullError::NoSlot) => slot = self.slots.address(requester.address).await,
                // Another viewer's address had no memory left.
                Err(PullError::NoMemory) if !has_fetched.load(Ordering::Relaxed) => {}
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
        let fetch = |_| self.fetch_playlist(medium, &url, &url, prefix);
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
    ) -> Result<Option<Arc<CachedResponse>>, PullError> {
        let waiting = live.next().at(url.clone());
        let fetch = async {
            let Some(_slots) = self.slots.try_waiting(medium) else { return Err(PullError::NoSlot) };
            let playlist = self.fetch_playlist(medium, url, &waiting, prefix).await?;
            self.cache.insert_playlist(key.clone(), playlist.clone()).await;
            Ok((playlist, ()))
        };
        let next = Key { url: waiting.to_string(), ..key.clone() };
        match self.cache.get(&next, false, fetch).await {
            Err(PullError::NoSlot) => Ok(None),
            result => result.map(Some),
        }
    }

    /// Fetches a playlist from `at` and seals its addresses.
    async fn fetch_playlist(
        &self,
        medium: &str,
        url: &Url,
        at: &Url,
        prefix: &str,
    ) -> Result<CachedResponse, PullError> {
        let fetched = self.upstream.get(at, &FetchOptions::PLAYLIST).await?;
        let text = std::str::from_utf8(&fetched.bytes).map_err(|_| PullError::Wrong("is not text"))?;
        let live = Live::of(text);
        let run = live.map_or(0, |live| self.run_of(medium, url, live.end));
        let seal = |kind, url: &Url| {
            let run = if kind == Kind::File { run } else { 0 };
            Some(format!("{prefix}{}", self.sealer.seal(medium, &Target { kind, run, url: url.clone() })?))
        };
        let rewritten = rewrite(text, &fetched.url, seal).map_err(PullError::Wrong)?;
        Ok(CachedResponse { bytes: rewritten.text.into(), part: None, lifetime: rewritten.lifetime, live })
    }

    async fn file(
        self: &Arc<Self>,
        requester: Requester<'_>,
        run: u32,
        url: Url,
        range: Option<ByteRange>,
    ) -> Result<Pulled, PullError> {
        let whole = Key { medium: format!("{} {run}", requester.medium), url: url.to_string(), block: None };
        let content = |from: u64, len: u64, is_in_blocks: bool| {
            let (medium, address) = (requester.medium.clone(), requester.address.clone());
            let file = File { pulls: Arc::clone(self), medium, address, key: whole.clone(), url: url.clone() };
            Box::new(Content::new(Arc::new(file), (from, len), is_in_blocks))
        };
        let whole_of = |facts: FileFacts| Pulled::File {
            content: content(0, facts.len, false),
            part: facts.part,
            max_age_s: facts.lifetime.as_secs(),
        };
        let Some(range) = range else {
            return self.file_facts(requester, &whole, &whole, &url).await.map(whole_of);
        };
        if let Some(facts) = self.cache.facts(&whole).await {
            return Ok(whole_of(facts));
        }
        // The first block contains the file's length, so that nothing after its end is requested.
        let block = |number| Key { block: Some(number), ..whole.clone() };
        let first = match self.file_facts(requester, &block(0), &whole, &url).await {
            Ok(first) => first,
            Err(PullError::Status(416)) => return Ok(Pulled::PastEnd(None)),
            Err(error) => return Err(error),
        };
        let total = first.part.and_then(|(_, total)| total);
        let Some(numbers) = range.blocks(total) else { return Ok(Pulled::PastEnd(total)) };
        let mut end = total.map_or(range.end(), |total| range.end().min(total));
        for number in numbers {
            let len = self.file_facts(requester, &block(number), &whole, &url).await?.len;
            if len < blocks::BLOCK {
                end = end.min(number * blocks::BLOCK + len);
            }
            // A missing block is an error before the response starts. Further ones are fetched as they are sent.
            if total.is_some() || len < blocks::BLOCK {
                break;
            }
        }
        if end <= range.from() {
            return Ok(Pulled::PastEnd(total));
        }
        Ok(Pulled::File {
            content: content(range.from(), end - range.from(), true),
            part: Some((range.from(), total)),
            max_age_s: first.lifetime.as_secs(),
        })
    }

    /// Returns the facts about a file or a block, which is fetched unless it is cached.
    async fn file_facts(
        &self,
        requester: Requester<'_>,
        key: &Key,
        whole: &Key,
        url: &Url,
    ) -> Result<FileFacts, PullError> {
        match self.cache.facts(key).await {
            Some(facts) => Ok(facts),
            None => self.fetched(requester, key, whole, url).await.map(|file| file.facts()),
        }
    }

    /// Returns a file or a block from memory, or from its host.
    async fn fetched(
        &self,
        requester: Requester<'_>,
        key: &Key,
        whole: &Key,
        url: &Url,
    ) -> Result<Arc<CachedResponse>, PullError> {
        match key.block {
            Some(number) => {
                self.get_with_slots(requester, key, true, |memory| self.fetch_block(whole, url, number, memory)).await
            }
            None => self.get_with_slots(requester, key, true, |memory| self.fetch_file(url, None, memory)).await,
        }
    }

    async fn fetch_file(
        &self,
        url: &Url,
        range: Option<(u64, u64)>,
        memory: Arc<Memory>,
    ) -> Result<CachedResponse, PullError> {
        let options = FetchOptions { range, memory: Some(&memory), ..FetchOptions::FILE };
        let Fetched { bytes, part, lifetime, .. } = self.upstream.get(url, &options).await?;
        let lifetime = lifetime.unwrap_or(DEFAULT_FILE_LIFETIME).clamp(FILE_LIFETIMES.0, FILE_LIFETIMES.1);
        Ok(CachedResponse { bytes, part, lifetime, live: None })
    }

    /// Returns a block of a file. If the host does not support ranges, the whole file is cached.
    async fn fetch_block(
        &self,
        whole: &Key,
        url: &Url,
        number: u64,
        memory: Arc<Memory>,
    ) -> Result<CachedResponse, PullError> {
        let (from, to) = blocks::bytes_of(number);
        let block_of = |facts: FileFacts, bytes: Option<Bytes>| {
            let bytes = bytes.ok_or(PullError::Wrong("has changed"))?;
            let part = Some((from, Some(facts.len)));
            Ok(CachedResponse { bytes, part, lifetime: facts.lifetime, live: None })
        };
        let len_of = |total: u64| (to + 1).min(total).saturating_sub(from);
        if let Some(facts) = self.cache.facts(whole).await {
            return block_of(facts, self.cache.block(whole, from, len_of(facts.len)).await);
        }
        let file = self.fetch_file(url, Some((from, to)), memory).await?;
        if let Some(part) = file.part {
            blocks::check(number, file.bytes.len(), part)?;
            return Ok(file);
        }
        let facts = file.facts();
        let block = block_of(facts, file.block(from.min(facts.len), len_of(facts.len)));
        self.cache.insert_file(whole.clone(), file).await;
        block
    }

    /// Returns the number of encoder restarts for a playlist that ends at this number. A restart resets the numbers.
    fn run_of(&self, medium: &str, url: &Url, end: u64) -> u32 {
        let mut progress = self.progress.lock();
        if progress.len() >= MAX_PROGRESS {
            progress.clear();
        }
        // Blocking requests have the same path.
        let last = progress.entry(format!("{medium} {}", url.path())).or_default();
        if end.saturating_add(MAX_LAG) < last.end {
            last.run = last.run.wrapping_add(1);
            last.end = end;
        }
        last.end = last.end.max(end);
        last.run
    }

    fn log(&self, medium: &str, error: &PullError) {
        let now_ms = self.clock.now_ms();
        let mut logged = self.logged.lock();
        let last = logged.entry(medium.to_owned()).or_insert(i64::MIN);
        if now_ms.saturating_sub(*last) >= LOG_INTERVAL_MS {
            *last = now_ms;
            tracing::warn!(medium, %error, "a pulled medium cannot be served");
        }
    }
}
