//! One connection: whether it sent a request, what it waits for, and until when it may (`LIM-7`).
//!
//! A connection is closed when it sends no first request in time, when no answer is under way for a while, and when its
//! client takes nothing of an answer: [`Patience`] says how long each may last. An answer that the worker itself is
//! still making, such as a long poll, is waited for by whoever makes it. A player that is paused reads nothing either.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::Instant;
#[cfg(test)]
use touchline_protocol::limits::Limit;

use super::connections::{Full, Membership, Share};

/// How long a connection is waited for.
#[derive(Debug)]
pub(crate) struct Patience {
    /// Within how long a new connection sends its first request, from the accept or the TLS handshake on.
    pub(crate) first_request: Duration,
    /// How long a connection may stay without an answer under way.
    pub(crate) idle: Duration,
    /// How long a client may take nothing of an answer.
    pub(crate) unread: Duration,
    /// The same of a medium: the viewer may have paused.
    pub(crate) paused: Duration,
}

/// The patience of the running worker.
pub(crate) const PATIENCE: &Patience = &Patience {
    first_request: Duration::from_secs(10),
    idle: Duration::from_secs(60),
    unread: Duration::from_secs(30),
    paused: Duration::from_secs(15 * 60),
};
/// How much of an answer is handed over at a time, bytes. HTTP/2 asks for more only when its client takes it, so that a
/// large answer is under way until it is taken, however large the frames are that it is made of.
const PIECE: usize = 16 * 1024;
/// How often a connection is looked at, at least.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// The rows of the limits table.
#[cfg(test)]
pub(super) const LIMITS: &[Limit] = &[
    Limit::time("connection.first_request", PATIENCE.first_request, "How long a new connection may send no request."),
    Limit::time("connection.idle", PATIENCE.idle, "How long a connection may stay without an answer under way."),
    Limit::time("connection.unread", PATIENCE.unread, "How long a client may take nothing of an answer."),
    Limit::time("connection.paused", PATIENCE.paused, "The same of a medium, whose viewer may have paused."),
];

/// Marks an answer that its reader may pause in: a medium.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MayPause;

/// A connection, as those that serve it know it.
#[derive(Debug)]
pub(crate) struct Connection {
    membership: Membership,
    patience: &'static Patience,
    progress: Mutex<Progress>,
}

#[derive(Debug)]
struct Progress {
    has_spoken: bool,
    /// Requests whose answer the worker is making, and bodies that wait for the worker.
    busy: usize,
    /// Answers that are not sent to their end.
    answers: usize,
    /// Those among them that may pause.
    pausable: usize,
    /// Whether the newest answer may pause: its last bytes may wait in the connection when its body has ended.
    newest_may_pause: bool,
    /// Whether bytes wait for the other end to take them.
    is_blocked: bool,
    /// When anything of this went on.
    last: Instant,
}

/// Why a connection is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overdue {
    /// It sent no request.
    Silent,
    /// It has nothing under way.
    Idle,
    /// Its client takes nothing of an answer.
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
    pub(crate) fn new(membership: Membership, patience: &'static Patience) -> Arc<Self> {
        let progress = Progress {
            has_spoken: false,
            busy: 0,
            answers: 0,
            pausable: 0,
            newest_may_pause: false,
            is_blocked: false,
            last: Instant::now(),
        };
        Arc::new(Self { membership, patience, progress: Mutex::new(progress) })
    }

    /// Begins the time for the first request anew: the handshake had its own.
    pub(crate) fn opened(&self) {
        self.progress.lock().last = Instant::now();
    }

    /// Waits until it has to go because newer silent connections came.
    pub(crate) async fn evicted(&self) {
        self.membership.evicted().await;
    }

    /// Notes a request. It is under way until the work is dropped or becomes an answer.
    pub(crate) fn begin(self: &Arc<Self>) -> Work {
        let mut progress = self.progress.lock();
        progress.has_spoken = true;
        progress.busy += 1;
        drop(progress);
        Work { connection: Arc::clone(self) }
    }

    /// Whether its address may have one more connection that sends requests.
    pub(crate) fn is_counted(&self) -> Result<(), Full> {
        self.membership.speak()
    }

    /// Notes whether bytes wait for the other end to take them.
    pub(crate) fn blocked(&self, is_blocked: bool) {
        let mut progress = self.progress.lock();
        progress.is_blocked = is_blocked;
        progress.last = Instant::now();
    }

    /// How long the other end may take nothing.
    pub(crate) fn patience(&self) -> Duration {
        if self.progress.lock().may_pause() { self.patience.paused } else { self.patience.unread }
    }

    /// When to look at it again, or why it is to be closed now.
    pub(crate) fn check(&self, now: Instant) -> Result<Instant, Overdue> {
        let progress = self.progress.lock();
        let (within, why) = (progress.within(self.patience), progress.why());
        let Some(within) = within else { return Ok(now + LOOK_EVERY) };
        let due = progress.last + within;
        // What comes next may be due sooner.
        if due <= now { Err(why) } else { Ok(due.min(now + LOOK_EVERY)) }
    }
}

