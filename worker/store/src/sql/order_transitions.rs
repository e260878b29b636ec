//! Transitions of an order. Each loads the row, applies [`touchline_domain::orders`] and saves the result in one
//! transaction. A transition that the domain refuses writes nothing.

use serde_json::json;
use touchline_domain::orders::PlacedOrder;
use touchline_domain::orders::transitions::{InvalidTransition, Transition};
use touchline_domain::subscriptions::BoughtSubscription;
use touchline_protocol::event_names::SUBSCRIPTION_CANCELLED;
use touchline_protocol::purchases::{Order, OrderStatus};

use super::lake_rows::{self, Amounts, Money};
use super::order_rows::{Row, find, log_status, orders_where};
use super::{Write, cards, charge_rows, to_text, viewer_events};
use crate::{ChangeContext, NewCharge, OrderRecord, Settlement, StoreResult};

/// Records the outcome of a payment and its charge, if the order waits for it. A payment that the order doesn't accept
/// is recorded together with a refund request.
pub(super) async fn settle(
    write: &mut Write,
    id: i64,
    renewal: i64,
    settlement: Settlement,
    at: i64,
) -> StoreResult<Option<Order>> {
    let Some(row) = find(write, id).await? else { return Ok(None) };
    let Settlement { outcome, charge } = settlement;
    let settled = placed(write, &row).await?.settle(renewal, outcome, at);
    let record = row.record()?;
    if settled.is_err() {
        if let Some(charge) = charge.filter(|charge| charge.failure.is_none()) {
            give_back(write, &record, renewal, charge, at).await?;
        }
        return Ok(None);
    }
    let (user_id, was) = (record.user_id, record.order.status);
    let card = record.payment_method_id.clone();
    let money = charge.as_ref().map(|charge| Money { amount: charge.amount, fee: 0, at: charge.at.unwrap_or(at) });
    let row = match charge {
        Some(charge) => charge_rows::insert_payment(write, &record, renewal, charge, (true, at)).await?,
        None => None,
    };
    let order = save(write, record, settled, money, at).await?;
    if let Some((order, row)) = order.as_ref().zip(row) {
        link_notice(write, order, row.id).await?;
    }
    if was == OrderStatus::Created && order.as_ref().is_some_and(|order| order.status != OrderStatus::Created) {
        cards::release(write, user_id, &card).await?;
    }
    Ok(order)
}

/// Requests a full refund of a payment that isn't accepted, because its order ended or was cancelled meanwhile. A
/// payment accepted before already has its row.
async fn give_back(
    write: &mut Write,
    record: &OrderRecord,
    renewal: i64,
    charge: NewCharge,
    at: i64,
) -> StoreResult<()> {
    // An erased user has no card.
    let is_erased = record.payment_method_id.is_empty();
    let charge = if is_erased { NewCharge { card_brand: None, card_last4: None, ..charge } } else { charge };
    let paid = charge_rows::insert_payment(write, record, renewal, charge, (false, at)).await?;
    let Some(paid) = paid else { return Ok(()) };
    let moved = Amounts { gross: paid.amount, discount: 0, fee: paid.fee };
    let event = ("not_taken", format!("charge/{}", paid.provider_id));
    lake_rows::insert(write, record, (event.0, &event.1, renewal), (moved, paid.amount), paid.at).await?;
    let amount = paid.amount;
    charge_rows::request_refund(write, paid, (amount, "refund"), at).await?;
    Ok(())
}

/// Records that a payment the order never accepted was refunded.
pub(super) async fn returned(write: &mut Write, id: i64, money: Money, at: i64) -> StoreResult<Option<Order>> {
    let Some(row) = find(write, id).await? else { return Ok(None) };
    let returned = placed(write, &row).await?.returned();
    save(write, row.record()?, Ok(returned), Some(money), at).await
}

/// Records that a refund didn't reach the card. `ended_it` says whether that refund ended the order.
pub(super) async fn refund_failed(
    write: &mut Write,
    id: i64,
    ended_it: bool,
    money: Money,
    at: i64,
) -> StoreResult<Option<Order>> {
    let Some(row) = find(write, id).await? else { return Ok(None) };
    let failed = placed(write, &row).await?.refund_failed(money.amount, ended_it, at);
    save(write, row.record()?, failed, Some(money), at).await
}

