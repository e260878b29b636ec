//! The worker's heartbeat. A live worker keeps the jobs that it claimed. Only the database's clock counts.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use sqlx::PgPool;
use tokio::task::JoinHandle;

use crate::StoreResult;

/// Interval between heartbeats.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Time without heartbeat after which other workers take over the jobs.
const LIVENESS_TIMEOUT: Duration = Duration::from_secs(20);
/// Lifetime of a claim on a job that nobody queries any more.
const CLAIM_LIFETIME: Duration = Duration::from_secs(24 * 3600);

#[derive(Debug)]
pub(super) struct Node {
    name: String,
    pool: PgPool,
    heartbeat: Mutex<Option<JoinHandle<()>>>,
}

impl Node {
    pub(super) async fn start(pool: PgPool, name: String) -> StoreResult<Arc<Self>> {
        let node = Arc::new(Self { name, pool, heartbeat: Mutex::default() });
        node.beat().await?;
        let heartbeat = Arc::clone(&node);
        *node.heartbeat.lock() = Some(tokio::spawn(async move {
            loop {
                tokio::time::sleep(HEARTBEAT_INTERVAL).await;
                if let Err(error) = heartbeat.beat().await {
                    tracing::debug!(%error, "could not send this worker's heartbeat");
                }
            }
        }));
        Ok(node)
    }

    pub(super) fn name(&self) -> String {
        self.name.clone()
    }

    async fn beat(&self) -> StoreResult<()> {
        sqlx::query(
            "INSERT INTO nodes (node, until) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
             ON CONFLICT (node) DO UPDATE SET until = excluded.until",
        )
        .bind(&self.name)
        .bind(LIVENESS_TIMEOUT.as_secs_f64())
        .execute(&self.pool)
        .await?;
        sqlx::query("DELETE FROM nodes WHERE until < clock_timestamp() - interval '1 hour'")
            .execute(&self.pool)
            .await?;
        sqlx::query("DELETE FROM claims WHERE at < clock_timestamp() - make_interval(secs => $1)")
            .bind(CLAIM_LIFETIME.as_secs_f64())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Ends the heartbeat. The claimed jobs are free at once.
    pub(super) async fn stop(&self) {
        if let Some(heartbeat) = self.heartbeat.lock().take() {
            heartbeat.abort();
        }
        let result = sqlx::query("DELETE FROM nodes WHERE node = $1").bind(&self.name).execute(&self.pool).await;
        if let Err(error) = result {
            tracing::debug!(%error, "could not delete this worker's heartbeat row");
        }
    }
}
