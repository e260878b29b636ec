//! The journal of requests (`OPS-18`): each call of the channel API with its time, duration, status and order.
//! `touchline reports ID --server` reads it next to the recording of a session.
//!
//! | module | what |
//! |---|---|
//! | [`files`] | the files, within their limits |
//!
//! It records the route of a call, never its path, query, body or client. A request adds its entry in memory; a task
//! writes the pending entries once a second. Entries beyond the limits are counted, and the count is written.

mod files;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;
use touchline_disk::Disk;
use touchline_protocol::ambient::SharedClock;
#[cfg(test)]
use touchline_protocol::limits::Limit;

use files::Files;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Lines.
    pub(crate) count: usize,
    pub(crate) bytes: u64,
    /// In milliseconds.
    pub(crate) age_ms: i64,
    /// Entries pending in memory.
    pub(crate) waiting: usize,
}

pub(crate) const BOUNDS: Bounds =
    Bounds { count: 1_000_000, bytes: 128 << 20, age_ms: 30 * 24 * 3_600_000, waiting: 20_000 };
const WRITE_INTERVAL: Duration = Duration::from_secs(1);
/// Part of the limits table.
#[cfg(test)]
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count(
        "journal.kept",
        BOUNDS.count as u64,
        "requests",
        "Requests in the journal; the oldest half is dropped first.",
    ),
    Limit::bytes("journal.bytes", BOUNDS.bytes, "Their size on disk."),
    Limit::millis("journal.age", BOUNDS.age_ms as u64, "How long a request is retained."),
    Limit::count(
        "journal.waiting",
        BOUNDS.waiting as u64,
        "requests",
        "Requests waiting to be written; the journal counts the ones it drops.",
    ),
    Limit::time("journal.every", WRITE_INTERVAL, "How often it is written; a crash loses at most this much."),
];

/// Replaces a path that matches no route.
const UNKNOWN_CALL: &str = "(unknown)";
/// The route with an order id in its path.
const ORDER_ROUTE: &str = "/api/orders/{id}";
/// Routes that answer with an order.
const ORDER_RESPONSES: &[&str] =
    &["/api/stripe/buy", "/api/stripe/subscription/start_trial", "/api/stripe/unsubscribe"];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The `x-request-id` of the response.
    pub(crate) id: String,
    /// Arrival time, in Unix milliseconds.
    pub(crate) at: i64,
    /// Duration, in milliseconds.
    pub(crate) ms: u64,
    /// Method and route, such as `GET /api/orders/{id}`.
    pub(crate) call: String,
    pub(crate) status: u16,
    /// The order placed, changed or read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) order: Option<i64>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Excerpt {
    /// In no particular order.
    pub(crate) entries: Vec<Entry>,
    /// Requests of all clients lost since the first of these; all that were lost, if none was found.
    pub(crate) lost: u64,
    /// The time of the first request in the journal, in Unix milliseconds; `None` if it is empty.
    pub(crate) since: Option<i64>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestInfo<'a> {
    pub(crate) id: &'a str,
    pub(crate) method: &'a Method,
    pub(crate) path: &'a str,
    /// Unix milliseconds.
    pub(crate) at: i64,
}

#[derive(Clone)]
pub(crate) struct Journal(Arc<Inner>);

struct Inner {
    routes: matchit::Router<String>,
    clock: SharedClock,
    capacity: usize,
    waiting: Mutex<Waiting>,
    files: Mutex<Files>,
}

#[derive(Default)]
struct Waiting {
    entries: Vec<Entry>,
    lost: u64,
}

