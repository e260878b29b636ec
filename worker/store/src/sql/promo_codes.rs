//! Promo codes of the operator.

use async_trait::async_trait;
use sqlx::FromRow;
use touchline_domain::coupons::{CouponRule, Discount};

use super::{Connection, SqlStore, Write, from_list, list};
use crate::promo_codes::PromoCodes;
use crate::{StoreError, StoreResult};

/// Columns of a [`Row`].
macro_rules! promo_columns {
    ($of:literal) => {
        columns!($of, code, percent, amount, products, max_uses, starts_at, ends_at)
    };
}

#[derive(FromRow)]
struct Row {
    code: String,
    percent: Option<i64>,
    amount: Option<i64>,
    products: String,
    max_uses: Option<i64>,
    starts_at: Option<i64>,
    ends_at: Option<i64>,
}

impl Row {
    fn rule(self) -> StoreResult<CouponRule> {
        let discount = match (self.percent, self.amount) {
            (Some(percent), _) => Discount::Percent(percent),
            (None, Some(amount)) => Discount::Amount(amount),
            (None, None) => return Err(StoreError::encoding("a promo code without a discount")),
        };
        let Self { code, products, max_uses, starts_at, ends_at, .. } = self;
        Ok(CouponRule { code, discount, products: from_list(&products)?, max_uses, starts_at, ends_at })
    }
}

#[async_trait]
impl PromoCodes for SqlStore {
    async fn add_promo_code(&self, channel_key: &str, rule: &CouponRule, at: i64) -> StoreResult<bool> {
        let mut write = self.write().await?;
        let added = insert(&mut write, channel_key, rule, at).await?;
        write.commit().await?;
        Ok(added)
    }

    async fn end_promo_code(&self, channel_key: &str, rule: &CouponRule, at: i64) -> StoreResult<()> {
        let mut write = self.write().await?;
        insert(&mut write, channel_key, rule, at).await?;
        sqlx::query(
            "UPDATE promo_codes SET ends_at = $3
             WHERE channel_key = $1 AND code_folded = $2 AND (ends_at IS NULL OR ends_at > $3)",
        )
        .bind(channel_key)
        .bind(rule.code.to_ascii_lowercase())
        .bind(at)
        .execute(&mut *write)
        .await?;
        write.commit().await
    }

    async fn promo_code(&self, channel_key: &str, code: &str) -> StoreResult<Option<CouponRule>> {
        sqlx::query_as::<_, Row>(concat!(
            "SELECT ",
            promo_columns!(""),
            " FROM promo_codes WHERE channel_key = $1 AND code_folded = $2"
        ))
        .bind(channel_key)
        .bind(code.to_ascii_lowercase())
        .fetch_optional(self.readers())
        .await?
        .map(Row::rule)
        .transpose()
    }

    async fn promo_codes(&self, channel_key: &str) -> StoreResult<Vec<CouponRule>> {
        let rows: Vec<Row> = sqlx::query_as(concat!(
            "SELECT ",
            promo_columns!(""),
            " FROM promo_codes WHERE channel_key = $1 ORDER BY code_folded"
        ))
        .bind(channel_key)
        .fetch_all(self.readers())
        .await?;
        rows.into_iter().map(Row::rule).collect()
    }

    async fn promo_code_uses(&self, channel_key: &str, code: &str) -> StoreResult<i64> {
        uses(&mut *self.readers().acquire().await?, channel_key, code).await
    }
}

async fn insert(write: &mut Write, channel_key: &str, rule: &CouponRule, at: i64) -> StoreResult<bool> {
    let (percent, amount) = match rule.discount {
        Discount::Percent(percent) => (Some(percent), None),
        Discount::Amount(amount) => (None, Some(amount)),
    };
    let done = sqlx::query(
        "INSERT INTO promo_codes (channel_key, code_folded, code, percent, amount, products, max_uses, starts_at,
            ends_at, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (channel_key, code_folded) DO NOTHING",
    )
    .bind(channel_key)
    .bind(rule.code.to_ascii_lowercase())
    .bind(&rule.code)
    .bind(percent)
    .bind(amount)
    .bind(list(&rule.products)?)
    .bind(rule.max_uses)
    .bind(rule.starts_at)
    .bind(rule.ends_at)
    .bind(at)
    .execute(&mut **write)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Counts the orders with a code, except failed ones. A failed order gives its use back.
pub(super) async fn uses(read: &mut Connection, channel_key: &str, code: &str) -> StoreResult<i64> {
    Ok(sqlx::query_scalar(
        "SELECT COUNT(*) FROM orders WHERE channel_key = $1 AND promo_code = $2 AND status <> 'failed'",
    )
    .bind(channel_key)
    .bind(code)
    .fetch_one(read)
    .await?)
}
