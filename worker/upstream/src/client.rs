//! HTTP client for the upstream: connection pool, timeouts and limits. It follows no redirects.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use bytes::{Bytes, BytesMut};
use futures_util::stream::{Stream, StreamExt, unfold};
use parking_lot::Mutex;
use tokio::time::{Instant, timeout};
use touchline_protocol::limits::Limit;
use touchline_protocol::site_path::SitePath;
use url::Url;

use crate::failure::{Failure, MAX_RETRY_AFTER};
use crate::origin::Origin;
use crate::request;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);
const MAX_IDLE: usize = 512;
/// Largest response of a call, in bytes.
pub(crate) const MAX_REPLY_BYTES: usize = 16 << 20;
/// Pause after a failure before the upstream is asked again for something cached. If it couldn't be reached the pause
/// applies to everything, otherwise to the one response.
pub(crate) const RETRY_PAUSE: Duration = Duration::from_secs(1);
pub(crate) const LIMITS: &[Limit] = &[
    Limit::time("upstream.connect", CONNECT_TIMEOUT, "Timeout for connecting to the upstream."),
    Limit::bytes("upstream.answer", MAX_REPLY_BYTES as u64, "Size of a response from the upstream."),
    Limit::count("upstream.idle", MAX_IDLE as u64, "connections", "Idle connections to the upstream."),
    Limit::time("upstream.retry_after", MAX_RETRY_AFTER, "Longest upstream `Retry-After` that is respected."),
    Limit::time("upstream.rest", RETRY_PAUSE, "Delay before retrying a failed request when a cached response exists."),
];

#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    pub(crate) method: Method,
    /// Encoded path below the base of the API.
    pub(crate) path: String,
    /// Query including the key, if any. Never logged.
    pub(crate) query: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Bytes>,
}

impl Outgoing {
    pub(crate) fn get(path: impl Into<String>, query: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), query: query.into(), headers: HeaderMap::new(), body: None }
    }

    pub(crate) fn post(path: impl Into<String>, body: &serde_json::Value) -> Self {
        let headers = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))].into_iter().collect();
        let body = Some(body.to_string().into());
        Self { method: Method::POST, path: path.into(), query: String::new(), headers, body }
    }
}

/// A complete response.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    /// Headers to return to the viewer.
    pub(crate) headers: HeaderMap,
    /// The upstream's entity tag.
    pub(crate) etag: Option<HeaderValue>,
    pub(crate) body: Bytes,
}

impl Reply {
    pub(crate) fn json(&self) -> Result<serde_json::Value, Failure> {
        serde_json::from_slice(&self.body).map_err(|_| Failure::InvalidReply("the body is not JSON"))
    }

    pub(crate) fn retry_after(&self) -> Option<Duration> {
        retry_after(&self.headers)
    }
}

/// HTTP client of one upstream.
#[derive(Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    origin: Origin,
    response_timeout: Duration,
    /// End of the pause after the upstream couldn't be reached.
    paused_until: Mutex<Option<Instant>>,
}

impl Client {
    pub(crate) fn new(origin: Origin, response_timeout: Duration) -> anyhow::Result<Self> {
        // Only the first installation in the process takes effect. Later ones fail, which is harmless.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            // A redirect could send the key to another host.
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(MAX_IDLE)
            .tcp_nodelay(true)
            .build()?;
        Ok(Self { http, origin, response_timeout, paused_until: Mutex::default() })
    }

