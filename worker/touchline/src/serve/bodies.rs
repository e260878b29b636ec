//! Bodies of calls, read within limits per route, per address and in total. The bytes of a call count from their
//! arrival until the call is answered (`LIM-8`).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use http_body_util::BodyExt;
use parking_lot::Mutex;
use tokio::time::timeout;
use touchline_channel::http::body::BODY_LIMIT;
use touchline_channel::routes::problem_report::GZIP_LIMIT;
use touchline_channel::routes::webhooks::WEBHOOK_BYTES;
use touchline_protocol::analytics::MAX_REQUEST_BYTES;
use touchline_protocol::codes::ErrorCode;
#[cfg(test)]
use touchline_protocol::limits::Limit;

use crate::error_response::error_response;

/// The size limit of a body on most routes, in bytes.
const DEFAULT_LIMIT: usize = 16 * 1024;
/// The smallest allocation for a body, in bytes.
const MIN_ALLOCATION: usize = 1024;
/// The limit for all bodies of one address, in bytes.
const PER_ADDRESS: usize = 4 * 1024 * 1024;
/// The limit for compressed problem reports of one address, counted separately: room for the largest report without
/// blocking other calls.
const REPORTS_PER_ADDRESS: usize = GZIP_LIMIT;
/// The limit for all bodies, in bytes.
const TOTAL: usize = 128 * 1024 * 1024;
/// The part of a refused body that is read and discarded, in bytes, so that its sender receives the response instead
/// of a reset.
const DISCARD_LIMIT: usize = 2 * 1024 * 1024;
const DISCARD_TIMEOUT: Duration = Duration::from_secs(2);
/// Part of the limits table.
#[cfg(test)]
pub(super) const LIMITS: &[Limit] = &[
    Limit::bytes("bodies.call", DEFAULT_LIMIT as u64, "Body of a call."),
    Limit::bytes("bodies.problem_report", BODY_LIMIT as u64, "Body of a problem report, with its recording."),
    Limit::bytes("bodies.problem_report_gzip", GZIP_LIMIT as u64, "Body of a compressed problem report."),
    Limit::bytes("bodies.analytics_batch", MAX_REQUEST_BYTES as u64, "Body of a batch of analytics."),
    Limit::bytes("bodies.webhook", WEBHOOK_BYTES as u64, "Body of a webhook from the payment provider."),
    Limit::bytes("bodies.per_address", PER_ADDRESS as u64, "All bodies of one address at once."),
    Limit::bytes(
        "bodies.reports_per_address",
        REPORTS_PER_ADDRESS as u64,
        "All compressed problem reports of one address at once, counted separately.",
    ),
    Limit::bytes("bodies.in_all", TOTAL as u64, "All bodies at once."),
];

fn limit_of(parts: &Parts) -> usize {
    match parts.uri.path().trim_end_matches('/') {
        "/api/problem-report" if is_compressed_report(parts) => GZIP_LIMIT,
        "/api/problem-report" => BODY_LIMIT,
        "/datalake/batch" => MAX_REQUEST_BYTES,
        "/webhooks/stripe" => WEBHOOK_BYTES,
        _ => DEFAULT_LIMIT,
    }
}

fn is_compressed_report(parts: &Parts) -> bool {
    parts.uri.path().trim_end_matches('/') == "/api/problem-report"
        && parts.headers.get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding == "gzip")
}

#[derive(Debug, Clone, Copy)]
struct Budget {
    total: usize,
    per_address: usize,
    reports_per_address: usize,
}

#[derive(Debug)]
pub(crate) struct Bodies {
    budget: Budget,
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    in_memory: usize,
    /// Keyed by address, and whether it is for compressed reports.
    addresses: HashMap<(u128, bool), usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OverBudget {
    Address,
    Total,
}

/// Reserved bytes, released on drop.
#[derive(Debug)]
pub(crate) struct Reservation {
    bodies: Arc<Bodies>,
    network: u128,
    is_report: bool,
    bytes: usize,
}

impl Bodies {
    pub(crate) fn new() -> Arc<Self> {
        Self::with_budget(Budget { total: TOTAL, per_address: PER_ADDRESS, reports_per_address: REPORTS_PER_ADDRESS })
    }

    fn with_budget(budget: Budget) -> Arc<Self> {
        Arc::new(Self { budget, counts: Mutex::default() })
    }

