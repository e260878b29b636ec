//! Stores which channel owns each host, so that a second claim is refused after a restart too (`OPS-55`).

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use touchline_store::{Store, StoreError, StoreResult};

use crate::background::log_failure;
use crate::catalogue::{Channels, HostOwners};

/// Name of the value in the store.
const NAME: &str = "host_owners";
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The stored owners.
pub(crate) async fn read(store: &dyn Store) -> StoreResult<HostOwners> {
    serde_json::from_str(&store.stored_value(NAME, "{}").await?).map_err(StoreError::encoding)
}

/// Stores the owners if they differ from `stored`, and returns them.
pub(crate) async fn store(store: &dyn Store, channels: &Channels, stored: &HostOwners) -> StoreResult<HostOwners> {
    let owners = channels.owners();
    if owners != *stored {
        let value = serde_json::to_string(&owners).map_err(StoreError::encoding)?;
        store.replace_stored_value(NAME, &value).await?;
    }
    Ok(owners)
}

/// Stores changed owners until cancelled.
pub(crate) async fn run(records: Arc<dyn Store>, channels: Arc<Channels>, cancel: CancellationToken) {
    let mut stored = channels.owners();
    while cancel.run_until_cancelled(tokio::time::sleep(POLL_INTERVAL)).await.is_some() {
        match store(&*records, &channels, &stored).await {
            Ok(owners) => stored = owners,
            Err(error) => log_failure(&error, "cannot store the owners of hosts"),
        }
    }
}
