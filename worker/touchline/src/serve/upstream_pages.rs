//! Page content of a channel whose API is elsewhere: read as a visitor by country, and refreshed when a page is
//! requested and the last reading is stale (`UP-11`).

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use touchline_channel::catalogue::{ChannelSnapshot, Channels};
use touchline_protocol::ambient::SharedClock;
#[cfg(test)]
use touchline_protocol::limits::Limit;
use touchline_upstream::{Public, SharedClip, Upstream, Viewpoint};

use crate::site::{Shared, Subject, Visitor};

/// The time for which a reading is fresh; also the pause after a failed one.
const FRESH_PERIOD: Duration = Duration::from_secs(30);
/// The retry interval for a channel that was never read.
const RETRY_INTERVAL: Duration = Duration::from_secs(3);
/// The oldest reading that pages use.
const MAX_AGE: Duration = Duration::from_secs(24 * 3600);
/// The most readings, one per channel and country.
const MAX_READINGS: usize = 300;
/// The size limit of the responses behind all readings, in bytes.
const MAX_BYTES: usize = 192 << 20;
/// Part of the limits table.
#[cfg(test)]
pub(super) const LIMITS: &[Limit] = &[
    Limit::time("upstream_pages.fresh", FRESH_PERIOD, "Age at which pages refresh their crawl of the upstream."),
    Limit::time("upstream_pages.oldest", MAX_AGE, "Maximum age of a crawl that pages use while the upstream fails."),
    Limit::count("upstream_pages.read", MAX_READINGS as u64, "readings", "Stored crawls, one per channel and country."),
    Limit::bytes("upstream_pages.bytes", MAX_BYTES as u64, "Responses stored for all crawls."),
];
/// Above any generation of a channel folder.
const FIRST_GENERATION: u64 = 1 << 63;

/// The channel's key, and the country it was read for.
type Key = (String, Option<String>);

/// Page content of the upstream's channels. Clones share state.
#[derive(Clone)]
pub(crate) struct UpstreamPages(Arc<Inner>);

struct Inner {
    upstream: Upstream,
    channels: Arc<Channels>,
    clock: SharedClock,
    readings: Mutex<Readings>,
    generation: AtomicU64,
    /// Only one channel is read at a time.
    turn: Semaphore,
}

#[derive(Clone)]
struct Reading {
    channel: Arc<ChannelSnapshot>,
    /// Identifies the responses it was read from.
    tag: String,
    bytes: usize,
    at: Instant,
}

#[derive(Default)]
struct Readings {
    by_key: HashMap<Key, Entry>,
}

struct Entry {
    reading: Option<Reading>,
    tried_at: Instant,
    requested_at: Instant,
}

impl Readings {
    /// Returns the channel, if known, and whether it needs to be read.
    fn lookup(&mut self, key: &Key) -> (Option<Arc<ChannelSnapshot>>, bool) {
        let now = Instant::now();
        let Some(entry) = self.by_key.get_mut(key) else { return (None, true) };
        entry.requested_at = now;
        let reading = entry.reading.as_ref().filter(|reading| now - reading.at < MAX_AGE);
        (reading.map(|reading| Arc::clone(&reading.channel)), now - entry.tried_at >= FRESH_PERIOD)
    }

    /// Records an attempt and returns the previous reading.
    fn record_attempt(&mut self, key: &Key) -> Option<Reading> {
        let now = Instant::now();
        let entry = self.by_key.entry(key.clone());
        let entry = entry.or_insert_with(|| Entry { reading: None, tried_at: now, requested_at: now });
        entry.tried_at = now;
        let before = entry.reading.clone();
        while self.by_key.len() > MAX_READINGS && self.evict_other(key) {}
        before
    }

    /// A reading of the same responses for another country.
    fn with_same_tag(&self, tag: &str) -> Option<Reading> {
        self.by_key.values().filter_map(|entry| entry.reading.as_ref()).find(|reading| reading.tag == tag).cloned()
    }

    fn store(&mut self, key: &Key, reading: Reading) {
        if let Some(entry) = self.by_key.get_mut(key) {
            entry.reading = Some(reading);
        }
        while self.bytes() > MAX_BYTES && self.evict_other(key) {}
    }

    fn bytes(&self) -> usize {
        let readings = self.by_key.values().filter_map(|entry| entry.reading.as_ref());
        readings.map(|reading| (&reading.tag, reading.bytes)).collect::<HashMap<_, _>>().values().sum()
    }

    /// Drops the least recently requested reading other than `key`. Returns `false` if there is none.
    fn evict_other(&mut self, key: &Key) -> bool {
        let others = self.by_key.iter().filter(|(other, _)| *other != key);
        let oldest = others.min_by_key(|(_, entry)| entry.requested_at).map(|(other, _)| other.clone());
        oldest.is_some_and(|oldest| self.by_key.remove(&oldest).is_some())
    }
}

impl UpstreamPages {
    pub(crate) fn new(upstream: Upstream, channels: Arc<Channels>, clock: SharedClock) -> Self {
        Self(Arc::new(Inner {
            upstream,
            channels,
            clock,
            readings: Mutex::default(),
            generation: AtomicU64::new(FIRST_GENERATION),
            turn: Semaphore::new(1),
        }))
    }

    pub(super) fn upstream(&self) -> &Upstream {
        &self.0.upstream
    }