    /// Reads the whole body and returns the request with its reservation, to be held until it is answered.
    ///
    /// # Errors
    /// A response: the body is too large or cut short, or too many bytes are in memory.
    pub(crate) async fn read(
        self: &Arc<Self>,
        request: Request,
        network: u128,
    ) -> Result<(Request, Reservation), Response> {
        let (parts, mut body) = request.into_parts();
        let is_report = is_compressed_report(&parts);
        let limit = limit_of(&parts);
        // A client that expects `100 Continue` is refused before it sends the body.
        let expects_continue = parts.headers.contains_key(header::EXPECT);
        let announced = body.size_hint().exact();
        if body.size_hint().lower() > limit as u64 {
            return Err(refused(body, expects_continue, too_large()));
        }
        let mut reservation = Reservation { bodies: Arc::clone(self), network, is_report, bytes: 0 };
        let mut bytes_read = Vec::new();
        while let Some(frame) = body.frame().await {
            let Ok(frame) = frame else {
                return Err(error_response(StatusCode::BAD_REQUEST, ErrorCode::Malformed, "The body is incomplete."));
            };
            let Ok(data) = frame.into_data() else { continue };
            let needed = bytes_read.len() + data.len();
            if needed > limit {
                return Err(refused(body, false, too_large()));
            }
            if needed > bytes_read.capacity() {
                let max = announced.map_or(limit, |announced| announced as usize).max(needed);
                let capacity = needed.max(2 * bytes_read.capacity()).max(MIN_ALLOCATION).min(max);
                if let Err(over) = reservation.grow(capacity) {
                    return Err(refused(body, false, over_budget(over)));
                }
                bytes_read.reserve_exact(capacity - bytes_read.len());
            }
            bytes_read.extend_from_slice(&data);
        }
        Ok((Request::from_parts(parts, Body::from(bytes_read)), reservation))
    }
}

impl Reservation {
    /// Raises the reservation to `bytes` in total.
    fn grow(&mut self, bytes: usize) -> Result<(), OverBudget> {
        let Budget { total, per_address, reports_per_address } = self.bodies.budget;
        let address = (self.network, self.is_report);
        let additional = bytes.saturating_sub(self.bytes);
        let mut counts = self.bodies.counts.lock();
        if counts.in_memory + additional > total {
            return Err(OverBudget::Total);
        }
        let of_address = counts.addresses.get(&address).copied().unwrap_or_default();
        if of_address + additional > if self.is_report { reports_per_address } else { per_address } {
            return Err(OverBudget::Address);
        }
        counts.in_memory += additional;
        counts.addresses.insert(address, of_address + additional);
        self.bytes += additional;
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut counts = self.bodies.counts.lock();
        counts.in_memory -= self.bytes;
        let address = (self.network, self.is_report);
        if let Some(of_address) = counts.addresses.get_mut(&address) {
            *of_address -= self.bytes;
            if *of_address == 0 {
                counts.addresses.remove(&address);
            }
        }
    }
}

/// Refuses a body that has not fully arrived, and discards the rest for a moment.
fn refused(mut body: Body, expects_continue: bool, error_response: Response) -> Response {
    if !expects_continue {
        tokio::spawn(timeout(DISCARD_TIMEOUT, async move {
            let mut discarded = 0;
            while let Some(Ok(frame)) = body.frame().await {
                discarded += frame.data_ref().map_or(0, |data| data.len());
                if discarded > DISCARD_LIMIT {
                    return;
                }
            }
        }));
    }
    error_response
}

fn too_large() -> Response {
    error_response(StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::TooLarge, "The request is too large.")
}

fn over_budget(over: OverBudget) -> Response {
    let mut response = match over {
        OverBudget::Address => error_response(StatusCode::TOO_MANY_REQUESTS, ErrorCode::TooMany, "Too many requests."),
        OverBudget::Total => crate::error_response::unavailable(),
    };
    metrics::counter!("touchline_bodies_refused_total").increment(1);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    response
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;
    use futures_util::{StreamExt, stream};

    use super::*;

    fn bodies() -> Arc<Bodies> {
        Bodies::with_budget(Budget {
            total: 6 * MIN_ALLOCATION,
            per_address: 4 * MIN_ALLOCATION,
            reports_per_address: 5 * MIN_ALLOCATION,
        })
    }

    fn post(path: &str, parts: Vec<Vec<u8>>, ends: bool) -> Request {
        let parts = stream::iter(parts.into_iter().map(Ok::<_, std::io::Error>));
        let rest = if ends { stream::empty().boxed() } else { stream::pending().boxed() };
        Request::post(path).body(Body::from_stream(parts.chain(rest))).unwrap()
    }

    async fn status(bodies: &Arc<Bodies>, network: u128, bytes: usize) -> Result<Reservation, StatusCode> {
        let read = bodies.read(post("/api/x", vec![vec![b'x'; bytes]], true), network).await;
        read.map(|(_, reservation)| reservation).map_err(|response| response.status())
    }

    #[tokio::test]
    async fn bodies_count_per_address_and_in_total_until_answered() {
        let bodies = bodies();
        let first = status(&bodies, 1, 3 * MIN_ALLOCATION).await.unwrap();
        assert_eq!(status(&bodies, 1, 2 * MIN_ALLOCATION).await.unwrap_err(), StatusCode::TOO_MANY_REQUESTS);
        let _second = status(&bodies, 1, MIN_ALLOCATION).await.unwrap();
        assert_eq!(status(&bodies, 2, 3 * MIN_ALLOCATION).await.unwrap_err(), StatusCode::SERVICE_UNAVAILABLE);
        drop(first);
        status(&bodies, 2, 3 * MIN_ALLOCATION).await.unwrap();
        assert_eq!(bodies.counts.lock().addresses.len(), 1, "an address without bodies is still tracked");
    }

    #[tokio::test]
    async fn a_chunked_body_arrives_whole_and_an_abandoned_one_releases_its_bytes() {
        let bodies = bodies();
        let parts = vec![vec![b'a'; 700], vec![b'b'; 700], vec![b'c'; 700]];
        let (request, reservation) = bodies.read(post("/api/x", parts.clone(), true), 1).await.unwrap();
        assert_eq!(to_bytes(request.into_body(), usize::MAX).await.unwrap(), parts.concat());
        assert!((2100..=4 * MIN_ALLOCATION).contains(&reservation.bytes), "{}", reservation.bytes);
        drop(reservation);
        let stalled = bodies.read(post("/api/x", parts, false), 1);
        assert!(timeout(Duration::from_millis(20), stalled).await.is_err());
        assert_eq!(bodies.counts.lock().in_memory, 0);
    }

    #[tokio::test]
    async fn body_limits_depend_on_the_route() {
        let bodies = Bodies::new();
        for (path, limit) in
            [("/api/x", DEFAULT_LIMIT), ("/api/problem-report", BODY_LIMIT), ("/datalake/batch/", MAX_REQUEST_BYTES)]
        {
            for (bytes, fits) in [(limit, true), (limit + 1, false)] {
                let read = bodies.read(post(path, vec![vec![b'x'; bytes]], true), 1).await;
                assert_eq!(read.is_ok(), fits, "{path} {bytes}");
            }
            // The announced length is checked before anything is read.
            let announced = Request::post(path).body(Body::from(vec![b'x'; limit + 1])).unwrap();
            let refused = bodies.read(announced, 1).await.unwrap_err();
            assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE);
        }
    }

