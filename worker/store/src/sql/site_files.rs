//! The files of the site's builds.

use std::collections::HashSet;

use async_trait::async_trait;

use super::{SqlStore, Subject, list, texts_of};
use crate::StoreResult;
use crate::site_files::{SiteFile, SiteFiles};

#[async_trait]
impl SiteFiles for SqlStore {
    async fn touch_site_files(&self, paths: &[String], at: i64) -> StoreResult<Vec<String>> {
        let mut write = self.write_about(Subject::Row).await?;
        let touched: HashSet<String> = sqlx::query_scalar(concat!(
            "UPDATE site_files SET served_at = $1 WHERE path IN ",
            texts_of!("$2"),
            " RETURNING path"
        ))
        .bind(at)
        .bind(list(paths)?)
        .fetch_all(&mut *write)
        .await?
        .into_iter()
        .collect();
        write.commit().await?;
        Ok(paths.iter().filter(|path| !touched.contains(*path)).cloned().collect())
    }

    async fn store_site_files(&self, files: &[SiteFile], at: i64) -> StoreResult<()> {
        let mut write = self.write_about(Subject::Row).await?;
        for SiteFile { path, body, is_brotli } in files {
            sqlx::query(
                "INSERT INTO site_files (path, body, is_brotli, served_at) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (path) DO UPDATE SET served_at = excluded.served_at",
            )
            .bind(path)
            .bind(body)
            .bind(*is_brotli)
            .bind(at)
            .execute(&mut *write)
            .await?;
        }
        write.commit().await
    }

    async fn site_file(&self, path: &str) -> StoreResult<Option<SiteFile>> {
        let row: Option<(String, bool)> = sqlx::query_as("SELECT body, is_brotli FROM site_files WHERE path = $1")
            .bind(path)
            .fetch_optional(self.readers())
            .await?;
        Ok(row.map(|(body, is_brotli)| SiteFile { path: path.to_owned(), body, is_brotli }))
    }

    async fn delete_site_files(&self, before: i64) -> StoreResult<u64> {
        let mut write = self.write_about(Subject::Row).await?;
        let deleted =
            sqlx::query("DELETE FROM site_files WHERE served_at < $1").bind(before).execute(&mut *write).await?;
        write.commit().await?;
        Ok(deleted.rows_affected())
    }
}
