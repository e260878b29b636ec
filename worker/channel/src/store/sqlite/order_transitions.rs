//! The moves of an order. Each starts from one status and happens at most once; each grows the version.

use touchline_protocol::purchases::{ActivityStatus, AutoRenew, Order, OrderStatus, SubscriptionStatus};

use super::super::{Outcome, StoreResult};
use super::order_rows::{Row, find, orders_where, told};
use super::{Write, word};

const DAY_MS: i64 = 24 * 3600 * 1000;

/// Writes how a payment ended, if the order still waits for it.
pub(super) async fn settle(
    write: &mut Write,
    id: i64,
    renewal: i64,
    outcome: Outcome,
    at: i64,
) -> StoreResult<Option<Order>> {
    let Some(row) = find(write, id).await? else { return Ok(None) };
    let period_days = row.period_days;
    let record = row.record()?;
    let awaited = match record.subscription {
        _ if renewal == 0 => record.order.status == OrderStatus::Created,
        Some(subscription) => {
            record.order.status == OrderStatus::Paid
                && subscription.status == SubscriptionStatus::Active
                && subscription.auto_renew == AutoRenew::Active
                && subscription.renewals + 1 == renewal
        }
        None => false,
    };
    if !awaited {
        return Ok(None);
    }
    let what = match outcome {
        Outcome::Unanswered { retry_at } => {
            sqlx::query("UPDATE orders SET due_at = $2, attempts = attempts + 1 WHERE id = $1")
                .bind(id)
                .bind(retry_at)
                .execute(&mut **write)
                .await?;
            return Ok(Some(record.order));
        }
        Outcome::NeedsAction { client_secret, give_up_at } => {
            sqlx::query(
                "UPDATE orders SET client_secret = $2, due_at = $3, attempts = 0, version = version + 1 WHERE id = $1",
            )
            .bind(id)
            .bind(client_secret)
            .bind(give_up_at)
            .execute(&mut **write)
            .await?;
            "action_needed"
        }
        Outcome::Paid { period_end, trial_end } => {
            let active_until = (period_days > 0).then(|| at + period_days * DAY_MS);
            pay(write, id, active_until, period_end).await?;
            if let Some(period_end) = period_end {
                run_until(write, id, renewal, period_end, trial_end).await?;
            }
            if renewal == 0 { "paid" } else { "renewed" }
        }
        Outcome::Failed(failure) if renewal == 0 => {
            finish(write, id, OrderStatus::Failed, Some(failure)).await?;
            "failed"
        }
        Outcome::Failed(failure) => {
            finish(write, id, OrderStatus::Paid, Some(failure)).await?;
            end_subscription(write, id, SubscriptionStatus::Expired).await?;
            write.tell_rights_changed(record.user_id, at).await?;
            "renewal_failed"
        }
    };
    Ok(Some(told(write, id, what, at).await?.order))
}

async fn pay(write: &mut Write, id: i64, active_until: Option<i64>, due_at: Option<i64>) -> StoreResult<()> {
    sqlx::query(
        "UPDATE orders SET status = $2, activity_status = $3, failure = NULL, client_secret = NULL, attempts = 0,
            active_until = $4, due_at = $5, version = version + 1
         WHERE id = $1",
    )
    .bind(id)
    .bind(word(&OrderStatus::Paid)?)
    .bind(word(&ActivityStatus::Active)?)
    .bind(active_until)
    .bind(due_at)
    .execute(&mut **write)
    .await?;
    Ok(())
}

async fn run_until(write: &mut Write, id: i64, renewals: i64, end: i64, trial_end: Option<i64>) -> StoreResult<()> {
    sqlx::query(
        "UPDATE subscriptions SET status = $2, renewals = $3, current_period_end = $4,
            trial_end = COALESCE($5, trial_end)
         WHERE order_id = $1",
    )
    .bind(id)
    .bind(word(&SubscriptionStatus::Active)?)
    .bind(renewals)
    .bind(end)
    .bind(trial_end)
    .execute(&mut **write)
    .await?;
    Ok(())
}

