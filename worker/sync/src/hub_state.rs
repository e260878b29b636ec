//! State shared by the hub and its sockets.

use std::sync::Arc;

use axum::body::Bytes;
use tokio_util::sync::CancellationToken;
use touchline_protocol::sync::ServerFrame;

use crate::limits::Limits;
use crate::origin::OriginRule;
use crate::registry::Registry;
use crate::snapshots::Snapshots;
use crate::source::StatusSource;

pub(crate) struct HubState {
    pub(crate) source: Arc<dyn StatusSource>,
    pub(crate) origins: Arc<dyn OriginRule>,
    pub(crate) limits: Limits,
    pub(crate) registry: Arc<Registry>,
    pub(crate) snapshots: Snapshots,
    /// Cancelled after the drain: the remaining sockets close.
    pub(crate) closed: CancellationToken,
}

/// Serialises a frame.
pub(crate) fn text_of(frame: &ServerFrame) -> Bytes {
    serde_json::to_string(frame)
        .unwrap_or_else(|error| {
            tracing::error!(%error, "could not serialise a frame");
            String::new()
        })
        .into()
}
