//! Cache of responses: fresh for a moment, then revalidated, and served stale if the upstream fails (`UP-4`).

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use moka::future::Cache;
use parking_lot::Mutex;
use tokio::time::{Instant, timeout};
use touchline_http::{Effort, NegotiatedBody};
use touchline_protocol::limits::Limit;

use crate::client::RETRY_PAUSE;
use crate::failure::{Failure, MAX_RETRY_AFTER};
use crate::request::digest_of;
use crate::viewers::MAX_CACHED_KEYS;

/// Header with the age of a stale response. The site reads it.
pub(crate) const STALE: &str = "x-touchline-stale";
/// Period during which a response is served without revalidation.
const FRESH: Duration = Duration::from_secs(3);
/// Wait for a slow upstream before an older response is served.
const SLOW_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum age of a stale response.
const MAX_AGE: Duration = Duration::from_secs(24 * 3600);
/// Size of the cache, in bytes.
const CACHE_BYTES: u64 = 128 << 20;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::time("upstream.fresh", FRESH, "How long upstream channel data is served without revalidation."),
    Limit::time("upstream.patience", SLOW_TIMEOUT, "Wait for a slow upstream before an older response is served."),
    Limit::time("upstream.oldest", MAX_AGE, "Oldest response served when the upstream fails."),
    Limit::bytes("upstream.kept", CACHE_BYTES, "Cached upstream responses."),
];

/// The cache key of a response.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Subject {
    /// A channel, country and scheme, or the number that represents one viewer's key.
    pub(crate) audience: String,
    /// Path and query, without the key.
    pub(crate) call: String,
}

#[derive(Debug)]
pub(crate) struct CacheEntry {
    /// Its tag is ours, because the body is corrected.
    body: Arc<NegotiatedBody>,
    /// The upstream's own tag.
    pub(crate) upstream_etag: Option<HeaderValue>,
    at: Instant,
}

impl CacheEntry {
    pub(crate) fn new(body: Bytes, upstream_etag: Option<HeaderValue>) -> Self {
        let body = NegotiatedBody::new(body, "application/json", Effort::Low);
        Self { body: Arc::new(body), upstream_etag, at: Instant::now() }
    }

    /// The same response, revalidated now.
    pub(crate) fn renewed(&self) -> Self {
        Self { body: Arc::clone(&self.body), upstream_etag: self.upstream_etag.clone(), at: Instant::now() }
    }

    pub(crate) fn body(&self) -> &Bytes {
        self.body.plain()
    }

    /// Identifies the body.
    pub(crate) fn hash(&self) -> &str {
        self.body.hash()
    }

    async fn response(&self, request_headers: &HeaderMap, is_stale: bool) -> Response {
        let mut response = self.body.respond(StatusCode::OK, request_headers).await;
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        let age = self.at.elapsed().as_secs();
        headers.insert(header::AGE, HeaderValue::from(age));
        if is_stale {
            headers.insert(STALE, HeaderValue::from(age));
            headers.insert(header::WARNING, HeaderValue::from_static("110 - \"Response is Stale\""));
        }
        response
    }
}

/// The result of a request to the upstream.
pub(crate) enum FetchResult {
    /// A response that differs from the cached one.
    New(CacheEntry),
    /// The cached response is still valid.
    Unchanged,
    /// A refusal, such as 404. It is returned and not cached.
    Refused(Response),
}

/// The result of a read.
pub(crate) enum ReadResult {
    Cached {
        cached: Arc<CacheEntry>,
        /// Label in `/metrics`.
        outcome: &'static str,
    },
    /// A refusal by the upstream.
    Refused(Response),
    Failed(Failure),
}

impl ReadResult {
    fn stale(cached: &Arc<CacheEntry>) -> Self {
        Self::of(cached, "stale")
    }

    fn of(cached: &Arc<CacheEntry>, outcome: &'static str) -> Self {
        metrics::counter!("touchline_upstream_reads_total", "how" => outcome).increment(1);
        Self::Cached { cached: Arc::clone(cached), outcome }
    }

    /// Whether the response was served because the upstream failed.
    pub(crate) fn is_stale(&self) -> bool {
        matches!(self, Self::Cached { outcome: "stale", .. })
    }
}

#[derive(Debug, Clone)]
pub(crate) struct ReplyCache {
    entries: Cache<Subject, Arc<CacheEntry>>,
    /// A number per key, by the key's digest, under which its responses are cached. Once the number is dropped its
    /// responses can't be found, including those of requests in progress.
    numbers: Cache<String, u64>,
    last_number: Arc<AtomicU64>,
    /// End of the pause after a failed response, with the failure.
    pauses: Cache<Subject, (Instant, Failure)>,
    /// Requests in progress. Others wait for their result.
    in_flight: Arc<Mutex<HashMap<Subject, Weak<tokio::sync::Mutex<()>>>>>,
}

