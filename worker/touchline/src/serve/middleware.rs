//! Handling common to all requests: id, address, channel, rate limits, access log.

use std::any::Any;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::HttpBody;
use axum::extract::Request;
use axum::http::uri::{Authority, PathAndQuery};
use axum::http::{Extensions, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::Response;
use futures_util::FutureExt;
use tokio::time::{Instant, timeout};
use touchline_channel::http::client::host_of;
use touchline_datalake::RequestChannel;
use touchline_protocol::ambient::{SharedClock, SharedEntropy};
use touchline_protocol::codes::ErrorCode;
#[cfg(test)]
use touchline_protocol::limits::Limit;
use touchline_protocol::rate::{Buckets, Rate};
use touchline_protocol::site_path::SitePath;
use tower::Service;
use tracing::Instrument;

use super::access_log;
use super::answer::PausableBody;
use super::area::Area;
use super::bodies::Bodies;
use super::client_address::{Origin, Proxies};
use super::connections::network_of;
use super::rate::Calls;
use super::request_metrics::RequestMetrics;
use crate::error_response::{error_response, internal, not_found, unavailable, unknown_host};
use crate::journal::{Journal, RequestInfo};
use crate::pages;
use crate::site::{BrandingSource, headers, is_reserved};

/// The time limit of a call, from the arrival of its body.
pub(crate) const CALL_TIMEOUT: Duration = Duration::from_secs(30);
/// Part of the limits table.
#[cfg(test)]
pub(super) const LIMITS: &[Limit] = &[
    Limit::time("call", CALL_TIMEOUT, "Timeout for a call once its body has arrived."),
    Limit::count("log.query", access_log::QUERY_LIMIT as u64, "characters", "Maximum length of a query in the log."),
    Limit::count("log.path", access_log::PATH_LIMIT as u64, "characters", "Maximum length of a path in the log."),
    Limit::count(
        "log.access",
        ACCESS.burst as u64,
        "lines",
        "Logged requests per address and minute; more are only counted in `/metrics`.",
    ),
];
/// Logged requests per address.
const ACCESS: Rate = Rate::per_minute(12_000);
/// The number of addresses tracked.
pub(crate) const ACCESS_ADDRESSES: usize = 65_536;
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The page with status 404 for an unknown path.
const NOT_FOUND_PATH: &str = "/404";

pub(crate) struct Middleware {
    pub(crate) proxies: Arc<Proxies>,
    pub(crate) brandings: Arc<dyn BrandingSource>,
    pub(crate) calls: Calls,
    /// Limits requests below `/media/` (`LIM-10`).
    pub(crate) media: Calls,
    /// Limits the lines of each address in the access log.
    pub(crate) access: Buckets,
    pub(crate) request_metrics: RequestMetrics,
    pub(crate) journal: Journal,
    pub(crate) bodies: Arc<Bodies>,
    pub(crate) clock: SharedClock,
    pub(crate) entropy: SharedEntropy,
    /// The time limit of a call, from the arrival of its body.
    pub(crate) call_timeout: Duration,
    /// The time limit for the body of a call to arrive.
    pub(crate) body_timeout: Duration,
    /// Whether this worker terminates TLS itself.
    pub(crate) tls: bool,
    /// The `Strict-Transport-Security` header.
    pub(crate) hsts: HeaderValue,
    /// Adds the origin of a request to its extensions, in the type its area expects.
    pub(crate) add_origin: fn(Area, &mut Extensions, &Origin),
}

/// Whether a path is a call, which has a time limit.
pub(crate) fn is_call(path: &str) -> bool {
    matches!(Area::of(path), Area::Api | Area::Datalake | Area::Webhooks)
}

impl Middleware {
    /// Answers a request from `peer` through `router`.
    ///
    /// It wraps the whole router: a layer would be built into every route, and cloned for every request.
    pub(crate) async fn pass(self: Arc<Self>, mut request: Request, peer: SocketAddr, router: Router) -> Response {
        let (started, at) = (Instant::now(), self.clock.now_ms());
        let mut id = [0; 36];
        let id = &*self.entropy.uuid_v7(&*self.clock).hyphenated().encode_lower(&mut id);
        let area = Area::of(request.uri().path());
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let origin = self.proxies.origin_of(peer, request.headers());
        let channel = match area {
            Area::Health => None,
            _ => self.brandings.key_of_host(host_of(request.uri(), request.headers())),
        };
        (self.add_origin)(area, request.extensions_mut(), &origin);
        // A request id from the client is ignored: the log, the response and an upstream get ours.
        request.headers_mut().remove(REQUEST_ID);
        if area == Area::Api
            && let Ok(id) = HeaderValue::from_str(id)
        {
            request.headers_mut().insert(REQUEST_ID, id);
        }

        let span = tracing::info_span!("request", id);
        let answered = self.answer(area, channel.as_deref(), &origin, request, router);
        let mut response = answered.instrument(span.clone()).await;
        headers::guard(response.headers_mut(), (self.tls || origin.https).then_some(&self.hsts));
        // Responses of calls are private unless they say otherwise.
        if matches!(area, Area::Api | Area::Datalake | Area::Webhooks) {
            let cache_control = response.headers_mut().entry(header::CACHE_CONTROL);
            cache_control.or_insert(HeaderValue::from_static("no-store"));
        }
        if area == Area::Media {
            response.extensions_mut().insert(PausableBody);
        }
        if let Ok(id) = HeaderValue::from_str(id) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        let took = started.elapsed();
        if self.access.take(subject(&origin), ACCESS, 1, self.clock.steady_ms()).is_ok() {
            let line = access_log::Line { method: &method, uri: &uri, channel: channel.as_deref(), origin: &origin };
            span.in_scope(|| line.write(response.status(), took));
            if area == Area::Api {
                let received = RequestInfo { id, method: &method, path: uri.path(), at };
                response = self.journal.record(received, took, response).await;
            }
        } else {
            if area == Area::Api {
                self.journal.count_lost();
            }
            metrics::counter!("touchline_requests_not_logged_total").increment(1);
        }
        self.request_metrics.count(area, channel.as_deref(), response.status(), took);
        response
    }

    async fn answer(
        &self,
        area: Area,
        channel: Option<&str>,
        origin: &Origin,
        mut request: Request,
        router: Router,
    ) -> Response {
        if area == Area::Health {
            return route(router, request).await;
        }
        // A proxy in front and this worker might pick different ones.
        if !names_one_host(&request) {
            return error_response(StatusCode::BAD_REQUEST, ErrorCode::Malformed, "The request is malformed.");
        }
        let host = host_of(request.uri(), request.headers());
        // Webhooks are about all channels, whatever their host.
        let is_down = area != Area::Webhooks && self.brandings.is_down(host);
        if is_down && request.uri().path() != pages::STYLE_PATH {
            return if area == Area::Site { pages::unavailable() } else { unavailable() };
        }
        // A channel that cannot be served has a known host.
        if channel.is_none() && !self.brandings.is_down(host) {
            return unknown_host();
        }
        if let Some(key) = channel.filter(|_| area == Area::Datalake) {
            request.extensions_mut().insert(RequestChannel(key.to_owned()));
        }
        let is_call = is_call(request.uri().path());
        // Webhooks are not limited: unsigned ones are refused, and signed ones may come in bursts.
        let limited = match area {
            Area::Api | Area::Datalake | Area::Sync => Some(&self.calls),
            Area::Media => Some(&self.media),
            Area::Health | Area::Webhooks | Area::Site => None,
        };
        if let Some(Err(seconds)) = limited.map(|requests| requests.take(subject(origin))) {
            let mut response = error_response(StatusCode::TOO_MANY_REQUESTS, ErrorCode::TooMany, "Too many requests.");
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            return response;
        }
        if SitePath::parse(request.uri().path()).is_err() {
            // Proxies and servers normalise such a path differently, so it counts as unknown whatever it resolves to.
            if is_reserved(request.uri().path()) {
                return not_found();
            }
            *request.uri_mut() = not_found_uri(request.uri());
        }
        if is_call {
            // Held until the call is answered, because its body is in memory for that long.
            let mut _reservation = None;
            if !request.body().is_end_stream() {
                let read = self.bodies.read(request, network_of(origin.address));
                request = match timeout(self.body_timeout, read).await {
                    Ok(Ok((request, reservation))) => {
                        _reservation = Some(reservation);
                        request
                    }
                    Ok(Err(refused)) => return refused,
                    Err(_) => {
                        let message = "The request took too long to arrive.";
                        return error_response(StatusCode::REQUEST_TIMEOUT, ErrorCode::TooSlow, message);
                    }
                };
            }
            return timeout(self.call_timeout, route(router, request)).await.unwrap_or_else(|_| {
                tracing::error!("a call took too long");
                unavailable()
            });
        }
        route(router, request).await
    }
}

fn not_found_uri(uri: &Uri) -> Uri {
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::from_static(NOT_FOUND_PATH));
    Uri::from_parts(parts).unwrap_or_else(|_| Uri::from_static(NOT_FOUND_PATH))
}