/// Links the email about an order's last event to this charge.
pub(super) async fn link_notice(write: &mut Write, order: &Order, charge_id: i64) -> StoreResult<()> {
    sqlx::query("UPDATE order_notices SET charge_id = $3 WHERE order_id = $1 AND version = $2")
        .bind(order.id)
        .bind(order.version)
        .bind(charge_id)
        .execute(&mut **write)
        .await?;
    Ok(())
}

/// Turns off auto-renew for a user's active subscription. If it is already off, the order doesn't change.
pub(super) async fn stop_renewing(
    write: &mut Write,
    user_id: i64,
    subscription_id: i64,
    context: Option<&ChangeContext>,
    at: i64,
) -> StoreResult<Option<Order>> {
    let mut candidates = subscriptions(write, user_id, subscription_id).await?;
    // Renewing subscriptions come before cancelled ones.
    candidates.sort_by_key(|(order, _)| !order.is_renewing());
    for (order, record) in candidates {
        let stopped = order.stop_renewing(at);
        if stopped.is_ok() {
            let version = record.order.version;
            let saved = save(write, record, stopped, None, at).await?;
            if let Some(order) = saved.as_ref().filter(|order| order.version != version) {
                let extras =
                    json!({ "subscription_id": subscription_id.to_string(), "order_id": order.id.to_string() });
                viewer_events::record(write, context, user_id, SUBSCRIPTION_CANCELLED, extras).await?;
            }
            return Ok(saved);
        }
    }
    Ok(None)
}

/// Turns off auto-renew for an order's subscription.
pub(super) async fn stop_order(write: &mut Write, id: i64, at: i64) -> StoreResult<Option<Order>> {
    let Some(row) = find(write, id).await? else { return Ok(None) };
    let stopped = placed(write, &row).await?.stop_renewing(at);
    save(write, row.record()?, stopped, None, at).await
}

/// Turns auto-renew on again for an order's subscription.
pub(super) async fn resume_order(write: &mut Write, id: i64, at: i64) -> StoreResult<Option<Order>> {
    let Some(row) = find(write, id).await? else { return Ok(None) };
    let resumed = placed(write, &row).await?.resume_renewing(at);
    save(write, row.record()?, resumed, None, at).await
}

/// Turns auto-renew on again for a user's subscription, if there is a card.
pub(super) async fn resume_renewing(
    write: &mut Write,
    user_id: i64,
    subscription_id: i64,
    at: i64,
) -> StoreResult<Option<Order>> {
    let mut candidates = subscriptions(write, user_id, subscription_id).await?;
    candidates.retain(|(_, record)| !record.payment_method_id.is_empty());
    candidates.sort_by_key(|(order, _)| !order.is_renewing());
    for (order, record) in candidates {
        let resumed = order.resume_renewing(at);
        if resumed.is_ok() {
            return save(write, record, resumed, None, at).await;
        }
    }
    Ok(None)
}

/// Changes the card of a user's renewing subscription.
pub(super) async fn use_card(
    write: &mut Write,
    (user_id, subscription_id): (i64, i64),
    payment_method_id: &str,
    at: i64,
) -> StoreResult<Option<Order>> {
    for (order, record) in subscriptions(write, user_id, subscription_id).await? {
        let changed = order.use_card(at);
        if changed.is_ok() {
            sqlx::query("UPDATE orders SET payment_method_id = $2 WHERE id = $1")
                .bind(record.order.id)
                .bind(payment_method_id)
                .execute(&mut **write)
                .await?;
            return save(write, record, changed, None, at).await;
        }
    }
    Ok(None)
}

/// Returns a user's orders of a subscription, oldest first.
async fn subscriptions(
    write: &mut Write,
    user_id: i64,
    subscription_id: i64,
) -> StoreResult<Vec<(PlacedOrder, OrderRecord)>> {
    let rows: Vec<Row> =
        sqlx::query_as(orders_where!("o.user_id = $1 AND o.product_id = $2 AND s.order_id IS NOT NULL ORDER BY o.id"))
            .bind(user_id)
            .bind(subscription_id)
            .fetch_all(&mut **write)
            .await?;
    let mut candidates = Vec::with_capacity(rows.len());
    for row in rows {
        candidates.push((placed(write, &row).await?, row.record()?));
    }
    Ok(candidates)
}

