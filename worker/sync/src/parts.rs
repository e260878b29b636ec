//! What the hub and its sockets share.

use std::sync::Arc;

use axum::body::Bytes;
use tokio_util::sync::CancellationToken;
use touchline_protocol::sync::ServerFrame;

use crate::limits::Limits;
use crate::origin::OriginRule;
use crate::registry::Registry;
use crate::snapshots::Snapshots;
use crate::source::StatusSource;

/// What the hub and its sockets share.
pub(crate) struct Parts {
    pub(crate) source: Arc<dyn StatusSource>,
    pub(crate) origins: Arc<dyn OriginRule>,
    pub(crate) limits: Limits,
    pub(crate) registry: Arc<Registry>,
    pub(crate) snapshots: Snapshots,
    /// Cancelled when the worker has drained: whoever is still here leaves.
    pub(crate) closed: CancellationToken,
}

/// A frame as it travels.
pub(crate) fn text_of(frame: &ServerFrame) -> Bytes {
    serde_json::to_string(frame)
        .unwrap_or_else(|error| {
            tracing::error!(%error, "a frame could not be written as JSON");
            String::new()
        })
        .into()
}
