//! One socket from `hello` to its close.

use std::collections::HashSet;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Bytes;
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{self, Message, Utf8Bytes};
use touchline_protocol::sync::{ClientFrame, Resume, ServerFrame, StatusKind, Stream, VERSION};

use crate::ending::Ending;
use crate::hub::{Parts, text_of};
use crate::opening::{self, Opening};
use crate::seats::{Push, Seat, Ticket};
use crate::source::{AuthError, Identity, Scope};
use crate::transport::Transport;

/// Who knocked, before any frame.
#[derive(Debug)]
pub(crate) struct Visitor {
    pub(crate) address: IpAddr,
    pub(crate) host: String,
    pub(crate) origin: Option<String>,
}

/// Serves one socket until it ends.
pub(crate) async fn serve(mut ws: Transport, visitor: Visitor, hub: Arc<Parts>) {
    // The entrance is held through the farewell: a closing socket still counts.
    let entrance = hub.seats.enter(visitor.address, &hub.limits);
    let outcome = match &entrance {
        Ok(_) => Box::pin(converse(&mut ws, visitor, &hub)).await,
        Err(ending) => Err(*ending),
    };
    let Err(ending) = outcome;
    metrics::counter!("touchline_sync_closed_total", "why" => ending.name()).increment(1);
    tracing::debug!(why = ending.name(), "a status socket ended");
    // Who does not read or does not close is not waited for.
    let _in_time = timeout(hub.limits.farewell, part(&mut ws, ending)).await.is_ok();
}

/// Says why and closes, then waits for the client's own close, so that it reads this one.
async fn part(ws: &mut Transport, ending: Ending) {
    let Some(code) = ending.close_code() else { return };
    // A text that was left unfinished takes no other one; the close says its code all the same.
    if let Some(frame) = ending.frame()
        && ws.can_send_text()
        && ws.send(&[text_of(&frame)]).await.is_err()
    {
        return;
    }
    let close = CloseFrame { code: code.into(), reason: Utf8Bytes::from_static(ending.name()) };
    if ws.close(close).await.is_ok() {
        while let Some(Ok(_)) = ws.next().await {}
    }
}

async fn converse(ws: &mut Transport, visitor: Visitor, hub: &Parts) -> Result<Infallible, Ending> {
    // What the handshake reads and writes is freed before the long wait: hence a future of its own, in a box.
    let socket = Box::pin(welcomed(ws, visitor, hub)).await?;
    socket.go_on().await
}

/// Hears the hello and sends the welcome and what was missed.
async fn welcomed<'a>(ws: &'a mut Transport, visitor: Visitor, hub: &'a Parts) -> Result<Socket<'a>, Ending> {
    if visitor.origin.as_deref().is_some_and(|origin| !hub.origins.allows(origin, &visitor.host)) {
        return Err(Ending::Origin);
    }
    let hello = tokio::select! {
        hello = timeout(hub.limits.hello_within, hear_hello(ws, hub.limits.frame_bytes)) => hello.map_err(|_| Ending::NoHello)??,
        () = hub.closed.cancelled() => return Err(Ending::Drained),
    };
    let identity = authenticate(hub, &hello.api_key, &visitor.host).await?;
    let (ticket, inbox) = hub.seats.take(&identity, &hub.limits)?;
    // A key that was revoked before the socket sat down was told to nobody: asked again, it is refused.
    authenticate(hub, &hello.api_key, &visitor.host).await?;
    let Opening { welcome, missed, positions } =
        opening::open(&*hub.source, &hub.snapshots, &identity, hello.resume, &hub.limits).await?;

    let mut socket = Socket { ws, hub, ticket, inbox, identity, positions, watched: HashSet::new() };
    socket.send(&welcome).await?;
    for status in missed {
        socket.send(&[text_of(&ServerFrame::Status(status))]).await?;
    }
    Ok(socket)
}

async fn authenticate(hub: &Parts, api_key: &str, host: &str) -> Result<Identity, Ending> {
    hub.source.authenticate(api_key, host).await.map_err(|error| match error {
        AuthError::Refused => Ending::Key,
        AuthError::Source(error) => error.into(),
    })
}

struct Hello {
    api_key: String,
    resume: Option<Resume>,
}

async fn hear_hello(ws: &mut Transport, frame_bytes: usize) -> Result<Hello, Ending> {
    /// What tells the version of a hello whose other fields this worker may not know.
    #[derive(Deserialize)]
    struct Greeting {
        t: String,
        v: Option<u32>,
    }
    let text = loop {
        if let Some(text) = heard(ws.next().await, frame_bytes)? {
            break text;
        }
    };
    let greeting: Greeting = serde_json::from_str(&text).map_err(|_| Ending::BadFrame(NOT_A_FRAME))?;
    if greeting.t == "hello" && greeting.v.is_some_and(|v| v != VERSION) {
        return Err(Ending::Version);
    }
    match parse(&text)? {
        ClientFrame::Hello { api_key, resume, .. } => Ok(Hello { api_key, resume }),
        _ => Err(Ending::BadFrame("The first frame must be hello.")),
    }
}

const NOT_A_FRAME: &str = "The frame is not of this protocol.";

fn parse(text: &str) -> Result<ClientFrame, Ending> {
    serde_json::from_str(text).map_err(|_| Ending::BadFrame(NOT_A_FRAME))
}

