//! Answers for viewers who own nothing: made once, compressed once, told apart by an ETag (`OPS`).
//!
//! What such viewers get depends on little: the load of the channel, how many statuses have moved, and the few things of
//! [`ViewerKind`]. That is the key, so that nothing is ever stale. No signed address is in an answer that is kept: one is
//! a session's own.

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

use super::snapshot::ChannelSnapshot;

/// The most bytes that are kept, with their keys and in every encoding.
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[Limit::bytes(
    "answers.kept",
    MAX_BYTES as u64,
    "Answers for viewers who own nothing, kept in memory with their keys and encodings; the oldest goes first.",
)];
/// An answer under this is not worth compressing.
const WORTH_COMPRESSING: usize = 1024;

/// What tells one kept answer from another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ResponseKey {
    generation: u64,
    moves: usize,
    viewer: ViewerKind,
    call: String,
}

/// All that a viewer who owns nothing can differ in. Someone without rights gets what a visitor gets.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ViewerKind {
    watches: bool,
    watches_library: bool,
    /// Only where the channel or an event asks for it; decides whether the viewer is shut out.
    country: Option<String>,
}

impl ResponseKey {
    /// The key of a file that everyone may see, by its path.
    pub fn of_file(channel: &ChannelSnapshot, path: &str) -> Self {
        let viewer = ViewerKind { watches: false, watches_library: false, country: None };
        // No call begins with a channel's key and `media/`.
        Self { generation: channel.generation, moves: 0, viewer, call: path.to_owned() }
    }

    /// The key of `call` (its path and whatever its query means); nothing for a viewer whose answer is their own.
    pub fn of(channel: &ChannelSnapshot, viewer: &Entitlements, now_s: i64, call: String) -> Option<Self> {
        viewer.owns_nothing().then(|| Self {
            generation: channel.generation,
            moves: channel.moves_by(now_s),
            viewer: ViewerKind {
                watches: viewer.user_id.is_some() && viewer.can("watch"),
                watches_library: viewer.user_id.is_some() && viewer.can("vod_media"),
                country: viewer.country.clone().filter(|_| channel.asks_for_country()),
            },
            call,
        })
    }
}

/// One answer, or one drawing, in every encoding that was asked for so far.
#[derive(Debug)]
pub struct CachedResponse {
    /// Weak, since the encodings share it.
    pub etag: HeaderValue,
    /// JSON, or SVG.
    pub plain: Bytes,
    gzip: OnceLock<Bytes>,
    brotli: OnceLock<Bytes>,
}

/// How an answer is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// As it is.
    Plain,
    /// `gzip`.
    Gzip,
    /// `br`.
    Brotli,
}

impl Encoding {
    /// The best one that an `Accept-Encoding` allows.
    pub fn best(accepted: &str) -> Self {
        let mut best = Self::Plain;
        for item in accepted.split(',') {
            let (coding, weight) = item.split_once(';').unwrap_or((item, ""));
            let refused = weight.trim().strip_prefix("q=").and_then(|q| q.trim().parse().ok()) == Some(0.0f32);
            match coding.trim() {
                _ if refused => {}
                coding if coding.eq_ignore_ascii_case("br") => return Self::Brotli,
                coding if coding.eq_ignore_ascii_case("gzip") => best = Self::Gzip,
                _ => {}
            }
        }
        best
    }

    /// What `Content-Encoding` calls it.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Gzip => Some("gzip"),
            Self::Brotli => Some("br"),
        }
    }
}

impl CachedResponse {
    /// An answer of this text.
    pub fn new(plain: Bytes) -> Self {
        let digest = Sha256::digest(&plain);
        let etag = format!("W/\"{}\"", hex::encode(&digest[..12]));
        // Hexadecimal digits may stand in a header.
        let etag = HeaderValue::try_from(etag).unwrap_or(HeaderValue::from_static("W/\"\""));
        Self { etag, plain, gzip: OnceLock::new(), brotli: OnceLock::new() }
    }

    /// Its bytes, compressed now when they were not before; with the encoding that was used.
    pub fn encoded(&self, encoding: Encoding) -> (Bytes, Encoding) {
        if self.plain.len() < WORTH_COMPRESSING {
            return (self.plain.clone(), Encoding::Plain);
        }
        // Writing to memory does not fail; were it to, the plain answer is as good.
        let packed = |made: io::Result<Vec<u8>>| made.map(|made| made.into_boxed_slice().into()).unwrap_or_default();
        let made = match encoding {
            Encoding::Plain => return (self.plain.clone(), Encoding::Plain),
            Encoding::Gzip => self.gzip.get_or_init(|| packed(gzip(&self.plain))),
            Encoding::Brotli => self.brotli.get_or_init(|| packed(brotli(&self.plain))),
        };
        if made.is_empty() { (self.plain.clone(), Encoding::Plain) } else { (made.clone(), encoding) }
    }

