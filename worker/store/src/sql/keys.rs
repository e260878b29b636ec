//! API keys.

use async_trait::async_trait;
use sqlx::FromRow;
use touchline_protocol::event_names::LOGGED_IN;

use super::{SqlStore, Subject, Write, skip_locked, viewer_events};
use crate::{KeyRecord, Keys, NewKey, Revoked, StoreResult};

/// Columns of a [`Row`].
macro_rules! key_columns {
    ($of:literal) => {
        columns!($of, id, hash, channel_key, user_id, device_name, created_at, last_seen_at)
    };
}

#[derive(FromRow)]
struct Row {
    id: i64,
    hash: String,
    channel_key: String,
    user_id: Option<i64>,
    device_name: String,
    created_at: i64,
    last_seen_at: i64,
    #[sqlx(default)]
    must_change_password: bool,
}

impl From<Row> for KeyRecord {
    fn from(row: Row) -> Self {
        let Row { id, hash, channel_key, user_id, device_name, created_at, last_seen_at, must_change_password } = row;
        Self { id, hash, channel_key, user_id, device_name, created_at, last_seen_at, must_change_password }
    }
}

#[async_trait]
impl Keys for SqlStore {
    async fn issue_key(&self, new: NewKey, replaced: Option<i64>) -> StoreResult<Option<KeyRecord>> {
        let mut write = self.write_about(Subject::Row).await?;
        let sign_in = new.sign_in.clone().zip(new.user_id);
        let issued = issue(&mut write, new, replaced).await?;
        if let Some((sign_in, user_id)) = sign_in.filter(|_| issued.is_some()) {
            viewer_events::record_sign_in(&mut write, &sign_in, user_id, LOGGED_IN).await?;
        }
        write.commit().await?;
        Ok(issued)
    }

    async fn key(&self, hash: &str) -> StoreResult<Option<KeyRecord>> {
        let row: Option<Row> = sqlx::query_as(concat!(
            "SELECT ",
            key_columns!("k."),
            ", COALESCE(u.temporary_password, FALSE) AS must_change_password
             FROM api_keys k LEFT JOIN users u ON u.id = k.user_id
             WHERE k.hash = $1 AND k.revoked_at IS NULL AND (k.user_id IS NULL OR NOT u.blocked)"
        ))
        .bind(hash)
        .fetch_optional(self.readers())
        .await?;
        Ok(row.map(Into::into))
    }

    async fn record_key_use(&self, id: i64, at: i64) -> StoreResult<()> {
        let mut write = self.write_about(Subject::Row).await?;
        sqlx::query("UPDATE api_keys SET last_seen_at = $2 WHERE id = $1 AND last_seen_at < $2")
            .bind(id)
            .bind(at)
            .execute(&mut *write)
            .await?;
        write.commit().await
    }

    async fn revoke_key(&self, id: i64, at: i64) -> StoreResult<bool> {
        let mut write = self.write_about(Subject::Row).await?;
        let revoked = revoke(&mut write, id, at).await?;
        write.commit().await?;
        Ok(revoked)
    }

