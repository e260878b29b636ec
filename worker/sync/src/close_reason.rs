//! Reasons for closing a socket, and their frames.

use touchline_protocol::sync::{CloseCode, ServerFrame};

use crate::source::SourceError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CloseReason {
    /// The client left.
    Disconnected,
    /// Two pings in a row were not answered, or a frame could not be sent for as long.
    Dead,
    /// The worker is shutting down.
    Drained,
    /// The statuses cannot be read at the moment.
    Unavailable,
    /// The log no longer reaches back to the socket's position: the client reconnects for a snapshot.
    Gap,
    /// The frame is not part of the protocol.
    BadFrame(&'static str),
    /// The key is unknown, revoked, or belongs to another channel.
    Key,
    /// The page has another origin.
    Origin,
    /// No `hello` in time.
    NoHello,
    /// The protocol version is not supported.
    Version,
    /// The frame is too big.
    TooBig,
    /// The client reads too slowly.
    Slow,
    /// Too many sockets of one key or address.
    TooMany,
    /// Too many frames or watches.
    Flood,
}

impl CloseReason {
    /// The code of the close frame; `None` if nobody is left to read it.
    pub(crate) fn close_code(self) -> Option<u16> {
        let custom = |code: CloseCode| Some(code as u16);
        match self {
            Self::Disconnected => None,
            Self::Dead | Self::Drained => Some(1001),
            Self::Unavailable | Self::Gap => Some(1013),
            Self::BadFrame(_) => custom(CloseCode::BadFrame),
            Self::Key => custom(CloseCode::Key),
            Self::Origin => custom(CloseCode::Origin),
            Self::NoHello => custom(CloseCode::NoHello),
            Self::Version => custom(CloseCode::Version),
            Self::TooBig => custom(CloseCode::TooBig),
            Self::Slow | Self::TooMany | Self::Flood => custom(CloseCode::SlowOrTooMany),
        }
    }

    /// The stable name, also the metric's label.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Disconnected => "gone",
            Self::Dead => "dead",
            Self::Drained => "drained",
            Self::Unavailable => "unavailable",
            Self::Gap => "gap",
            Self::BadFrame(_) => "bad_frame",
            Self::Key => "api_key",
            Self::Origin => "origin",
            Self::NoHello => "no_hello",
            Self::Version => "version",
            Self::TooBig => "too_big",
            Self::Slow => "slow",
            Self::TooMany => "too_many",
            Self::Flood => "flood",
        }
    }

    /// The `error` frame before the close; `None` if the close is not an error.
    pub(crate) fn frame(self) -> Option<ServerFrame> {
        let message = match self {
            Self::Disconnected | Self::Dead | Self::Drained => return None,
            Self::Unavailable => "Statuses are unavailable. Reconnect later.",
            Self::Gap => "Missed statuses are no longer available. Reconnect for a snapshot.",
            Self::BadFrame(fault) => fault,
            Self::Key => "No channel or api key found.",
            Self::Origin => "Connections from other origins are not allowed.",
            Self::NoHello => "No hello was received in time.",
            Self::Version => "This protocol version is not supported.",
            Self::TooBig => "The frame is too big.",
            Self::Slow => "The client reads too slowly.",
            Self::TooMany => "Too many sockets are open.",
            Self::Flood => "Too many frames or watches.",
        };
        Some(ServerFrame::Error { code: self.name().to_owned(), message: message.to_owned() })
    }
}

impl From<SourceError> for CloseReason {
    fn from(error: SourceError) -> Self {
        tracing::error!(%error, "could not serve a status socket");
        Self::Unavailable
    }
}