    /// Whether this encoding is at hand without work.
    pub fn is_ready(&self, encoding: Encoding) -> bool {
        self.plain.len() < WORTH_COMPRESSING
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
    let mut packed = Vec::new();
    let params = brotli::enc::BrotliEncoderParams { quality: 6, ..Default::default() };
    brotli::BrotliCompress(&mut &*plain, &mut packed, &params)?;
    Ok(packed)
}

/// The answers that are kept, the oldest given up first.
#[derive(Debug, Default)]
pub struct ResponseCache(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    by_key: HashMap<ResponseKey, Arc<CachedResponse>>,
    oldest_first: VecDeque<ResponseKey>,
    bytes: usize,
}

/// What an entry takes beside its texts: two copies of its key, its place in map and queue, the answer's own fields.
const ENTRY_BYTES: usize = 2 * (size_of::<ResponseKey>() + size_of::<usize>()) + 2 * size_of::<CachedResponse>();

/// What an answer can take in memory: its encodings are made later and are counted at once, none of them larger than the
/// plain one but for a few bytes.
fn cost(key: &ResponseKey, answer: &CachedResponse) -> usize {
    let texts = key.call.capacity() + key.viewer.country.as_ref().map_or(0, String::capacity);
    let encodings = if answer.plain.len() < WORTH_COMPRESSING { 1 } else { 3 };
    ENTRY_BYTES + 2 * texts + encodings * answer.plain.len()
}

impl ResponseCache {
    /// The answer of this key.
    pub fn get(&self, key: &ResponseKey) -> Option<Arc<CachedResponse>> {
        self.0.lock().by_key.get(key).map(Arc::clone)
    }

    /// How many bytes are kept.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        self.0.lock().bytes
    }

    /// Keeps an answer; gives the one that is kept, which another request may have made first.
    pub fn keep(&self, key: ResponseKey, answer: CachedResponse) -> Arc<CachedResponse> {
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
            if let Some(gone) = cache.by_key.remove(&oldest) {
                cache.bytes -= cost(&oldest, &gone);
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
    fn the_best_encoding_that_is_allowed_is_taken() {
        for (accepted, best) in [
            ("gzip, deflate, br", Encoding::Brotli),
            ("gzip, deflate", Encoding::Gzip),
            ("br;q=0, gzip;q=0.5", Encoding::Gzip),
            ("BR;q=0.1", Encoding::Brotli),
            ("identity", Encoding::Plain),
            ("", Encoding::Plain),
            ("brotli", Encoding::Plain),
        ] {
            assert_eq!(Encoding::best(accepted), best, "{accepted}");
        }
    }

    #[test]
    fn every_encoding_says_the_same() {
        let text = "Northfield at Harbor City. ".repeat(200);
        let answer = CachedResponse::new(text.clone().into());
        let (packed, used) = answer.encoded(Encoding::Gzip);
        let mut unpacked = String::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut unpacked).unwrap();
        assert_eq!((unpacked, used), (text.clone(), Encoding::Gzip));
        let (packed, used) = answer.encoded(Encoding::Brotli);
        let mut unpacked = Vec::new();
        brotli::BrotliDecompress(&mut &packed[..], &mut unpacked).unwrap();
        assert_eq!((unpacked, used), (text.into_bytes(), Encoding::Brotli));
        assert!(answer.is_ready(Encoding::Brotli));
        assert_eq!(CachedResponse::new("{}".into()).encoded(Encoding::Brotli).1, Encoding::Plain);
    }

    fn key(call: String) -> ResponseKey {
        let viewer = ViewerKind { watches: false, watches_library: false, country: None };
        ResponseKey { generation: 0, moves: 0, viewer, call }
    }

    #[test]
    fn the_oldest_answers_are_given_up_when_there_are_too_many() {
        let cache = ResponseCache::default();
        for call in 0..5 {
            cache.keep(key(call.to_string()), CachedResponse::new(vec![b' '; MAX_BYTES / 12].into()));
        }
        let there: Vec<_> = (0..5).map(|call| cache.get(&key(call.to_string())).is_some()).collect();
        assert_eq!(there, [false, false, true, true, true]);
    }

    /// `LIM-6`: what is counted is what is held, also of small answers under long keys, each in every encoding.
    #[test]
    fn small_answers_under_long_keys_are_counted_whole() {
        let cache = ResponseCache::default();
        let mut held = 0;
        for call in 0..100_000 {
            let answer = cache.keep(key(format!("{call:01000}")), CachedResponse::new(Bytes::from_static(b"[]")));
            answer.encoded(Encoding::Brotli);
            held = cache.0.lock().by_key.len();
        }
        assert!(cache.bytes() <= MAX_BYTES);
        assert!(held * 2000 <= MAX_BYTES, "{held} keys of a thousand letters, twice each");
        let text: Bytes = (0..2000).map(|n| format!("{:x} ", n * 7919)).collect::<String>().into();
        let answer = CachedResponse::new(text);
        let encodings =
            [Encoding::Plain, Encoding::Gzip, Encoding::Brotli].map(|wanted| answer.encoded(wanted).0.len());
        assert!(encodings.iter().sum::<usize>() <= cost(&key(String::new()), &answer), "{encodings:?}");
    }
}
