//! What a worker in front of an upstream channel API keeps.

use async_trait::async_trait;
use touchline_protocol::sync::{Resume, StatusKind};

use super::StoreResult;

/// A resource that is asked after until it is final (`UP-6`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamWatch {
    /// Whose, by the upstream's id.
    pub user_id: i64,
    /// What kind of resource.
    pub kind: StatusKind,
    /// Its id.
    pub id: i64,
    /// The viewer's channel.
    pub channel_key: String,
    /// The key that the upstream is asked with. The row goes when the resource is final.
    pub api_key: String,
    /// When it was first asked for, milliseconds.
    pub since: i64,
}

/// A write that was sent to an upstream which knows no `Idempotency-Key` (`UP-5`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamWrite {
    /// Who sent it: a digest of the API key, or the user.
    pub scope: String,
    /// The call, such as `stripe/buy`.
    pub call: String,
    /// The `Idempotency-Key`.
    pub key: String,
    /// Of the body without its key, hexadecimal.
    pub fingerprint: String,
    /// The ids of what was there already and looks alike, as JSON.
    pub known: String,
    /// When it was sent, milliseconds.
    pub at: i64,
    /// The body of the answer, JSON; absent while there is none.
    pub answer: Option<String>,
}

/// Watches, writes and positions of a worker in front of an upstream.
#[async_trait]
pub trait UpstreamRecords {
    /// Every watch.
    async fn upstream_watches(&self) -> StoreResult<Vec<UpstreamWatch>>;
    /// Keeps a watch; the same one again takes the newer key.
    async fn keep_upstream_watch(&self, watch: &UpstreamWatch) -> StoreResult<()>;
    /// Forgets a watch.
    async fn drop_upstream_watch(&self, user_id: i64, kind: StatusKind, id: i64) -> StoreResult<()>;
    /// Begins a write unless it has begun; then gives it as it stands.
    async fn begin_upstream_write(&self, write: &UpstreamWrite) -> StoreResult<Option<UpstreamWrite>>;
    /// The write as it stands.
    async fn upstream_write(&self, scope: &str, call: &str, key: &str) -> StoreResult<Option<UpstreamWrite>>;
    /// Notes what a write was answered, or that it is sent once more at `at`.
    async fn settle_upstream_write(&self, write: &UpstreamWrite) -> StoreResult<()>;
    /// Forgets a write: the upstream refused it, so that nothing came of it.
    async fn drop_upstream_write(&self, scope: &str, call: &str, key: &str) -> StoreResult<()>;
    /// Forgets writes older than `before`.
    async fn forget_upstream_writes(&self, before: i64) -> StoreResult<u64>;
    /// Where the feed of `subject` was read up to.
    async fn upstream_position(&self, subject: &str) -> StoreResult<Option<Resume>>;
    /// Notes where the feed of `subject` was read up to.
    async fn keep_upstream_position(&self, subject: &str, position: &Resume) -> StoreResult<()>;
    /// The last state of a resource, in whoever's stream it is.
    async fn last_state(&self, kind: StatusKind, id: i64) -> StoreResult<Option<serde_json::Value>>;
}
