//! The files of the site's build, in the store: a page of one build finds its files at a worker of another (`OPS-32`).

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio_util::sync::CancellationToken;
use touchline_protocol::ambient::SharedClock;
use touchline_store::{SiteFile, Store, StoreResult};

use crate::site::Site;

/// The retention period of files after their build was last served.
pub(super) const RETENTION: Duration = Duration::from_secs(14 * 24 * 60 * 60);
/// The interval at which a running worker records that its build is served, and deletes files of older builds.
const TOUCH_INTERVAL: Duration = Duration::from_secs(12 * 60 * 60);
/// The interval at which storing is retried.
const RETRY_INTERVAL: Duration = Duration::from_secs(60);

/// Stores the files of this build that the store does not have, and deletes those of expired builds.
pub(super) async fn publish(store: &dyn Store, site: &Site, now_ms: i64) -> StoreResult<()> {
    let missing = store.touch_site_files(&site.build_paths(), now_ms).await?;
    let files: Vec<_> = missing
        .into_iter()
        .filter_map(|path| {
            let (bytes, is_brotli) = site.build_file(&path)?;
            Some(SiteFile { path, body: STANDARD.encode(bytes), is_brotli })
        })
        .collect();
    if !files.is_empty() {
        store.store_site_files(&files, now_ms).await?;
    }
    let retention = i64::try_from(RETENTION.as_millis()).unwrap_or(i64::MAX);
    store.delete_site_files(now_ms.saturating_sub(retention)).await?;
    Ok(())
}

/// Publishes regularly while the worker runs.
pub(super) async fn republish(store: Arc<dyn Store>, site: Site, clock: SharedClock, stop: CancellationToken) {
    let mut wait = TOUCH_INTERVAL;
    while stop.run_until_cancelled(tokio::time::sleep(wait)).await.is_some() {
        wait = match publish(&*store, &site, clock.now().as_millisecond()).await {
            Ok(()) => TOUCH_INTERVAL,
            Err(error) => {
                tracing::warn!(%error, "cannot store the files of the site's build");
                RETRY_INTERVAL
            }
        };
    }
}
