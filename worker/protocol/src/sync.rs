//! Sync protocol v1: JSON text frames `{"t": FRAME, …}`, absolute state in every event.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version that `hello` names.
pub const VERSION: u32 = 1;

/// What a client sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientFrame {
    /// The first frame, within 5 seconds.
    Hello {
        /// [`VERSION`].
        v: u32,
        /// The API key; a logged-in one opens the `user` stream too.
        api_key: String,
        /// Where to go on from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resume: Option<Resume>,
    },
    /// The answer to `ping`.
    Pong,
    /// Ask that an upstream without a feed be polled for this.
    Watch {
        /// What kind of resource.
        kind: StatusKind,
        /// Its id.
        id: i64,
    },
    /// The opposite of `watch`.
    Unwatch {
        /// What kind of resource.
        kind: StatusKind,
        /// Its id.
        id: i64,
    },
}

/// A position in both streams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resume {
    /// The epoch that gave the positions.
    pub epoch: String,
    /// The last `seq` seen of the `user` stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_seq: Option<u64>,
    /// The last `seq` seen of the `channel` stream.
    pub channel_seq: u64,
}

/// What the worker sends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub enum ServerFrame {
    /// The answer to `hello`.
    Welcome {
        /// Changes when the positions start anew.
        epoch: String,
        /// Where the `user` stream stands; only with a logged-in key.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user_seq: Option<u64>,
        /// Where the `channel` stream stands.
        channel_seq: u64,
        /// Whether what was missed follows, or everything stands in `snapshot`.
        mode: Mode,
        /// The state of everything; only with `mode: "snapshot"`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        snapshot: Option<Vec<SnapshotItem>>,
        /// How often a `ping` comes, in milliseconds.
        ping_ms: u64,
    },
    /// Something changed.
    Status(Status),
    /// Each `ping_ms`; to be answered with `pong`.
    Ping,
    /// Reconnect at a random moment within the window.
    Drain {
        /// Milliseconds.
        window_ms: u64,
    },
    /// What is wrong; the socket closes after it.
    Error {
        /// `snake_case`.
        code: String,
        /// For a person.
        message: String,
    },
}

/// Whether a welcome resumes or starts anew. Never partly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// What was missed follows as `status` frames.
    Resumed,
    /// Everything stands in the welcome.
    Snapshot,
}

/// The two streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// One viewer's orders, clips and subscriptions.
    User,
    /// The events' stream status; everyone's.
    Channel,
}

/// Whose stream.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Everyone's of a channel, by its key.
    Channel(String),
    /// One person's.
    User(i64),
}

impl Scope {
    /// Which of the two streams it is, as a client sees it.
    pub fn stream(&self) -> Stream {
        match self {
            Self::Channel(_) => Stream::Channel,
            Self::User(_) => Stream::User,
        }
    }
}

/// `channel:northfield`, `user:7`: the form in which it is stored.
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
            Some(("user", id)) => id.parse().map(Self::User).map_err(|_| format!("{text} is no scope")),
            _ => Err(format!("{text} is no scope")),
        }
    }
}

/// What a status is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatusKind {
    /// An order.
    Order,
    /// A clip.
    Clip,
    /// A subscription that was bought.
    Subscription,
    /// An event.
    Event,
}

/// One change, with the resource's whole new state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Which stream.
    pub stream: Stream,
    /// Its position there; grows by one.
    pub seq: u64,
    /// When, RFC 3339 UTC with milliseconds.
    pub at: String,
    /// What kind of resource.
    pub kind: StatusKind,
    /// Its id.
    pub id: i64,
    /// Only grows, per resource.
    pub version: i64,
    /// What `GET` of that resource gives.
    pub state: Value,
}

/// One resource of a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SnapshotItem {
    /// Which stream it belongs to.
    pub stream: Stream,
    /// What kind of resource.
    pub kind: StatusKind,
    /// Its id.
    pub id: i64,
    /// Only grows, per resource.
    pub version: i64,
    /// What `GET` of that resource gives.
    pub state: Value,
}

/// Why the worker closes a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum CloseCode {
    /// A frame that is not of this protocol.
    BadFrame = 4400,
    /// A key that is unknown, revoked or of another channel.
    Key = 4401,
    /// A foreign origin.
    Origin = 4403,
    /// No `hello` within 5 seconds.
    NoHello = 4408,
    /// A version that the worker does not speak.
    Version = 4409,
    /// A frame that is too big.
    TooBig = 4413,
    /// A reader that is too slow, or too many sockets.
    SlowOrTooMany = 4429,
}