/// Calls the router. A panic in a handler becomes a response.
pub(crate) async fn route(mut router: Router, request: Request) -> Response {
    match AssertUnwindSafe(async move { router.call(request).await }).catch_unwind().await {
        Ok(Ok(response)) => response,
        Ok(Err(never)) => match never {},
        Err(panic) => panic_response(&*panic),
    }
}

/// The key for rate limits: an IPv4 address, or the /64 of an IPv6 address, which is usually one household.
pub(crate) fn subject(origin: &Origin) -> u128 {
    match origin.address {
        std::net::IpAddr::V4(address) => u128::from(address.to_bits()),
        std::net::IpAddr::V6(address) => (address.to_bits() >> 64) << 64,
    }
}

/// Logs a panic and answers with an internal error.
fn panic_response(panic: &(dyn Any + Send)) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text");
    tracing::error!(panic = text, "a handler panicked");
    metrics::counter!("touchline_panics_total").increment(1);
    internal()
}

/// Whether a request names a single host, and at most once in the URI and once in the header.
fn names_one_host(request: &Request) -> bool {
    let mut headers = request.headers().get_all(header::HOST).iter();
    let Some(host) = headers.next() else { return true };
    let is_name = |host: &str| host.is_empty() || (!host.contains('@') && host.parse::<Authority>().is_ok());
    let Some(host) = host.to_str().ok().filter(|host| headers.next().is_none() && is_name(host)) else { return false };
    request.uri().authority().is_none_or(|authority| authority.as_str().eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use axum::Extension;
    use axum::body::{Body, to_bytes};
    use axum::routing::get;
    use futures_util::{StreamExt, stream};
    use touchline_disk::Disk;
    use touchline_protocol::ambient::{ManualClock, SeededEntropy};

    use super::*;
    use crate::journal::BOUNDS;
    use crate::site::{Branding, tests::branding};

    struct OneBranding(Arc<Branding>);

    impl BrandingSource for OneBranding {
        fn of_host(&self, host: &str) -> Option<Arc<Branding>> {
            host.starts_with("north.example").then(|| Arc::clone(&self.0))
        }
    }

    fn journal(clock: &Arc<ManualClock>) -> Journal {
        let folder = tempfile::tempdir().unwrap();
        let clock: SharedClock = clock.clone();
        Journal::open(folder.path().join("journal"), BOUNDS, [], Disk::default(), clock).unwrap()
    }

    async fn send(request: Request) -> Response {
        let clock = ManualClock::at_ms(1_700_000_000_000);
        let middleware = Middleware {
            proxies: Arc::default(),
            brandings: Arc::new(OneBranding(Arc::new(branding()))),
            calls: Calls::new(60, clock.clone()),
            media: Calls::new(60, clock.clone()),
            access: Buckets::new(16),
            request_metrics: RequestMetrics::default(),
            journal: journal(&clock),
            bodies: Bodies::new(),
            clock,
            entropy: SeededEntropy::new(1),
            call_timeout: Duration::from_millis(20),
            body_timeout: Duration::from_millis(20),
            tls: false,
            hsts: headers::hsts(false),
            add_origin: |_, _, _| {},
        };
        let router = Router::new()
            .route("/api/echoes", axum::routing::post(async |body: String| body))
            .route("/api/panics", get(async || -> Response { panic!("a bug") }))
            .route("/api/sleeps", get(async || std::future::pending::<Response>().await))
            .route("/datalake/channel", get(async |Extension(channel): Extension<RequestChannel>| channel.0))
            .route("/healthz", get(async || "ok"));
        Arc::new(middleware).pass(request, ([1, 2, 3, 4], 5).into(), router).await
    }

    async fn get_response(uri: &str) -> Response {
        send(Request::get(uri).body(Body::empty()).unwrap()).await
    }

    /// Posts a body in these parts, which then ends or stalls.
    async fn post(parts: &'static [&'static str], ends: bool) -> Response {
        let parts = stream::iter(parts.iter().map(|part| Ok::<_, std::io::Error>(*part)));
        let rest = if ends { stream::empty().boxed() } else { stream::pending().boxed() };
        send(Request::post("http://north.example/api/echoes").body(Body::from_stream(parts.chain(rest))).unwrap()).await
    }

    async fn code(response: Response) -> serde_json::Value {
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        serde_json::from_slice::<serde_json::Value>(&body).unwrap()["code"].clone()
    }

    #[tokio::test]
    async fn a_panic_returns_the_error_envelope_with_an_id() {
        let response = get_response("http://north.example/api/panics").await;
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(response.headers().contains_key(REQUEST_ID));
        assert_eq!(code(response).await, "internal");
    }

    #[tokio::test]
    async fn a_slow_call_times_out() {
        let response = get_response("http://north.example/api/sleeps").await;
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(code(response).await, "unavailable");
    }

    #[tokio::test]
    async fn a_slow_body_is_a_client_error_and_not_a_slow_call() {
        let response = post(&["a", "b"], false).await;
        assert_eq!(response.status(), StatusCode::REQUEST_TIMEOUT);
        assert_eq!(code(response).await, "too_slow");
        let whole = post(&["a", "b"], true).await;
        assert_eq!(to_bytes(whole.into_body(), 10).await.unwrap(), "ab");
    }

    #[tokio::test]
    async fn analytics_get_the_channel_of_the_requested_host() {
        let response = get_response("http://north.example/datalake/channel").await;
        assert_eq!(to_bytes(response.into_body(), 100).await.unwrap(), branding().key);
        assert_eq!(
            get_response("http://south.example/datalake/channel").await.status(),
            StatusCode::MISDIRECTED_REQUEST
        );
    }

    #[tokio::test]
    async fn an_unknown_host_is_misdirected_except_for_health_checks() {
        assert_eq!(get_response("http://south.example/api/x").await.status(), StatusCode::MISDIRECTED_REQUEST);
        assert_eq!(get_response("http://south.example/healthz").await.status(), StatusCode::OK);
    }

    /// A proxy in front may have used the other one.
    #[tokio::test]
    async fn two_hosts_are_refused() {
        let hosts = |uri: &str, names: &[&str]| {
            let request = names.iter().fold(Request::get(uri), |request, name| request.header("host", *name));
            send(request.body(Body::empty()).unwrap())
        };
        let whole = "http://north.example/api/echoes";
        for (uri, names) in [
            ("/api/echoes", &["north.example", "north.example"][..]),
            ("/api/echoes", &["north.example, south.example"]),
            ("/api/echoes", &["north.example@south.example"]),
            (whole, &["south.example"]),
        ] {
            let refused = hosts(uri, names).await;
            let answer = (refused.status(), code(refused).await);
            assert_eq!(answer, (StatusCode::BAD_REQUEST, "malformed".into()), "{uri} {names:?}");
        }
        for (uri, names) in [("/api/echoes", &["north.example"][..]), (whole, &[]), (whole, &["North.example"])] {
            assert_eq!(hosts(uri, names).await.status(), StatusCode::METHOD_NOT_ALLOWED, "{uri} {names:?}");
        }
    }

    #[test]
    fn areas_match_whole_segments() {
        assert_eq!((Area::of("/api"), Area::of("/api/events")), (Area::Api, Area::Api));
        assert_eq!((Area::of("/apiary"), Area::of("/")), (Area::Site, Area::Site));
        assert_eq!((Area::of("/sync"), Area::of("/healthz")), (Area::Sync, Area::Health));
    }

    #[test]
    fn addresses_of_a_household_share_one_rate_limit() {
        let subject =
            |address: &str| subject(&Origin { address: address.parse().unwrap(), country: None, https: false });
        assert_eq!(subject("2001:db8:1:2::1"), subject("2001:db8:1:2:ffff::9"));
        assert_ne!(subject("2001:db8:1:2::1"), subject("2001:db8:1:3::1"));
        assert_ne!(subject("1.2.3.4"), subject("1.2.3.5"));
    }
}
