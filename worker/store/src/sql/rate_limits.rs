//! Rate limits: the generic cell rate algorithm. The stored value of a bucket is the time until which its tokens are
//! spent.

use async_trait::async_trait;
use touchline_protocol::rate::Rate;

use super::{SqlStore, Subject};
use crate::rate_limits::RateLimits;
use crate::secrets::sign;
use crate::{StoreError, StoreResult};

/// Hash of a subject, which may be an IP or email address.
fn hash(secret: &[u8; 32], subject: &str) -> String {
    hex::encode(sign(secret, &[b"try", subject.as_bytes()]))
}

fn every_us(rate: Rate) -> StoreResult<i64> {
    i64::try_from(rate.every_us).map_err(StoreError::encoding)
}

#[async_trait]
impl RateLimits for SqlStore {
    async fn take_token(&self, subject: &str, rate: Rate, at: i64) -> StoreResult<Option<u64>> {
        // A worker with a wrong clock must not lock out viewers of the others.
        let at = self.clock_ms().await?.unwrap_or(at);
        let (every, now) = (every_us(rate)?, at.saturating_mul(1000));
        let room = every.saturating_mul(i64::from(rate.burst));
        let subject = hash(&self.0.address_secret, subject);
        let mut write = self.write_about(Subject::Row).await?;
        let accepted: Option<i64> = sqlx::query_scalar(
            "INSERT INTO tries (subject, spent_until) VALUES ($1, $2 + $3)
             ON CONFLICT (subject) DO UPDATE
             SET spent_until = (CASE WHEN tries.spent_until > $2 THEN tries.spent_until ELSE $2 END) + $3
             WHERE (CASE WHEN tries.spent_until > $2 THEN tries.spent_until ELSE $2 END) + $3 <= $2 + $4
             RETURNING spent_until",
        )
        .bind(&subject)
        .bind(now)
        .bind(every)
        .bind(room)
        .fetch_optional(&mut *write)
        .await?;
        let spent_until: Option<i64> = match accepted {
            Some(_) => None,
            None => {
                sqlx::query_scalar("SELECT spent_until FROM tries WHERE subject = $1")
                    .bind(&subject)
                    .fetch_optional(&mut *write)
                    .await?
            }
        };
        write.commit().await?;
        let wait = spent_until.map(|until| (until + every - room - now).max(1).unsigned_abs().div_ceil(1000));
        Ok(wait)
    }

    async fn return_token(&self, subject: &str, rate: Rate) -> StoreResult<()> {
        let mut write = self.write_about(Subject::Row).await?;
        sqlx::query("UPDATE tries SET spent_until = spent_until - $2 WHERE subject = $1")
            .bind(hash(&self.0.address_secret, subject))
            .bind(every_us(rate)?)
            .execute(&mut *write)
            .await?;
        write.commit().await
    }

    async fn reset_limit(&self, subject: &str) -> StoreResult<()> {
        let mut write = self.write_about(Subject::Row).await?;
        sqlx::query("DELETE FROM tries WHERE subject = $1")
            .bind(hash(&self.0.address_secret, subject))
            .execute(&mut *write)
            .await?;
        write.commit().await
    }

    async fn delete_full_buckets(&self, at: i64) -> StoreResult<u64> {
        let at = self.clock_ms().await?.unwrap_or(at);
        let mut write = self.write_about(Subject::Row).await?;
        let done = sqlx::query("DELETE FROM tries WHERE spent_until <= $1")
            .bind(at.saturating_mul(1000))
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(done.rows_affected())
    }
}
