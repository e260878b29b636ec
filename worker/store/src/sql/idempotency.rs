//! Stored responses by `Idempotency-Key`.

use async_trait::async_trait;
use serde::Serialize;
use touchline_protocol::envelope::Data;

use super::{SqlStore, Subject, Write};
use crate::idempotency::{DerivedResponse, MAX_RESPONSES, RESPONSE_LIFETIME_MS};
use crate::{IdempotencyClaim, Responses, StoreError, StoreResult, StoredResponse};

#[async_trait]
impl Responses for SqlStore {
    async fn stored_response(
        &self,
        user_id: i64,
        call: &str,
        key: &str,
        since: i64,
    ) -> StoreResult<Option<StoredResponse>> {
        let row: Option<(String, String)> = sqlx::query_as(
            "SELECT fingerprint, body FROM answers WHERE user_id = $1 AND call = $2 AND key = $3 AND at >= $4",
        )
        .bind(user_id)
        .bind(call)
        .bind(key)
        .bind(since)
        .fetch_optional(self.readers())
        .await?;
        Ok(row.map(|(fingerprint, body)| StoredResponse { fingerprint, body }))
    }

    async fn derived_response(&self, user_id: i64, call: &str, prefix: &str) -> StoreResult<Option<DerivedResponse>> {
        let row: Option<(String, String, i64)> = sqlx::query_as(
            "SELECT fingerprint, body, at FROM answers
             WHERE user_id = $1 AND call = $2 AND key LIKE $3 ORDER BY key DESC LIMIT 1",
        )
        .bind(user_id)
        .bind(call)
        .bind(format!("{prefix}:%"))
        .fetch_optional(self.readers())
        .await?;
        Ok(row.map(|(fingerprint, body, at)| DerivedResponse { answer: StoredResponse { fingerprint, body }, at }))
    }

    async fn delete_responses(&self, before: i64) -> StoreResult<u64> {
        let mut write = self.write_about(Subject::Row).await?;
        let done = sqlx::query("DELETE FROM answers WHERE at < $1").bind(before).execute(&mut *write).await?;
        write.commit().await?;
        Ok(done.rows_affected())
    }
}

/// Stores a response together with its effect, if claimed. An expired response with the same key is overwritten. A
/// newer one belongs to a concurrent request, so the transaction fails.
pub(super) async fn store_response(
    write: &mut Write,
    claim: Option<IdempotencyClaim>,
    data: impl Serialize,
    at: i64,
) -> StoreResult<()> {
    let Some(claim) = claim else { return Ok(()) };
    let body = serde_json::to_string(&Data::of(data)).map_err(StoreError::encoding)?;
    sqlx::query("DELETE FROM answers WHERE user_id = $1 AND call = $2 AND key = $3 AND at < $4")
        .bind(claim.user_id)
        .bind(&claim.call)
        .bind(&claim.key)
        .bind(at - RESPONSE_LIFETIME_MS)
        .execute(&mut **write)
        .await?;
    // New keys cost a client nothing, so the responses per user are bounded.
    let count: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM answers WHERE user_id = $1 AND call = $2")
        .bind(claim.user_id)
        .bind(&claim.call)
        .fetch_one(&mut **write)
        .await?;
    if count >= MAX_RESPONSES {
        sqlx::query(
            "DELETE FROM answers WHERE user_id = $1 AND call = $2 AND key IN (
                 SELECT key FROM answers WHERE user_id = $1 AND call = $2 ORDER BY at, key LIMIT $3)",
        )
        .bind(claim.user_id)
        .bind(&claim.call)
        .bind(count - MAX_RESPONSES + MAX_RESPONSES / 10)
        .execute(&mut **write)
        .await?;
    }
    sqlx::query("INSERT INTO answers (user_id, call, key, fingerprint, body, at) VALUES ($1, $2, $3, $4, $5, $6)")
        .bind(claim.user_id)
        .bind(&claim.call)
        .bind(&claim.key)
        .bind(&claim.fingerprint)
        .bind(body)
        .bind(at)
        .execute(&mut **write)
        .await?;
    Ok(())
}
