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
const RETENTION: Duration = Duration::from_secs(14 * 24 * 60 * 60);
/// The interval at which a running worker records that its build is served, and deletes files of older builds.
const TOUCH_INTERVAL: Duration = Duration::from_secs(12 * 60 * 60);
/// The interval at which storing is retried.
const RETRY_INTERVAL: Duration = Duration::from_secs(60);

/// Publishes the files of this build, and deletes those of expired builds.
pub(super) struct Publisher {
    pub(super) store: Arc<dyn Store>,
    pub(super) site: Site,
    pub(super) clock: SharedClock,
}

impl Publisher {
    /// Stores the files of this build that the store lacks. Returns the time until the next attempt.
    pub(super) async fn publish(&self) -> Duration {
        match self.try_publish().await {
            Ok(()) => TOUCH_INTERVAL,
            Err(error) => {
                tracing::warn!(%error, "cannot store the files of the site's build");
                RETRY_INTERVAL
            }
        }
    }

    async fn try_publish(&self) -> StoreResult<()> {
        let now_ms = self.clock.now().as_millisecond();
        let missing = self.store.touch_site_files(&self.site.build_paths(), now_ms).await?;
        let files: Vec<_> = missing
            .into_iter()
            .filter_map(|path| {
                let (bytes, is_brotli) = self.site.build_file(&path)?;
                Some(SiteFile { path, body: STANDARD.encode(bytes), is_brotli })
            })
            .collect();
        if files.is_empty() {
            return Ok(());
        }
        self.store.store_site_files(&files, now_ms).await
    }

    /// Publishes again after `wait`, then regularly while the worker runs.
    pub(super) async fn run(self, mut wait: Duration, stop: CancellationToken) {
        let retention = i64::try_from(RETENTION.as_millis()).unwrap_or(i64::MAX);
        loop {
            let before = self.clock.now().as_millisecond().saturating_sub(retention);
            if let Err(error) = self.store.delete_site_files(before).await {
                tracing::warn!(%error, "cannot delete the files of expired builds");
            }
            if stop.run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
                return;
            }
            wait = self.publish().await;
        }
    }
}
