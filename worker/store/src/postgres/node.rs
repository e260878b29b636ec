//! The worker's heartbeat. A live worker keeps the jobs that it claimed. Only the database's clock counts.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use sqlx::PgPool;
use tokio::task::JoinHandle;

use crate::StoreResult;

/// Interval between heartbeats.
const EVERY: Duration = Duration::from_secs(5);
/// Time without heartbeat after which other workers take over the jobs.
const COUNTS_FOR: Duration = Duration::from_secs(20);
/// Lifetime of a claim on a job that nobody queries any more.
const CLAIMS_KEPT: Duration = Duration::from_secs(24 * 3600);

#[derive(Debug)]
pub(super) struct Node {
    name: String,
    pool: PgPool,
    beating: Mutex<Option<JoinHandle<()>>>,
}

impl Node {
    pub(super) async fn begin(pool: PgPool, name: String) -> StoreResult<Arc<Self>> {
        let node = Arc::new(Self { name, pool, beating: Mutex::default() });
        node.beat().await?;
        let beating = Arc::clone(&node);
        *node.beating.lock() = Some(tokio::spawn(async move {
            loop {
                tokio::time::sleep(EVERY).await;
                if let Err(error) = beating.beat().await {
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
        .bind(COUNTS_FOR.as_secs_f64())
        .execute(&self.pool)
        .await?;
        sqlx::query("DELETE FROM nodes WHERE until < clock_timestamp() - interval '1 hour'")
            .execute(&self.pool)
            .await?;
        sqlx::query("DELETE FROM claims WHERE at < clock_timestamp() - make_interval(secs => $1)")
            .bind(CLAIMS_KEPT.as_secs_f64())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Ends the heartbeat. The claimed jobs are free at once.
    pub(super) async fn end(&self) {
        if let Some(beating) = self.beating.lock().take() {
            beating.abort();
        }
        let left = sqlx::query("DELETE FROM nodes WHERE node = $1").bind(&self.name).execute(&self.pool).await;
        if let Err(error) = left {
            tracing::debug!(%error, "could not end this worker's heartbeat");
        }
    }
}
