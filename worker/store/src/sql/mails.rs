//! Outgoing mail.

use async_trait::async_trait;
use touchline_protocol::envelope::DONE;

use super::{SqlStore, Subject, Write, idempotency, skip_locked, unclaimed};
use crate::{IdempotencyClaim, Mail, Mails, StoreResult};

type Row = (i64, Option<i64>, String, Option<String>, String, Option<String>, String, String, i64);

#[async_trait]
impl Mails for SqlStore {
    async fn queue_mail(&self, mail: Mail, due_at: i64, claim: Option<IdempotencyClaim>) -> StoreResult<()> {
        let subject = claim.as_ref().map_or(Subject::Row, |claim| Subject::Person(claim.user_id));
        let mut write = self.write_about(subject).await?;
        queue(&mut write, &mail, due_at).await?;
        idempotency::store_response(&mut write, claim, DONE, due_at).await?;
        write.commit().await
    }

    async fn due_mails(&self, at: i64, limit: u32) -> StoreResult<Vec<Mail>> {
        let mut claiming = self.claiming().await?;
        let node = claiming.node();
        let rows: Vec<Row> = sqlx::query_as(concat!(
            "SELECT m.id, m.user_id, m.sender_name, m.sender_address, m.recipient, m.reply_to, m.subject, m.text,
                 m.attempts FROM mails m
             WHERE m.due_at <= $1 AND ",
            unclaimed!("'mail/' || m.id", "$3"),
            " ORDER BY m.due_at, m.id LIMIT $2",
            skip_locked!("m")
        ))
        .bind(at)
        .bind(i64::from(limit))
        .bind(node)
        .fetch_all(claiming.connection())
        .await?;
        let rows = claiming.take(rows, |(id, ..)| format!("mail/{id}")).await?;
        let mail = |(id, user_id, sender_name, sender_address, recipient, reply_to, subject, text, attempts)| Mail {
            id,
            user_id,
            sender_name,
            sender_address,
            recipient,
            reply_to,
            subject,
            text,
            attempts,
        };
        Ok(rows.into_iter().map(mail).collect())
    }

    async fn next_mail(&self) -> StoreResult<Option<i64>> {
        Ok(sqlx::query_scalar(concat!("SELECT MIN(m.due_at) FROM mails m WHERE ", unclaimed!("'mail/' || m.id", "$1")))
            .bind(self.node())
            .fetch_one(self.readers())
            .await?)
    }

    async fn complete_mail(&self, id: i64) -> StoreResult<()> {
        let mut write = self.write_about(Subject::Row).await?;
        sqlx::query("DELETE FROM mails WHERE id = $1").bind(id).execute(&mut *write).await?;
        write.commit().await
    }

    async fn delay_mail(&self, id: i64, due_at: i64) -> StoreResult<()> {
        let mut write = self.write_about(Subject::Row).await?;
        sqlx::query("UPDATE mails SET due_at = $2, attempts = attempts + 1 WHERE id = $1")
            .bind(id)
            .bind(due_at)
            .execute(&mut *write)
            .await?;
        write.commit().await
    }
}

/// Queues a mail within the transaction.
pub(super) async fn queue(write: &mut Write, mail: &Mail, due_at: i64) -> StoreResult<()> {
    let id = write.next_id("mails").await?;
    sqlx::query(
        "INSERT INTO mails (id, sender_name, recipient, subject, text, due_at, attempts, user_id, reply_to, sender_address)
         VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8, $9)",
    )
    .bind(id)
    .bind(&mail.sender_name)
    .bind(&mail.recipient)
    .bind(&mail.subject)
    .bind(&mail.text)
    .bind(due_at)
    .bind(mail.user_id)
    .bind(&mail.reply_to)
    .bind(&mail.sender_address)
    .execute(&mut **write)
    .await?;
    Ok(())
}
