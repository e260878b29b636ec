//! Erasure of users.

use async_trait::async_trait;
use sqlx::FromRow;
use touchline_domain::accounts::folded_address;

use super::{SqlStore, Subject, Write, keys, skip_locked, trials, unclaimed, users};
use crate::{Erasure, Erasures, StoreResult, User};

/// Columns of a [`Row`].
macro_rules! erasure_columns {
    ($of:literal) => {
        columns!($of, user_id, channel_key, email, begun_at, attempts)
    };
}

#[derive(FromRow)]
struct Row {
    user_id: i64,
    channel_key: String,
    email: String,
    begun_at: i64,
    attempts: i64,
}

impl From<Row> for Erasure {
    fn from(row: Row) -> Self {
        let Row { user_id, channel_key, email, begun_at, attempts } = row;
        Self { user_id, channel_key, email, begun_at, attempts }
    }
}

#[async_trait]
impl Erasures for SqlStore {
    async fn erase_user(&self, id: i64, at: i64) -> StoreResult<bool> {
        let mut write = self.write().await?;
        let Some(user) = users::find(&mut write, id).await? else { return Ok(false) };
        record_remaining(&mut write, &user, at).await?;
        if user.trial_period_used {
            trials::record_use(&mut write, &self.0.address_secret, &user, at).await?;
        }
        keys::revoke_all(&mut write, id, None, at).await?;
        write.publish_rights_changed(id, at).await?;
        sqlx::query(
            "UPDATE users SET email = '', email_folded = NULL, email_verified = FALSE, first_name = '', last_name = '',
                phone = '', password_hash = NULL, blocked = TRUE, capabilities = '[]', erased_at = $2
             WHERE id = $1",
        )
        .bind(id)
        .bind(at)
        .execute(&mut *write)
        .await?;
        // An erased user's subscriptions don't renew, and pending payments are cancelled.
        sqlx::query(
            "UPDATE subscriptions SET lifecycle = 'ended' WHERE order_id IN (SELECT id FROM orders WHERE user_id = $1)",
        )
        .bind(id)
        .execute(&mut *write)
        .await?;
        sqlx::query("UPDATE charges SET card_brand = NULL, card_last4 = NULL WHERE user_id = $1")
            .bind(id)
            .execute(&mut *write)
            .await?;
        sqlx::query(
            "UPDATE orders SET payment_method_id = '', client_secret = NULL, due_at = NULL, version = version + 1,
                status = CASE WHEN status = 'created' THEN 'failed' ELSE status END
             WHERE user_id = $1",
        )
        .bind(id)
        .execute(&mut *write)
        .await?;
        for statement in [
            "DELETE FROM mails WHERE user_id = $1",
            "DELETE FROM form_submissions WHERE user_id = $1",
            "DELETE FROM api_keys WHERE user_id = $1",
            "DELETE FROM social_logins WHERE user_id = $1",
            "DELETE FROM favorites WHERE user_id = $1",
            "DELETE FROM playback_positions WHERE user_id = $1",
            "DELETE FROM clips WHERE user_id = $1",
            "DELETE FROM answers WHERE user_id = $1",
            "DELETE FROM sandbox_cards WHERE user_id = $1",
            "DELETE FROM kept_cards WHERE user_id = $1",
            "DELETE FROM card_releases WHERE user_id = $1",
            "DELETE FROM order_notices WHERE order_id IN (SELECT id FROM orders WHERE user_id = $1)",
            "UPDATE lake_rows SET user_id = NULL WHERE user_id = $1",
        ] {
            sqlx::query(statement).bind(id).execute(&mut *write).await?;
        }
        sqlx::query("DELETE FROM form_submissions WHERE channel_key = $1 AND sender = $2")
            .bind(&user.channel_key)
            .bind(folded_address(&user.email))
            .execute(&mut *write)
            .await?;
        let scope = format!("user:{id}");
        for statement in ["DELETE FROM status_log WHERE scope = $1", "DELETE FROM status_latest WHERE scope = $1"] {
            sqlx::query(statement).bind(&scope).execute(&mut *write).await?;
        }
        write.commit().await?;
        self.empty_journal().await?;
        Ok(true)
    }

    async fn erasure(&self, user_id: i64) -> StoreResult<Option<Erasure>> {
        let row: Option<Row> =
            sqlx::query_as(concat!("SELECT ", erasure_columns!(""), " FROM erasures WHERE user_id = $1"))
                .bind(user_id)
                .fetch_optional(self.readers())
                .await?;
        Ok(row.map(Into::into))
    }

    async fn incomplete_erasures(&self, limit: u32) -> StoreResult<Vec<Erasure>> {
        let rows: Vec<Row> = sqlx::query_as(concat!(
            "SELECT ",
            erasure_columns!(""),
            " FROM erasures ORDER BY begun_at, user_id LIMIT $1"
        ))
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    async fn due_erasures(&self, at: i64, limit: u32) -> StoreResult<Vec<Erasure>> {
        let mut claiming = self.claiming().await?;
        let node = claiming.node();
        let rows: Vec<Row> = sqlx::query_as(concat!(
            "SELECT ",
            erasure_columns!(""),
            " FROM erasures e WHERE e.due_at <= $1 AND ",
            unclaimed!("'erasure/' || e.user_id", "$3"),
            " ORDER BY e.due_at, e.user_id LIMIT $2",
            skip_locked!("e")
        ))
        .bind(at)
        .bind(i64::from(limit))
        .bind(node)
        .fetch_all(claiming.connection())
        .await?;
        let rows = claiming.take(rows, |row| format!("erasure/{}", row.user_id)).await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    async fn next_erasure(&self) -> StoreResult<Option<i64>> {
        Ok(sqlx::query_scalar(concat!(
            "SELECT MIN(e.due_at) FROM erasures e WHERE ",
            unclaimed!("'erasure/' || e.user_id", "$1")
        ))
        .bind(self.node())
        .fetch_one(self.readers())
        .await?)
    }

    async fn complete_erasure(&self, user_id: i64) -> StoreResult<()> {
        let mut write = self.write().await?;
        // The provider has already deleted the customer.
        for statement in ["DELETE FROM customers WHERE user_id = $1", "DELETE FROM erasures WHERE user_id = $1"] {
            sqlx::query(statement).bind(user_id).execute(&mut *write).await?;
        }
        write.commit().await?;
        self.empty_journal().await
    }

    async fn delay_erasure(&self, user_id: i64, due_at: i64) -> StoreResult<()> {
        let mut write = self.write().await?;
        sqlx::query("UPDATE erasures SET due_at = $2, attempts = attempts + 1 WHERE user_id = $1")
            .bind(user_id)
            .bind(due_at)
            .execute(&mut *write)
            .await?;
        write.commit().await
    }

    async fn delete_used_trials(&self, before: i64) -> StoreResult<u64> {
        let mut write = self.write_about(Subject::Row).await?;
        let done = sqlx::query("DELETE FROM used_trials WHERE at < $1").bind(before).execute(&mut *write).await?;
        write.commit().await?;
        Ok(done.rows_affected())
    }
}

/// Records the remaining work outside the store.
async fn record_remaining(write: &mut Write, user: &User, at: i64) -> StoreResult<()> {
    sqlx::query(
        "INSERT INTO erasures (user_id, channel_key, email, begun_at, due_at, attempts) VALUES ($1, $2, $3, $4, $4, 0)",
    )
    .bind(user.id)
    .bind(&user.channel_key)
    .bind(&user.email)
    .bind(at)
    .execute(&mut **write)
    .await?;
    Ok(())
}
