//! Records of the sandbox payment provider.

use async_trait::async_trait;
use sqlx::FromRow;
use touchline_protocol::envelope::DONE;
use touchline_protocol::purchases::PaymentMethod;

use super::{SqlStore, Subject, idempotency};
use crate::{
    IdempotencyClaim, SandboxCardRecord, SandboxCharge, SandboxChargeStatus, SandboxLedger, SandboxMovement,
    StoreError, StoreResult,
};

/// Columns of a [`CardRow`].
macro_rules! card_columns {
    ($of:literal) => {
        columns!($of, id, user_id, brand, last4, exp_month, exp_year, behaviour, created_at)
    };
}

#[derive(FromRow)]
struct CardRow {
    id: String,
    user_id: i64,
    brand: String,
    last4: String,
    exp_month: i64,
    exp_year: i64,
    behaviour: String,
    created_at: i64,
}

impl CardRow {
    fn card(self) -> StoreResult<SandboxCardRecord> {
        Ok(SandboxCardRecord {
            id: self.id,
            user_id: self.user_id,
            brand: self.brand,
            last4: self.last4,
            exp_month: u32::try_from(self.exp_month).map_err(StoreError::encoding)?,
            exp_year: u32::try_from(self.exp_year).map_err(StoreError::encoding)?,
            behaviour: self.behaviour,
            created_at: self.created_at,
        })
    }
}

/// Columns of a [`ChargeRow`].
macro_rules! charge_columns {
    ($of:literal) => {
        columns!($of, idempotency_key, user_id, card_id, amount, currency, status, failure, client_secret, created_at)
    };
}

#[derive(FromRow)]
struct ChargeRow {
    idempotency_key: String,
    user_id: i64,
    card_id: String,
    amount: i64,
    currency: String,
    status: String,
    failure: Option<String>,
    client_secret: String,
    created_at: i64,
}

impl ChargeRow {
    fn charge(self) -> StoreResult<SandboxCharge> {
        Ok(SandboxCharge {
            idempotency_key: self.idempotency_key,
            user_id: self.user_id,
            card_id: self.card_id,
            amount: self.amount,
            currency: self.currency,
            status: status_of(&self.status)?,
            failure: self.failure,
            client_secret: self.client_secret,
            created_at: self.created_at,
        })
    }
}

fn status_text(status: SandboxChargeStatus) -> &'static str {
    match status {
        SandboxChargeStatus::RequiresAction => "requires_action",
        SandboxChargeStatus::Succeeded => "succeeded",
        SandboxChargeStatus::Failed => "failed",
        SandboxChargeStatus::Refunded => "refunded",
    }
}

fn status_of(word: &str) -> StoreResult<SandboxChargeStatus> {
    Ok(match word {
        "requires_action" => SandboxChargeStatus::RequiresAction,
        "succeeded" => SandboxChargeStatus::Succeeded,
        "failed" => SandboxChargeStatus::Failed,
        "refunded" => SandboxChargeStatus::Refunded,
        other => return Err(StoreError::encoding(format!("{other} is not a charge status"))),
    })
}