    /// Whether the upstream was unreachable recently. Cached responses are then served without contacting it.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused_until.lock().is_some_and(|until| Instant::now() < until)
    }

    /// Sends a request. A safe request is sent once more if the first try broke off. Statuses of 500 and above and
    /// responses outside this API are failures.
    pub(crate) async fn send(&self, request: &Outgoing) -> Result<Reply, Failure> {
        let first = timeout(self.response_timeout, self.send_once(request)).await.unwrap_or(Err(Failure::TimedOut));
        let is_retried = match first {
            Err(Failure::Broken) => request::is_safe(&request.method),
            // Nothing was sent.
            Err(Failure::Unreachable) => true,
            _ => false,
        };
        let result = if is_retried {
            timeout(self.response_timeout, self.send_once(request)).await.unwrap_or(Err(Failure::TimedOut))
        } else {
            first
        };
        let outcome = result.as_ref().err().map_or("answered", |failure| failure.name());
        metrics::counter!("touchline_upstream_calls_total", "outcome" => outcome).increment(1);
        // Any other failure is about this call alone.
        let is_unreachable = matches!(result, Err(Failure::Unreachable));
        *self.paused_until.lock() = is_unreachable.then(|| Instant::now() + RETRY_PAUSE);
        if let Err(failure) = &result {
            tracing::warn!(method = %request.method, path = request.path, %failure, "a request to the upstream failed");
        }
        result
    }

    /// URL of a file on the upstream's site. `None` for a path outside its file folders.
    pub(crate) fn file_url(&self, path: &SitePath<'_>, query: Option<&str>) -> Option<Url> {
        self.origin.file(path, query)
    }

    /// Forwards a request and streams the response. For requests outside the API, such as media.
    pub(crate) async fn stream(
        &self,
        method: Method,
        url: Url,
        headers: HeaderMap,
    ) -> Result<reqwest::Response, Failure> {
        let pending = self.http.request(method, url).headers(headers).send();
        let response = timeout(self.response_timeout, pending)
            .await
            .map_err(|_| Failure::TimedOut)?
            .map_err(|e| failure_of(&e))?;
        if response.status().is_redirection() && response.status() != StatusCode::NOT_MODIFIED {
            return Err(Failure::Redirect);
        }
        Ok(response)
    }

    /// The response body as a stream. It fails if no data arrives within the response timeout.
    pub(crate) fn chunks(&self, response: reqwest::Response) -> impl Stream<Item = Result<Bytes, Failure>> + use<> {
        let response_timeout = self.response_timeout;
        unfold(Some(response.bytes_stream()), move |chunks| async move {
            let mut chunks = chunks?;
            match timeout(response_timeout, chunks.next()).await {
                Ok(Some(Ok(chunk))) => Some((Ok(chunk), Some(chunks))),
                Ok(Some(Err(error))) => Some((Err(failure_of(&error)), None)),
                Ok(None) => None,
                Err(_) => {
                    tracing::warn!("an upstream response stalled and was aborted");
                    Some((Err(Failure::TimedOut), None))
                }
            }
        })
    }

    /// Reads a whole file of the upstream's site, within the response timeout.
    pub(crate) async fn file(&self, path: &str) -> Result<(StatusCode, Bytes), Failure> {
        let read = async {
            let response = self.stream(Method::GET, self.origin.site(path, None), HeaderMap::new()).await?;
            Ok((response.status(), read_body(response).await?))
        };
        timeout(self.response_timeout, read).await.unwrap_or(Err(Failure::TimedOut))
    }

    async fn send_once(&self, request: &Outgoing) -> Result<Reply, Failure> {
        let url = self.origin.call(&request.path, Some(&request.query));
        let mut pending = self.http.request(request.method.clone(), url).headers(request.headers.clone());
        if let Some(body) = &request.body {
            pending = pending.body(body.clone());
        }
        let response = pending.send().await.map_err(|error| failure_of(&error))?;
        let status = response.status();
        if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
            return Err(Failure::Redirect);
        }
        if status.is_server_error() {
            let unavailable_for = retry_after(response.headers()).filter(|_| status == StatusCode::SERVICE_UNAVAILABLE);
            return Err(unavailable_for.map_or(Failure::Status(status.as_u16()), Failure::Unavailable));
        }
        let headers = request::returned_headers(response.headers());
        let etag = response.headers().get(header::ETAG).cloned();
        let body = read_body(response).await?;
        Ok(Reply { status, headers, etag, body })
    }
}

/// The delay in `Retry-After`, capped: either seconds, or a date compared with the response's date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok().map(str::trim);
    let after = text(header::RETRY_AFTER)?;
    let date = |text: &str| httpdate::parse_http_date(text).ok();
    let after = match after.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => date(after)?.duration_since(date(text(header::DATE)?)?).unwrap_or_default(),
    };
    Some(after.min(MAX_RETRY_AFTER))
}

/// The complete body. A partial body is an error.
async fn read_body(response: reqwest::Response) -> Result<Bytes, Failure> {
    if response.content_length().is_some_and(|length| length > MAX_REPLY_BYTES as u64) {
        return Err(Failure::TooLarge);
    }
    let mut chunks = response.bytes_stream();
    let Some(first) = chunks.next().await else { return Ok(Bytes::new()) };
    let first = first.map_err(|error| failure_of(&error))?;
    let Some(second) = chunks.next().await else { return Ok(first) };
    let mut body = BytesMut::from(&first[..]);
    let mut next = Some(second);
    while let Some(chunk) = next {
        body.extend_from_slice(&chunk.map_err(|error| failure_of(&error))?);
        if body.len() > MAX_REPLY_BYTES {
            return Err(Failure::TooLarge);
        }
        next = chunks.next().await;
    }
    Ok(body.freeze())
}

fn failure_of(error: &reqwest::Error) -> Failure {
    if error.is_connect() {
        Failure::Unreachable
    } else if error.is_timeout() {
        Failure::TimedOut
    } else {
        Failure::Broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date_and_capped_at_a_minute() {
        let after = |after: &'static str| {
            let date = HeaderValue::from_static("Fri, 27 Nov 2026 03:00:00 GMT");
            let headers = [(header::RETRY_AFTER, HeaderValue::from_static(after)), (header::DATE, date)];
            retry_after(&headers.into_iter().collect()).map(|after| after.as_secs())
        };
        assert_eq!((after("7"), after("86400"), after("soon")), (Some(7), Some(60), None));
        assert_eq!(after("Fri, 27 Nov 2026 03:00:20 GMT"), Some(20));
        assert_eq!(after("Fri, 27 Nov 2026 02:00:00 GMT"), Some(0));
    }
}