impl Progress {
    /// How long the present state may last; none while the worker itself is at work.
    fn within(&self, patience: &Patience) -> Option<Duration> {
        match self.why() {
            _ if self.busy > 0 => None,
            Overdue::Silent => Some(patience.first_request),
            Overdue::Idle => Some(patience.idle),
            Overdue::Unread if self.may_pause() => Some(patience.paused),
            Overdue::Unread => Some(patience.unread),
        }
    }

    fn may_pause(&self) -> bool {
        self.pausable > 0 || self.newest_may_pause
    }

    fn why(&self) -> Overdue {
        if !self.has_spoken {
            Overdue::Silent
        } else if self.answers > 0 || self.is_blocked {
            Overdue::Unread
        } else {
            Overdue::Idle
        }
    }
}

/// A request whose answer is being made.
#[derive(Debug)]
pub(crate) struct Work {
    connection: Arc<Connection>,
}

impl Work {
    /// The answer, watched until it is sent, and counted until then for the client that a trusted proxy speaks for.
    pub(crate) fn answered(self, response: Response, share: Option<Share>) -> Response<Answer> {
        let pausable = response.extensions().get::<MayPause>().is_some();
        let mut progress = self.connection.progress.lock();
        progress.answers += 1;
        progress.pausable += usize::from(pausable);
        progress.newest_may_pause = pausable;
        drop(progress);
        let connection = Arc::clone(&self.connection);
        response.map(|body| Answer {
            body,
            rest: Bytes::new(),
            connection,
            pausable,
            waits_for_worker: false,
            _share: share,
        })
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let mut progress = self.connection.progress.lock();
        progress.busy -= 1;
        progress.last = Instant::now();
    }
}

/// The body of an answer, which tells its connection how it goes on.
#[derive(Debug)]
pub(crate) struct Answer {
    body: Body,
    /// What of a large frame is not handed over yet.
    rest: Bytes,
    connection: Arc<Connection>,
    pausable: bool,
    /// Whether the worker has nothing to send yet.
    waits_for_worker: bool,
    _share: Option<Share>,
}