#[async_trait]
impl SandboxLedger for SqlStore {
    async fn add_sandbox_card(
        &self,
        secret_hash: &str,
        card: SandboxCardRecord,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<bool> {
        let mut write = self.write_about(Subject::Person(card.user_id)).await?;
        let intent =
            sqlx::query("UPDATE tokens SET used = TRUE WHERE hash = $1 AND subject = $2 AND expires > $3 AND NOT used")
                .bind(secret_hash)
                .bind(crate::sandbox::setup_subject(card.user_id))
                .bind(card.created_at)
                .execute(&mut *write)
                .await?;
        if intent.rows_affected() == 0 {
            return Ok(false);
        }
        sqlx::query(
            "INSERT INTO sandbox_cards (id, user_id, brand, last4, exp_month, exp_year, behaviour, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(&card.id)
        .bind(card.user_id)
        .bind(&card.brand)
        .bind(&card.last4)
        .bind(i64::from(card.exp_month))
        .bind(i64::from(card.exp_year))
        .bind(&card.behaviour)
        .bind(card.created_at)
        .execute(&mut *write)
        .await?;
        let entered = PaymentMethod { payment_method_id: card.id };
        idempotency::store_response(&mut write, claim, entered, card.created_at).await?;
        write.commit().await?;
        Ok(true)
    }

    async fn sandbox_cards(&self, user_id: i64) -> StoreResult<Vec<SandboxCardRecord>> {
        let rows: Vec<CardRow> = sqlx::query_as(concat!(
            "SELECT ",
            card_columns!(""),
            " FROM sandbox_cards WHERE user_id = $1 ORDER BY created_at DESC, id"
        ))
        .bind(user_id)
        .fetch_all(self.readers())
        .await?;
        rows.into_iter().map(CardRow::card).collect()
    }

    async fn remove_sandbox_card(&self, user_id: i64, id: &str) -> StoreResult<bool> {
        let mut write = self.write_about(Subject::Person(user_id)).await?;
        let done = sqlx::query("DELETE FROM sandbox_cards WHERE user_id = $1 AND id = $2")
            .bind(user_id)
            .bind(id)
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(done.rows_affected() > 0)
    }

    async fn charge_once(&self, charge: SandboxCharge) -> StoreResult<SandboxCharge> {
        let mut write = self.write_about(Subject::Row).await?;
        sqlx::query(
            "INSERT INTO sandbox_charges
                (idempotency_key, user_id, card_id, amount, currency, status, failure, client_secret, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (idempotency_key) DO NOTHING",
        )
        .bind(&charge.idempotency_key)
        .bind(charge.user_id)
        .bind(&charge.card_id)
        .bind(charge.amount)
        .bind(&charge.currency)
        .bind(status_text(charge.status))
        .bind(&charge.failure)
        .bind(&charge.client_secret)
        .bind(charge.created_at)
        .execute(&mut *write)
        .await?;
        let charge: ChargeRow =
            sqlx::query_as(concat!("SELECT ", charge_columns!(""), " FROM sandbox_charges WHERE idempotency_key = $1"))
                .bind(&charge.idempotency_key)
                .fetch_one(&mut *write)
                .await?;
        write.commit().await?;
        charge.charge()
    }

    async fn sandbox_charge(&self, idempotency_key: &str) -> StoreResult<Option<SandboxCharge>> {
        sqlx::query_as::<_, ChargeRow>(concat!(
            "SELECT ",
            charge_columns!(""),
            " FROM sandbox_charges WHERE idempotency_key = $1"
        ))
        .bind(idempotency_key)
        .fetch_optional(self.readers())
        .await?
        .map(ChargeRow::charge)
        .transpose()
    }

    async fn confirm_charge(
        &self,
        client_secret: &str,
        user_id: i64,
        failure: Option<&str>,
        at: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<Option<SandboxCharge>> {
        let status = if failure.is_some() { SandboxChargeStatus::Failed } else { SandboxChargeStatus::Succeeded };
        let mut write = self.write_about(Subject::Person(user_id)).await?;
        sqlx::query(
            "UPDATE sandbox_charges SET status = $3, failure = $4
             WHERE client_secret = $1 AND user_id = $2 AND status = 'requires_action'",
        )
        .bind(client_secret)
        .bind(user_id)
        .bind(status_text(status))
        .bind(failure)
        .execute(&mut *write)
        .await?;
        let charge: Option<ChargeRow> = sqlx::query_as(concat!(
            "SELECT ",
            charge_columns!(""),
            " FROM sandbox_charges WHERE client_secret = $1 AND user_id = $2"
        ))
        .bind(client_secret)
        .bind(user_id)
        .fetch_optional(&mut *write)
        .await?;
        let Some(charge) = charge else { return Ok(None) };
        sqlx::query("UPDATE orders SET due_at = $3 WHERE client_secret = $1 AND user_id = $2")
            .bind(client_secret)
            .bind(user_id)
            .bind(at)
            .execute(&mut *write)
            .await?;
        idempotency::store_response(&mut write, claim, DONE, at).await?;
        write.commit().await?;
        Ok(Some(charge.charge()?))
    }

    async fn refund_once(&self, name: &str, idempotency_key: &str, amount: i64, at: i64) -> StoreResult<bool> {
        let mut write = self.write().await?;
        let there: Option<i64> = sqlx::query_scalar("SELECT amount FROM sandbox_refunds WHERE name = $1")
            .bind(name)
            .fetch_optional(&mut *write)
            .await?;
        if there.is_some() {
            return Ok(true);
        }
        let remaining: Option<i64> = sqlx::query_scalar(
            "SELECT CAST(amount - COALESCE((SELECT SUM(r.amount) FROM sandbox_refunds r
                 WHERE r.idempotency_key = c.idempotency_key), 0) AS BIGINT)
             FROM sandbox_charges c WHERE c.idempotency_key = $1 AND c.status = 'succeeded'",
        )
        .bind(idempotency_key)
        .fetch_optional(&mut *write)
        .await?;
        let Some(remaining) = remaining.filter(|remaining| amount <= *remaining) else { return Ok(false) };
        sqlx::query("INSERT INTO sandbox_refunds (name, idempotency_key, amount, at) VALUES ($1, $2, $3, $4)")
            .bind(name)
            .bind(idempotency_key)
            .bind(amount)
            .bind(at)
            .execute(&mut *write)
            .await?;
        if remaining == amount {
            sqlx::query("UPDATE sandbox_charges SET status = 'refunded' WHERE idempotency_key = $1")
                .bind(idempotency_key)
                .execute(&mut *write)
                .await?;
        }
        write.commit().await?;
        Ok(true)
    }

    async fn sandbox_movements(&self, since: i64) -> StoreResult<Vec<SandboxMovement>> {
        let rows: Vec<(String, Option<String>, i64, i64)> = sqlx::query_as(
            "SELECT idempotency_key, NULL, amount, created_at FROM sandbox_charges
             WHERE status IN ('succeeded', 'refunded') AND created_at >= $1
             UNION ALL SELECT name, idempotency_key, amount, at FROM sandbox_refunds WHERE at >= $1",
        )
        .bind(since)
        .fetch_all(self.readers())
        .await?;
        let moved = |(name, of_charge, amount, at)| SandboxMovement { name, of_charge, amount, at };
        Ok(rows.into_iter().map(moved).collect())
    }

    async fn change_charge_status(
        &self,
        idempotency_key: &str,
        from: SandboxChargeStatus,
        to: SandboxChargeStatus,
    ) -> StoreResult<bool> {
        let mut write = self.write_about(Subject::Row).await?;
        let done = sqlx::query("UPDATE sandbox_charges SET status = $3 WHERE idempotency_key = $1 AND status = $2")
            .bind(idempotency_key)
            .bind(status_text(from))
            .bind(status_text(to))
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(done.rows_affected() > 0)
    }
}
