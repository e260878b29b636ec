//! The log of operators' actions.

use async_trait::async_trait;

use super::{SqlStore, Subject, from_text, to_text};
use crate::audit_log::{AuditEntry, AuditLog, AuditOutcome, NewAuditEntry};
use crate::{StoreError, StoreResult};

type Row = (i64, i64, String, String, String, Option<String>, String, String);

fn entry((id, at, operator, act, subject, channel_key, detail, outcome): Row) -> StoreResult<AuditEntry> {
    let detail = serde_json::from_str(&detail).map_err(StoreError::encoding)?;
    Ok(AuditEntry { id, at, operator, act, subject, channel_key, detail, outcome: from_text(outcome)? })
}

#[async_trait]
impl AuditLog for SqlStore {
    async fn start_audit(&self, entry: NewAuditEntry) -> StoreResult<i64> {
        let mut write = self.write_about(Subject::Row).await?;
        let id = write.next_id("audit_log").await?;
        sqlx::query(
            "INSERT INTO audit_log (id, at, operator, act, subject, channel_key, detail, outcome)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(id)
        .bind(entry.at)
        .bind(&entry.operator)
        .bind(&entry.act)
        .bind(&entry.subject)
        .bind(&entry.channel_key)
        .bind(entry.detail.to_string())
        .bind(to_text(&AuditOutcome::Started)?)
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        Ok(id)
    }

    async fn finish_audit(&self, id: i64, outcome: AuditOutcome) -> StoreResult<()> {
        let mut write = self.write_about(Subject::Row).await?;
        sqlx::query("UPDATE audit_log SET outcome = $2 WHERE id = $1 AND outcome = 'begun'")
            .bind(id)
            .bind(to_text(&outcome)?)
            .execute(&mut *write)
            .await?;
        write.commit().await
    }

    async fn audit_log(
        &self,
        channel_key: Option<&str>,
        subject: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<AuditEntry>> {
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT id, at, operator, act, subject, channel_key, detail, outcome FROM audit_log
             WHERE ($1 IS NULL OR channel_key = $1) AND ($2 IS NULL OR subject = $2) ORDER BY id DESC LIMIT $3",
        )
        .bind(channel_key)
        .bind(subject)
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await?;
        rows.into_iter().map(entry).collect()
    }
}