impl Answer {
    fn waits(&mut self, for_worker: bool) {
        let mut progress = self.connection.progress.lock();
        match (self.waits_for_worker, for_worker) {
            (false, true) => progress.busy += 1,
            (true, false) => progress.busy -= 1,
            _ => {}
        }
        progress.last = Instant::now();
        self.waits_for_worker = for_worker;
    }
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            let polled = Pin::new(&mut self.body).poll_frame(cx);
            self.waits(polled.is_pending());
            match ready!(polled) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) if data.len() > PIECE => self.rest = data,
                    Ok(data) => return Poll::Ready(Some(Ok(Frame::data(data)))),
                    Err(frame) => return Poll::Ready(Some(Ok(frame))),
                },
                end => return Poll::Ready(end),
            }
        }
        self.waits(false);
        let piece = self.rest.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(piece)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (body, rest) = (self.body.size_hint(), self.rest.len() as u64);
        let mut hint = SizeHint::new();
        hint.set_lower(body.lower() + rest);
        if let Some(upper) = body.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.waits(false);
        let mut progress = self.connection.progress.lock();
        progress.answers -= 1;
        progress.pausable -= usize::from(self.pausable);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, StreamExt, stream};
    use http_body_util::BodyExt;

    use super::super::connections::{Caps, Connections};
    use super::*;

    const MOMENT: Duration = Duration::from_millis(1);

    fn connection() -> Arc<Connection> {
        let membership = Connections::new(Caps::of(10, 10)).enter(Some(1)).unwrap();
        Connection::new(membership, PATIENCE)
    }

    /// Asserts that it is overdue for this reason after this long, and not a moment before.
    fn overdue(connection: &Connection, within: Duration, why: Overdue) {
        let due = connection.progress.lock().last + within;
        assert_eq!(connection.check(due.checked_sub(MOMENT).unwrap()), Ok(due));
        assert_eq!(connection.check(due), Err(why));
    }

    fn is_waited_for(connection: &Connection) -> bool {
        connection.check(Instant::now() + Duration::from_secs(86_400)).is_ok()
    }

    #[test]
    fn a_connection_without_a_request_is_silent_from_its_handshake_on() {
        let connection = connection();
        let begun = connection.progress.lock().last;
        std::thread::sleep(MOMENT);
        connection.opened();
        assert!(connection.progress.lock().last > begun);
        overdue(&connection, PATIENCE.first_request, Overdue::Silent);
    }

    #[test]
    fn an_answer_that_the_worker_is_making_is_waited_for() {
        let connection = connection();
        let work = connection.begin();
        assert!(is_waited_for(&connection));
        drop(work);
        overdue(&connection, PATIENCE.idle, Overdue::Idle);
    }

    #[tokio::test]
    async fn a_body_that_waits_for_the_worker_is_no_unread_one() {
        let connection = connection();
        let parts = stream::iter([Ok::<_, std::io::Error>("first")]).chain(stream::pending());
        let answer = connection.begin().answered(Response::new(Body::from_stream(parts)), None);
        let (_, mut body) = answer.into_parts();
        assert!(body.frame().await.is_some());
        overdue(&connection, PATIENCE.unread, Overdue::Unread);
        assert!(body.frame().now_or_never().is_none());
        assert!(is_waited_for(&connection));
        drop(body);
        overdue(&connection, PATIENCE.idle, Overdue::Idle);
    }

    #[tokio::test]
    async fn an_answer_that_is_not_taken_is_unread_and_a_medium_may_be_paused() {
        let mut medium = Response::new(Body::from("x"));
        medium.extensions_mut().insert(MayPause);
        for (response, within) in [(Response::new(Body::from("x")), PATIENCE.unread), (medium, PATIENCE.paused)] {
            let connection = connection();
            let answer = connection.begin().answered(response, None);
            assert_eq!(connection.patience(), within);
            overdue(&connection, within, Overdue::Unread);
            drop(answer);
            overdue(&connection, PATIENCE.idle, Overdue::Idle);
        }
    }

    #[tokio::test]
    async fn a_large_frame_is_handed_over_in_pieces_and_unread_until_its_last() {
        let (connection, whole) = (connection(), vec![b'x'; 2 * PIECE + 1]);
        let answer = connection.begin().answered(Response::new(Body::from(whole.clone())), None);
        let (_, mut body) = answer.into_parts();
        let mut read = Vec::new();
        for left in [2 * PIECE + 1, PIECE + 1, 1] {
            assert_eq!((body.size_hint().exact(), body.is_end_stream()), (Some(left as u64), false));
            read.extend_from_slice(&body.frame().await.unwrap().unwrap().into_data().unwrap());
            overdue(&connection, PATIENCE.unread, Overdue::Unread);
        }
        assert!(body.is_end_stream() && read == whole);
    }

    #[test]
    fn bytes_that_wait_in_the_connection_are_unread_too() {
        let connection = connection();
        drop(connection.begin());
        connection.blocked(true);
        overdue(&connection, PATIENCE.unread, Overdue::Unread);
        connection.blocked(false);
        overdue(&connection, PATIENCE.idle, Overdue::Idle);
    }
}