/// The state of an order for transitions.
async fn placed(write: &mut Write, row: &Row) -> StoreResult<PlacedOrder> {
    let refundable = charge_rows::refundable(write, row.id).await?;
    row.placed_order(refundable.map_or(0, |(_, amount)| amount))
}

/// Deactivates expired orders.
pub(super) async fn expire(write: &mut Write, at: i64) -> StoreResult<u64> {
    let rows: Vec<Row> =
        sqlx::query_as(orders_where!("o.activity_status = 'active' AND o.active_until <= $1 ORDER BY o.id LIMIT 500"))
            .bind(at)
            .fetch_all(&mut **write)
            .await?;
    let mut count = 0;
    for row in rows {
        let expired = placed(write, &row).await?.expire(at);
        if save(write, row.record()?, expired, None, at).await?.is_some() {
            count += 1;
        }
    }
    Ok(count)
}

/// Refunds part of an order's last payment.
pub(super) async fn refund(write: &mut Write, id: i64, money: Money, at: i64) -> StoreResult<Option<Order>> {
    let Some(row) = find(write, id).await? else { return Ok(None) };
    let refunded = placed(write, &row).await?.refund(Some(money.amount));
    save(write, row.record()?, refunded, Some(money), at).await
}

/// Refunds part of an earlier payment, or of one that was refunded.
pub(super) async fn refund_earlier(write: &mut Write, id: i64, money: Money, at: i64) -> StoreResult<Option<Order>> {
    let Some(row) = find(write, id).await? else { return Ok(None) };
    let refunded = placed(write, &row).await?.refund_earlier(money.amount);
    save(write, row.record()?, refunded, Some(money), at).await
}

/// Records a dispute of an order's payment.
pub(super) async fn dispute(write: &mut Write, id: i64, money: Money, at: i64) -> StoreResult<Option<Order>> {
    let Some(row) = find(write, id).await? else { return Ok(None) };
    let disputed = placed(write, &row).await?.dispute(money.amount);
    save(write, row.record()?, disputed, Some(money), at).await
}

/// Saves a transition and its event. `None` if it was refused. `before` is the previous state.
async fn save(
    write: &mut Write,
    before: OrderRecord,
    moved: Result<Transition, InvalidTransition>,
    money: Option<Money>,
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
        Some(event) => Ok(Some(log_status(write, id, event, money, at).await?.order)),
        None => Ok(Some(before.order)),
    }
}

async fn update_order(write: &mut Write, id: i64, order: &PlacedOrder) -> StoreResult<()> {
    sqlx::query(
        "UPDATE orders SET status = $2, activity_status = $3, failure = $4, client_secret = $5, active_until = $6,
            due_at = $7, attempts = $8, version = $9, refunded_minor = $10
         WHERE id = $1",
    )
    .bind(id)
    .bind(to_text(&order.status)?)
    .bind(to_text(&order.activity_status)?)
    .bind(&order.failure)
    .bind(&order.client_secret)
    .bind(order.active_until)
    .bind(order.due_at)
    .bind(order.attempts)
    .bind(order.version)
    .bind(order.refunded_minor)
    .execute(&mut **write)
    .await?;
    Ok(())
}

async fn update_subscription(write: &mut Write, id: i64, subscription: &BoughtSubscription) -> StoreResult<()> {
    sqlx::query(
        "UPDATE subscriptions SET lifecycle = $2, failed_attempts = $3, current_period_end = $4, trial_end = $5, renewals = $6,
            anchor = $7
         WHERE order_id = $1",
    )
    .bind(id)
    .bind(to_text(&subscription.lifecycle)?)
    .bind(subscription.failed_attempts)
    .bind(subscription.current_period_end)
    .bind(subscription.trial_end)
    .bind(subscription.renewals)
    .bind(subscription.anchor)
    .execute(&mut **write)
    .await?;
    Ok(())
}