impl Default for ReplyCache {
    fn default() -> Self {
        let weight = |subject: &Subject, cached: &Arc<CacheEntry>| {
            let bytes = cached.body.max_bytes() + subject.audience.len() + subject.call.len() + 256;
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        let entries = Cache::builder().weigher(weight).max_capacity(CACHE_BYTES).time_to_live(MAX_AGE).build();
        let numbers = Cache::builder().max_capacity(MAX_CACHED_KEYS).time_to_idle(MAX_AGE).build();
        let pauses = Cache::builder().max_capacity(MAX_CACHED_KEYS).time_to_live(MAX_RETRY_AFTER).build();
        Self { entries, numbers, last_number: Arc::default(), pauses, in_flight: Arc::default() }
    }
}

impl ReplyCache {
    /// The number that represents a key.
    pub(crate) async fn number_of(&self, api_key: &str) -> u64 {
        let next = async { self.last_number.fetch_add(1, Ordering::Relaxed) };
        self.numbers.get_with(digest_of(api_key), next).await
    }

    /// Drops the responses cached for a key, which may be invalid now or belong to another viewer.
    pub(crate) async fn forget(&self, api_key: &str) {
        self.numbers.invalidate(&digest_of(api_key)).await;
    }

    /// Like [`ReplyCache::obtain`], as an HTTP response.
    pub(crate) async fn read<F>(
        &self,
        subject: Subject,
        request_headers: &HeaderMap,
        is_shared: bool,
        is_unreachable: bool,
        fetch: impl FnOnce(Option<Arc<CacheEntry>>) -> F,
    ) -> Response
    where
        F: Future<Output = Result<FetchResult, Failure>> + Send + 'static,
    {
        let obtained = self.obtain(subject, is_shared, is_unreachable, fetch).await;
        let is_stale = obtained.is_stale();
        match obtained {
            ReadResult::Cached { cached, .. } => cached.response(request_headers, is_stale).await,
            ReadResult::Refused(response) => response,
            ReadResult::Failed(failure) => failure.into_response(),
        }
    }

    /// Reads a fresh response from the cache, otherwise from the upstream with `fetch`, otherwise a stale one from the
    /// cache. `is_shared`: any waiting client may use a fresh response. `is_unreachable`: the upstream was
    /// unreachable recently.
    pub(crate) async fn obtain<F>(
        &self,
        subject: Subject,
        is_shared: bool,
        is_unreachable: bool,
        fetch: impl FnOnce(Option<Arc<CacheEntry>>) -> F,
    ) -> ReadResult
    where
        F: Future<Output = Result<FetchResult, Failure>> + Send + 'static,
    {
        let fresh = |cached: &Arc<CacheEntry>| is_shared && cached.at.elapsed() < FRESH;
        let mut cached = self.entries.get(&subject).await;
        if let Some(cached) = cached.as_ref().filter(|cached| fresh(cached)) {
            return ReadResult::of(cached, "fresh");
        }
        if let Some(paused) = self.paused(&subject, cached.as_ref()).await {
            return paused;
        }
        if is_unreachable && let Some(cached) = &cached {
            return ReadResult::stale(cached);
        }
        let gate = self.gate(&subject);
        let turn = async {
            let turn = Arc::clone(&gate).lock_owned().await;
            (turn, self.entries.get(&subject).await)
        };
        let turn = match &cached {
            // The client in front also waits for a slow upstream. Waiting behind it takes no longer than that.
            Some(older) => match timeout(SLOW_TIMEOUT, turn).await {
                Ok(turn) => turn,
                Err(_) => return ReadResult::stale(older),
            },
            None => turn.await,
        };
        let (turn, newer) = turn;
        cached = newer.or(cached);
        if let Some(cached) = cached.as_ref().filter(|cached| fresh(cached)) {
            return ReadResult::of(cached, "shared");
        }
        if let Some(paused) = self.paused(&subject, cached.as_ref()).await {
            return paused;
        }
        let (entries, pauses) = (self.entries.clone(), self.pauses.clone());
        let (fetch, older) = (fetch(cached.clone()), cached.clone());
        // A separate task, because the request must complete after the viewer leaves or gets the older response.
        let task = tokio::spawn(async move {
            let _turn = turn;
            let fetched = fetch.await;
            let cached = match (&fetched, older) {
                (Ok(FetchResult::Unchanged), Some(older)) => Some(Arc::new(older.renewed())),
                _ => None,
            };
            let cached = match fetched {
                Ok(FetchResult::New(new)) => Arc::new(new),
                Ok(FetchResult::Unchanged) => {
                    cached.ok_or(Err(Failure::InvalidReply("304 in reply to a request without an ETag")))?
                }
                Ok(FetchResult::Refused(response)) => return Err(Ok(response)),
                Err(failure) => {
                    let after = if let Failure::Unavailable(after) = failure { after } else { RETRY_PAUSE };
                    pauses.insert(subject, (Instant::now() + after, failure)).await;
                    return Err(Err(failure));
                }
            };
            entries.insert(subject, Arc::clone(&cached)).await;
            Ok(cached)
        });
        let limit = if cached.is_some() { SLOW_TIMEOUT } else { Duration::from_secs(60) };
        match (timeout(limit, task).await, cached) {
            (Ok(Ok(Ok(new))), _) => ReadResult::of(&new, "asked"),
            (Ok(Ok(Err(Ok(refusal)))), _) => ReadResult::Refused(refusal),
            (_, Some(cached)) => ReadResult::stale(&cached),
            (Ok(Ok(Err(Err(failure)))), None) => ReadResult::Failed(failure),
            (_, None) => ReadResult::Failed(Failure::TimedOut),
        }
    }

