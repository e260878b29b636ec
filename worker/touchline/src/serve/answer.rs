//! A response in transit: it is sent in pieces, and reports to its connection when its client reads (`LIM-7`).

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use bytes::Buf;
use hyper::body::{Frame, SizeHint};

use super::connection::{Connection, Sending};
use super::connections::Share;

/// The size of a piece, in bytes. HTTP/2 requests the next one only when its client reads.
pub(super) const PIECE: usize = 16 * 1024;

/// Marks a response whose reader may pause, such as media.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PausableBody;

/// A request in progress.
#[derive(Debug)]
pub(crate) struct PendingRequest {
    connection: Arc<Connection>,
}

impl PendingRequest {
    /// Starts a request. It is in progress until this is dropped or becomes a response.
    pub(crate) fn begin(connection: &Arc<Connection>) -> Self {
        connection.begin_request();
        Self { connection: Arc::clone(connection) }
    }

    /// Wraps the response to track it until it is sent. `share` counts it for a client behind a trusted proxy.
    pub(crate) fn respond(self, response: Response, share: Option<Share>) -> Response<Answer> {
        let may_pause = response.extensions().get::<PausableBody>().is_some();
        let connection = Arc::clone(&self.connection);
        drop(self);
        let id = connection.answer(may_pause);
        let tracked = Arc::new(TrackedResponse { connection, id, _share: share });
        response.map(|body| Answer { body, rest: Bytes::new(), tracked })
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        self.connection.end_request();
    }
}

/// A response that is registered with its connection until its body has ended and its last piece is read.
#[derive(Debug)]
struct TrackedResponse {
    connection: Arc<Connection>,
    id: u64,
    _share: Option<Share>,
}

impl TrackedResponse {
    fn note(&self, change: impl FnOnce(&mut Sending)) {
        self.connection.note(self.id, change);
    }
}

impl Drop for TrackedResponse {
    fn drop(&mut self) {
        self.connection.end_answer(self.id);
    }
}

/// The body of a response, which reports progress to its connection.
#[derive(Debug)]
pub(crate) struct Answer {
    body: Body,
    /// The rest of a large frame.
    rest: Bytes,
    tracked: Arc<TrackedResponse>,
}

impl Answer {
    fn piece(&mut self) -> Frame<Piece> {
        let bytes = self.rest.split_to(self.rest.len().min(PIECE));
        self.tracked.note(|answer| answer.pieces += 1);
        Frame::data(Piece { bytes, tracked: Arc::clone(&self.tracked) })
    }
}

impl HttpBody for Answer {
    type Data = Piece;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Piece>, axum::Error>>> {
        if self.rest.is_empty() {
            let polled = Pin::new(&mut self.body).poll_frame(cx);
            let is_pending = polled.is_pending();
            self.tracked.note(|answer| answer.waits_for_worker = is_pending);
            match ready!(polled) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(frame) => return Poll::Ready(frame.into_trailers().ok().map(|last| Ok(Frame::trailers(last)))),
                },
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
        Poll::Ready(Some(Ok(self.piece())))
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

/// A part of a response that its client has not read.
#[derive(Debug)]
pub(crate) struct Piece {
    bytes: Bytes,
    tracked: Arc<TrackedResponse>,
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, taken: usize) {
        self.bytes.advance(taken);
        self.tracked.note(|_| ());
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.tracked.note(|answer| answer.pieces -= 1);
    }
}
