//! Cache of responses for viewers without purchases: built once, compressed once, identified by an ETag (`OPS`).
//!
//! Such a response depends only on the channel's load, the number of past status changes, and [`ViewerKind`]. These
//! form the key, so that no entry is ever stale. Signed addresses are never cached, since they belong to one session.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, OnceLock};

use axum::http::HeaderValue;
use bytes::Bytes;
use foldhash::HashMap;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use touchline_domain::entitlements::Entitlements;
use touchline_protocol::limits::Limit;
use touchline_protocol::negotiation::Encoding;

use super::snapshot::ChannelSnapshot;

/// Size limit of the cache in bytes, including keys and every encoding.
const MAX_BYTES: usize = 32 * 1024 * 1024;
pub(crate) const LIMITS: &[Limit] = &[Limit::bytes(
    "answers.kept",
    MAX_BYTES as u64,
    "Cached responses for viewers without purchases, with keys and encodings. The oldest are dropped first.",
)];
/// Encodings of cached responses, best first.
pub(crate) const ENCODINGS: [Encoding; 2] = [Encoding::Brotli, Encoding::Gzip];
/// Smaller responses are not compressed.
const MIN_COMPRESSED_BYTES: usize = 1024;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ResponseKey {
    generation: u64,
    status_changes: usize,
    viewer: ViewerKind,
    call: String,
}

/// All properties in which viewers without purchases differ. A person without rights gets the same response as a
/// visitor.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ViewerKind {
    watches: bool,
    watches_library: bool,
    /// Set only if the channel or an event has geo rules; decides whether the viewer is blocked.
    country: Option<String>,
}

impl ResponseKey {
    /// The key of a public file, by its path.
    pub(crate) fn of_file(channel: &ChannelSnapshot, path: &str) -> Self {
        let viewer = ViewerKind { watches: false, watches_library: false, country: None };
        // No call starts with a channel's key and `media/`.
        Self { generation: channel.generation, status_changes: 0, viewer, call: path.to_owned() }
    }

    /// The key of `call` (its path and query); `None` for a viewer with their own response.
    pub(crate) fn of(channel: &ChannelSnapshot, viewer: &Entitlements, now_s: i64, call: String) -> Option<Self> {
        viewer.owns_nothing().then(|| Self {
            generation: channel.generation,
            status_changes: channel.status_changes_by(now_s),
            viewer: ViewerKind {
                watches: viewer.user_id.is_some() && viewer.can("watch"),
                watches_library: viewer.user_id.is_some() && viewer.can("vod_media"),
                country: viewer.country.clone().filter(|_| channel.depends_on_country()),
            },
            call,
        })
    }
}

/// A response or drawing in every encoding requested so far.
#[derive(Debug)]
pub(crate) struct CachedResponse {
    /// Weak, since all encodings share it.
    pub(crate) etag: HeaderValue,
    /// JSON or SVG.
    pub(crate) plain: Bytes,
    gzip: OnceLock<Bytes>,
    brotli: OnceLock<Bytes>,
}

impl CachedResponse {
    pub(crate) fn new(plain: Bytes) -> Self {
        let digest = Sha256::digest(&plain);
        let etag = format!("W/\"{}\"", hex::encode(&digest[..12]));
        // Hexadecimal digits are valid in a header.
        let etag = HeaderValue::try_from(etag).unwrap_or(HeaderValue::from_static("W/\"\""));
        Self { etag, plain, gzip: OnceLock::new(), brotli: OnceLock::new() }
    }

    /// The encoded bytes, compressed at the first request, with the encoding used.
    pub(crate) fn encoded(&self, encoding: Encoding) -> (Bytes, Encoding) {
        if self.plain.len() < MIN_COMPRESSED_BYTES {
            return (self.plain.clone(), Encoding::Plain);
        }
        // Writing to memory does not fail. If it did, the plain response would do.
        let compress = |compressed: io::Result<Vec<u8>>| {
            compressed.map(|compressed| compressed.into_boxed_slice().into()).unwrap_or_default()
        };
        let compressed = match encoding {
            Encoding::Plain => return (self.plain.clone(), Encoding::Plain),
            Encoding::Gzip => self.gzip.get_or_init(|| compress(gzip(&self.plain))),
            Encoding::Brotli => self.brotli.get_or_init(|| compress(brotli(&self.plain))),
        };
        if compressed.is_empty() { (self.plain.clone(), Encoding::Plain) } else { (compressed.clone(), encoding) }
    }

    /// Whether this encoding needs no work.
    pub(crate) fn is_ready(&self, encoding: Encoding) -> bool {
        self.plain.len() < MIN_COMPRESSED_BYTES
            || match encoding {
                Encoding::Plain => true,
                Encoding::Gzip => self.gzip.get().is_some(),
                Encoding::Brotli => self.brotli.get().is_some(),
            }
    }
}

fn gzip(plain: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(plain)?;
    encoder.finish()
}

