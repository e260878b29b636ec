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

use crate::close_reason::CloseReason;
use crate::handshake::{self, Handshake};
use crate::hub_state::{HubState, text_of};
use crate::registry::{Member, Membership, Push};
use crate::source::{AuthError, Identity, Scope};
use crate::transport::Transport;

/// A client before its first frame.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) address: IpAddr,
    pub(crate) host: String,
    pub(crate) origin: Option<String>,
}

pub(crate) async fn serve(mut ws: Transport, client: Connection, hub: Arc<HubState>) {
    // Held until the socket is closed: a closing socket still counts.
    let connection = hub.registry.connect(client.address, &hub.limits);
    let outcome = match &connection {
        Ok(_) => Box::pin(run_socket(&mut ws, client, &hub)).await,
        Err(reason) => Err(*reason),
    };
    let Err(reason) = outcome;
    metrics::counter!("touchline_sync_closed_total", "why" => reason.name()).increment(1);
    tracing::debug!(why = reason.name(), "a status socket closed");
    // A client that neither reads nor closes is not waited for.
    let _in_time = timeout(hub.limits.farewell, close(&mut ws, reason)).await.is_ok();
}

/// Sends the reason and closes, then waits for the client's close, so that the client reads this one.
async fn close(ws: &mut Transport, reason: CloseReason) {
    let Some(code) = reason.close_code() else { return };
    // No text can follow an unfinished one, but the close frame still carries the code.
    if let Some(frame) = reason.frame()
        && ws.can_send_text()
        && ws.send(&[text_of(&frame)]).await.is_err()
    {
        return;
    }
    let close = CloseFrame { code: code.into(), reason: Utf8Bytes::from_static(reason.name()) };
    if ws.close(close).await.is_ok() {
        while let Some(Ok(_)) = ws.next().await {}
    }
}

async fn run_socket(ws: &mut Transport, client: Connection, hub: &HubState) -> Result<Infallible, CloseReason> {
    // A boxed future of its own, so that the memory of the handshake is freed before the long wait.
    let socket = Box::pin(welcome_socket(ws, client, hub)).await?;
    socket.run().await
}

/// Reads the hello, then sends the welcome and any missed statuses.
async fn welcome_socket<'a>(
    ws: &'a mut Transport,
    client: Connection,
    hub: &'a HubState,
) -> Result<Socket<'a>, CloseReason> {
    if client.origin.as_deref().is_some_and(|origin| !hub.origins.allows(origin, &client.host)) {
        return Err(CloseReason::Origin);
    }
    let hello = tokio::select! {
        hello = timeout(hub.limits.hello_within, receive_hello(ws, hub.limits.frame_bytes)) => hello.map_err(|_| CloseReason::NoHello)??,
        () = hub.closed.cancelled() => return Err(CloseReason::Drained),
    };
    let identity = authenticate(hub, &hello.api_key, &client.host).await?;
    let (membership, inbox) = hub.registry.register(&identity, &hub.limits)?;
    // A revocation before the registration notified nobody, so the key is checked again.
    authenticate(hub, &hello.api_key, &client.host).await?;
    let Handshake { welcome, missed, positions, epoch } =
        handshake::open(&*hub.source, &hub.snapshots, &identity, hello.resume, &hub.limits).await?;

    hub.source.socket_opened(&identity, &hello.api_key);
    let mut socket = Socket { ws, hub, membership, inbox, identity, positions, epoch, watched: HashSet::new() };
    socket.send(&welcome).await?;
    for status in missed {
        socket.send(&[text_of(&ServerFrame::Status(status))]).await?;
    }
    Ok(socket)
}

async fn authenticate(hub: &HubState, api_key: &str, host: &str) -> Result<Identity, CloseReason> {
    hub.source.authenticate(api_key, host).await.map_err(|error| match error {
        AuthError::Refused => CloseReason::Key,
        AuthError::Source(error) => error.into(),
    })
}

struct Hello {
    api_key: String,
    resume: Option<Resume>,
}

async fn receive_hello(ws: &mut Transport, frame_bytes: usize) -> Result<Hello, CloseReason> {
    /// The version of a hello, whose other fields may be unknown to this worker.
    #[derive(Deserialize)]
    struct Greeting {
        t: String,
        v: Option<u32>,
    }
    let text = loop {
        if let Some(text) = text_of_message(ws.next().await, frame_bytes)? {
            break text;
        }
    };
    let greeting: Greeting = serde_json::from_str(&text).map_err(|_| CloseReason::BadFrame(NOT_A_FRAME))?;
    if greeting.t == "hello" && greeting.v.is_some_and(|v| v != VERSION) {
        return Err(CloseReason::Version);
    }
    match parse(&text)? {
        ClientFrame::Hello { api_key, resume, .. } => Ok(Hello { api_key, resume }),
        _ => Err(CloseReason::BadFrame("The first frame must be hello.")),
    }
}

const NOT_A_FRAME: &str = "The frame is not part of the protocol.";

fn parse(text: &str) -> Result<ClientFrame, CloseReason> {
    serde_json::from_str(text).map_err(|_| CloseReason::BadFrame(NOT_A_FRAME))
}

