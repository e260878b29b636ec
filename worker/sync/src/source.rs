//! What the hub needs of whoever keeps the statuses.

use std::fmt::Debug;

use async_trait::async_trait;
pub use touchline_protocol::sync::Scope;
use touchline_protocol::sync::{SnapshotItem, Status, StatusKind};

/// Whom an API key speaks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Names the key without being it; what [`Notice::KeysRevoked`] repeats.
    pub key_id: String,
    /// The key's channel.
    pub channel_key: String,
    /// The user's id, when the key is a logged-in one.
    pub user: Option<i64>,
}

/// What the hub is told of.
#[derive(Debug, Clone)]
pub enum Notice {
    /// A status was written. Told after it can be read; in order of `seq` where possible, since a gap costs each of
    /// its listeners a read.
    Changed(Scope, Status),
    /// Keys that no longer hold, by [`Identity::key_id`].
    KeysRevoked(Vec<String>),
    /// Notices were lost; each socket reads on from where it stands.
    Overrun,
}

/// Notices, one after the other.
#[async_trait]
pub trait Feed: Send + 'static {
    /// The next notice; none when no more will come. Cancelling a wait loses nothing.
    async fn next(&mut self) -> Option<Notice>;
}

/// Why the statuses could not be read. Told to the log; the client hears only that it should come back.
#[derive(Debug, thiserror::Error)]
#[error("the statuses cannot be read: {0}")]
pub struct SourceError(pub String);

/// Why a key opens nothing.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// It is unknown, revoked, or of another channel than the host's.
    #[error("the api key is unknown, revoked or of another channel")]
    Refused,
    /// It could not be looked up.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// Keeps the statuses: the embedded channel's log, or what a watcher saw of an upstream.
#[async_trait]
pub trait StatusSource: Send + Sync + 'static {
    /// Whom `api_key` speaks for on `host`, the request's `Host`.
    async fn authenticate(&self, api_key: &str, host: &str) -> Result<Identity, AuthError>;

    /// Changes when positions start anew.
    async fn epoch(&self) -> Result<String, SourceError>;

    /// The `seq` of the newest status of `scope`, 0 before the first.
    async fn head(&self, scope: &Scope) -> Result<u64, SourceError>;

    /// The statuses of `scope` after `seq`, oldest first, at most `limit`. What is no longer kept is left out.
    async fn since(&self, scope: &Scope, seq: u64, limit: usize) -> Result<Vec<Status>, SourceError>;

    /// The present state of everything in `scope`.
    async fn snapshot(&self, scope: &Scope) -> Result<Vec<SnapshotItem>, SourceError>;

    /// Every notice from now on.
    fn subscribe(&self) -> Box<dyn Feed>;

    /// A socket of this key was welcomed. Paired with [`Self::left`].
    fn joined(&self, _identity: &Identity, _api_key: &str) {}

    /// A socket that had joined has ended.
    fn left(&self, _identity: &Identity) {}

    /// A client asks that a resource be polled for; a source with a feed of its own has nothing to do. Paired with
    /// [`Self::unwatch`], also when the socket ends.
    fn watch(&self, _identity: &Identity, _kind: StatusKind, _id: i64) {}

    /// The opposite of [`Self::watch`].
    fn unwatch(&self, _identity: &Identity, _kind: StatusKind, _id: i64) {}
}
