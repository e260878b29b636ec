//! The websocket below a socket: its upgrade, and texts sent in fragments (`LIM-9`).
//!
//! tungstenite copies each frame into a buffer that retains its largest size as long as the socket lives. A welcome of
//! 100 KiB in one frame would cost every idle socket 100 KiB. In fragments, it costs [`FRAGMENT`].

use std::future::Future;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

/// The largest fragment of a text, in bytes.
const FRAGMENT: usize = 2048;
/// Read buffer of a socket, in bytes. Clients send short frames.
const READ_BUFFER: usize = 1024;

/// A websocket whose memory does not grow with the messages it sends.
pub(crate) struct Transport {
    ws: WebSocketStream<TokioIo<Upgraded>>,
    /// Whether a text is unfinished; only a close frame may follow then.
    within_text: bool,
}

impl Transport {
    /// Sends a text that consists of these parts.
    ///
    /// If dropped early, the text stays unfinished, and [`Self::can_send_text`] returns false from then on.
    pub(crate) async fn send(&mut self, parts: &[Bytes]) -> Result<(), Error> {
        let pieces = |part: &Bytes| {
            let part = part.clone();
            (0..part.len()).step_by(FRAGMENT).map(move |from| part.slice(from..part.len().min(from + FRAGMENT)))
        };
        let mut fragments = parts.iter().flat_map(pieces).peekable();
        let mut kind = Data::Text;
        while let Some(fragment) = fragments.next() {
            let is_last = fragments.peek().is_none();
            self.within_text = true;
            self.ws.feed(Message::Frame(Frame::message(fragment, OpCode::Data(kind), is_last))).await?;
            self.within_text = !is_last;
            kind = Data::Continue;
        }
        self.ws.flush().await
    }

    /// Whether a text can be sent, because none is unfinished.
    pub(crate) fn can_send_text(&self) -> bool {
        !self.within_text
    }

    pub(crate) async fn close(&mut self, frame: CloseFrame) -> Result<(), Error> {
        self.ws.send(Message::Close(Some(frame))).await
    }

    /// The next message. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<Result<Message, Error>> {
        self.ws.next().await
    }
}

/// Answers a websocket request, and calls `serve` after the answer is sent. `readable` is the largest frame that is
/// read, in bytes.
pub(crate) fn upgrade<F>(
    mut request: Request,
    readable: usize,
    serve: impl FnOnce(Transport) -> F + Send + 'static,
) -> Response
where
    F: Future<Output = ()> + Send,
{
    let answer = match create_response_with_body(&request, Body::empty) {
        Ok(answer) => answer,
        Err(error) => return no_websocket(&error.to_string()),
    };
    let Some(upgraded) = request.extensions_mut().remove::<OnUpgrade>() else {
        return no_websocket("this connection cannot be upgraded; use HTTP/1.1");
    };
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_frame_size(Some(readable))
        .max_message_size(Some(readable));
    tokio::spawn(async move {
        // A client may leave before the answer is sent.
        let Ok(upgraded) = upgraded.await else { return };
        let ws = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(config)).await;
        serve(Transport { ws, within_text: false }).await;
    });
    answer
}

fn no_websocket(why: &str) -> Response {
    let body = serde_json::json!({
        "message": format!("This endpoint only accepts websockets: {why}."), "code": "no_websocket", "errors": {},
    });
    (StatusCode::BAD_REQUEST, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
