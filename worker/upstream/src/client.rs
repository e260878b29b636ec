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

use crate::failure::{Failure, RETRY_LONGEST};
use crate::origin::Origin;
use crate::request;

const CONNECT_WITHIN: Duration = Duration::from_secs(3);
const IDLE_FOR: Duration = Duration::from_secs(60);
const IDLE: usize = 512;
/// Largest response of a call, in bytes.
pub(crate) const ANSWER_BYTES: usize = 16 << 20;
/// Pause after a failure before the upstream is asked again for something cached. If it couldn't be reached the pause
/// applies to everything, otherwise to the one response.
pub(crate) const REST: Duration = Duration::from_secs(1);
pub(crate) const LIMITS: &[Limit] = &[
    Limit::time("upstream.connect", CONNECT_WITHIN, "Timeout for connecting to the upstream."),
    Limit::bytes("upstream.answer", ANSWER_BYTES as u64, "Size of a response from the upstream."),
    Limit::count("upstream.idle", IDLE as u64, "connections", "Idle connections to the upstream."),
    Limit::time("upstream.retry_after", RETRY_LONGEST, "Longest `Retry-After` of the upstream that is respected."),
    Limit::time("upstream.rest", REST, "Pause before a failed request is retried while an older response is cached."),
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
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    /// Headers to return to the viewer.
    pub(crate) headers: HeaderMap,
    /// The upstream's entity tag.
    pub(crate) etag: Option<HeaderValue>,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn json(&self) -> Result<serde_json::Value, Failure> {
        serde_json::from_slice(&self.body).map_err(|_| Failure::Foreign("the body is not JSON"))
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
    within: Duration,
    /// End of the pause after the upstream couldn't be reached.
    rests_until: Mutex<Option<Instant>>,
}

impl Client {
    /// `within` is the response timeout.
    pub(crate) fn new(origin: Origin, within: Duration) -> anyhow::Result<Self> {
        // Only the first installation in the process takes effect. Later ones fail, which is harmless.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            // A redirect could send the key to another host.
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT_WITHIN)
            .pool_idle_timeout(IDLE_FOR)
            .pool_max_idle_per_host(IDLE)
            .tcp_nodelay(true)
            .build()?;
        Ok(Self { http, origin, within, rests_until: Mutex::default() })
    }

    /// Whether the upstream couldn't be reached a moment ago. Cached responses are then served without asking.
    pub(crate) fn rests(&self) -> bool {
        self.rests_until.lock().is_some_and(|until| Instant::now() < until)
    }

    /// Sends a request. A safe request is sent once more if the first try broke off. Statuses of 500 and above and
    /// responses outside this API are failures.
    pub(crate) async fn ask(&self, request: &Outgoing) -> Result<Answer, Failure> {
        let first = timeout(self.within, self.once(request)).await.unwrap_or(Err(Failure::TimedOut));
        let again = match first {
            Err(Failure::Broken) => request::is_safe(&request.method),
            // Nothing was sent.
            Err(Failure::Unreached) => true,
            _ => false,
        };
        let answered = if again {
            timeout(self.within, self.once(request)).await.unwrap_or(Err(Failure::TimedOut))
        } else {
            first
        };
        let outcome = answered.as_ref().err().map_or("answered", |failure| failure.name());
        metrics::counter!("touchline_upstream_calls_total", "outcome" => outcome).increment(1);
        // Any other failure is about this call alone.
        let is_unreached = matches!(answered, Err(Failure::Unreached));
        *self.rests_until.lock() = is_unreached.then(|| Instant::now() + REST);
        if let Err(failure) = &answered {
            tracing::warn!(method = %request.method, path = request.path, %failure, "a request to the upstream failed");
        }
        answered
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
        let sent = self.http.request(method, url).headers(headers).send();
        let response = timeout(self.within, sent).await.map_err(|_| Failure::TimedOut)?.map_err(|e| of(&e))?;
        if response.status().is_redirection() && response.status() != StatusCode::NOT_MODIFIED {
            return Err(Failure::Redirect);
        }
        Ok(response)
    }

    /// The response body as a stream. It fails if no data arrives within the response timeout.
    pub(crate) fn parts(&self, response: reqwest::Response) -> impl Stream<Item = Result<Bytes, Failure>> + use<> {
        let within = self.within;
        unfold(Some(response.bytes_stream()), move |parts| async move {
            let mut parts = parts?;
            match timeout(within, parts.next()).await {
                Ok(Some(Ok(part))) => Some((Ok(part), Some(parts))),
                Ok(Some(Err(error))) => Some((Err(of(&error)), None)),
                Ok(None) => None,
                Err(_) => {
                    tracing::warn!("a response of the upstream stalled and was aborted");
                    Some((Err(Failure::TimedOut), None))
                }
            }
        })
    }

    /// Reads a whole file of the upstream's site, within the response timeout.
    pub(crate) async fn file(&self, path: &str) -> Result<(StatusCode, Bytes), Failure> {
        let read = async {
            let response = self.stream(Method::GET, self.origin.site(path, None), HeaderMap::new()).await?;
            Ok((response.status(), whole(response).await?))
        };
        timeout(self.within, read).await.unwrap_or(Err(Failure::TimedOut))
    }

    async fn once(&self, request: &Outgoing) -> Result<Answer, Failure> {
        let url = self.origin.call(&request.path, Some(&request.query));
        let mut sent = self.http.request(request.method.clone(), url).headers(request.headers.clone());
        if let Some(body) = &request.body {
            sent = sent.body(body.clone());
        }
        let response = sent.send().await.map_err(|error| of(&error))?;
        let status = response.status();
        if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
            return Err(Failure::Redirect);
        }
        if status.is_server_error() {
            let later = retry_after(response.headers()).filter(|_| status == StatusCode::SERVICE_UNAVAILABLE);
            return Err(later.map_or(Failure::Status(status.as_u16()), Failure::Unavailable));
        }
        let headers = request::returned(response.headers());
        let etag = response.headers().get(header::ETAG).cloned();
        let body = whole(response).await?;
        Ok(Answer { status, headers, etag, body })
    }
}

/// The delay in `Retry-After`, capped: either seconds, or a date compared with the response's date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok().map(str::trim);
    let after = text(header::RETRY_AFTER)?;
    let moment = |text: &str| httpdate::parse_http_date(text).ok();
    let after = match after.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => moment(after)?.duration_since(moment(text(header::DATE)?)?).unwrap_or_default(),
    };
    Some(after.min(RETRY_LONGEST))
}

/// The complete body. A partial body is an error.
async fn whole(response: reqwest::Response) -> Result<Bytes, Failure> {
    if response.content_length().is_some_and(|length| length > ANSWER_BYTES as u64) {
        return Err(Failure::TooLarge);
    }
    let mut parts = response.bytes_stream();
    let Some(first) = parts.next().await else { return Ok(Bytes::new()) };
    let first = first.map_err(|error| of(&error))?;
    let Some(second) = parts.next().await else { return Ok(first) };
    let mut body = BytesMut::from(&first[..]);
    let mut next = Some(second);
    while let Some(part) = next {
        body.extend_from_slice(&part.map_err(|error| of(&error))?);
        if body.len() > ANSWER_BYTES {
            return Err(Failure::TooLarge);
        }
        next = parts.next().await;
    }
    Ok(body.freeze())
}

fn of(error: &reqwest::Error) -> Failure {
    if error.is_connect() {
        Failure::Unreached
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
    fn a_retry_after_is_seconds_or_a_moment_and_kept_for_a_minute_at_most() {
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
