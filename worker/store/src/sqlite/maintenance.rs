//! Values kept for ever, health, backup.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
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
        let stored = sqlx::query_scalar("SELECT value FROM remembered WHERE name = $1")
            .bind(name)
            .fetch_one(&mut *write)
            .await?;
        write.commit().await?;
        Ok(stored)
    }

    async fn probe(&self, at: i64) -> StoreResult<()> {
        let mut write = self.write().await?;
        sqlx::query(
            "INSERT INTO remembered (name, value) VALUES ('probe', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )
        .bind(at.to_string())
        .execute(&mut *write)
        .await?;
        write.commit().await
    }

    async fn backup(&self, target: &Path) -> StoreResult<()> {
        let failed = |cause: String| StoreError::Backup { path: target.to_owned(), cause };
        let unwritten = |error: &dyn std::error::Error| failed(format!("cannot be written: {error}"));
        let name = target.to_str().ok_or_else(|| failed("has a name that is no UTF-8".to_owned()))?;
        // Whoever reads it has everybody's addresses: it is its owner's from its first byte on.
        let file = match OpenOptions::new().write(true).create_new(true).mode(0o600).open(target) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(failed("is there already".to_owned()));
            }
            Err(error) => return Err(unwritten(&error)),
        };
        let written = match sqlx::query("VACUUM INTO $1").bind(name).execute(&self.0.writer).await {
            Ok(_) => file.sync_all().map_err(|error| unwritten(&error)),
            Err(error) => Err(unwritten(&error)),
        };
        if written.is_err() {
            // What was begun is ours, and no backup.
            let _ = std::fs::remove_file(target);
        }
        written
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
