//! Records of a worker in front of an upstream channel API.

use async_trait::async_trait;
use touchline_protocol::sync::{Resume, StatusKind};

use super::StoreResult;

/// A resource that is polled until it is final (`UP-6`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamWatch {
    /// The upstream's id of the user.
    pub user_id: i64,
    /// Type of the resource.
    pub kind: StatusKind,
    /// ID of the resource.
    pub id: i64,
    /// Key of the viewer's channel.
    pub channel_key: String,
    /// API key for requests to the upstream. The row is deleted once the resource is final.
    pub api_key: String,
    /// Time of the first request in Unix milliseconds.
    pub since: i64,
}

/// A write sent to an upstream that ignores `Idempotency-Key` (`UP-5`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamWrite {
    /// The sender: a digest of the API key, or the user.
    pub scope: String,
    /// The call, such as `stripe/buy`.
    pub call: String,
    /// The `Idempotency-Key`.
    pub key: String,
    /// Digest of the body without its key, in hex.
    pub fingerprint: String,
    /// IDs of similar items that already existed, as JSON.
    pub known: String,
    /// Time of sending in Unix milliseconds.
    pub at: i64,
    /// Response body as JSON, if any.
    pub answer: Option<String>,
}

/// Storage of watches, writes and positions.
#[async_trait]
pub trait UpstreamRecords {
    /// Returns all watches.
    async fn upstream_watches(&self) -> StoreResult<Vec<UpstreamWatch>>;
    /// Stores a watch. For an existing one, the key is updated.
    async fn store_upstream_watch(&self, watch: &UpstreamWatch) -> StoreResult<()>;
    /// Deletes a watch.
    async fn delete_upstream_watch(&self, user_id: i64, kind: StatusKind, id: i64) -> StoreResult<()>;
    /// Stores a write, or returns the existing one.
    async fn start_upstream_write(&self, write: &UpstreamWrite) -> StoreResult<Option<UpstreamWrite>>;
    /// Returns a write.
    async fn upstream_write(&self, scope: &str, call: &str, key: &str) -> StoreResult<Option<UpstreamWrite>>;
    /// Records the response to a write, or another attempt at `at`.
    async fn update_upstream_write(&self, write: &UpstreamWrite) -> StoreResult<()>;
    /// Deletes a write that the upstream refused, so that it had no effect.
    async fn delete_upstream_write(&self, scope: &str, call: &str, key: &str) -> StoreResult<()>;
    /// Deletes writes older than `before`.
    async fn delete_upstream_writes(&self, before: i64) -> StoreResult<u64>;
    /// Returns the position in the feed of `subject`.
    async fn upstream_position(&self, subject: &str) -> StoreResult<Option<Resume>>;
    /// Stores the position in the feed of `subject`.
    async fn store_upstream_position(&self, subject: &str, position: &Resume) -> StoreResult<()>;
    /// Returns the last state of a resource, in any stream.
    async fn last_state(&self, kind: StatusKind, id: i64) -> StoreResult<Option<serde_json::Value>>;
}
