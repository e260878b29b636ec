//! Single-use tokens.

use async_trait::async_trait;
use touchline_protocol::account::Device;

use super::{SqlStore, Subject, idempotency, keys};
use crate::{IdempotencyClaim, KeyRecord, SessionCodeRecord, StoreResult, Tokens};

#[async_trait]
impl Tokens for SqlStore {
    async fn store_session_code(&self, code: SessionCodeRecord, at: i64) -> StoreResult<bool> {
        let SessionCodeRecord { code_hash, channel_key, key_id, device_key, expires } = code;
        let mut write = self.write().await?;
        let visitor = key_id.stored().is_none().then(|| key_id.to_string());
        sqlx::query("DELETE FROM session_codes WHERE key_id = $1 OR visitor = $2 OR expires <= $3")
            .bind(key_id.stored())
            .bind(&visitor)
            .bind(at)
            .execute(&mut *write)
            .await?;
        let issued = match device_key {
            Some(new) => keys::issue(&mut write, new, None).await?.map(|key| key.id),
            None => key_id.stored(),
        };
        let done = sqlx::query(
            "INSERT INTO session_codes (code_hash, channel_key, key_id, visitor, expires) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (code_hash) DO NOTHING",
        )
        .bind(&code_hash)
        .bind(&channel_key)
        .bind(issued)
        .bind(&visitor)
        .bind(expires)
        .execute(&mut *write)
        .await?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        write.commit().await?;
        Ok(true)
    }

    async fn link_device(
        &self,
        code_hash: &str,
        channel_key: &str,
        user_id: i64,
        at: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<Option<Device>> {
        let mut write = self.write().await?;
        let key_id: Option<i64> = sqlx::query_scalar(
            "DELETE FROM session_codes WHERE code_hash = $1 AND channel_key = $2 AND expires > $3 RETURNING key_id",
        )
        .bind(code_hash)
        .bind(channel_key)
        .bind(at)
        .fetch_optional(&mut *write)
        .await?;
        let Some(key_id) = key_id else { return Ok(None) };
        let linked: Option<(String, String, i64)> = sqlx::query_as(
            "UPDATE api_keys SET user_id = $2, created_at = $3, last_seen_at = $3
             WHERE id = $1 AND revoked_at IS NULL AND user_id IS NULL RETURNING hash, device_name, created_at",
        )
        .bind(key_id)
        .bind(user_id)
        .bind(at)
        .fetch_optional(&mut *write)
        .await?;
        let linked = linked.map(|(hash, device_name, created_at)| {
            let key = KeyRecord {
                id: key_id,
                hash,
                channel_key: channel_key.to_owned(),
                user_id: Some(user_id),
                device_name,
                created_at,
                last_seen_at: at,
                must_change_password: false,
            };
            // The user who enters a code is on another device.
            key.device(false)
        });
        if let Some(device) = &linked {
            idempotency::store_response(&mut write, claim, device, at).await?;
        }
        write.commit().await?;
        Ok(linked)
    }

    async fn store_token(&self, hash: &str, subject: &str, expires: i64) -> StoreResult<()> {
        let mut write = self.write_about(Subject::Row).await?;
        sqlx::query("INSERT INTO tokens (hash, subject, expires, used) VALUES ($1, $2, $3, FALSE)")
            .bind(hash)
            .bind(subject)
            .bind(expires)
            .execute(&mut *write)
            .await?;
        write.commit().await
    }

    async fn use_token(&self, hash: &str, subject: &str, at: i64) -> StoreResult<bool> {
        let mut write = self.write_about(Subject::Row).await?;
        let done =
            sqlx::query("UPDATE tokens SET used = TRUE WHERE hash = $1 AND subject = $2 AND expires > $3 AND NOT used")
                .bind(hash)
                .bind(subject)
                .bind(at)
                .execute(&mut *write)
                .await?;
        write.commit().await?;
        Ok(done.rows_affected() > 0)
    }

    async fn store_text(&self, hash: &str, subject: &str, expires: i64, text: &str) -> StoreResult<()> {
        let mut write = self.write_about(Subject::Row).await?;
        sqlx::query(
            "INSERT INTO tokens (hash, subject, expires, used, text) VALUES ($1, $2, $3, FALSE, $4)
             ON CONFLICT (hash) DO UPDATE SET expires = excluded.expires, text = excluded.text",
        )
        .bind(hash)
        .bind(subject)
        .bind(expires)
        .bind(text)
        .execute(&mut *write)
        .await?;
        write.commit().await
    }

    async fn take_text(&self, hash: &str, subject: &str, at: i64) -> StoreResult<Option<String>> {
        let mut write = self.write_about(Subject::Row).await?;
        let text = sqlx::query_scalar(
            "DELETE FROM tokens WHERE hash = $1 AND subject = $2 AND expires > $3 AND text IS NOT NULL RETURNING text",
        )
        .bind(hash)
        .bind(subject)
        .bind(at)
        .fetch_optional(&mut *write)
        .await?;
        write.commit().await?;
        Ok(text)
    }

    async fn use_once(&self, hash: &str, expires: i64) -> StoreResult<bool> {
        let mut write = self.write_about(Subject::Row).await?;
        let done = sqlx::query(
            "INSERT INTO tokens (hash, subject, expires, used) VALUES ($1, '', $2, TRUE) ON CONFLICT (hash) DO NOTHING",
        )
        .bind(hash)
        .bind(expires)
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        Ok(done.rows_affected() > 0)
    }

    async fn delete_expired_tokens(&self, at: i64) -> StoreResult<u64> {
        let mut write = self.write_about(Subject::Row).await?;
        let tokens = sqlx::query("DELETE FROM tokens WHERE expires <= $1").bind(at).execute(&mut *write).await?;
        let codes = sqlx::query("DELETE FROM session_codes WHERE expires <= $1").bind(at).execute(&mut *write).await?;
        write.commit().await?;
        Ok(tokens.rows_affected() + codes.rows_affected())
    }
}
