//! Watches, writes and positions of a worker in front of an upstream.

use async_trait::async_trait;
use sqlx::FromRow;
use touchline_protocol::sync::{Resume, StatusKind};

use super::{SqlStore, from_text, to_text};
use crate::{StoreError, StoreResult, UpstreamRecords, UpstreamWatch, UpstreamWrite};

#[derive(FromRow)]
struct WriteRow {
    scope: String,
    call: String,
    idempotency_key: String,
    fingerprint: String,
    known: String,
    at: i64,
    answer: Option<String>,
}

impl From<WriteRow> for UpstreamWrite {
    fn from(row: WriteRow) -> Self {
        let WriteRow { scope, call, idempotency_key: key, fingerprint, known, at, answer } = row;
        Self { scope, call, key, fingerprint, known, at, answer }
    }
}

#[async_trait]
impl UpstreamRecords for SqlStore {
    async fn upstream_watches(&self) -> StoreResult<Vec<UpstreamWatch>> {
        let rows: Vec<(i64, String, i64, String, String, i64)> = sqlx::query_as(
            "SELECT user_id, kind, id, channel_key, api_key, since FROM upstream_watches ORDER BY since",
        )
        .fetch_all(self.readers())
        .await?;
        let watch = |(user_id, kind, id, channel_key, api_key, since)| {
            Ok(UpstreamWatch { user_id, kind: from_text(kind)?, id, channel_key, api_key, since })
        };
        rows.into_iter().map(watch).collect()
    }

    async fn store_upstream_watch(&self, watch: &UpstreamWatch) -> StoreResult<()> {
        let mut write = self.write().await?;
        sqlx::query(
            "INSERT INTO upstream_watches (user_id, kind, id, channel_key, api_key, since)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (user_id, kind, id) DO UPDATE
             SET api_key = excluded.api_key, channel_key = excluded.channel_key, since = excluded.since",
        )
        .bind(watch.user_id)
        .bind(to_text(&watch.kind)?)
        .bind(watch.id)
        .bind(&watch.channel_key)
        .bind(&watch.api_key)
        .bind(watch.since)
        .execute(&mut *write)
        .await?;
        write.commit().await
    }

    async fn delete_upstream_watch(&self, user_id: i64, kind: StatusKind, id: i64) -> StoreResult<()> {
        let mut write = self.write().await?;
        sqlx::query("DELETE FROM upstream_watches WHERE user_id = $1 AND kind = $2 AND id = $3")
            .bind(user_id)
            .bind(to_text(&kind)?)
            .bind(id)
            .execute(&mut *write)
            .await?;
        write.commit().await
    }

    async fn start_upstream_write(&self, new: &UpstreamWrite) -> StoreResult<Option<UpstreamWrite>> {
        let mut write = self.write().await?;
        let done = sqlx::query(
            "INSERT INTO upstream_writes (scope, call, idempotency_key, fingerprint, known, at, answer)
             VALUES ($1, $2, $3, $4, $5, $6, NULL) ON CONFLICT (scope, call, idempotency_key) DO NOTHING",
        )
        .bind(&new.scope)
        .bind(&new.call)
        .bind(&new.key)
        .bind(&new.fingerprint)
        .bind(&new.known)
        .bind(new.at)
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        if done.rows_affected() == 1 {
            return Ok(None);
        }
        self.upstream_write(&new.scope, &new.call, &new.key).await
    }

    async fn upstream_write(&self, scope: &str, call: &str, key: &str) -> StoreResult<Option<UpstreamWrite>> {
        let row: Option<WriteRow> = sqlx::query_as(
            "SELECT scope, call, idempotency_key, fingerprint, known, at, answer FROM upstream_writes
             WHERE scope = $1 AND call = $2 AND idempotency_key = $3",
        )
        .bind(scope)
        .bind(call)
        .bind(key)
        .fetch_optional(self.readers())
        .await?;
        Ok(row.map(Into::into))
    }

    async fn update_upstream_write(&self, updated: &UpstreamWrite) -> StoreResult<()> {
        let mut write = self.write().await?;
        sqlx::query(
            "UPDATE upstream_writes SET answer = $4, at = $5
             WHERE scope = $1 AND call = $2 AND idempotency_key = $3 AND answer IS NULL",
        )
        .bind(&updated.scope)
        .bind(&updated.call)
        .bind(&updated.key)
        .bind(&updated.answer)
        .bind(updated.at)
        .execute(&mut *write)
        .await?;
        write.commit().await
    }

    async fn delete_upstream_write(&self, scope: &str, call: &str, key: &str) -> StoreResult<()> {
        let mut write = self.write().await?;
        sqlx::query(
            "DELETE FROM upstream_writes
             WHERE scope = $1 AND call = $2 AND idempotency_key = $3 AND answer IS NULL",
        )
        .bind(scope)
        .bind(call)
        .bind(key)
        .execute(&mut *write)
        .await?;
        write.commit().await
    }

    async fn delete_upstream_writes(&self, before: i64) -> StoreResult<u64> {
        let mut write = self.write().await?;
        let done = sqlx::query("DELETE FROM upstream_writes WHERE at < $1").bind(before).execute(&mut *write).await?;
        write.commit().await?;
        Ok(done.rows_affected())
    }

    async fn upstream_position(&self, subject: &str) -> StoreResult<Option<Resume>> {
        let row: Option<(String, i64, i64)> =
            sqlx::query_as("SELECT epoch, user_seq, channel_seq FROM upstream_positions WHERE subject = $1")
                .bind(subject)
                .fetch_optional(self.readers())
                .await?;
        Ok(row.map(|(epoch, user_seq, channel_seq)| Resume {
            epoch,
            user_seq: u64::try_from(user_seq).ok(),
            channel_seq: channel_seq.unsigned_abs(),
        }))
    }

    async fn store_upstream_position(&self, subject: &str, position: &Resume) -> StoreResult<()> {
        let mut write = self.write().await?;
        sqlx::query(
            "INSERT INTO upstream_positions (subject, epoch, user_seq, channel_seq) VALUES ($1, $2, $3, $4)
             ON CONFLICT (subject) DO UPDATE
             SET epoch = excluded.epoch, user_seq = excluded.user_seq, channel_seq = excluded.channel_seq",
        )
        .bind(subject)
        .bind(&position.epoch)
        .bind(position.user_seq.map_or(-1, |seq| i64::try_from(seq).unwrap_or(i64::MAX)))
        .bind(i64::try_from(position.channel_seq).unwrap_or(i64::MAX))
        .execute(&mut *write)
        .await?;
        write.commit().await
    }

    async fn last_state(&self, kind: StatusKind, id: i64) -> StoreResult<Option<serde_json::Value>> {
        let state: Option<String> =
            sqlx::query_scalar("SELECT state FROM status_latest WHERE kind = $1 AND id = $2 ORDER BY scope LIMIT 1")
                .bind(to_text(&kind)?)
                .bind(id)
                .fetch_optional(self.readers())
                .await?;
        state.map(|state| serde_json::from_str(&state).map_err(StoreError::encoding)).transpose()
    }
}
