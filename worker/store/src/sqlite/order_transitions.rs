//! The moves of an order: each loads the row, asks [`touchline_domain::orders`], and saves the result in one transaction.
//! A move that the domain refuses writes nothing.

use touchline_domain::orders::transitions::{InvalidTransition, Transition};
use touchline_domain::orders::{Outcome, PlacedOrder};
use touchline_domain::subscriptions::BoughtSubscription;
use touchline_protocol::purchases::Order;

use super::super::{OrderRecord, StoreResult};
use super::order_rows::{Row, find, log_status, orders_where};
use super::{Write, word};

/// Writes how a payment ended, if the order still waits for it.
pub(super) async fn settle(
    write: &mut Write,
    id: i64,
    renewal: i64,
    outcome: Outcome,
    at: i64,
) -> StoreResult<Option<Order>> {
    let Some(row) = find(write, id).await? else { return Ok(None) };
    let settled = row.placed_order()?.settle(renewal, outcome, at);
    save(write, row.record()?, settled, at).await
}

/// The running, renewing subscription of a person runs out at the end of its period. One that does so already stays as
/// it is.
pub(super) async fn stop_renewing(
    write: &mut Write,
    user_id: i64,
    subscription_id: i64,
    at: i64,
) -> StoreResult<Option<Order>> {
    let rows: Vec<Row> =
        sqlx::query_as(orders_where!("o.user_id = $1 AND o.product_id = $2 AND s.order_id IS NOT NULL ORDER BY o.id"))
            .bind(user_id)
            .bind(subscription_id)
            .fetch_all(&mut **write)
            .await?;
    let mut bought = Vec::with_capacity(rows.len());
    for row in rows {
        bought.push((row.placed_order()?, row.record()?));
    }
    // One that renews comes before one that was stopped.
    bought.sort_by_key(|(order, _)| !order.is_renewing());
    for (order, record) in bought {
        let stopped = order.stop_renewing(at);
        if stopped.is_ok() {
            return save(write, record, stopped, at).await;
        }
    }
    Ok(None)
}

/// What ran out becomes inactive.
pub(super) async fn expire(write: &mut Write, at: i64) -> StoreResult<u64> {
    let rows: Vec<Row> =
        sqlx::query_as(orders_where!("o.activity_status = 'active' AND o.active_until <= $1 ORDER BY o.id LIMIT 500"))
            .bind(at)
            .fetch_all(&mut **write)
            .await?;
    let mut count = 0;
    for row in rows {
        let expired = row.placed_order()?.expire(at);
        if save(write, row.record()?, expired, at).await?.is_some() {
            count += 1;
        }
    }
    Ok(count)
}

/// A paid order is given back.
pub(super) async fn refund(write: &mut Write, id: i64, at: i64) -> StoreResult<Option<Order>> {
    let Some(row) = find(write, id).await? else { return Ok(None) };
    let refunded = row.placed_order()?.refund();
    save(write, row.record()?, refunded, at).await
}

/// Saves a move and its event; a refused move gives nothing. `before` is the order as it was.
async fn save(
    write: &mut Write,
    before: OrderRecord,
    moved: Result<Transition, InvalidTransition>,
    at: i64,
) -> StoreResult<Option<Order>> {
    let Ok(Transition { order, event, rights_changed }) = moved else { return Ok(None) };
    let id = before.order.id;
    update_order(write, id, &order).await?;
    if let Some(subscription) = &order.subscription {
        update_subscription(write, id, subscription).await?;
    }
    if rights_changed {
        write.publish_rights_changed(before.user_id, at).await?;
    }
    match event {
        Some(event) => Ok(Some(log_status(write, id, event, at).await?.order)),
        None => Ok(Some(before.order)),
    }
}

async fn update_order(write: &mut Write, id: i64, order: &PlacedOrder) -> StoreResult<()> {
    sqlx::query(
        "UPDATE orders SET status = $2, activity_status = $3, failure = $4, client_secret = $5, active_until = $6,
            due_at = $7, attempts = $8, version = $9
         WHERE id = $1",
    )
    .bind(id)
    .bind(word(&order.status)?)
    .bind(word(&order.activity_status)?)
    .bind(&order.failure)
    .bind(&order.client_secret)
    .bind(order.active_until)
    .bind(order.due_at)
    .bind(order.attempts)
    .bind(order.version)
    .execute(&mut **write)
    .await?;
    Ok(())
}

async fn update_subscription(write: &mut Write, id: i64, subscription: &BoughtSubscription) -> StoreResult<()> {
    sqlx::query(
        "UPDATE subscriptions SET status = $2, auto_renew = $3, current_period_end = $4, trial_end = $5, renewals = $6
         WHERE order_id = $1",
    )
    .bind(id)
    .bind(word(&subscription.status)?)
    .bind(word(&subscription.auto_renew)?)
    .bind(subscription.current_period_end)
    .bind(subscription.trial_end)
    .bind(subscription.renewals)
    .execute(&mut **write)
    .await?;
    Ok(())
}
