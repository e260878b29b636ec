//! Rows of webhooks, and their effects.

use async_trait::async_trait;
use sqlx::FromRow;
use touchline_protocol::purchases::Order;

use super::order_rows::{Row as OrderRow, find, orders_where};
use super::{SqlStore, Subject, charges, from_list, list, order_transitions, skip_locked, texts_of, unclaimed};
use crate::{Effect, OrderRecord, StoreResult, Webhook, Webhooks};

/// Columns of a [`Row`].
macro_rules! webhook_columns {
    ($of:literal) => {
        columns!($of, id, kind, order_id, refs, received_at, attempts)
    };
}

#[derive(FromRow)]
struct Row {
    id: String,
    kind: String,
    order_id: Option<i64>,
    refs: String,
    received_at: i64,
    attempts: i64,
}

impl Row {
    fn webhook(self) -> StoreResult<Webhook> {
        let Self { id, kind, order_id, refs, received_at, attempts } = self;
        Ok(Webhook { id, kind, order_id, refs: from_list(&refs)?, received_at, attempts })
    }
}

#[async_trait]
impl Webhooks for SqlStore {
    async fn store_webhook(&self, webhook: Webhook) -> StoreResult<bool> {
        let mut write = self.write_about(Subject::Row).await?;
        let done = sqlx::query(
            "INSERT INTO webhooks (id, kind, order_id, refs, received_at, due_at, attempts)
             VALUES ($1, $2, $3, $4, $5, $5, 0) ON CONFLICT (id) DO NOTHING",
        )
        .bind(&webhook.id)
        .bind(&webhook.kind)
        .bind(webhook.order_id)
        .bind(list(&webhook.refs)?)
        .bind(webhook.received_at)
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        Ok(done.rows_affected() > 0)
    }

    async fn due_webhooks(&self, at: i64, limit: u32) -> StoreResult<Vec<Webhook>> {
        let mut claiming = self.claiming().await?;
        let node = claiming.node();
        let rows: Vec<Row> = sqlx::query_as(concat!(
            "SELECT ",
            webhook_columns!(""),
            " FROM webhooks w WHERE w.due_at <= $1 AND ",
            unclaimed!("'webhook/' || w.id", "$3"),
            " ORDER BY w.due_at, w.received_at, w.id LIMIT $2",
            skip_locked!("w")
        ))
        .bind(at)
        .bind(i64::from(limit))
        .bind(node)
        .fetch_all(claiming.connection())
        .await?;
        let rows = claiming.take(rows, |row| format!("webhook/{}", row.id)).await?;
        rows.into_iter().map(Row::webhook).collect()
    }

    async fn delay_webhook(&self, id: &str, due_at: i64) -> StoreResult<()> {
        let mut write = self.write_about(Subject::Row).await?;
        sqlx::query("UPDATE webhooks SET due_at = $2, attempts = attempts + 1 WHERE id = $1 AND due_at IS NOT NULL")
            .bind(id)
            .bind(due_at)
            .execute(&mut *write)
            .await?;
        write.commit().await
    }

    async fn find_order_by_refs(&self, order_id: Option<i64>, refs: &[String]) -> StoreResult<Option<OrderRecord>> {
        let row: Option<OrderRow> = sqlx::query_as(orders_where!(
            "o.id = $1 OR o.provider_ref IN ",
            texts_of!("$2"),
            " OR o.id IN (SELECT order_id FROM charges WHERE provider_id IN ",
            texts_of!("$2"),
            ") ORDER BY o.id LIMIT 1"
        ))
        .bind(order_id)
        .bind(list(refs)?)
        .fetch_optional(self.readers())
        .await?;
        row.map(OrderRow::record).transpose()
    }

    async fn apply_effects(
        &self,
        order_id: Option<i64>,
        effects: Vec<Effect>,
        webhook: Option<&str>,
        at: i64,
    ) -> StoreResult<Option<Order>> {
        let mut write = match order_id {
            Some(id) => self.write_about(Subject::Order(id)).await?,
            None => self.write().await?,
        };
        let mut applied = None;
        for effect in effects {
            let Some(id) = order_id else { break };
            let order = match effect {
                Effect::Settled { renewal, settlement } => {
                    order_transitions::settle(&mut write, id, renewal, settlement, at).await?
                }
                Effect::RenewingStopped => order_transitions::stop_order(&mut write, id, at).await?,
                Effect::RenewingResumed => order_transitions::resume_order(&mut write, id, at).await?,
                Effect::Reversed(reversal) => charges::reverse(&mut write, reversal, at).await?,
                Effect::RefundMade { charge_id, provider_id } => {
                    charges::finish(&mut write, charge_id, &provider_id, at).await?
                }
                Effect::RefundRefused { charge_id, failure } => {
                    charges::refuse(&mut write, charge_id, &failure, at).await?;
                    None
                }
            };
            applied = order.or(applied);
        }
        if let Some(webhook) = webhook {
            sqlx::query("UPDATE webhooks SET due_at = NULL WHERE id = $1").bind(webhook).execute(&mut *write).await?;
        }
        write.commit().await?;
        Ok(applied)
    }

    async fn delete_applied_webhooks(&self, before: i64) -> StoreResult<u64> {
        let mut write = self.write_about(Subject::Row).await?;
        let done = sqlx::query("DELETE FROM webhooks WHERE received_at < $1 AND due_at IS NULL")
            .bind(before)
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(done.rows_affected())
    }

    async fn user_by_customer_id(&self, customer_id: &str) -> StoreResult<Option<i64>> {
        Ok(sqlx::query_scalar("SELECT user_id FROM customers WHERE customer_id = $1")
            .bind(customer_id)
            .fetch_optional(self.readers())
            .await?)
    }

    async fn customer_id(&self, user_id: i64) -> StoreResult<Option<String>> {
        Ok(sqlx::query_scalar("SELECT customer_id FROM customers WHERE user_id = $1")
            .bind(user_id)
            .fetch_optional(self.readers())
            .await?)
    }

    async fn store_customer_id(&self, user_id: i64, customer_id: &str) -> StoreResult<String> {
        let mut write = self.write_about(Subject::Person(user_id)).await?;
        sqlx::query("INSERT INTO customers (user_id, customer_id) VALUES ($1, $2) ON CONFLICT (user_id) DO NOTHING")
            .bind(user_id)
            .bind(customer_id)
            .execute(&mut *write)
            .await?;
        let noted = sqlx::query_scalar("SELECT customer_id FROM customers WHERE user_id = $1")
            .bind(user_id)
            .fetch_one(&mut *write)
            .await?;
        write.commit().await?;
        Ok(noted)
    }

    async fn store_provider_ref(&self, order_id: i64, provider_ref: &str) -> StoreResult<Option<String>> {
        let mut write = self.write_about(Subject::Order(order_id)).await?;
        sqlx::query(
            "UPDATE orders SET provider_ref = $2 WHERE id = $1 AND provider_ref IS NULL AND status = 'created'",
        )
        .bind(order_id)
        .bind(provider_ref)
        .execute(&mut *write)
        .await?;
        let noted = find(&mut write, order_id).await?.map(OrderRow::record).transpose()?;
        write.commit().await?;
        Ok(noted.and_then(|record| record.provider_ref))
    }
}
