//! The state of one connection, and its timeouts (`LIM-7`).
//!
//! A connection is closed if it sends no first request in time, is idle for too long, or if its client stops reading a
//! response; [`Timeouts`] has the timeouts. Progress is tracked per response, so that one nobody reads is not kept
//! alive by others. A response that the worker is still producing, such as a long poll, does not time out here. A
//! paused player does not read either, so media have a longer timeout.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
#[cfg(test)]
use touchline_protocol::limits::Limit;

use super::connections::{Membership, TooManyConnections};

/// Timeouts of a connection.
#[derive(Debug)]
pub(crate) struct Timeouts {
    /// For the first request, from the accept or the TLS handshake on.
    pub(crate) first_request: Duration,
    /// Without a response in progress.
    pub(crate) idle: Duration,
    /// Without a read of any response.
    pub(crate) unread: Duration,
    /// Without a read of one response, while others are read.
    pub(crate) unread_beside: Duration,
    /// Without a read of media: the viewer may have paused.
    pub(crate) paused: Duration,
}

pub(crate) const TIMEOUTS: &Timeouts = &Timeouts {
    first_request: Duration::from_secs(10),
    idle: Duration::from_secs(60),
    unread: Duration::from_secs(30),
    unread_beside: Duration::from_secs(2 * 60),
    paused: Duration::from_secs(15 * 60),
};
/// The longest interval between checks of a connection.
pub(super) const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// Part of the limits table.
#[cfg(test)]
pub(super) const LIMITS: &[Limit] = &[
    Limit::time(
        "connection.first_request",
        TIMEOUTS.first_request,
        "Timeout for the first request of a new connection.",
    ),
    Limit::time("connection.idle", TIMEOUTS.idle, "Timeout of an idle connection."),
    Limit::time("connection.unread", TIMEOUTS.unread, "How long a client may read nothing at all."),
    Limit::time(
        "connection.unread_beside",
        TIMEOUTS.unread_beside,
        "How long a client may leave one response unread while it reads others.",
    ),
    Limit::time(
        "connection.paused",
        TIMEOUTS.paused,
        "How long a client may leave media unread: the viewer may have paused.",
    ),
];

#[derive(Debug)]
pub(crate) struct Connection {
    membership: Membership,
    timeouts: &'static Timeouts,
    progress: Mutex<Progress>,
}

#[derive(Debug)]
struct Progress {
    has_sent_request: bool,
    /// Requests whose response is being produced.
    requests: usize,
    /// Unfinished responses, by number.
    answers: BTreeMap<u64, Sending>,
    next: u64,
    /// Whether the newest response may pause: its last bytes may be in the connection's own buffer.
    newest_may_pause: bool,
    /// Whether bytes are waiting for the peer to read them.
    is_blocked: bool,
    /// The last progress of any kind.
    last: Instant,
}

/// A response in transit.
#[derive(Debug)]
pub(super) struct Sending {
    may_pause: bool,
    /// Whether the worker has nothing to send at the moment.
    pub(super) waits_for_worker: bool,
    /// Pieces that the client has not read.
    pub(super) pieces: usize,
    /// The last read.
    last: Instant,
}

impl Sending {
    fn is_being_produced(&self) -> bool {
        self.waits_for_worker && self.pieces == 0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overdue {
    /// It sent no request.
    Silent,
    /// It has no response in progress.
    Idle,
    /// Its client stopped reading.
    Unread,
}

impl Overdue {
    /// The metric's label.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Silent => "silent",
            Self::Idle => "idle",
            Self::Unread => "unread",
        }
    }
}

impl Connection {
    pub(crate) fn new(membership: Membership, timeouts: &'static Timeouts) -> Arc<Self> {
        let progress = Progress {
            has_sent_request: false,
            requests: 0,
            answers: BTreeMap::new(),
            next: 0,
            newest_may_pause: false,
            is_blocked: false,
            last: Instant::now(),
        };
        Arc::new(Self { membership, timeouts, progress: Mutex::new(progress) })
    }

    /// Restarts the time for the first request after the TLS handshake.
    pub(crate) fn opened(&self) {
        self.progress.lock().last = Instant::now();
    }

    /// Waits until it is evicted for newer silent connections.
    pub(crate) async fn evicted(&self) {
        self.membership.evicted().await;
    }

    pub(super) fn begin_request(&self) {
        let mut progress = self.progress.lock();
        progress.has_sent_request = true;
        progress.requests += 1;
    }

    /// Records that the worker has finished or abandoned a response.
    pub(super) fn end_request(&self) {
        let mut progress = self.progress.lock();
        progress.requests -= 1;
        progress.last = Instant::now();
    }

