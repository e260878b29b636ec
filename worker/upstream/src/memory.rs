//! Cache of responses: fresh for a moment, then revalidated, and served stale if the upstream fails (`UP-4`).

use std::collections::HashMap;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use moka::future::Cache;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use tokio::time::{Instant, timeout};
use touchline_protocol::limits::Limit;

use crate::client::REST;
use crate::failure::{Failure, RETRY_LONGEST};
use crate::request::digest_of;
use crate::viewers::REMEMBERED;

/// Header with the age of a stale response. The site reads it.
pub(crate) const STALE: &str = "x-touchline-stale";
/// Period during which a response is served without revalidation.
const FRESH: Duration = Duration::from_secs(3);
/// Wait for a slow upstream before an older response is served.
const PATIENCE: Duration = Duration::from_secs(2);
/// Maximum age of a stale response.
const OLDEST: Duration = Duration::from_secs(24 * 3600);
/// Size of the cache, in bytes.
const BYTES: u64 = 128 << 20;
/// Smallest response that is compressed, in bytes.
const WORTH_COMPRESSING: usize = 1024;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::time("upstream.fresh", FRESH, "Time for which the upstream's channel data is served without revalidation."),
    Limit::time("upstream.patience", PATIENCE, "Wait for a slow upstream before an older response is served."),
    Limit::time("upstream.oldest", OLDEST, "Oldest response served when the upstream fails."),
    Limit::bytes("upstream.kept", BYTES, "Cached responses of the upstream."),
];

/// The cache key of a response.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Subject {
    /// A channel, country and scheme, or the number that stands for one viewer's key.
    pub(crate) audience: String,
    /// Path and query, without the key.
    pub(crate) call: String,
}

#[derive(Debug)]
pub(crate) struct Kept {
    body: Bytes,
    gzip: OnceLock<Option<Bytes>>,
    /// Our tag, because the body is corrected.
    etag: HeaderValue,
    /// The upstream's own tag.
    pub(crate) upstream_etag: Option<HeaderValue>,
    at: Instant,
}

impl Kept {
    pub(crate) fn new(body: Bytes, upstream_etag: Option<HeaderValue>) -> Self {
        let tag = format!("W/\"{}\"", hex::encode(&Sha256::digest(&body)[..12]));
        let etag = HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("W/\"\""));
        Self { body, gzip: OnceLock::new(), etag, upstream_etag, at: Instant::now() }
    }

    /// The same response, revalidated now.
    pub(crate) fn renewed(&self) -> Self {
        Self {
            body: self.body.clone(),
            gzip: self.gzip.clone(),
            etag: self.etag.clone(),
            upstream_etag: self.upstream_etag.clone(),
            at: Instant::now(),
        }
    }

    pub(crate) fn body(&self) -> &Bytes {
        &self.body
    }

    pub(crate) fn etag(&self) -> &HeaderValue {
        &self.etag
    }

    fn response(&self, asked: &HeaderMap, is_stale: bool) -> Response {
        let text = |name: header::HeaderName| asked.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let is_known = text(header::IF_NONE_MATCH).split(',').any(|tag| tag.trim().as_bytes() == self.etag.as_bytes());
        let gzip = text(header::ACCEPT_ENCODING).split(',').any(|coding| coding.trim() == "gzip");
        let gzip = if gzip { self.gzip.get_or_init(|| compressed(&self.body)).clone() } else { None };
        let is_compressed = gzip.is_some();
        let mut response = if is_known {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            Response::new(Body::from(gzip.unwrap_or_else(|| self.body.clone())))
        };
        let headers = response.headers_mut();
        headers.insert(header::ETAG, self.etag.clone());
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if !is_known {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            if is_compressed {
                headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            }
        }
        let age = self.at.elapsed().as_secs();
        headers.insert(header::AGE, HeaderValue::from(age));
        if is_stale {
            headers.insert(STALE, HeaderValue::from(age));
            headers.insert(header::WARNING, HeaderValue::from_static("110 - \"Response is Stale\""));
        }
        response
    }
}

