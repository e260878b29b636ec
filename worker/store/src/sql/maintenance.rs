//! Persistent values, health checks and backups.

use std::path::Path;

use async_trait::async_trait;
use sqlx::Pool;

use super::{Db, IS_SHARED, SqlStore, Subject, claims};
use crate::{Maintenance, StoreResult};

/// The number of times that a probe after a failed commit contains its time: more bytes than any call writes. A small probe
/// may find room on a full disk where calls find none.
const REPEATS_AFTER_FAILURE: usize = 5_000;

#[async_trait]
impl Maintenance for SqlStore {
    async fn stored_value(&self, name: &str, initial: &str) -> StoreResult<String> {
        let mut write = self.write_about(Subject::Row).await?;
        sqlx::query("INSERT INTO remembered (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING")
            .bind(name)
            .bind(initial)
            .execute(&mut *write)
            .await?;
        let stored = sqlx::query_scalar("SELECT value FROM remembered WHERE name = $1")
            .bind(name)
            .fetch_one(&mut *write)
            .await?;
        write.commit().await?;
        Ok(stored)
    }

    async fn replace_stored_value(&self, name: &str, value: &str) -> StoreResult<()> {
        let mut write = self.write_about(Subject::Row).await?;
        sqlx::query(
            "INSERT INTO remembered (name, value) VALUES ($1, $2)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )
        .bind(name)
        .bind(value)
        .execute(&mut *write)
        .await?;
        write.commit().await
    }

    async fn latest_timestamp(&self) -> StoreResult<Option<i64>> {
        let mut read = self.read().await?;
        let newest: Option<i64> = sqlx::query_scalar(
            "SELECT MAX(moments.at) FROM (
                 SELECT MAX(created_at) AS at FROM users UNION ALL SELECT MAX(created_at) FROM orders
                 UNION ALL SELECT MAX(at) FROM charges UNION ALL SELECT MAX(at) FROM order_events
                 UNION ALL SELECT MAX(at) FROM status_log UNION ALL SELECT MAX(last_seen_at) FROM api_keys
             ) AS moments",
        )
        .fetch_one(&mut *read)
        .await?;
        let probed: Option<String> =
            sqlx::query_scalar("SELECT value FROM remembered WHERE name = 'probe'").fetch_optional(&mut *read).await?;
        Ok(newest.max(probed.and_then(|probed| probed.split(' ').next()?.parse().ok())))
    }

    async fn database_clock(&self) -> StoreResult<Option<i64>> {
        self.clock_ms().await
    }

    async fn probe(&self, at: i64) -> StoreResult<()> {
        // SQLite writes only the pages that change, so each of them contains the time.
        let repeats = if self.has_failed_commit() { REPEATS_AFTER_FAILURE } else { 1 };
        let mut write = self.write_about(Subject::Row).await?;
        sqlx::query(
            "INSERT INTO remembered (name, value) VALUES ('probe', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )
        .bind(format!("{at} ").repeat(repeats))
        .execute(&mut *write)
        .await?;
        write.commit().await
    }

    fn is_shared(&self) -> bool {
        IS_SHARED
    }

    async fn holds_job(&self, job: &str) -> StoreResult<bool> {
        claims::holds_job(self, job).await
    }

    async fn backup(&self, target: &Path) -> StoreResult<()> {
        self.back_up(target).await
    }

    async fn close(&self) {
        self.close_connections().await;
    }
}

/// Like [`Maintenance::remembered`], before the store is open.
pub(in super::super) async fn stored_value(pool: &Pool<Db>, name: &str, initial: &str) -> StoreResult<String> {
    sqlx::query("INSERT INTO remembered (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING")
        .bind(name)
        .bind(initial)
        .execute(pool)
        .await?;
    Ok(sqlx::query_scalar("SELECT value FROM remembered WHERE name = $1").bind(name).fetch_one(pool).await?)
}