    /// Registers a response and returns its number.
    pub(super) fn answer(&self, may_pause: bool) -> u64 {
        let mut progress = self.progress.lock();
        let (id, last) = (progress.next, progress.last);
        progress.next += 1;
        progress.answers.insert(id, Sending { may_pause, waits_for_worker: false, pieces: 0, last });
        progress.newest_may_pause = may_pause;
        id
    }

    pub(super) fn note(&self, answer: u64, change: impl FnOnce(&mut Sending)) {
        let now = Instant::now();
        let mut progress = self.progress.lock();
        progress.last = now;
        if let Some(sending) = progress.answers.get_mut(&answer) {
            sending.last = now;
            change(sending);
        }
    }

    /// Records that a response was read to its end, or aborted.
    pub(super) fn end_answer(&self, answer: u64) {
        let mut progress = self.progress.lock();
        progress.answers.remove(&answer);
        progress.last = Instant::now();
    }

    /// Returns whether its address may have one more active connection.
    pub(crate) fn is_counted(&self) -> Result<(), TooManyConnections> {
        self.membership.activate()
    }

    /// Records whether bytes are waiting for the peer to read them.
    pub(crate) fn blocked(&self, is_blocked: bool) {
        let mut progress = self.progress.lock();
        progress.is_blocked = is_blocked;
        progress.last = Instant::now();
    }

    /// The timeout for the peer to read.
    pub(crate) fn timeouts(&self) -> Duration {
        if self.progress.lock().may_pause() { self.timeouts.paused } else { self.timeouts.unread }
    }

    /// Returns the time of the next check, or the reason to close now.
    pub(crate) fn check(&self, now: Instant) -> Result<Instant, Overdue> {
        let progress = self.progress.lock();
        let overall = progress.timeout(self.timeouts).map(|timeout| (progress.last + timeout, progress.reason()));
        let unread = progress.unread_until(self.timeouts).map(|due| (due, Overdue::Unread));
        match overall.into_iter().chain(unread).min_by_key(|(due, _)| *due) {
            Some((due, reason)) if due <= now => Err(reason),
            // The next state may time out sooner.
            Some((due, _)) => Ok(due.min(now + CHECK_INTERVAL)),
            None => Ok(now + CHECK_INTERVAL),
        }
    }
}

impl Progress {
    /// The timeout of the current state; `None` while the worker is busy.
    fn timeout(&self, timeouts: &Timeouts) -> Option<Duration> {
        match self.reason() {
            _ if self.requests > 0 || self.answers.values().any(Sending::is_being_produced) => None,
            Overdue::Silent => Some(timeouts.first_request),
            Overdue::Idle => Some(timeouts.idle),
            Overdue::Unread if self.may_pause() => Some(timeouts.paused),
            Overdue::Unread => Some(timeouts.unread),
        }
    }

    /// The deadline for the client to read the response it has left unread the longest.
    fn unread_until(&self, timeouts: &Timeouts) -> Option<Instant> {
        let timeout = |answer: &Sending| if answer.may_pause { timeouts.paused } else { timeouts.unread_beside };
        self.answers
            .values()
            .filter(|answer| !answer.is_being_produced())
            .map(|answer| answer.last + timeout(answer))
            .min()
    }

    fn may_pause(&self) -> bool {
        self.newest_may_pause || self.answers.values().any(|answer| answer.may_pause)
    }

