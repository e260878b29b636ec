//! Each channel's snapshot as JSON, built once for all connecting sockets until the channel's next status (`SYNC`).

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Bytes;
use parking_lot::Mutex;
use touchline_protocol::sync::SnapshotItem;

use crate::source::{Scope, SourceError, StatusSource};

/// The snapshots of all channels, by channel key. Only authenticated keys get here.
#[derive(Debug, Default)]
pub(crate) struct Snapshots(Mutex<HashMap<String, Arc<tokio::sync::Mutex<Option<Snapshot>>>>>);

#[derive(Debug)]
struct Snapshot {
    epoch: String,
    head: u64,
    items: Bytes,
}

impl Snapshots {
    /// The position of a channel's stream, and the items of a snapshot read after it.
    ///
    /// While one socket reads the snapshot, the channel's other sockets wait for it.
    pub(crate) async fn of_channel(
        &self,
        source: &dyn StatusSource,
        epoch: &str,
        scope: &Scope,
    ) -> Result<(u64, Bytes), SourceError> {
        let present = Arc::clone(self.0.lock().entry(scope.to_string()).or_default());
        let mut present = present.lock().await;
        let head = source.head(scope).await?;
        if let Some(snapshot) = present.as_ref().filter(|snapshot| snapshot.epoch == epoch && snapshot.head == head) {
            return Ok((head, snapshot.items.clone()));
        }
        let items = items_of(&source.snapshot(scope).await?);
        *present = Some(Snapshot { epoch: epoch.to_owned(), head, items: items.clone() });
        Ok((head, items))
    }
}

/// Items as JSON, separated by commas, without the brackets of an array.
pub(crate) fn items_of(items: &[SnapshotItem]) -> Bytes {
    let mut text = String::new();
    for item in items {
        match serde_json::to_string(item) {
            Ok(item) if text.is_empty() => text = item,
            Ok(item) => text.extend([",", &item]),
            Err(error) => tracing::error!(%error, "could not serialise a status"),
        }
    }
    Bytes::from(text.into_boxed_str().into_string())
}