    async fn user_keys(&self, user_id: i64) -> StoreResult<Vec<KeyRecord>> {
        let rows: Vec<Row> = sqlx::query_as(concat!(
            "SELECT ",
            key_columns!(""),
            " FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL ORDER BY id DESC"
        ))
        .bind(user_id)
        .fetch_all(self.readers())
        .await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    async fn revoke_user_keys(&self, user_id: i64, except: Option<i64>, at: i64) -> StoreResult<usize> {
        let mut write = self.write().await?;
        let revoked = revoke_all(&mut write, user_id, except, at).await?;
        write.commit().await?;
        Ok(revoked)
    }

    async fn revoked_since(&self, since: i64, limit: usize) -> StoreResult<Vec<(Revoked, i64)>> {
        let rows: Vec<(Option<i64>, Option<i64>, Option<String>, i64)> = sqlx::query_as(
            "SELECT id, NULL, NULL, revoked_at AS at FROM api_keys WHERE revoked_at >= $1
             UNION ALL SELECT NULL, id, NULL, rights_changed_at FROM users WHERE rights_changed_at >= $1
             UNION ALL SELECT NULL, NULL, channel_key, raised_at FROM key_generations WHERE raised_at >= $1
             ORDER BY at DESC LIMIT $2",
        )
        .bind(since)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(self.readers())
        .await?;
        let revoked = |(session, person, channel_key, at): (Option<i64>, Option<i64>, Option<String>, i64)| {
            let what = session.map(Revoked::Session).or(person.map(Revoked::Person));
            Some((what.or(channel_key.map(Revoked::Visitors))?, at))
        };
        Ok(rows.into_iter().rev().filter_map(revoked).collect())
    }

    async fn key_generation(&self, channel_key: &str) -> StoreResult<i64> {
        let generation = sqlx::query_scalar("SELECT generation FROM key_generations WHERE channel_key = $1")
            .bind(channel_key)
            .fetch_optional(self.readers())
            .await?;
        Ok(generation.unwrap_or(0))
    }

    async fn raise_key_generation(&self, channel_key: &str, at: i64) -> StoreResult<i64> {
        let mut write = self.write_about(Subject::Row).await?;
        let generation = sqlx::query_scalar(
            "INSERT INTO key_generations (channel_key, generation, raised_at) VALUES ($1, 1, $2)
             ON CONFLICT (channel_key) DO UPDATE
             SET generation = key_generations.generation + 1, raised_at = excluded.raised_at RETURNING generation",
        )
        .bind(channel_key)
        .bind(at)
        .fetch_one(&mut *write)
        .await?;
        write.announce_visitors_ended(channel_key);
        write.commit().await?;
        Ok(generation)
    }

    async fn delete_idle_keys(&self, before: i64, unused_before: i64, limit: u32) -> StoreResult<u64> {
        let mut write = self.write_about(Subject::Row).await?;
        let deleted = sqlx::query(concat!(
            "DELETE FROM api_keys WHERE id IN (
                 SELECT id FROM api_keys WHERE last_seen_at < $1
                 AND (user_id IS NULL OR revoked_at IS NOT NULL OR last_seen_at = created_at)
                 OR last_seen_at < $2 AND user_id IS NULL AND last_seen_at = created_at
                 ORDER BY last_seen_at LIMIT $3",
            skip_locked!("api_keys"),
            ")"
        ))
        .bind(before)
        .bind(unused_before)
        .bind(i64::from(limit))
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        Ok(deleted.rows_affected())
    }
}

/// Issues a key in place of another.
pub(super) async fn issue(write: &mut Write, new: NewKey, replaced: Option<i64>) -> StoreResult<Option<KeyRecord>> {
    if let Some(replaced) = replaced
        && !revoke(write, replaced, new.at).await?
    {
        return Ok(None);
    }
    let NewKey { hash, channel_key, user_id, device_name, sign_in: _, at } = new;
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
    let must_change_password = false;
    Ok(Some(KeyRecord {
        id,
        hash,
        channel_key,
        user_id,
        device_name,
        created_at: at,
        last_seen_at: at,
        must_change_password,
    }))
}

async fn revoke(write: &mut Write, id: i64, at: i64) -> StoreResult<bool> {
    let done = sqlx::query("UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL")
        .bind(id)
        .bind(at)
        .execute(&mut **write)
        .await?;
    let revoked = done.rows_affected() > 0;
    if revoked {
        write.announce_revoked(vec![id]);
    }
    Ok(revoked)
}

/// Revokes a user's keys except `except`.
pub(super) async fn revoke_all(write: &mut Write, user_id: i64, except: Option<i64>, at: i64) -> StoreResult<usize> {
    let revoked: Vec<i64> = sqlx::query_scalar(
        "UPDATE api_keys SET revoked_at = $3
         WHERE user_id = $1 AND revoked_at IS NULL AND id <> COALESCE($2, 0) RETURNING id",
    )
    .bind(user_id)
    .bind(except)
    .bind(at)
    .fetch_all(&mut **write)
    .await?;
    let count = revoked.len();
    write.announce_revoked(revoked);
    Ok(count)
}
