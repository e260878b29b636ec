//! Speaking HTTP with the upstream: one pool of connections, time-outs, limits, and no redirect.

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

/// How long a connection may take to be made.
const CONNECT_WITHIN: Duration = Duration::from_secs(3);
/// How long an idle connection is kept.
const IDLE_FOR: Duration = Duration::from_secs(60);
/// Idle connections that are kept.
const IDLE: usize = 512;
/// The largest answer of a call.
pub(crate) const ANSWER_BYTES: usize = 16 << 20;
/// For how long what failed is not asked for again where it is kept already: everything of an upstream that could not be
/// reached, else the one answer.
pub(crate) const REST: Duration = Duration::from_secs(1);
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::time("upstream.connect", CONNECT_WITHIN, "How long a connection to the upstream may take to be made."),
    Limit::bytes("upstream.answer", ANSWER_BYTES as u64, "An answer of the upstream."),
    Limit::count("upstream.idle", IDLE as u64, "connections", "Idle connections to the upstream that are kept."),
    Limit::time("upstream.retry_after", RETRY_LONGEST, "The longest that a `Retry-After` of the upstream is kept."),
    Limit::time("upstream.rest", REST, "How long what failed is not asked for again where an older answer is kept."),
];

/// A request to the upstream.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    pub(crate) method: Method,
    /// Below the place of the calls, encoded.
    pub(crate) path: String,
    /// With its key, where it has one. No log shows it.
    pub(crate) query: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Bytes>,
}

impl Outgoing {
    /// A read.
    pub(crate) fn get(path: impl Into<String>, query: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), query: query.into(), headers: HeaderMap::new(), body: None }
    }

    /// A JSON body.
    pub(crate) fn post(path: impl Into<String>, body: &serde_json::Value) -> Self {
        let headers = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))].into_iter().collect();
        let body = Some(body.to_string().into());
        Self { method: Method::POST, path: path.into(), query: String::new(), headers, body }
    }
}

/// An answer that was read whole.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    /// Those that travel back.
    pub(crate) headers: HeaderMap,
    /// What names its content, where the upstream says so.
    pub(crate) etag: Option<HeaderValue>,
    pub(crate) body: Bytes,
}

impl Answer {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Result<serde_json::Value, Failure> {
        serde_json::from_slice(&self.body).map_err(|_| Failure::Foreign("it is not JSON"))
    }

    /// Its `Retry-After`.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        retry_after(&self.headers)
    }
}

/// Speaks with one upstream.
#[derive(Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    origin: Origin,
    within: Duration,
    /// Until when it rests, after it could not be reached.
    rests_until: Mutex<Option<Instant>>,
}

impl Client {
    /// `within` is how long an answer may take.
    pub(crate) fn new(origin: Origin, within: Duration) -> anyhow::Result<Self> {
        // The first who needs TLS installs it; a second time changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            // Where it leads is another's to say, and a key would travel there.
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT_WITHIN)
            .pool_idle_timeout(IDLE_FOR)
            .pool_max_idle_per_host(IDLE)
            .tcp_nodelay(true)
            .build()?;
        Ok(Self { http, origin, within, rests_until: Mutex::default() })
    }

    /// Whether it could not be reached a moment ago: what is kept is served without asking.
    pub(crate) fn rests(&self) -> bool {
        self.rests_until.lock().is_some_and(|until| Instant::now() < until)
    }

    /// Asks, and once more where that is safe and the first try broke off. Statuses of 500 and more are failures, and so
    /// is what is no answer of this API.
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
        // Any other failure is of this call alone: it says nothing of what others ask for.
        let is_unreached = matches!(answered, Err(Failure::Unreached));
        *self.rests_until.lock() = is_unreached.then(|| Instant::now() + REST);
        if let Err(failure) = &answered {
            tracing::warn!(method = %request.method, path = request.path, %failure, "the upstream gave no answer");
        }
        answered
    }

    /// The address of a file of the upstream's site; `None` for a path outside of its folders of files.
    pub(crate) fn file_url(&self, path: &SitePath<'_>, query: Option<&str>) -> Option<Url> {
        self.origin.file(path, query)
    }

    /// Sends something on and gives the answer as it begins: for what is not a call, such as media.
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

    /// The body of what was sent on, part by part: it fails when nothing comes for as long as an answer may take.
    pub(crate) fn parts(&self, response: reqwest::Response) -> impl Stream<Item = Result<Bytes, Failure>> + use<> {
        let within = self.within;
        unfold(Some(response.bytes_stream()), move |parts| async move {
            let mut parts = parts?;
            match timeout(within, parts.next()).await {
                Ok(Some(Ok(part))) => Some((Ok(part), Some(parts))),
                Ok(Some(Err(error))) => Some((Err(of(&error)), None)),
                Ok(None) => None,
                Err(_) => {
                    tracing::warn!("the upstream sends nothing more of what it began: it is ended");
                    Some((Err(Failure::TimedOut), None))
                }
            }
        })
    }

    /// A file of its site, read whole: in the time that a call has.
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

/// The time of a `Retry-After`, no longer than it is kept: seconds, or a moment beside that of the answer.
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

/// The body, all of it: half a body is none.
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
