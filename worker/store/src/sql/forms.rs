//! Submissions of the channel's forms.

use async_trait::async_trait;

use super::{SqlStore, Subject, mails};
use crate::{Forms, Mail, NewSubmission, StoreError, StoreResult, Submission};

#[async_trait]
impl Forms for SqlStore {
    async fn submit_form(&self, new: NewSubmission, email: Option<Mail>) -> StoreResult<bool> {
        let mut write = self.write().await?;
        let existing: Option<i64> = sqlx::query_scalar(
            "SELECT id FROM form_submissions WHERE channel_key = $1 AND alias = $2 AND submission_key = $3",
        )
        .bind(&new.channel_key)
        .bind(&new.alias)
        .bind(&new.submission_key)
        .fetch_optional(&mut *write)
        .await?;
        if existing.is_some() {
            return Ok(false);
        }
        let id = write.next_id("form_submissions").await?;
        sqlx::query(
            "INSERT INTO form_submissions (id, channel_key, alias, submission_key, user_id, sender, answers, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(id)
        .bind(&new.channel_key)
        .bind(&new.alias)
        .bind(&new.submission_key)
        .bind(new.user_id)
        .bind(&new.sender)
        .bind(serde_json::to_string(&new.answers).map_err(StoreError::encoding)?)
        .bind(new.at)
        .execute(&mut *write)
        .await?;
        if let Some(email) = email {
            mails::queue(&mut write, &email, new.at).await?;
        }
        write.commit().await?;
        Ok(true)
    }

    async fn submissions(&self, channel_key: &str, alias: Option<&str>, limit: u32) -> StoreResult<Vec<Submission>> {
        let rows: Vec<(i64, String, Option<i64>, String, i64)> = sqlx::query_as(
            "SELECT id, alias, user_id, answers, created_at FROM form_submissions
             WHERE channel_key = $1 AND alias = COALESCE($2, alias) ORDER BY id DESC LIMIT $3",
        )
        .bind(channel_key)
        .bind(alias)
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await?;
        rows.into_iter()
            .map(|(id, alias, user_id, answers, created_at)| {
                let answers = serde_json::from_str(&answers).map_err(StoreError::encoding)?;
                Ok(Submission { id, alias, user_id, answers, created_at })
            })
            .collect()
    }

    async fn delete_submissions(&self, at: i64) -> StoreResult<u64> {
        let mut write = self.write_about(Subject::Row).await?;
        let deleted =
            sqlx::query("DELETE FROM form_submissions WHERE created_at < $1").bind(at).execute(&mut *write).await?;
        write.commit().await?;
        Ok(deleted.rows_affected())
    }
}