/// An order that can be used no more, and for which nothing is under way.
async fn finish(write: &mut Write, id: i64, status: OrderStatus, failure: Option<String>) -> StoreResult<()> {
    sqlx::query(
        "UPDATE orders SET status = $2, activity_status = $3, failure = $4, client_secret = NULL, due_at = NULL,
            version = version + 1
         WHERE id = $1",
    )
    .bind(id)
    .bind(word(&status)?)
    .bind(word(&ActivityStatus::Inactive)?)
    .bind(failure)
    .execute(&mut **write)
    .await?;
    Ok(())
}

async fn end_subscription(write: &mut Write, id: i64, status: SubscriptionStatus) -> StoreResult<()> {
    sqlx::query("UPDATE subscriptions SET status = $2, auto_renew = $3 WHERE order_id = $1")
        .bind(id)
        .bind(word(&status)?)
        .bind(word(&AutoRenew::Cancelled)?)
        .execute(&mut **write)
        .await?;
    Ok(())
}

/// The running, renewing subscription of a person runs out at the end of its period. One that does so already stays as
/// it is.
pub(super) async fn stop_renewing(
    write: &mut Write,
    user_id: i64,
    subscription_id: i64,
    at: i64,
) -> StoreResult<Option<Order>> {
    let running: Option<(i64, i64)> = sqlx::query_as(
        "SELECT o.id, s.current_period_end FROM orders o JOIN subscriptions s ON s.order_id = o.id
         WHERE o.user_id = $1 AND o.product_id = $2 AND o.status = 'paid' AND s.status = 'active'
           AND s.auto_renew = 'active'",
    )
    .bind(user_id)
    .bind(subscription_id)
    .fetch_optional(&mut **write)
    .await?;
    let Some((id, period_end)) = running else {
        let stopped: Option<Row> = sqlx::query_as(orders_where!(
            "o.user_id = $1 AND o.product_id = $2 AND o.status = 'paid' AND o.activity_status = 'active'
             AND o.active_until > $3 AND s.order_id IS NOT NULL"
        ))
        .bind(user_id)
        .bind(subscription_id)
        .bind(at)
        .fetch_optional(&mut **write)
        .await?;
        return stopped.map(|row| Ok(row.record()?.order)).transpose();
    };
    sqlx::query("UPDATE subscriptions SET auto_renew = $2 WHERE order_id = $1")
        .bind(id)
        .bind(word(&AutoRenew::Cancelled)?)
        .execute(&mut **write)
        .await?;
    sqlx::query("UPDATE orders SET active_until = $2, due_at = NULL, version = version + 1 WHERE id = $1")
        .bind(id)
        .bind(period_end)
        .execute(&mut **write)
        .await?;
    Ok(Some(told(write, id, "renewing_stopped", at).await?.order))
}

/// What ran out becomes inactive.
pub(super) async fn expire(write: &mut Write, at: i64) -> StoreResult<u64> {
    let rows: Vec<Row> =
        sqlx::query_as(orders_where!("o.activity_status = 'active' AND o.active_until <= $1 ORDER BY o.id LIMIT 500"))
            .bind(at)
            .fetch_all(&mut **write)
            .await?;
    let count = rows.len() as u64;
    for row in rows {
        let record = row.record()?;
        finish(write, record.order.id, record.order.status, None).await?;
        if record.subscription.is_some() {
            end_subscription(write, record.order.id, SubscriptionStatus::Canceled).await?;
        }
        write.tell_rights_changed(record.user_id, at).await?;
        told(write, record.order.id, "ran_out", at).await?;
    }
    Ok(count)
}

/// A paid order is given back.
pub(super) async fn refund(write: &mut Write, id: i64, at: i64) -> StoreResult<Option<Order>> {
    let Some(row) = find(write, id).await? else { return Ok(None) };
    let record = row.record()?;
    if record.order.status != OrderStatus::Paid {
        return Ok(None);
    }
    finish(write, id, OrderStatus::Refunded, None).await?;
    if record.subscription.is_some() {
        end_subscription(write, id, SubscriptionStatus::Canceled).await?;
    }
    write.tell_rights_changed(record.user_id, at).await?;
    Ok(Some(told(write, id, "refunded", at).await?.order))
}