    fn reason(&self) -> Overdue {
        if !self.has_sent_request {
            Overdue::Silent
        } else if self.answers.is_empty() && !self.is_blocked {
            Overdue::Idle
        } else {
            Overdue::Unread
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, HttpBody};
    use axum::response::Response;
    use bytes::Buf;
    use futures_util::{FutureExt, StreamExt, stream};
    use http_body_util::BodyExt;

    use super::super::answer::{PIECE, PausableBody, PendingRequest};
    use super::super::connections::{Caps, Connections};
    use super::*;

    const MOMENT: Duration = Duration::from_millis(1);

    fn connection() -> Arc<Connection> {
        let membership = Connections::new(Caps::of(10, 10)).enter(Some(1)).unwrap();
        Connection::new(membership, TIMEOUTS)
    }

    /// Asserts that it is overdue after exactly this duration.
    fn assert_overdue(connection: &Connection, timeout: Duration, reason: Overdue) {
        let due = connection.progress.lock().last + timeout;
        assert_eq!(connection.check(due.checked_sub(MOMENT).unwrap()), Ok(due));
        assert_eq!(connection.check(due), Err(reason));
    }

    fn has_no_timeout(connection: &Connection) -> bool {
        connection.check(Instant::now() + Duration::from_secs(86_400)).is_ok()
    }

    #[test]
    fn the_first_request_is_due_after_the_handshake() {
        let connection = connection();
        let started = connection.progress.lock().last;
        std::thread::sleep(MOMENT);
        connection.opened();
        assert!(connection.progress.lock().last > started);
        assert_overdue(&connection, TIMEOUTS.first_request, Overdue::Silent);
    }

    #[test]
    fn a_response_being_produced_has_no_timeout() {
        let connection = connection();
        let work = PendingRequest::begin(&connection);
        assert!(has_no_timeout(&connection));
        drop(work);
        assert_overdue(&connection, TIMEOUTS.idle, Overdue::Idle);
    }

    #[tokio::test]
    async fn a_body_waiting_for_the_worker_is_not_unread() {
        let connection = connection();
        let parts = stream::iter([Ok::<_, std::io::Error>("first")]).chain(stream::pending());
        let answer = PendingRequest::begin(&connection).respond(Response::new(Body::from_stream(parts)), None);
        let (_, mut body) = answer.into_parts();
        assert!(body.frame().await.is_some());
        assert_overdue(&connection, TIMEOUTS.unread, Overdue::Unread);
        assert!(body.frame().now_or_never().is_none());
        assert!(has_no_timeout(&connection));
        drop(body);
        assert_overdue(&connection, TIMEOUTS.idle, Overdue::Idle);
    }

    #[tokio::test]
    async fn an_unread_response_times_out_and_media_may_be_paused() {
        let mut medium = Response::new(Body::from("x"));
        medium.extensions_mut().insert(PausableBody);
        for (response, timeout) in [(Response::new(Body::from("x")), TIMEOUTS.unread), (medium, TIMEOUTS.paused)] {
            let connection = connection();
            let answer = PendingRequest::begin(&connection).respond(response, None);
            assert_eq!(connection.timeouts(), timeout);
            assert_overdue(&connection, timeout, Overdue::Unread);
            drop(answer);
            assert_overdue(&connection, TIMEOUTS.idle, Overdue::Idle);
        }
    }

    #[tokio::test]
    async fn a_large_frame_is_sent_in_pieces_and_unread_until_the_last() {
        let (connection, overall) = (connection(), vec![b'x'; 2 * PIECE + 1]);
        let answer = PendingRequest::begin(&connection).respond(Response::new(Body::from(overall.clone())), None);
        let (_, mut body) = answer.into_parts();
        let mut read = Vec::new();
        for left in [2 * PIECE + 1, PIECE + 1, 1] {
            assert_eq!((body.size_hint().exact(), body.is_end_stream()), (Some(left as u64), false));
            read.extend_from_slice(body.frame().await.unwrap().unwrap().into_data().unwrap().chunk());
            assert_overdue(&connection, TIMEOUTS.unread, Overdue::Unread);
        }
        assert!(body.is_end_stream() && read == overall);
    }

    #[tokio::test]
    async fn progress_of_other_responses_does_not_extend_an_unread_one() {
        let mut medium = Response::new(Body::from("x"));
        medium.extensions_mut().insert(PausableBody);
        let small = Response::new(Body::from("x"));
        for (response, timeout) in [(small, TIMEOUTS.unread_beside), (medium, TIMEOUTS.paused)] {
            let connection = connection();
            let (_, mut body) = PendingRequest::begin(&connection).respond(response, None).into_parts();
            let piece = body.frame().await.unwrap().unwrap().into_data().unwrap();
            // Its body has ended, but its last piece is unread.
            drop(body);
            let started = connection.progress.lock().answers.values().next().unwrap().last;
            let _long_poll = PendingRequest::begin(&connection);
            let beside = PendingRequest::begin(&connection).respond(Response::new(Body::from("y")), None);
            drop(beside);
            assert!(connection.check(started + timeout - MOMENT).is_ok());
            assert_eq!(connection.check(started + timeout), Err(Overdue::Unread));
            drop(piece);
            assert!(has_no_timeout(&connection), "the long poll is in progress");
        }
    }

    #[test]
    fn buffered_bytes_count_as_unread() {
        let connection = connection();
        drop(PendingRequest::begin(&connection));
        connection.blocked(true);
        assert_overdue(&connection, TIMEOUTS.unread, Overdue::Unread);
        connection.blocked(false);
        assert_overdue(&connection, TIMEOUTS.idle, Overdue::Idle);
    }
}