    /// Reads every channel without a country, retrying until each has been read once.
    pub(super) async fn run(&self, cancel: CancellationToken) {
        let work = async {
            self.0.upstream.wait_until_detected().await;
            let mut pending: Vec<_> = self.0.channels.all().iter().map(|channel| channel.key().to_owned()).collect();
            while !pending.is_empty() {
                let mut remaining = Vec::new();
                for key in pending {
                    let Ok(_turn) = self.0.turn.acquire().await else { return };
                    if !self.read(&(key.clone(), None), &Viewpoint::default()).await {
                        remaining.push(key);
                    }
                }
                pending = remaining;
                sleep(RETRY_INTERVAL).await;
            }
        };
        cancel.run_until_cancelled(work).await;
    }

    /// The channel of a host as the upstream shows it to visitors of that country; `None` while it is unknown.
    pub(super) fn channel_of(&self, host: &str, visitor: &Visitor) -> Option<Arc<ChannelSnapshot>> {
        let folder = self.0.channels.by_host(host)?;
        let key = (folder.key().to_owned(), visitor.country.clone());
        let (channel, is_due) = self.0.readings.lock().lookup(&key);
        if is_due {
            let (pages, viewpoint) = (self.clone(), viewpoint(visitor));
            tokio::spawn(async move {
                // If another page is already reading, the next request tries again.
                if let Ok(_turn) = pages.0.turn.try_acquire() {
                    pages.read(&key, &viewpoint).await;
                }
            });
        }
        channel
    }

    /// Whether the upstream says that the subject of a page does not exist.
    pub(super) async fn lacks(&self, channel: &ChannelSnapshot, subject: Subject<'_>, visitor: &Visitor) -> bool {
        let (route, id) = match subject {
            Subject::Event(id) => ("events/{id}", id),
            Subject::Video(id) => ("vod-media-items/{id}", id),
            Subject::Package(id) => ("packages/{id}", id),
            Subject::SharedClip { .. } | Subject::Clip(_) => return false,
        };
        let viewpoint = viewpoint(visitor);
        self.0.upstream.is_missing(public(channel, &viewpoint), route, id).await
    }

    /// A shared clip of the upstream. One cut from an event or video that is not shown here is not shown either.
    pub(super) async fn shared_clip(
        &self,
        channel: &ChannelSnapshot,
        id: i64,
        uuid: &str,
        visitor: &Visitor,
    ) -> Shared {
        let viewpoint = viewpoint(visitor);
        match self.0.upstream.shared_clip(public(channel, &viewpoint), id, uuid).await {
            SharedClip::Found { name, event_id, vod_id } => {
                let is_visible = event_id.is_none_or(|id| channel.event(id).is_some())
                    && vod_id.is_none_or(|id| channel.video(id).is_some());
                if is_visible { Shared::Clip { name, event_id, vod_id } } else { Shared::Unknown }
            }
            SharedClip::Missing => Shared::Missing,
            SharedClip::Unknown => Shared::Unknown,
        }
    }

    /// Reads a channel for a country. Returns whether it succeeded.
    async fn read(&self, key: &Key, viewpoint: &Viewpoint) -> bool {
        let Some(folder) = self.0.channels.by_key(&key.0) else { return true };
        let before = self.0.readings.lock().record_attempt(key);
        let replies = match self.0.upstream.public_replies(public(&folder, viewpoint)).await {
            Ok(replies) => replies,
            Err(error) => {
                tracing::debug!(channel = key.0, error, "the upstream's channel could not be read for its pages");
                return false;
            }
        };
        // The folder defines the channel's address.
        let tag = format!("{} {} {}", key.0, folder.generation, replies.tag());
        // A stale response does not become younger when read again.
        let at = before.as_ref().filter(|_| replies.is_stale).map_or_else(Instant::now, |before| before.at);
        let same = before.filter(|before| before.tag == tag).or_else(|| self.0.readings.lock().with_same_tag(&tag));
        let reading = match same {
            Some(same) => Reading { at, ..same },
            None => {
                let generation = self.0.generation.fetch_add(1, Ordering::Relaxed);
                let (now_s, bytes) = (self.0.clock.now_s(), replies.bytes());
                // Ten thousand events take about a tenth of a second.
                let task = tokio::task::spawn_blocking(move || {
                    replies.read().map(|public| Arc::new(folder.described_by(public, generation, now_s)))
                });
                let Ok(Some(channel)) = task.await else {
                    tracing::warn!(
                        channel = key.0,
                        "the upstream's settings are invalid, so its pages have no content"
                    );
                    return false;
                };
                Reading { channel, tag, bytes, at }
            }
        };
        self.0.readings.lock().store(key, reading);
        true
    }
}

fn public<'a>(channel: &'a ChannelSnapshot, viewpoint: &'a Viewpoint) -> Public<'a> {
    let host = channel.config.hosts.first().map_or("localhost", String::as_str);
    Public { channel_key: channel.key(), host, viewpoint }
}

/// The visitor's location, without the address if the country is unknown.
fn viewpoint(visitor: &Visitor) -> Viewpoint {
    let address = visitor.country.as_ref().and(visitor.address);
    Viewpoint {
        address: address.map(|address| address.to_string()),
        country: visitor.country.clone(),
        is_https: visitor.https,
    }
}
