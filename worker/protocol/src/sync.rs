//! Sync protocol v1: JSON text frames `{"t": FRAME, …}`. Every status carries the full state.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The protocol version in `hello`.
pub const VERSION: u32 = 1;

/// A frame from the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientFrame {
    /// The first frame, sent within 5 seconds.
    Hello {
        /// The protocol version, [`VERSION`].
        v: u32,
        /// The API key. A signed-in one also opens the `user` stream.
        api_key: String,
        /// The positions to resume from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resume: Option<Resume>,
    },
    /// The reply to `ping`.
    Pong,
    /// Requests polling of a resource whose upstream has no feed.
    Watch {
        /// Type of the resource.
        kind: StatusKind,
        /// ID of the resource.
        id: i64,
    },
    /// Ends a `watch`.
    Unwatch {
        /// Type of the resource.
        kind: StatusKind,
        /// ID of the resource.
        id: i64,
    },
}

/// A position in both streams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resume {
    /// The epoch of the positions.
    pub epoch: String,
    /// The last `seq` received on the `user` stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_seq: Option<u64>,
    /// The last `seq` received on the `channel` stream.
    pub channel_seq: u64,
}

/// A frame from the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub enum ServerFrame {
    /// The reply to `hello`.
    Welcome {
        /// Identifier that changes when the positions restart.
        epoch: String,
        /// Current position of the `user` stream. Only with a signed-in key.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user_seq: Option<u64>,
        /// Current position of the `channel` stream.
        channel_seq: u64,
        /// Whether the missed statuses follow, or `snapshot` contains the full state.
        mode: Mode,
        /// The full state. Only with `mode: "snapshot"`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        snapshot: Option<Vec<SnapshotItem>>,
        /// Interval between two pings, in milliseconds.
        ping_ms: u64,
    },
    /// A change of status.
    Status(Status),
    /// Sent every `ping_ms`. The client replies with `pong`.
    Ping,
    /// Tells the client to reconnect at a random time within the window.
    Drain {
        /// Length of the window, in milliseconds.
        window_ms: u64,
    },
    /// An error. The socket closes after it.
    Error {
        /// The error code, in `snake_case`.
        code: String,
        /// The error message.
        message: String,
    },
}

/// The mode of a welcome. It is never partial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The missed statuses follow as `status` frames.
    Resumed,
    /// The welcome contains the full state.
    Snapshot,
}

/// The two streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// One viewer's orders, clips and subscriptions.
    User,
    /// The status of all events, for every viewer.
    Channel,
}

/// The audience of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Scope {
    /// All viewers of the channel with this key.
    Channel(String),
    /// The viewer with this id.
    User(i64),
}

impl Scope {
    /// The stream that a client sees.
    pub fn stream(&self) -> Stream {
        match self {
            Self::Channel(_) => Stream::Channel,
            Self::User(_) => Stream::User,
        }
    }
}

/// The stored form: `channel:northfield` or `user:7`.
impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Channel(key) => write!(formatter, "channel:{key}"),
            Self::User(id) => write!(formatter, "user:{id}"),
        }
    }
}

impl std::str::FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("channel", key)) => Ok(Self::Channel(key.to_owned())),
            Some(("user", id)) => id.parse().map(Self::User).map_err(|_| format!("{text} is not a scope")),
            _ => Err(format!("{text} is not a scope")),
        }
    }
}

/// The type of resource that a status is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatusKind {
    /// An order.
    Order,
    /// A clip.
    Clip,
    /// A subscription of the viewer.
    Subscription,
    /// An event.
    Event,
}

/// A change, with the full new state of the resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// The stream.
    pub stream: Stream,
    /// Position in the stream. It increases by one.
    pub seq: u64,
    /// Time of the change, RFC 3339 UTC with milliseconds.
    pub at: String,
    /// Type of the resource.
    pub kind: StatusKind,
    /// ID of the resource.
    pub id: i64,
    /// Version of the resource. It only increases.
    pub version: i64,
    /// The resource, as returned by its `GET` call.
    pub state: Value,
}

/// One resource of a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SnapshotItem {
    /// The stream that it belongs to.
    pub stream: Stream,
    /// Type of the resource.
    pub kind: StatusKind,
    /// ID of the resource.
    pub id: i64,
    /// Version of the resource. It only increases.
    pub version: i64,
    /// The resource, as returned by its `GET` call.
    pub state: Value,
}

/// The reason the worker closes a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum CloseCode {
    /// The frame doesn't belong to this protocol.
    BadFrame = 4400,
    /// The key is unknown, revoked, or belongs to another channel.
    Key = 4401,
    /// The origin isn't allowed.
    Origin = 4403,
    /// No `hello` arrived within 5 seconds.
    NoHello = 4408,
    /// The protocol version isn't supported.
    Version = 4409,
    /// The frame is too large.
    TooBig = 4413,
    /// The client reads too slowly, or has too many sockets open.
    SlowOrTooMany = 4429,
}