fn brotli(plain: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressed = Vec::new();
    let params = brotli::enc::BrotliEncoderParams { quality: 6, ..Default::default() };
    brotli::BrotliCompress(&mut &*plain, &mut compressed, &params)?;
    Ok(compressed)
}

/// Cached responses; the oldest are dropped first.
#[derive(Debug, Default)]
pub(crate) struct ResponseCache(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    by_key: HashMap<ResponseKey, Arc<CachedResponse>>,
    oldest_first: VecDeque<ResponseKey>,
    bytes: usize,
}

/// Size of an entry apart from its texts: two copies of its key, its slots in map and queue, and its fields.
const ENTRY_BYTES: usize = 2 * (size_of::<ResponseKey>() + size_of::<usize>()) + 2 * size_of::<CachedResponse>();

/// Upper bound of a response's memory. Encodings are created later but counted at once; none is larger than the plain
/// text by more than a few bytes.
fn cost(key: &ResponseKey, answer: &CachedResponse) -> usize {
    let texts = key.call.capacity() + key.viewer.country.as_ref().map_or(0, String::capacity);
    let encodings = if answer.plain.len() < MIN_COMPRESSED_BYTES { 1 } else { 3 };
    ENTRY_BYTES + 2 * texts + encodings * answer.plain.len()
}

impl ResponseCache {
    pub(crate) fn get(&self, key: &ResponseKey) -> Option<Arc<CachedResponse>> {
        self.0.lock().by_key.get(key).map(Arc::clone)
    }

    #[cfg(test)]
    fn bytes(&self) -> usize {
        self.0.lock().bytes
    }

    /// Stores a response. Returns the stored one, which another request may have created first.
    pub(crate) fn insert(&self, key: ResponseKey, answer: CachedResponse) -> Arc<CachedResponse> {
        let mut cache = self.0.lock();
        if let Some(first) = cache.by_key.get(&key) {
            return Arc::clone(first);
        }
        let answer = Arc::new(answer);
        cache.bytes += cost(&key, &answer);
        cache.by_key.insert(key.clone(), Arc::clone(&answer));
        cache.oldest_first.push_back(key);
        while cache.bytes > MAX_BYTES {
            let Some(oldest) = cache.oldest_first.pop_front() else { break };
            if let Some(evicted) = cache.by_key.remove(&oldest) {
                cache.bytes -= cost(&oldest, &evicted);
            }
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn all_encodings_have_the_same_content() {
        let text = "Northfield at Harbor City. ".repeat(200);
        let answer = CachedResponse::new(text.clone().into());
        let (compressed, used) = answer.encoded(Encoding::Gzip);
        let mut unpacked = String::new();
        flate2::read::GzDecoder::new(&compressed[..]).read_to_string(&mut unpacked).unwrap();
        assert_eq!((unpacked, used), (text.clone(), Encoding::Gzip));
        let (compressed, used) = answer.encoded(Encoding::Brotli);
        let mut unpacked = Vec::new();
        brotli::BrotliDecompress(&mut &compressed[..], &mut unpacked).unwrap();
        assert_eq!((unpacked, used), (text.into_bytes(), Encoding::Brotli));
        assert!(answer.is_ready(Encoding::Brotli));
        assert_eq!(CachedResponse::new("{}".into()).encoded(Encoding::Brotli).1, Encoding::Plain);
    }

    fn key(call: String) -> ResponseKey {
        let viewer = ViewerKind { watches: false, watches_library: false, country: None };
        ResponseKey { generation: 0, status_changes: 0, viewer, call }
    }

    #[test]
    fn the_oldest_entries_are_evicted_at_the_limit() {
        let cache = ResponseCache::default();
        for call in 0..5 {
            cache.insert(key(call.to_string()), CachedResponse::new(vec![b' '; MAX_BYTES / 12].into()));
        }
        let are_cached: Vec<_> = (0..5).map(|call| cache.get(&key(call.to_string())).is_some()).collect();
        assert_eq!(are_cached, [false, false, true, true, true]);
    }

    /// `LIM-6`: counted memory equals used memory, even for small responses under long keys in every encoding.
    #[test]
    fn small_responses_under_long_keys_are_counted_in_full() {
        let cache = ResponseCache::default();
        let mut count = 0;
        for call in 0..100_000 {
            let answer = cache.insert(key(format!("{call:01000}")), CachedResponse::new(Bytes::from_static(b"[]")));
            answer.encoded(Encoding::Brotli);
            count = cache.0.lock().by_key.len();
        }
        assert!(cache.bytes() <= MAX_BYTES);
        assert!(count * 2000 <= MAX_BYTES, "{count} keys of a thousand letters, twice each");
        let text: Bytes = (0..2000).map(|n| format!("{:x} ", n * 7919)).collect::<String>().into();
        let answer = CachedResponse::new(text);
        let encodings =
            [Encoding::Plain, Encoding::Gzip, Encoding::Brotli].map(|wanted| answer.encoded(wanted).0.len());
        assert!(encodings.iter().sum::<usize>() <= cost(&key(String::new()), &answer), "{encodings:?}");
    }
}
