//! The interface between the hub and a source of statuses.

use std::fmt::Debug;

use async_trait::async_trait;
pub use touchline_protocol::sync::Scope;
use touchline_protocol::sync::{SnapshotItem, Status, StatusKind};

/// The owner of an API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Identifies the key without revealing it, for [`Notice::KeysRevoked`].
    pub key_id: String,
    /// The key's channel.
    pub channel_key: String,
    /// The user's id, if the key belongs to a signed-in user.
    pub user: Option<i64>,
}

/// A notification to the hub.
#[derive(Debug, Clone)]
pub enum Notice {
    /// A status was written. Sent after it can be read, and in order of `seq` if possible: each listener has to read to
    /// fill a gap.
    Changed(Scope, Status),
    /// Revoked keys, by [`Identity::key_id`].
    KeysRevoked(Vec<String>),
    /// Notices were lost. Each socket reads the log from its position.
    Overrun,
}

/// A stream of notices.
#[async_trait]
pub trait Feed: Send + 'static {
    /// The next notice; `None` at the end. Cancel safe.
    async fn next(&mut self) -> Option<Notice>;
}

/// The statuses could not be read. The details are only logged; the client is just asked to reconnect.
#[derive(Debug, thiserror::Error)]
#[error("the statuses cannot be read: {0}")]
pub struct SourceError(pub String);

/// A key was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// The key is unknown, revoked, or belongs to another channel than the host's.
    #[error("the api key is unknown, revoked or belongs to another channel")]
    Refused,
    /// The key could not be looked up.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// A source of statuses: the embedded channel's log, or a watcher of an upstream.
#[async_trait]
pub trait StatusSource: Send + Sync + 'static {
    /// Returns the owner of `api_key` on `host`, the request's `Host`.
    async fn authenticate(&self, api_key: &str, host: &str) -> Result<Identity, AuthError>;

    /// The epoch. It changes when positions restart.
    async fn epoch(&self) -> Result<String, SourceError>;

    /// The `seq` of the newest status in `scope`; 0 if there is none.
    async fn head(&self, scope: &Scope) -> Result<u64, SourceError>;

    /// The statuses in `scope` after `seq`, oldest first, at most `limit`. Statuses that are no longer stored are left
    /// out.
    async fn since(&self, scope: &Scope, seq: u64, limit: usize) -> Result<Vec<Status>, SourceError>;

    /// The current state of everything in `scope`.
    async fn snapshot(&self, scope: &Scope) -> Result<Vec<SnapshotItem>, SourceError>;

    /// Every notice from now on.
    fn subscribe(&self) -> Box<dyn Feed>;

    /// A socket with this key was welcomed. Paired with [`Self::socket_closed`].
    fn socket_opened(&self, _identity: &Identity, _api_key: &str) {}

    /// A welcomed socket has closed.
    fn socket_closed(&self, _identity: &Identity) {}

    /// A client asks for a resource to be polled. A source with its own feed need not do anything. Paired with
    /// [`Self::unwatch`], also when the socket closes.
    fn watch(&self, _identity: &Identity, _kind: StatusKind, _id: i64) {}

    /// The opposite of [`Self::watch`].
    fn unwatch(&self, _identity: &Identity, _kind: StatusKind, _id: i64) {}
}