impl Journal {
    /// Opens the journal in `folder`, creating it if missing, for the calls in `routes`.
    ///
    /// # Errors
    /// The folder cannot be created or read.
    pub(crate) fn open(
        folder: PathBuf,
        bounds: Bounds,
        routes: impl IntoIterator<Item = String>,
        disk: Disk,
        clock: SharedClock,
    ) -> io::Result<Self> {
        let mut router = matchit::Router::new();
        for route in routes {
            // The API document has each route once.
            let _duplicate = router.insert(route.clone(), route).is_err();
        }
        let files = Mutex::new(Files::open(folder, bounds, disk)?);
        Ok(Self(Arc::new(Inner { routes: router, clock, capacity: bounds.waiting, waiting: Mutex::default(), files })))
    }

    /// Records a request and returns its response.
    pub(crate) async fn record(&self, received: RequestInfo<'_>, took: Duration, response: Response) -> Response {
        let RequestInfo { id, method, path, at } = received;
        let matched = self.0.routes.at(path).ok();
        let route = matched.as_ref().map_or(UNKNOWN_CALL, |matched| matched.value.as_str());
        let status = response.status();
        let (order, response) = match &matched {
            // Another viewer's order answers 404 and is not recorded.
            Some(matched) if route == ORDER_ROUTE && status == StatusCode::OK => {
                (matched.params.get("id").and_then(|id| id.parse().ok()), response)
            }
            Some(_) if ORDER_RESPONSES.contains(&route) && status == StatusCode::OK => order_in(response).await,
            _ => (None, response),
        };
        let call = format!("{} {route}", method_name(method));
        let entry = Entry {
            id: id.to_owned(),
            at,
            ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            call,
            status: status.as_u16(),
            order,
        };
        let mut waiting = self.0.waiting.lock();
        if waiting.entries.len() < self.0.capacity {
            waiting.entries.push(entry);
        } else {
            waiting.lost += 1;
        }
        response
    }

    pub(crate) fn count_lost(&self) {
        self.0.waiting.lock().lost += 1;
    }

    pub(crate) async fn run(self, stop: CancellationToken) {
        while stop.run_until_cancelled(tokio::time::sleep(WRITE_INTERVAL)).await.is_some() {
            self.flush().await;
        }
    }

    pub(crate) async fn flush(&self) {
        let journal = self.clone();
        // It is never cancelled and does not panic.
        let _written = tokio::task::spawn_blocking(move || journal.write_waiting()).await.is_ok();
    }

    /// Returns the recorded requests with these ids or about these orders.
    ///
    /// # Errors
    /// The files cannot be read.
    pub(crate) async fn find(&self, ids: HashSet<String>, orders: BTreeSet<i64>) -> io::Result<Excerpt> {
        let journal = self.clone();
        let finding = move || {
            journal.write_waiting();
            let lines = journal.0.files.lock().lines()?;
            files::find(lines, &ids, &orders)
        };
        tokio::task::spawn_blocking(finding).await.map_err(io::Error::other)?
    }

    fn write_waiting(&self) {
        let mut files = self.0.files.lock();
        let Waiting { entries, lost } = std::mem::take(&mut *self.0.waiting.lock());
        let unwritten = files.write(&entries, lost, self.0.clock.now_ms());
        drop(files);
        if unwritten > 0 {
            self.0.waiting.lock().lost += unwritten;
        }
    }
}

/// The name of a standard method; any other is text from the client.
fn method_name(method: &Method) -> &str {
    const STANDARD: &[Method] = &[
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::DELETE,
        Method::HEAD,
        Method::OPTIONS,
        Method::PATCH,
        Method::TRACE,
        Method::CONNECT,
    ];
    if STANDARD.contains(method) { method.as_str() } else { UNKNOWN_CALL }
}

/// Returns the order id in a response, with the response.
async fn order_in(response: Response) -> (Option<i64>, Response) {
    #[derive(Deserialize)]
    struct Answer {
        data: Id,
    }
    #[derive(Deserialize)]
    struct Id {
        id: i64,
    }
    let (parts, body) = response.into_parts();
    // The body of a call's response is already in memory.
    let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let order = serde_json::from_slice(&bytes).ok().map(|Answer { data: Id { id } }| id);
    (order, Response::from_parts(parts, Body::from(bytes)))
}
