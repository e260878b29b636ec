//! Storage of orders; [`super::order_transitions`] changes them.

use async_trait::async_trait;
use touchline_domain::orders::transitions::OrderEvent;
use touchline_domain::payments::next_payment;
use touchline_protocol::purchases::{ActivityStatus, Order, OrderStatus};

use super::order_rows::{Row, log_status, orders_where};
use super::{
    SqlStore, Subject, Write, idempotency, list, order_transitions, promo_codes, skip_locked, to_text, trials,
    unclaimed, users,
};
use crate::{
    CardHistory, ChangeContext, CreateOrderResult, DueOrder, IdempotencyClaim, NewOrder, NewSubscription, OrderFilter,
    OrderRecord, Orders, RecordedOrderEvent, Settlement, StoreResult,
};

fn records(rows: Vec<Row>) -> StoreResult<Vec<OrderRecord>> {
    rows.into_iter().map(Row::record).collect()
}

#[async_trait]
impl Orders for SqlStore {
    async fn create_order(&self, new: NewOrder, claim: Option<IdempotencyClaim>) -> StoreResult<CreateOrderResult> {
        let is_trial = new.subscription.is_some_and(|subscription| subscription.trial_days > 0);
        // Uses of a code, and of a card for a trial, span all users.
        let mut write = if new.promo_limit.is_some() || is_trial {
            self.write().await?
        } else {
            self.write_about(Subject::Person(new.user_id)).await?
        };
        if is_owned_or_pending(&mut write, &new).await? {
            return Ok(CreateOrderResult::AlreadyBought);
        }
        if let Some((code, limit)) = new.promo_code.as_deref().zip(new.promo_limit)
            && promo_codes::uses(&mut write, &new.channel_key, code).await? >= limit
        {
            return Ok(CreateOrderResult::PromoUsedUp);
        }
        if is_trial {
            let Some(user) = users::find(&mut write, new.user_id).await? else {
                return Ok(CreateOrderResult::TrialUsed);
            };
            if !trials::start(&mut write, &self.0.address_secret, &user, &new).await? {
                return Ok(CreateOrderResult::TrialUsed);
            }
        }
        let at = new.at;
        let id = insert(&mut write, new).await?;
        let order = log_status(&mut write, id, OrderEvent::Created, None, at).await?.order;
        idempotency::store_response(&mut write, claim, &order, at).await?;
        write.commit().await?;
        Ok(CreateOrderResult::Order(Box::new(order)))
    }

    async fn order(&self, user_id: i64, id: i64) -> StoreResult<Option<OrderRecord>> {
        Ok(self.any_order(id).await?.filter(|record| record.user_id == user_id))
    }

    async fn any_order(&self, id: i64) -> StoreResult<Option<OrderRecord>> {
        let row: Option<Row> =
            sqlx::query_as(orders_where!("o.id = $1")).bind(id).fetch_optional(self.readers()).await?;
        row.map(Row::record).transpose()
    }

    async fn order_events(&self, id: i64) -> StoreResult<Vec<RecordedOrderEvent>> {
        let rows: Vec<(i64, String)> =
            sqlx::query_as("SELECT at, what FROM order_events WHERE order_id = $1 ORDER BY version")
                .bind(id)
                .fetch_all(self.readers())
                .await?;
        Ok(rows.into_iter().map(|(at, what)| RecordedOrderEvent { order_id: id, at, what }).collect())
    }

    async fn orders(&self, user_id: i64, filter: OrderFilter) -> StoreResult<(Vec<OrderRecord>, u64)> {
        let mut read = self.read().await?;
        let total: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM orders WHERE user_id = $1")
            .bind(user_id)
            .fetch_one(&mut *read)
            .await?;
        let rows: Vec<Row> = sqlx::query_as(orders_where!("o.user_id = $1 ORDER BY o.id DESC LIMIT $2 OFFSET $3"))
            .bind(user_id)
            .bind(filter.limit.map_or(i64::MAX, i64::from))
            .bind(i64::from(filter.offset))
            .fetch_all(&mut *read)
            .await?;
        Ok((records(rows)?, total.unsigned_abs()))
    }

