//! Values kept for ever, health, backup.

use std::path::Path;

use async_trait::async_trait;
use sqlx::SqlitePool;

use super::super::{Maintenance, StoreError, StoreResult};
use super::SqliteStore;

#[async_trait]
impl Maintenance for SqliteStore {
    async fn remembered(&self, name: &str, first: &str) -> StoreResult<String> {
        let mut write = self.write().await?;
        sqlx::query("INSERT INTO remembered (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING")
            .bind(name)
            .bind(first)
            .execute(&mut *write)
            .await?;
        let kept = sqlx::query_scalar("SELECT value FROM remembered WHERE name = $1")
            .bind(name)
            .fetch_one(&mut *write)
            .await?;
        write.commit().await?;
        Ok(kept)
    }

    async fn ping(&self) -> StoreResult<()> {
        sqlx::query("SELECT 1").execute(self.readers()).await?;
        Ok(())
    }

    async fn backup(&self, target: &Path) -> StoreResult<()> {
        let failed = |cause: String| StoreError::Backup { path: target.to_owned(), cause };
        if target.exists() {
            return Err(failed("is there already".to_owned()));
        }
        let name = target.to_str().ok_or_else(|| failed("has a name that is no UTF-8".to_owned()))?;
        sqlx::query("VACUUM INTO $1")
            .bind(name)
            .execute(&self.0.writer)
            .await
            .map_err(|error| failed(format!("cannot be written: {error}")))?;
        std::fs::File::open(target)
            .and_then(|file| file.sync_all())
            .map_err(|error| failed(format!("cannot be written: {error}")))
    }

    async fn close(&self) {
        self.0.readers.close().await;
        self.0.writer.close().await;
    }
}

/// As [`Maintenance::remembered`], before there is a store.
pub(super) async fn remembered(pool: &SqlitePool, name: &str, first: &str) -> StoreResult<String> {
    sqlx::query("INSERT INTO remembered (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING")
        .bind(name)
        .bind(first)
        .execute(pool)
        .await?;
    Ok(sqlx::query_scalar("SELECT value FROM remembered WHERE name = $1").bind(name).fetch_one(pool).await?)
}
