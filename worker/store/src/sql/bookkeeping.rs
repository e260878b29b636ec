//! Queries of the books.

use std::collections::HashSet;

use async_trait::async_trait;
use sqlx::FromRow;

use super::charge_rows::charge_columns;
use super::order_rows::{Row, orders_where};
use super::{SqlStore, Subject, charge_rows, from_text, list, mails, numbers_of, receipts};
use crate::bookkeeping::{BOOK_RULES, Bookkeeping, Disagreement, OrderNotice, Sales};
use crate::{ChargeRecord, Mail, OrderRecord, StoreResult};

const DAY_MS: i64 = 24 * 3600 * 1000;
/// Age below which a change may still be in progress, in milliseconds.
const UNDER_WAY_MS: i64 = 60_000;

#[derive(FromRow)]
struct SalesRow {
    day: i64,
    channel_key: String,
    kind: String,
    product_id: i64,
    product_name: String,
    currency: String,
    payments: i64,
    gross: i64,
    discount: i64,
    fee: i64,
    refunds: i64,
}

impl SalesRow {
    fn sales(self) -> StoreResult<Sales> {
        Ok(Sales {
            day: self.day * DAY_MS,
            channel_key: self.channel_key,
            kind: from_text(self.kind)?,
            product_id: self.product_id,
            product_name: self.product_name,
            currency: self.currency,
            payments: self.payments,
            gross: self.gross,
            discount: self.discount,
            fee: self.fee,
            refunds: self.refunds,
            net: self.gross - self.discount - self.refunds,
        })
    }
}

/// One query for each of the [`BOOK_RULES`] but the last, returning the violating orders (`order_id`, `detail`). `$1` is the time of
/// the latest change to consider, `$2` the current time and `$3` the limit.
const RULES: [&str; 9] = [
    // Paid without charge.
    "SELECT o.id AS order_id, 'the order is ' || o.status || ', but there is no payment' AS detail FROM orders o
     WHERE o.status IN ('paid', 'refunded') AND o.base_price - o.discount + o.service_fee > 0 AND o.created_at < $1
       AND $2 = $2 AND NOT EXISTS (SELECT 1 FROM charges c WHERE c.order_id = o.id AND c.renewal = 0
                       AND c.kind = 'purchase' AND c.status = 'succeeded' AND c.accepted) LIMIT $3",
    // Charge without order.
    "SELECT c.order_id, 'charge ' || c.id || ' succeeded, but the order is ' || o.status AS detail
     FROM charges c JOIN orders o ON o.id = c.order_id
     WHERE c.status = 'succeeded' AND c.accepted AND c.kind IN ('purchase', 'renewal') AND o.status NOT IN ('paid', 'refunded')
       AND c.at < $1 AND $2 = $2 LIMIT $3",
    // Amount.
    "SELECT c.order_id, 'charge ' || c.id || ' is ' || c.amount || ' with a fee of ' || c.fee || ', but the order is '
            || (o.base_price - o.discount + o.service_fee) || ' with ' || o.service_fee AS detail
     FROM charges c JOIN orders o ON o.id = c.order_id
     WHERE c.kind = 'purchase' AND c.status = 'succeeded' AND c.at < $1 AND $2 = $2
       AND (c.amount <> o.base_price - o.discount + o.service_fee OR c.fee <> o.service_fee) LIMIT $3",
    // Refunded minor.
    "SELECT o.id AS order_id, 'the order has ' || o.refunded_minor || ' refunded, but its charges '
            || COALESCE(SUM(CASE WHEN c.kind = 'refund_failed' THEN -c.amount ELSE c.amount END), 0) AS detail
     FROM orders o LEFT JOIN charges c ON c.order_id = o.id AND c.status = 'succeeded'
          AND (c.kind = 'dispute' OR (c.kind IN ('refund', 'refund_failed') AND c.accepted))
     WHERE o.created_at < $1 AND $2 = $2 GROUP BY o.id, o.refunded_minor
     HAVING o.refunded_minor <> COALESCE(SUM(CASE WHEN c.kind = 'refund_failed' THEN -c.amount ELSE c.amount END), 0)
     LIMIT $3",
    // Refunded without refund.
    "SELECT o.id AS order_id, 'the order is refunded, but there is no refund' AS detail FROM orders o
     WHERE o.status = 'refunded' AND o.base_price - o.discount + o.service_fee > 0 AND o.created_at < $1 AND $2 = $2
       AND NOT EXISTS (SELECT 1 FROM charges c WHERE c.order_id = o.id AND c.kind IN ('refund', 'dispute')
                       AND c.status = 'succeeded') LIMIT $3",
    // Not taken.
    "SELECT c.order_id, 'charge ' || c.id || ' was not accepted, but it is not refunded' AS detail FROM charges c
     WHERE NOT c.accepted AND c.kind IN ('purchase', 'renewal') AND c.status = 'succeeded' AND c.at < $1 AND $2 = $2
       AND c.amount > (SELECT COALESCE(SUM(CASE WHEN b.kind IN ('dispute_won', 'refund_failed') THEN -b.amount
                                                ELSE b.amount END), 0)
                       FROM charges b WHERE b.of_charge = c.id AND b.status = 'succeeded') LIMIT $3",
    // Access after end.
    "SELECT id AS order_id, 'the order has ended, but its access is active' AS detail FROM orders
     WHERE activity_status = 'active' AND (status <> 'paid' OR (active_until IS NOT NULL AND active_until < $1))
       AND $2 = $2 LIMIT $3",
    // Paid without access.
    "SELECT o.id AS order_id, 'the order is paid and not over, but its access is inactive' AS detail FROM orders o
     WHERE o.status = 'paid' AND o.activity_status <> 'active' AND o.created_at < $1
       AND (o.active_until IS NULL OR o.active_until > $2)
       AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.order_id = o.id AND s.lifecycle IN ('past_due', 'ended'))
     LIMIT $3",
    // Paid without content.
    "SELECT id AS order_id, 'the order is paid, but \"' || product_name || '\" can never open anything' AS detail FROM orders
     WHERE status = 'paid' AND kind = 'package' AND participant_id IS NULL AND event_categories = '[]'
       AND created_at < $1 AND $2 = $2 LIMIT $3",
];

