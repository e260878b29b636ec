//! An answer on its way: it is handed over in pieces, and tells its connection when its client takes of it (`LIM-7`).

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use bytes::Buf;
use hyper::body::{Frame, SizeHint};

use super::connection::{Connection, Sending};
use super::connections::Share;

/// How much of an answer is handed over at a time, bytes. HTTP/2 asks for more only when its client takes it.
pub(super) const PIECE: usize = 16 * 1024;

/// Marks an answer that its reader may pause in: a medium.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MayPause;

/// A request whose answer is being made.
#[derive(Debug)]
pub(crate) struct Work {
    connection: Arc<Connection>,
}

impl Work {
    /// Begins with a request: it is under way until this is dropped or becomes an answer.
    pub(crate) fn begin(connection: &Arc<Connection>) -> Self {
        connection.begin_work();
        Self { connection: Arc::clone(connection) }
    }

    /// The answer, watched until it is sent, and counted until then for the client that a trusted proxy speaks for.
    pub(crate) fn answered(self, response: Response, share: Option<Share>) -> Response<Answer> {
        let may_pause = response.extensions().get::<MayPause>().is_some();
        let connection = Arc::clone(&self.connection);
        drop(self);
        let id = connection.answer(may_pause);
        let under_way = Arc::new(UnderWay { connection, id, _share: share });
        response.map(|body| Answer { body, rest: Bytes::new(), under_way })
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.connection.end_work();
    }
}

/// An answer's place in its connection, until its body has ended and the last of its pieces is taken.
#[derive(Debug)]
struct UnderWay {
    connection: Arc<Connection>,
    id: u64,
    _share: Option<Share>,
}

impl UnderWay {
    /// Notes that it went on.
    fn note(&self, change: impl FnOnce(&mut Sending)) {
        self.connection.note(self.id, change);
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.connection.end_answer(self.id);
    }
}

/// The body of an answer, which tells its connection how it goes on.
#[derive(Debug)]
pub(crate) struct Answer {
    body: Body,
    /// What of a large frame is not handed over yet.
    rest: Bytes,
    under_way: Arc<UnderWay>,
}

impl Answer {
    fn piece(&mut self) -> Frame<Piece> {
        let bytes = self.rest.split_to(self.rest.len().min(PIECE));
        self.under_way.note(|answer| answer.pieces += 1);
        Frame::data(Piece { bytes, under_way: Arc::clone(&self.under_way) })
    }
}

impl HttpBody for Answer {
    type Data = Piece;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Piece>, axum::Error>>> {
        if self.rest.is_empty() {
            let polled = Pin::new(&mut self.body).poll_frame(cx);
            let is_pending = polled.is_pending();
            self.under_way.note(|answer| answer.waits_for_worker = is_pending);
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

/// A part of an answer until its client has taken it.
#[derive(Debug)]
pub(crate) struct Piece {
    bytes: Bytes,
    under_way: Arc<UnderWay>,
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
        self.under_way.note(|_| ());
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.under_way.note(|answer| answer.pieces -= 1);
    }
}
