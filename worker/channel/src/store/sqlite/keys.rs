//! API keys.

use async_trait::async_trait;
use sqlx::FromRow;

use super::super::{KeyRecord, Keys, NewKey, StoreResult};
use super::{SqliteStore, Write};

#[derive(FromRow)]
struct Row {
    id: i64,
    hash: String,
    channel_key: String,
    user_id: Option<i64>,
    device_name: String,
    created_at: i64,
    last_seen_at: i64,
}

impl From<Row> for KeyRecord {
    fn from(row: Row) -> Self {
        let Row { id, hash, channel_key, user_id, device_name, created_at, last_seen_at } = row;
        Self { id, hash, channel_key, user_id, device_name, created_at, last_seen_at }
    }
}

#[async_trait]
impl Keys for SqliteStore {
    async fn give_key(&self, new: NewKey, replaced: Option<i64>) -> StoreResult<Option<KeyRecord>> {
        let mut write = self.write().await?;
        let given = give(&mut write, new, replaced).await?;
        write.commit().await?;
        Ok(given)
    }

    async fn key(&self, hash: &str) -> StoreResult<Option<KeyRecord>> {
        let row: Option<Row> = sqlx::query_as(
            "SELECT k.* FROM api_keys k LEFT JOIN users u ON u.id = k.user_id
             WHERE k.hash = $1 AND k.revoked_at IS NULL AND (k.user_id IS NULL OR NOT u.blocked)",
        )
        .bind(hash)
        .fetch_optional(self.readers())
        .await?;
        Ok(row.map(Into::into))
    }

    async fn note_key_seen(&self, id: i64, at: i64) -> StoreResult<()> {
        let mut write = self.write().await?;
        sqlx::query("UPDATE api_keys SET last_seen_at = $2 WHERE id = $1 AND last_seen_at < $2")
            .bind(id)
            .bind(at)
            .execute(&mut *write)
            .await?;
        write.commit().await
    }

    async fn revoke_key(&self, id: i64, at: i64) -> StoreResult<bool> {
        let mut write = self.write().await?;
        let revoked = revoke(&mut write, id, at).await?;
        write.commit().await?;
        Ok(revoked)
    }

    async fn keys_of_user(&self, user_id: i64) -> StoreResult<Vec<KeyRecord>> {
        let rows: Vec<Row> =
            sqlx::query_as("SELECT * FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL ORDER BY id DESC")
                .bind(user_id)
                .fetch_all(self.readers())
                .await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    async fn revoke_keys_of_user(&self, user_id: i64, but: Option<i64>, at: i64) -> StoreResult<usize> {
        let mut write = self.write().await?;
        let revoked = revoke_all(&mut write, user_id, but, at).await?;
        write.commit().await?;
        Ok(revoked)
    }

    async fn forget_idle_keys(&self, before: i64) -> StoreResult<u64> {
        let mut write = self.write().await?;
        let done = sqlx::query(
            "DELETE FROM api_keys WHERE last_seen_at < $1
             AND (user_id IS NULL OR revoked_at IS NOT NULL OR last_seen_at = created_at)",
        )
        .bind(before)
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        Ok(done.rows_affected())
    }
}

/// Gives a key in place of another.
pub(super) async fn give(write: &mut Write, new: NewKey, replaced: Option<i64>) -> StoreResult<Option<KeyRecord>> {
    if let Some(replaced) = replaced
        && !revoke(write, replaced, new.at).await?
    {
        return Ok(None);
    }
    let NewKey { hash, channel_key, user_id, device_name, at } = new;
    let id = write.next_id("api_keys").await?;
    sqlx::query(
        "INSERT INTO api_keys (id, hash, channel_key, user_id, device_name, created_at, last_seen_at)
         VALUES ($1, $2, $3, $4, $5, $6, $6)",
    )
    .bind(id)
    .bind(&hash)
    .bind(&channel_key)
    .bind(user_id)
    .bind(&device_name)
    .bind(at)
    .execute(&mut **write)
    .await?;
    Ok(Some(KeyRecord { id, hash, channel_key, user_id, device_name, created_at: at, last_seen_at: at }))
}

async fn revoke(write: &mut Write, id: i64, at: i64) -> StoreResult<bool> {
    let done = sqlx::query("UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL")
        .bind(id)
        .bind(at)
        .execute(&mut **write)
        .await?;
    let revoked = done.rows_affected() > 0;
    if revoked {
        write.tell_revoked(vec![id]);
    }
    Ok(revoked)
}

/// Revokes every key of a person but one.
pub(super) async fn revoke_all(write: &mut Write, user_id: i64, but: Option<i64>, at: i64) -> StoreResult<usize> {
    let revoked: Vec<i64> = sqlx::query_scalar(
        "UPDATE api_keys SET revoked_at = $3
         WHERE user_id = $1 AND revoked_at IS NULL AND id <> COALESCE($2, 0) RETURNING id",
    )
    .bind(user_id)
    .bind(but)
    .bind(at)
    .fetch_all(&mut **write)
    .await?;
    let count = revoked.len();
    write.tell_revoked(revoked);
    Ok(count)
}