#[async_trait]
impl Bookkeeping for SqlStore {
    async fn sales(&self, channel_key: Option<&str>, between: (i64, i64)) -> StoreResult<Vec<Sales>> {
        let rows: Vec<SalesRow> = sqlx::query_as(
            "SELECT c.at / 86400000 AS day, o.channel_key, o.kind, o.product_id, MAX(o.product_name) AS product_name,
                c.currency, COUNT(CASE WHEN c.kind IN ('purchase', 'renewal') THEN 1 END) AS payments,
                CAST(SUM(CASE WHEN c.kind = 'purchase' THEN c.amount + o.discount WHEN c.kind = 'renewal' THEN c.amount
                    ELSE 0 END) AS BIGINT) AS gross,
                CAST(SUM(CASE WHEN c.kind = 'purchase' THEN o.discount ELSE 0 END) AS BIGINT) AS discount,
                CAST(SUM(CASE WHEN c.kind IN ('refund', 'dispute') THEN -c.fee ELSE c.fee END) AS BIGINT) AS fee,
                CAST(SUM(CASE WHEN c.kind IN ('refund', 'dispute') THEN c.amount
                    WHEN c.kind IN ('dispute_won', 'refund_failed') THEN -c.amount ELSE 0 END) AS BIGINT) AS refunds
             FROM charges c JOIN orders o ON o.id = c.order_id
             WHERE c.status = 'succeeded' AND ($1 IS NULL OR o.channel_key = $1) AND c.at >= $2 AND c.at < $3
             GROUP BY c.at / 86400000, o.channel_key, o.kind, o.product_id, c.currency
             ORDER BY 1, 2, 3, 4, 6",
        )
        .bind(channel_key)
        .bind(between.0)
        .bind(between.1)
        .fetch_all(self.readers())
        .await?;
        rows.into_iter().map(SalesRow::sales).collect()
    }

    async fn disagreements(&self, at: i64, limit: u32) -> StoreResult<Vec<Disagreement>> {
        let mut read = self.read().await?;
        let mut found = Vec::new();
        for (rule, query) in BOOK_RULES.into_iter().zip(RULES) {
            let rows: Vec<(i64, String)> = sqlx::query_as(query)
                .bind(at - UNDER_WAY_MS)
                .bind(at)
                .bind(i64::from(limit))
                .fetch_all(&mut *read)
                .await?;
            found.extend(rows.into_iter().map(|(order_id, detail)| Disagreement {
                rule: rule.to_owned(),
                order_id: Some(order_id),
                channel_key: None,
                detail,
            }));
        }
        found.extend(receipts::disagreements(&mut read, limit).await?);
        found.truncate(limit as usize);
        Ok(found)
    }

    async fn charges_since(&self, at: i64, limit: u32) -> StoreResult<Vec<ChargeRecord>> {
        charge_rows::records(
            sqlx::query_as(concat!(
                "SELECT ",
                charge_columns!(""),
                " FROM charges WHERE status = 'succeeded' AND at >= $1 ORDER BY at, id LIMIT $2"
            ))
            .bind(at)
            .bind(i64::from(limit))
            .fetch_all(self.readers())
            .await?,
        )
    }

    async fn unknown_orders(&self, ids: &[i64]) -> StoreResult<Vec<i64>> {
        let found: Vec<i64> = sqlx::query_scalar(concat!("SELECT id FROM orders WHERE id IN ", numbers_of!("$1")))
            .bind(list(ids)?)
            .fetch_all(self.readers())
            .await?;
        let found: HashSet<i64> = found.into_iter().collect();
        Ok(ids.iter().copied().filter(|id| !found.contains(id)).collect())
    }