fn compressed(body: &[u8]) -> Option<Bytes> {
    if body.len() < WORTH_COMPRESSING {
        return None;
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

/// The result of a request to the upstream.
pub(crate) enum Fetched {
    /// A response that differs from the cached one.
    New(Kept),
    /// The cached response is still valid.
    Same,
    /// A refusal, such as 404. It is returned and not cached.
    Refused(Response),
}

/// The result of a read.
pub(crate) enum Obtained {
    Kept {
        kept: Arc<Kept>,
        /// Label in `/metrics`.
        how: &'static str,
    },
    /// A refusal by the upstream.
    Refused(Response),
    Failed(Failure),
}

impl Obtained {
    fn stale(kept: &Arc<Kept>) -> Self {
        Self::of(kept, "stale")
    }

    fn of(kept: &Arc<Kept>, how: &'static str) -> Self {
        metrics::counter!("touchline_upstream_reads_total", "how" => how).increment(1);
        Self::Kept { kept: Arc::clone(kept), how }
    }

    /// Whether the response was served because the upstream failed.
    pub(crate) fn is_stale(&self) -> bool {
        matches!(self, Self::Kept { how: "stale", .. })
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Memory {
    answers: Cache<Subject, Arc<Kept>>,
    /// A number per key, by the key's digest, under which its responses are cached. Once the number is dropped its
    /// responses can't be found, including those of requests in progress.
    numbers: Cache<String, u64>,
    last_number: Arc<AtomicU64>,
    /// End of the pause after a failed response, with the failure.
    rests: Cache<Subject, (Instant, Failure)>,
    /// Requests in progress. Others wait for their result.
    asking: Arc<Mutex<HashMap<Subject, Weak<tokio::sync::Mutex<()>>>>>,
}

impl Default for Memory {
    fn default() -> Self {
        let weight = |subject: &Subject, kept: &Arc<Kept>| {
            let bytes = kept.body.len() + subject.audience.len() + subject.call.len() + 256;
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        let answers = Cache::builder().weigher(weight).max_capacity(BYTES).time_to_live(OLDEST).build();
        let numbers = Cache::builder().max_capacity(REMEMBERED).time_to_idle(OLDEST).build();
        let rests = Cache::builder().max_capacity(REMEMBERED).time_to_live(RETRY_LONGEST).build();
        Self { answers, numbers, last_number: Arc::default(), rests, asking: Arc::default() }
    }
}

impl Memory {
    /// The number that stands for a key.
    pub(crate) async fn number_of(&self, api_key: &str) -> u64 {
        let next = async { self.last_number.fetch_add(1, Ordering::Relaxed) };
        self.numbers.get_with(digest_of(api_key), next).await
    }

    /// Drops the responses cached for a key, which may be invalid now or belong to another viewer.
    pub(crate) async fn forget(&self, api_key: &str) {
        self.numbers.invalidate(&digest_of(api_key)).await;
    }

    /// Like [`Memory::obtain`], as an HTTP response.
    pub(crate) async fn read<F>(
        &self,
        subject: Subject,
        asked: &HeaderMap,
        is_shared: bool,
        is_unreached: bool,
        fetch: impl FnOnce(Option<Arc<Kept>>) -> F,
    ) -> Response
    where
        F: Future<Output = Result<Fetched, Failure>> + Send + 'static,
    {
        let obtained = self.obtain(subject, is_shared, is_unreached, fetch).await;
        let is_stale = obtained.is_stale();
        match obtained {
            Obtained::Kept { kept, .. } => kept.response(asked, is_stale),
            Obtained::Refused(response) => response,
            Obtained::Failed(failure) => failure.into_response(),
        }
    }

    /// Reads a fresh response from the cache, otherwise from the upstream with `fetch`, otherwise a stale one from the
    /// cache. `is_shared`: any waiting client may use a fresh response. `is_unreached`: the upstream couldn't be
    /// reached a moment ago.
    pub(crate) async fn obtain<F>(
        &self,
        subject: Subject,
        is_shared: bool,
        is_unreached: bool,
        fetch: impl FnOnce(Option<Arc<Kept>>) -> F,
    ) -> Obtained
    where
        F: Future<Output = Result<Fetched, Failure>> + Send + 'static,
    {
        let fresh = |kept: &Arc<Kept>| is_shared && kept.at.elapsed() < FRESH;
        let mut kept = self.answers.get(&subject).await;
        if let Some(kept) = kept.as_ref().filter(|kept| fresh(kept)) {
            return Obtained::of(kept, "fresh");
        }
        if let Some(resting) = self.resting(&subject, kept.as_ref()).await {
            return resting;
        }
        if is_unreached && let Some(kept) = &kept {
            return Obtained::stale(kept);
        }
        let gate = self.gate(&subject);
        let turn = async {
            let turn = Arc::clone(&gate).lock_owned().await;
            (turn, self.answers.get(&subject).await)
        };
        let turn = match &kept {
            // The client in front also waits for a slow upstream. Waiting behind it takes no longer than that.
            Some(older) => match timeout(PATIENCE, turn).await {
                Ok(turn) => turn,
                Err(_) => return Obtained::stale(older),
            },
            None => turn.await,
        };
        let (turn, newer) = turn;
        kept = newer.or(kept);
        if let Some(kept) = kept.as_ref().filter(|kept| fresh(kept)) {
            return Obtained::of(kept, "shared");
        }
        if let Some(resting) = self.resting(&subject, kept.as_ref()).await {
            return resting;
        }
        let (answers, rests) = (self.answers.clone(), self.rests.clone());
        let (fetch, older) = (fetch(kept.clone()), kept.clone());
        // A separate task, because the request must complete after the viewer leaves or gets the older response.
        let fetching = tokio::spawn(async move {
            let _turn = turn;
            let fetched = fetch.await;
            let kept = match (&fetched, older) {
                (Ok(Fetched::Same), Some(older)) => Some(Arc::new(older.renewed())),
                _ => None,
            };
            let kept = match fetched {
                Ok(Fetched::New(new)) => Arc::new(new),
                Ok(Fetched::Same) => kept.ok_or(Err(Failure::Foreign("304 for a request without a tag")))?,
                Ok(Fetched::Refused(response)) => return Err(Ok(response)),
                Err(failure) => {
                    let after = if let Failure::Unavailable(after) = failure { after } else { REST };
                    rests.insert(subject, (Instant::now() + after, failure)).await;
                    return Err(Err(failure));
                }
            };
            answers.insert(subject, Arc::clone(&kept)).await;
            Ok(kept)
        });
        let patience = if kept.is_some() { PATIENCE } else { Duration::from_secs(60) };
        match (timeout(patience, fetching).await, kept) {
            (Ok(Ok(Ok(new))), _) => Obtained::of(&new, "asked"),
            (Ok(Ok(Err(Ok(refusal)))), _) => Obtained::Refused(refusal),
            (_, Some(kept)) => Obtained::stale(&kept),
            (Ok(Ok(Err(Err(failure)))), None) => Obtained::Failed(failure),
            (_, None) => Obtained::Failed(Failure::TimedOut),
        }
    }

    /// The result during a pause. Without a cached response the upstream is asked anyway, unless it sent a
    /// `Retry-After`.
    async fn resting(&self, subject: &Subject, kept: Option<&Arc<Kept>>) -> Option<Obtained> {
        let (until, failure) = self.rests.get(subject).await?;
        let left = until.checked_duration_since(Instant::now())?;
        match (kept, failure) {
            (Some(kept), _) => Some(Obtained::stale(kept)),
            (None, Failure::Unavailable(_)) => Some(Obtained::Failed(Failure::Unavailable(left))),
            (None, _) => None,
        }
    }

    fn gate(&self, subject: &Subject) -> Arc<tokio::sync::Mutex<()>> {
        let mut asking = self.asking.lock();
        if let Some(gate) = asking.get(subject).and_then(Weak::upgrade) {
            return gate;
        }
        // Removes unused locks.
        if asking.len() > 1024 {
            asking.retain(|_, gate| gate.strong_count() > 0);
        }
        let gate = Arc::default();
        asking.insert(subject.clone(), Arc::downgrade(&gate));
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

    async fn read(memory: &Memory, audience: &str, given: Result<&'static str, Failure>) -> Response {
        let fetch = |_: Option<Arc<Kept>>| async move { given.map(|b| Fetched::New(Kept::new(Bytes::from(b), None))) };
        memory.read(subject(audience), &HeaderMap::new(), true, false, fetch).await
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_is_fresh_for_a_moment_then_asked_for_and_stale_when_nobody_answers() {
        let memory = Memory::default();
        assert_eq!(text(read(&memory, "north", Ok("one")).await).await, "one");
        assert_eq!(text(read(&memory, "north", Ok("two")).await).await, "one");
        assert_eq!(text(read(&memory, "south", Ok("south")).await).await, "south");
        tokio::time::advance(FRESH + Duration::from_secs(1)).await;
        assert_eq!(text(read(&memory, "north", Ok("two")).await).await, "two");
        // An hour of outage.
        tokio::time::advance(Duration::from_secs(3600)).await;
        let stale = read(&memory, "north", Err(Failure::Unreached)).await;
        assert_eq!((stale.status(), stale.headers()[STALE].to_str().unwrap()), (StatusCode::OK, "3600"));
        assert_eq!(text(stale).await, "two");
        let never = read(&memory, "east", Err(Failure::Unreached)).await;
        assert_eq!(never.status(), StatusCode::SERVICE_UNAVAILABLE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_upstream_is_waited_for_no_longer_than_patience_where_there_is_something_older() {
        let memory = Memory::default();
        read(&memory, "north", Ok("one")).await;
        tokio::time::advance(FRESH + Duration::from_secs(1)).await;
        let slow = |_: Option<Arc<Kept>>| async {
            tokio::time::sleep(Duration::from_secs(5)).await;
            Ok(Fetched::New(Kept::new(Bytes::from("late"), None)))
        };
        let began = Instant::now();
        let response = memory.read(subject("north"), &HeaderMap::new(), true, false, slow).await;
        assert!(response.headers().contains_key(STALE));
        assert!(began.elapsed() <= PATIENCE + Duration::from_millis(50));
        // The slow response is cached anyway.
        tokio::time::sleep(Duration::from_secs(4)).await;
        assert_eq!(text(read(&memory, "north", Ok("never asked")).await).await, "late");
    }

    #[tokio::test]
    async fn a_browser_that_has_the_answer_gets_304() {
        let memory = Memory::default();
        let first = read(&memory, "north", Ok("one")).await;
        let asked = HeaderMap::from_iter([(header::IF_NONE_MATCH, first.headers()[header::ETAG].clone())]);
        let fetch = |_: Option<Arc<Kept>>| async { Ok(Fetched::Same) };
        let again = memory.read(subject("north"), &asked, true, false, fetch).await;
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    }
}