    async fn card_histories(&self, user_id: i64) -> StoreResult<Vec<CardHistory>> {
        // A paid order with a failure is one whose renewal was declined.
        let rows: Vec<(String, bool, bool)> = sqlx::query_as(
            "SELECT payment_method_id,
                MAX(CASE WHEN status = 'failed' THEN 0 ELSE 1 END) = 1,
                MAX(CASE WHEN failure IS NULL THEN 0 ELSE id END) > MAX(CASE WHEN failure IS NULL THEN id ELSE 0 END)
             FROM orders WHERE user_id = $1 AND status <> 'created' GROUP BY payment_method_id",
        )
        .bind(user_id)
        .fetch_all(self.readers())
        .await?;
        let used =
            |(payment_method_id, has_paid, was_declined)| CardHistory { payment_method_id, has_paid, was_declined };
        Ok(rows.into_iter().map(used).collect())
    }

    async fn owned(&self, user_id: i64, at: i64) -> StoreResult<Vec<OrderRecord>> {
        let rows: Vec<Row> = sqlx::query_as(orders_where!(
            "o.user_id = $1 AND o.status = 'paid' AND o.activity_status = 'active'
             AND (o.active_until IS NULL OR o.active_until > $2)"
        ))
        .bind(user_id)
        .bind(at)
        .fetch_all(self.readers())
        .await?;
        records(rows)
    }

    async fn due_orders(&self, at: i64, limit: u32) -> StoreResult<Vec<DueOrder>> {
        let mut claiming = self.claiming().await?;
        let node = claiming.node();
        let rows: Vec<Row> = sqlx::query_as(orders_where!(
            "o.due_at IS NOT NULL AND o.due_at <= $1 AND ",
            unclaimed!("'order/' || o.id", "$3"),
            " ORDER BY o.due_at, o.id LIMIT $2",
            skip_locked!("o")
        ))
        .bind(at)
        .bind(i64::from(limit))
        .bind(node)
        .fetch_all(claiming.connection())
        .await?;
        let rows = claiming.take(rows, |row| format!("order/{}", row.id)).await?;
        rows.into_iter()
            .map(|row| {
                let attempts = row.attempts;
                let record = row.record()?;
                let renewal = next_payment(record.order.status, record.subscription);
                Ok(DueOrder { record, renewal, attempts })
            })
            .collect()
    }

    async fn next_due(&self) -> StoreResult<Option<i64>> {
        let due: Option<i64> = sqlx::query_scalar(concat!(
            "SELECT MIN(o.due_at) FROM orders o WHERE o.due_at IS NOT NULL AND ",
            unclaimed!("'order/' || o.id", "$1")
        ))
        .bind(self.node())
        .fetch_one(self.readers())
        .await?;
        let ends: Option<i64> =
            sqlx::query_scalar("SELECT MIN(active_until) FROM orders WHERE activity_status = 'active'")
                .fetch_one(self.readers())
                .await?;
        let webhook: Option<i64> = sqlx::query_scalar(concat!(
            "SELECT MIN(w.due_at) FROM webhooks w WHERE w.due_at IS NOT NULL AND ",
            unclaimed!("'webhook/' || w.id", "$1")
        ))
        .bind(self.node())
        .fetch_one(self.readers())
        .await?;
        Ok(due.into_iter().chain(ends).chain(webhook).min())
    }

    async fn settle_order(&self, id: i64, renewal: i64, settlement: Settlement, at: i64) -> StoreResult<Option<Order>> {
        let mut write = self.write_about(Subject::Order(id)).await?;
        let settled = order_transitions::settle(&mut write, id, renewal, settlement, at).await?;
        write.commit().await?;
        Ok(settled)
    }

    async fn stop_renewing(
        &self,
        user_id: i64,
        subscription_id: i64,
        at: i64,
        claim: Option<IdempotencyClaim>,
        context: Option<ChangeContext>,
    ) -> StoreResult<Option<Order>> {
        let mut write = self.write_about(Subject::Person(user_id)).await?;
        let context = context.as_ref();
        let stopped = order_transitions::stop_renewing(&mut write, user_id, subscription_id, context, at).await?;
        if let Some(order) = &stopped {
            idempotency::store_response(&mut write, claim, order, at).await?;
        }
        write.commit().await?;
        Ok(stopped)
    }