    async fn subscriptions_at_provider(&self) -> StoreResult<Vec<OrderRecord>> {
        let rows: Vec<Row> = sqlx::query_as(orders_where!(
            "o.provider_ref IS NOT NULL AND s.lifecycle IN ('trialing', 'active', 'past_due', 'cancelling')"
        ))
        .fetch_all(self.readers())
        .await?;
        rows.into_iter().map(Row::record).collect()
    }

    async fn subscriptions_of(&self, user_id: i64) -> StoreResult<Vec<OrderRecord>> {
        let rows: Vec<Row> = sqlx::query_as(orders_where!(
            "o.user_id = $1 AND o.provider_ref IS NOT NULL AND s.order_id IS NOT NULL ORDER BY o.id"
        ))
        .bind(user_id)
        .fetch_all(self.readers())
        .await?;
        rows.into_iter().map(Row::record).collect()
    }

    async fn last_event_at(&self, order_id: i64) -> StoreResult<Option<i64>> {
        Ok(sqlx::query_scalar("SELECT MAX(at) FROM order_events WHERE order_id = $1")
            .bind(order_id)
            .fetch_one(self.readers())
            .await?)
    }

    async fn order_notices(&self, limit: u32) -> StoreResult<Vec<OrderNotice>> {
        let mut read = self.read().await?;
        let rows: Vec<(i64, i64, String, i64, Option<i64>)> = sqlx::query_as(
            "SELECT n.order_id, n.version, e.what, e.at, n.charge_id FROM order_notices n
             JOIN order_events e ON e.order_id = n.order_id AND e.version = n.version ORDER BY e.at, n.order_id LIMIT $1",
        )
        .bind(i64::from(limit))
        .fetch_all(&mut *read)
        .await?;
        let mut notices = Vec::with_capacity(rows.len());
        for (order_id, version, what, at, charge_id) in rows {
            let order: Option<Row> =
                sqlx::query_as(orders_where!("o.id = $1")).bind(order_id).fetch_optional(&mut *read).await?;
            let charge: Option<charge_rows::Row> =
                sqlx::query_as(concat!("SELECT ", charge_columns!(""), " FROM charges WHERE id = $1"))
                    .bind(charge_id)
                    .fetch_optional(&mut *read)
                    .await?;
            let charge = charge.map(charge_rows::Row::record).transpose()?;
            if let Some(order) = order {
                notices.push(OrderNotice { order: order.record()?, version, what, at, charge });
            }
        }
        Ok(notices)
    }

    async fn complete_notice(&self, order_id: i64, version: i64, mail: Option<Mail>, at: i64) -> StoreResult<()> {
        let mut write = self.write_about(Subject::Order(order_id)).await?;
        let done = sqlx::query("DELETE FROM order_notices WHERE order_id = $1 AND version = $2")
            .bind(order_id)
            .bind(version)
            .execute(&mut *write)
            .await?;
        // Another worker on the same store may have been faster.
        if let (1.., Some(mail)) = (done.rows_affected(), mail) {
            mails::queue(&mut write, &mail, at).await?;
        }
        write.commit().await
    }

    async fn due_reminders(&self, at: i64, (annual, trial): (i64, i64), limit: u32) -> StoreResult<Vec<OrderRecord>> {
        let rows: Vec<Row> = sqlx::query_as(orders_where!(
            "o.status = 'paid' AND o.payment_method_id <> '' AND s.current_period_end > $1
             AND ((s.lifecycle = 'active' AND s.annual AND s.current_period_end <= $1 + $2)
                  OR (s.lifecycle = 'trialing' AND s.current_period_end <= $1 + $3))
             AND NOT EXISTS (SELECT 1 FROM renewal_reminders r WHERE r.order_id = o.id
                             AND r.period_end = s.current_period_end)
             ORDER BY s.current_period_end LIMIT $4"
        ))
        .bind(at)
        .bind(annual)
        .bind(trial)
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await?;
        rows.into_iter().map(Row::record).collect()
    }

    async fn complete_reminder(&self, order_id: i64, period_end: i64, mail: Option<Mail>, at: i64) -> StoreResult<()> {
        let mut write = self.write_about(Subject::Order(order_id)).await?;
        let new = sqlx::query(
            "INSERT INTO renewal_reminders (order_id, period_end) VALUES ($1, $2)
             ON CONFLICT (order_id, period_end) DO NOTHING",
        )
        .bind(order_id)
        .bind(period_end)
        .execute(&mut *write)
        .await?;
        if let (1.., Some(mail)) = (new.rows_affected(), mail) {
            mails::queue(&mut write, &mail, at).await?;
        }
        write.commit().await
    }
}