/// The text of a frame; none for the transport's own ones.
fn heard(
    message: Option<Result<Message, tungstenite::Error>>,
    frame_bytes: usize,
) -> Result<Option<Utf8Bytes>, Ending> {
    match message {
        Some(Ok(Message::Text(text))) if text.len() > frame_bytes => Err(Ending::TooBig),
        Some(Ok(Message::Binary(bytes))) if bytes.len() > frame_bytes => Err(Ending::TooBig),
        Some(Ok(Message::Text(text))) => Ok(Some(text)),
        Some(Ok(Message::Binary(_))) => Err(Ending::BadFrame("Frames are text.")),
        Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => Ok(None),
        Some(Ok(Message::Close(_))) | None => Err(Ending::Gone),
        Some(Err(error)) => Err(transport_fault(error)),
    }
}

fn transport_fault(error: tungstenite::Error) -> Ending {
    match error {
        tungstenite::Error::Capacity(_) => Ending::TooBig,
        tungstenite::Error::Utf8(_) => Ending::BadFrame("Frames are UTF-8."),
        _ => Ending::Gone,
    }
}

/// A welcomed socket.
struct Socket<'a> {
    ws: &'a mut Transport,
    hub: &'a Parts,
    ticket: Ticket,
    inbox: mpsc::Receiver<Arc<Push>>,
    identity: Identity,
    /// The newest `seq` that was sent, per scope.
    positions: Vec<(Scope, u64)>,
    watched: HashSet<(StatusKind, i64)>,
}

impl Socket<'_> {
    async fn go_on(mut self) -> Result<Infallible, Ending> {
        let ping = self.hub.limits.ping;
        let mut pings = interval_at(Instant::now() + ping, ping);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut unanswered = 0;
        let mut frames = 0;
        loop {
            tokio::select! {
                ending = over(&self.ticket.seat, self.hub) => return Err(ending),
                message = self.ws.next() => {
                    frames += 1;
                    if frames > self.hub.limits.frames_per_ping {
                        return Err(Ending::Flood);
                    }
                    if let Some(text) = heard(message, self.hub.limits.frame_bytes)? {
                        match parse(&text)? {
                            ClientFrame::Pong => unanswered = 0,
                            ClientFrame::Watch { kind, id } => self.watch(kind, id)?,
                            ClientFrame::Unwatch { kind, id } => self.unwatch(kind, id),
                            ClientFrame::Hello { .. } => return Err(Ending::BadFrame("Hello is said once.")),
                        }
                    }
                }
                Some(push) = self.inbox.recv() => self.pass_on(&push).await?,
                _ = pings.tick() => {
                    if unanswered == 2 {
                        return Err(Ending::Dead);
                    }
                    unanswered += 1;
                    frames = 0;
                    self.send(&[text_of(&ServerFrame::Ping)]).await?;
                }
            }
        }
    }

    async fn pass_on(&mut self, push: &Push) -> Result<(), Ending> {
        match *push {
            Push::Drain { window_ms } => self.send(&[text_of(&ServerFrame::Drain { window_ms })]).await,
            Push::ReadOn => {
                for at in 0..self.positions.len() {
                    self.read_on(at).await?;
                }
                Ok(())
            }
            Push::Status { stream, seq, ref text } => {
                let Some(at) = self.at(stream) else { return Ok(()) };
                let position = self.positions[at].1;
                if seq <= position {
                    Ok(())
                } else if seq == position + 1 {
                    self.positions[at].1 = seq;
                    self.send(std::slice::from_ref(text)).await
                } else {
                    self.read_on(at).await
                }
            }
        }
    }

    /// Sends what the log has beyond the position.
    async fn read_on(&mut self, at: usize) -> Result<(), Ending> {
        let (scope, position) = self.positions[at].clone();
        let missed = opening::missed(&*self.hub.source, &scope, position, self.hub.limits.backlog).await?;
        for status in missed.ok_or(Ending::Gap)? {
            self.positions[at].1 = status.seq;
            self.send(&[text_of(&ServerFrame::Status(status))]).await?;
        }
        Ok(())
    }

    fn at(&self, stream: Stream) -> Option<usize> {
        self.positions.iter().position(|(scope, _)| scope.stream() == stream)
    }

    fn watch(&mut self, kind: StatusKind, id: i64) -> Result<(), Ending> {
        if self.watched.len() >= self.hub.limits.watches {
            return Err(Ending::Flood);
        }
        if self.watched.insert((kind, id)) {
            self.hub.source.watch(&self.identity, kind, id);
        }
        Ok(())
    }

    fn unwatch(&mut self, kind: StatusKind, id: i64) {
        if self.watched.remove(&(kind, id)) {
            self.hub.source.unwatch(&self.identity, kind, id);
        }
    }

    /// Sends, but never longer than the seat lasts or a dead socket would be waited for.
    async fn send(&mut self, parts: &[Bytes]) -> Result<(), Ending> {
        tokio::select! {
            sent = timeout(self.hub.limits.ping * 2, self.ws.send(parts)) => {
                sent.map_err(|_| Ending::Dead)?.map_err(|_| Ending::Gone)
            }
            ending = over(&self.ticket.seat, self.hub) => Err(ending),
        }
    }
}

/// Waits for an end that comes from the hub.
async fn over(seat: &Seat, hub: &Parts) -> Ending {
    tokio::select! {
        ending = seat.ended() => ending,
        () = hub.closed.cancelled() => Ending::Drained,
    }
}

impl Drop for Socket<'_> {
    fn drop(&mut self) {
        for (kind, id) in self.watched.drain() {
            self.hub.source.unwatch(&self.identity, kind, id);
        }
    }
}