/// The text of a frame; `None` for control frames.
fn text_of_message(
    message: Option<Result<Message, tungstenite::Error>>,
    frame_bytes: usize,
) -> Result<Option<Utf8Bytes>, CloseReason> {
    match message {
        Some(Ok(Message::Text(text))) if text.len() > frame_bytes => Err(CloseReason::TooBig),
        Some(Ok(Message::Binary(bytes))) if bytes.len() > frame_bytes => Err(CloseReason::TooBig),
        Some(Ok(Message::Text(text))) => Ok(Some(text)),
        Some(Ok(Message::Binary(_))) => Err(CloseReason::BadFrame("Frames must be text.")),
        Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => Ok(None),
        Some(Ok(Message::Close(_))) | None => Err(CloseReason::Disconnected),
        Some(Err(error)) => Err(transport_fault(error)),
    }
}

fn transport_fault(error: tungstenite::Error) -> CloseReason {
    match error {
        tungstenite::Error::Capacity(_) => CloseReason::TooBig,
        tungstenite::Error::Utf8(_) => CloseReason::BadFrame("Frames must be UTF-8."),
        _ => CloseReason::Disconnected,
    }
}

/// A welcomed socket.
struct Socket<'a> {
    ws: &'a mut Transport,
    hub: &'a HubState,
    membership: Membership,
    inbox: mpsc::Receiver<Arc<Push>>,
    identity: Identity,
    /// The newest `seq` sent, by scope.
    positions: Vec<(Scope, u64)>,
    /// The epoch of the positions.
    epoch: Box<str>,
    watched: HashSet<(StatusKind, i64)>,
}

impl Socket<'_> {
    async fn run(mut self) -> Result<Infallible, CloseReason> {
        let ping = self.hub.limits.ping;
        let mut pings = interval_at(Instant::now() + ping, ping);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut unanswered = 0;
        let mut frames = 0;
        loop {
            tokio::select! {
                reason = closed_by_hub(&self.membership.member, self.hub) => return Err(reason),
                message = self.ws.next() => {
                    frames += 1;
                    if frames > self.hub.limits.frames_per_ping {
                        return Err(CloseReason::Flood);
                    }
                    if let Some(text) = text_of_message(message, self.hub.limits.frame_bytes)? {
                        match parse(&text)? {
                            ClientFrame::Pong => unanswered = 0,
                            ClientFrame::Watch { kind, id } => self.watch(kind, id)?,
                            ClientFrame::Unwatch { kind, id } => self.unwatch(kind, id),
                            ClientFrame::Hello { .. } => return Err(CloseReason::BadFrame("Hello may only be sent once.")),
                        }
                    }
                }
                Some(push) = self.inbox.recv() => self.forward(&push).await?,
                _ = pings.tick() => {
                    if unanswered == 2 {
                        return Err(CloseReason::Dead);
                    }
                    unanswered += 1;
                    frames = 0;
                    self.send(&[text_of(&ServerFrame::Ping)]).await?;
                }
            }
        }
    }

    async fn forward(&mut self, push: &Push) -> Result<(), CloseReason> {
        match *push {
            Push::Drain { window_ms } => self.send(&[text_of(&ServerFrame::Drain { window_ms })]).await,
            Push::CatchUp => {
                if self.hub.source.epoch().await? != *self.epoch {
                    return Err(CloseReason::Gap);
                }
                for index in 0..self.positions.len() {
                    self.catch_up(index).await?;
                }
                Ok(())
            }
            Push::Status { stream, seq, ref text } => {
                let Some(index) = self.index(stream) else { return Ok(()) };
                let position = self.positions[index].1;
                if seq <= position {
                    Ok(())
                } else if seq == position + 1 {
                    self.positions[index].1 = seq;
                    self.send(std::slice::from_ref(text)).await
                } else {
                    self.catch_up(index).await
                }
            }
        }
    }

    /// Sends the log's statuses after the position.
    async fn catch_up(&mut self, index: usize) -> Result<(), CloseReason> {
        let (scope, position) = self.positions[index].clone();
        let missed = handshake::missed(&*self.hub.source, &scope, position, self.hub.limits.backlog).await?;
        for status in missed.ok_or(CloseReason::Gap)? {
            self.positions[index].1 = status.seq;
            self.send(&[text_of(&ServerFrame::Status(status))]).await?;
        }
        Ok(())
    }

    fn index(&self, stream: Stream) -> Option<usize> {
        self.positions.iter().position(|(scope, _)| scope.stream() == stream)
    }

    fn watch(&mut self, kind: StatusKind, id: i64) -> Result<(), CloseReason> {
        if self.watched.len() >= self.hub.limits.watches {
            return Err(CloseReason::Flood);
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

    /// Sends, unless the membership ends or the socket is dead.
    async fn send(&mut self, parts: &[Bytes]) -> Result<(), CloseReason> {
        tokio::select! {
            sent = timeout(self.hub.limits.ping * 2, self.ws.send(parts)) => {
                sent.map_err(|_| CloseReason::Dead)?.map_err(|_| CloseReason::Disconnected)
            }
            reason = closed_by_hub(&self.membership.member, self.hub) => Err(reason),
        }
    }
}

/// Waits until the hub closes the socket.
async fn closed_by_hub(member: &Member, hub: &HubState) -> CloseReason {
    tokio::select! {
        reason = member.ended() => reason,
        () = hub.closed.cancelled() => CloseReason::Drained,
    }
}

impl Drop for Socket<'_> {
    fn drop(&mut self) {
        for (kind, id) in self.watched.drain() {
            self.hub.source.unwatch(&self.identity, kind, id);
        }
        self.hub.source.socket_closed(&self.identity);
    }
}
