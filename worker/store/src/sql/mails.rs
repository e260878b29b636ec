//! Mail that is to be sent.

use async_trait::async_trait;
use touchline_protocol::envelope::DONE;

use super::{SqlStore, Write, idempotency};
use crate::{IdempotencyClaim, Mail, Mails, StoreResult};

#[async_trait]
impl Mails for SqlStore {
    async fn queue_mail(&self, mail: Mail, due_at: i64, claim: Option<IdempotencyClaim>) -> StoreResult<()> {
        let mut write = self.write().await?;
        queue(&mut write, &mail, due_at).await?;
        idempotency::keep(&mut write, claim, DONE, due_at).await?;
        write.commit().await
    }

    async fn due_mails(&self, at: i64, limit: u32) -> StoreResult<Vec<Mail>> {
        let rows: Vec<(i64, Option<i64>, String, String, String, String, i64)> = sqlx::query_as(
            "SELECT id, user_id, sender_name, recipient, subject, text, attempts FROM mails
             WHERE due_at <= $1 ORDER BY due_at, id LIMIT $2",
        )
        .bind(at)
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await?;
        let mail = |(id, user_id, sender_name, recipient, subject, text, attempts)| Mail {
            id,
            user_id,
            sender_name,
            recipient,
            subject,
            text,
            attempts,
        };
        Ok(rows.into_iter().map(mail).collect())
    }

    async fn next_mail(&self) -> StoreResult<Option<i64>> {
        Ok(sqlx::query_scalar("SELECT MIN(due_at) FROM mails").fetch_one(self.readers()).await?)
    }

    async fn mail_done(&self, id: i64) -> StoreResult<()> {
        let mut write = self.write().await?;
        sqlx::query("DELETE FROM mails WHERE id = $1").bind(id).execute(&mut *write).await?;
        write.commit().await
    }

    async fn mail_delayed(&self, id: i64, due_at: i64) -> StoreResult<()> {
        let mut write = self.write().await?;
        sqlx::query("UPDATE mails SET due_at = $2, attempts = attempts + 1 WHERE id = $1")
            .bind(id)
            .bind(due_at)
            .execute(&mut *write)
            .await?;
        write.commit().await
    }
}

/// Queues a letter within the transaction.
pub(super) async fn queue(write: &mut Write, mail: &Mail, due_at: i64) -> StoreResult<()> {
    let id = write.next_id("mails").await?;
    sqlx::query(
        "INSERT INTO mails (id, sender_name, recipient, subject, text, due_at, attempts, user_id)
         VALUES ($1, $2, $3, $4, $5, $6, 0, $7)",
    )
    .bind(id)
    .bind(&mail.sender_name)
    .bind(&mail.recipient)
    .bind(&mail.subject)
    .bind(&mail.text)
    .bind(due_at)
    .bind(mail.user_id)
    .execute(&mut **write)
    .await?;
    Ok(())
}