    async fn resume_renewing(
        &self,
        user_id: i64,
        subscription_id: i64,
        at: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<Option<Order>> {
        let mut write = self.write_about(Subject::Person(user_id)).await?;
        let resumed = order_transitions::resume_renewing(&mut write, user_id, subscription_id, at).await?;
        if let Some(order) = &resumed {
            idempotency::store_response(&mut write, claim, order, at).await?;
        }
        write.commit().await?;
        Ok(resumed)
    }

    async fn use_card(
        &self,
        user_id: i64,
        subscription_id: i64,
        payment_method_id: &str,
        at: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<Option<Order>> {
        let mut write = self.write_about(Subject::Person(user_id)).await?;
        let of = (user_id, subscription_id);
        let changed = order_transitions::use_card(&mut write, of, payment_method_id, at).await?;
        if let Some(order) = &changed {
            idempotency::store_response(&mut write, claim, order, at).await?;
        }
        write.commit().await?;
        Ok(changed)
    }

    async fn expire_orders(&self, at: i64) -> StoreResult<u64> {
        let is_any: bool = sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM orders WHERE activity_status = 'active' AND active_until <= $1)",
        )
        .bind(at)
        .fetch_one(self.readers())
        .await?;
        if !is_any {
            return Ok(0);
        }
        let mut write = self.write().await?;
        let expired = order_transitions::expire(&mut write, at).await?;
        write.commit().await?;
        Ok(expired)
    }
}

/// Whether the user already has the product, or an order for it is in progress.
async fn is_owned_or_pending(write: &mut Write, new: &NewOrder) -> StoreResult<bool> {
    let there: Option<i64> = sqlx::query_scalar(
        "SELECT id FROM orders
         WHERE user_id = $1 AND kind = $2 AND product_id = $3 AND COALESCE(participant_id, 0) = COALESCE($4, 0)
           AND (status = 'created' OR (status = 'paid' AND activity_status = 'active'
                AND (active_until IS NULL OR active_until > $5))
                OR EXISTS (SELECT 1 FROM subscriptions WHERE order_id = id AND lifecycle = 'past_due'))
         LIMIT 1",
    )
    .bind(new.user_id)
    .bind(to_text(&new.kind)?)
    .bind(new.product_id)
    .bind(new.participant_id)
    .bind(new.at)
    .fetch_optional(&mut **write)
    .await?;
    Ok(there.is_some())
}

async fn insert(write: &mut Write, new: NewOrder) -> StoreResult<i64> {
    let id = write.next_id("orders").await?;
    sqlx::query(
        "INSERT INTO orders (id, channel_key, user_id, kind, product_id, product_name, event_category_id, participant_id,
            event_categories, base_price, discount, service_fee, currency, promo_code, payment_method_id, period_days,
            status, activity_status, due_at, attempts, version, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, 0, 1, $20)",
    )
    .bind(id)
    .bind(&new.channel_key)
    .bind(new.user_id)
    .bind(to_text(&new.kind)?)
    .bind(new.product_id)
    .bind(&new.product_name)
    .bind(new.event_category_id)
    .bind(new.participant_id)
    .bind(list(&new.event_categories)?)
    .bind(new.base_price)
    .bind(new.discount)
    .bind(new.service_fee)
    .bind(&new.currency)
    .bind(&new.promo_code)
    .bind(&new.payment_method_id)
    .bind(new.period_days)
    .bind(to_text(&OrderStatus::Created)?)
    .bind(to_text(&ActivityStatus::Inactive)?)
    .bind(new.charge_at)
    .bind(new.at)
    .execute(&mut **write)
    .await?;
    if let Some(NewSubscription { period, trial_days, renewal_price, renewal_fee }) = new.subscription {
        sqlx::query(
            "INSERT INTO subscriptions
                (order_id, annual, trial_days, renewal_price, renewal_fee, anchor, current_period_end, renewals)
             VALUES ($1, $2, $3, $4, $5, $6, $6, 0)",
        )
        .bind(id)
        .bind(period.is_annual())
        .bind(trial_days)
        .bind(renewal_price)
        .bind(renewal_fee)
        .bind(new.at)
        .execute(&mut **write)
        .await?;
    }
    Ok(id)
}