    #[tokio::test]
    async fn only_compressed_problem_reports_may_be_larger() {
        let bodies = Bodies::new();
        let status = async |path: &str, bytes: usize| {
            let mut request = post(path, vec![vec![b'x'; bytes]], true);
            request.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            bodies.read(request, 1).await.map(|_| ()).map_err(|response| response.status())
        };
        assert_eq!(status("/api/problem-report", GZIP_LIMIT).await, Ok(()));
        assert_eq!(status("/api/problem-report", GZIP_LIMIT + 1).await, Err(StatusCode::PAYLOAD_TOO_LARGE));
        assert_eq!(status("/api/x", DEFAULT_LIMIT + 1).await, Err(StatusCode::PAYLOAD_TOO_LARGE));
    }

    #[tokio::test]
    async fn compressed_reports_of_an_address_are_counted_separately() {
        let bodies = bodies();
        let report = async |bytes: usize| {
            let mut request = post("/api/problem-report", vec![vec![b'x'; bytes]], true);
            request.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            bodies.read(request, 1).await.map(|(_, reservation)| reservation).map_err(|response| response.status())
        };
        assert_eq!(report(5 * MIN_ALLOCATION + 1).await.unwrap_err(), StatusCode::TOO_MANY_REQUESTS);
        let reservation = report(5 * MIN_ALLOCATION).await.unwrap();
        let _call = status(&bodies, 1, MIN_ALLOCATION).await.unwrap();
        drop(reservation);
        assert_eq!(bodies.counts.lock().in_memory, MIN_ALLOCATION);
    }
}