    /// The result during a pause. Without a cached response the upstream is asked anyway, unless it sent a
    /// `Retry-After`.
    async fn paused(&self, subject: &Subject, cached: Option<&Arc<CacheEntry>>) -> Option<ReadResult> {
        let (until, failure) = self.pauses.get(subject).await?;
        let remaining = until.checked_duration_since(Instant::now())?;
        match (cached, failure) {
            (Some(cached), _) => Some(ReadResult::stale(cached)),
            (None, Failure::Unavailable(_)) => Some(ReadResult::Failed(Failure::Unavailable(remaining))),
            (None, _) => None,
        }
    }

    fn gate(&self, subject: &Subject) -> Arc<tokio::sync::Mutex<()>> {
        let mut in_flight = self.in_flight.lock();
        if let Some(gate) = in_flight.get(subject).and_then(Weak::upgrade) {
            return gate;
        }
        // Removes unused locks.
        if in_flight.len() > 1024 {
            in_flight.retain(|_, gate| gate.strong_count() > 0);
        }
        let gate = Arc::default();
        in_flight.insert(subject.clone(), Arc::downgrade(&gate));
        gate
    }
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;

    use super::*;

    fn subject(audience: &str) -> Subject {
        Subject { audience: audience.to_owned(), call: "settings".to_owned() }
    }

    async fn text(response: Response) -> String {
        String::from_utf8(to_bytes(response.into_body(), 1 << 20).await.unwrap().to_vec()).unwrap()
    }

    async fn read(cache: &ReplyCache, audience: &str, result: Result<&'static str, Failure>) -> Response {
        let fetch = |_: Option<Arc<CacheEntry>>| async move {
            result.map(|b| FetchResult::New(CacheEntry::new(Bytes::from(b), None)))
        };
        cache.read(subject(audience), &HeaderMap::new(), true, false, fetch).await
    }

    #[tokio::test(start_paused = true)]
    async fn responses_are_fresh_then_revalidated_then_stale_during_an_outage() {
        let cache = ReplyCache::default();
        assert_eq!(text(read(&cache, "north", Ok("one")).await).await, "one");
        assert_eq!(text(read(&cache, "north", Ok("two")).await).await, "one");
        assert_eq!(text(read(&cache, "south", Ok("south")).await).await, "south");
        tokio::time::advance(FRESH + Duration::from_secs(1)).await;
        assert_eq!(text(read(&cache, "north", Ok("two")).await).await, "two");
        // An hour of outage.
        tokio::time::advance(Duration::from_secs(3600)).await;
        let stale = read(&cache, "north", Err(Failure::Unreachable)).await;
        assert_eq!((stale.status(), stale.headers()[STALE].to_str().unwrap()), (StatusCode::OK, "3600"));
        assert_eq!(text(stale).await, "two");
        let never = read(&cache, "east", Err(Failure::Unreachable)).await;
        assert_eq!(never.status(), StatusCode::SERVICE_UNAVAILABLE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stale_response_is_served_when_the_upstream_is_slow() {
        let cache = ReplyCache::default();
        read(&cache, "north", Ok("one")).await;
        tokio::time::advance(FRESH + Duration::from_secs(1)).await;
        let slow = |_: Option<Arc<CacheEntry>>| async {
            tokio::time::sleep(Duration::from_secs(5)).await;
            Ok(FetchResult::New(CacheEntry::new(Bytes::from("late"), None)))
        };
        let began = Instant::now();
        let response = cache.read(subject("north"), &HeaderMap::new(), true, false, slow).await;
        assert!(response.headers().contains_key(STALE));
        assert!(began.elapsed() <= SLOW_TIMEOUT + Duration::from_millis(50));
        // The slow response is cached anyway.
        tokio::time::sleep(Duration::from_secs(4)).await;
        assert_eq!(text(read(&cache, "north", Ok("never asked")).await).await, "late");
    }

    #[tokio::test]
    async fn an_unchanged_response_gets_304() {
        let cache = ReplyCache::default();
        let first = read(&cache, "north", Ok("one")).await;
        let request_headers = HeaderMap::from_iter([(header::IF_NONE_MATCH, first.headers()[header::ETAG].clone())]);
        let fetch = |_: Option<Arc<CacheEntry>>| async { Ok(FetchResult::Unchanged) };
        let again = cache.read(subject("north"), &request_headers, true, false, fetch).await;
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    }
}
