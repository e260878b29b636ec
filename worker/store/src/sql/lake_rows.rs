//! Rows for the lake, written in the transaction of the change that they describe.

use std::collections::{BTreeMap, HashMap, HashSet};

use async_trait::async_trait;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use touchline_domain::orders::transitions::OrderEvent;
use touchline_domain::subscriptions::Lifecycle;
use touchline_protocol::purchases::OrderStatus;

use super::{SqlStore, Write, claims, list, numbers_of, to_text};
use crate::lake_rows::{AcceptedRow, Dimension, LakeRow, LakeRows};
use crate::{OrderRecord, StoreError, StoreResult};

/// Table of the lake for changes of viewers who allow analytics. Its rows are not part of the books.
pub(super) const EVENT: &str = "event";
/// The same for all other viewers.
pub(super) const EVENT_COUNT: &str = "event_count";

/// Money that moves with an order, in minor units.
#[derive(Debug, Clone, Copy)]
pub(super) struct Money {
    pub(super) amount: i64,
    /// Service fee included in a refund. For a payment, the order contains it.
    pub(super) fee: i64,
    /// Time in Unix milliseconds.
    pub(super) at: i64,
}

/// Amounts of a movement, in minor units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Amounts {
    /// Price including the fee, before the discount. 0 if no money came in.
    pub(super) gross: i64,
    /// Discount from the promo code.
    pub(super) discount: i64,
    /// Fee included. Negative for a refund.
    pub(super) fee: i64,
}

impl Amounts {
    /// Money refunded or withdrawn, and the fee included.
    pub(super) fn refund(amount: i64, fee: i64) -> (Self, i64) {
        (Self { fee: -fee, ..Self::default() }, -amount)
    }

    /// Money returned after a refund or dispute, and the fee included.
    pub(super) fn refund_returned(amount: i64, fee: i64) -> (Self, i64) {
        (Self { fee, ..Self::default() }, amount)
    }
}

/// Name of an event in the lake.
fn event_name(event: OrderEvent, record: &OrderRecord, amount: Option<i64>) -> &'static str {
    let subscription = record.subscription;
    match event {
        OrderEvent::Created => "placed",
        OrderEvent::ActionNeeded if record.order.status == OrderStatus::Created => "action_needed",
        OrderEvent::ActionNeeded => "renewal_action_needed",
        OrderEvent::Paid if amount.is_some() => "paid",
        OrderEvent::Paid if record.is_granted() => "granted",
        OrderEvent::Paid if subscription.is_some_and(|subscription| subscription.trial_days > 0) => "trial_started",
        OrderEvent::Paid => "paid",
        OrderEvent::Failed => "failed",
        OrderEvent::Renewed => "renewed",
        OrderEvent::RenewalFailed => "renewal_failed",
        OrderEvent::RenewingStopped => "cancelled",
        OrderEvent::RenewingResumed => "resumed",
        // The renewal is retried, and access returns once it is paid.
        OrderEvent::RanOut if subscription.is_some_and(|it| it.lifecycle == Lifecycle::PastDue) => "lapsed",
        OrderEvent::RanOut | OrderEvent::Ended => "ended",
        OrderEvent::PartlyRefunded => "partly_refunded",
        OrderEvent::Refunded => "refunded",
        OrderEvent::Returned => "returned",
        OrderEvent::Disputed => "disputed",
        OrderEvent::RefundFailed => "refund_failed",
    }
}

/// Writes an order's event to the lake.
pub(super) async fn record_event(
    write: &mut Write,
    record: &OrderRecord,
    event: OrderEvent,
    money: Option<Money>,
    at: i64,
) -> StoreResult<()> {
    let order = &record.order;
    let amount = money.map(|money| money.amount);
    let renewal = record.subscription.map_or(0, |subscription| subscription.renewals);
    let (amounts, net) = match (event, money, record.subscription) {
        (OrderEvent::Paid, Some(Money { amount, .. }), _) => {
            let gross = order.base_price + order.service_fee;
            (Amounts { gross, discount: order.discount, fee: order.service_fee }, amount)
        }
        (OrderEvent::Renewed, Some(Money { amount, .. }), Some(subscription)) => {
            (Amounts { gross: amount, discount: 0, fee: subscription.renewal_fee }, amount)
        }
        (
            OrderEvent::PartlyRefunded | OrderEvent::Refunded | OrderEvent::Returned | OrderEvent::Disputed,
            Some(Money { amount, fee, .. }),
            _,
        ) => Amounts::refund(amount, fee),
        (OrderEvent::RefundFailed, Some(Money { amount, fee, .. }), _) => Amounts::refund_returned(amount, fee),
        _ => (Amounts::default(), 0),
    };
    let name = event_name(event, record, amount);
    let unique = format!("{}/{name}", order.version);
    insert(write, record, (name, &unique, renewal), (amounts, net), money.map_or(at, |money| money.at)).await
}

/// Inserts an order's row into its tables. `unique` distinguishes it from the order's other rows.
pub(super) async fn insert(
    write: &mut Write,
    record: &OrderRecord,
    (event, unique, renewal): (&str, &str, i64),
    (amounts, net): (Amounts, i64),
    at: i64,
) -> StoreResult<()> {
    let order = &record.order;
    let mut body = json!({
        "event": event, "channel": record.channel_key, "order_id": order.id.to_string(),
        "product_type": order.kind, "product_id": order.product.id.to_string(), "product_name": order.product.name,
        "renewal": renewal, "gross": amounts.gross, "discount": amounts.discount, "fee": amounts.fee, "net": net,
        "currency": order.currency,
    });
    if let Some(team) = order.product.participant_id {
        body["participant_id"] = json!(team.to_string());
    }
    if let Some(code) = &record.promo_code {
        body["promo_code"] = json!(code);
    }
    let body = body.to_string();
    let tables = ["order_event"].into_iter().chain(record.subscription.map(|_| "subscription_event"));
    for lake_table in tables {
        // A restored store reuses ids for other orders, so the time is part of the subject.
        let about = format!("{lake_table}/{}/{}/{}/{unique}", record.channel_key, order.id, record.created_at);
        let row = NewRow {
            lake_table,
            event_id: event_id(&about),
            user_id: Some(record.user_id),
            order_id: Some(order.id),
            net,
        };
        insert_row(write, row, &body, at).await?;
    }
    Ok(())
}

pub(super) struct NewRow<'a> {
    pub(super) lake_table: &'a str,
    pub(super) event_id: String,
    pub(super) user_id: Option<i64>,
    pub(super) order_id: Option<i64>,
    pub(super) net: i64,
}

pub(super) async fn insert_row(write: &mut Write, row: NewRow<'_>, body: &str, at: i64) -> StoreResult<()> {
    let id = write.next_id("lake_rows").await?;
    sqlx::query(
        "INSERT INTO lake_rows (id, lake_table, event_id, user_id, order_id, net, at, body, taken)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, FALSE) ON CONFLICT (event_id) DO NOTHING",
    )
    .bind(id)
    .bind(row.lake_table)
    .bind(row.event_id)
    .bind(row.user_id)
    .bind(row.order_id)
    .bind(row.net)
    .bind(at)
    .bind(body)
    .execute(&mut **write)
    .await?;
    Ok(())
}

/// The id of a subject: 128 bits of its SHA-256, as a version 8 UUID (RFC 9562).
fn event_id(about: &str) -> String {
    let mut bytes: [u8; 16] = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(about.as_bytes())[..16]);
    bytes[6] = (bytes[6] & 0x0f) | 0x80;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    hex::encode(bytes)
}

#[async_trait]
impl LakeRows for SqlStore {
    async fn lake_rows(&self, limit: u32) -> StoreResult<Vec<LakeRow>> {
        // Only one worker at a time moves rows to its queue, which remembers what it had.
        if !claims::holds_job(self, "lake").await? {
            return Ok(Vec::new());
        }
        let rows: Vec<(i64, String, String, Option<i64>, i64, String)> = sqlx::query_as(
            "SELECT id, lake_table, event_id, user_id, at, body FROM lake_rows WHERE NOT taken ORDER BY id LIMIT $1",
        )
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await?;
        let row =
            |(id, lake_table, event_id, user_id, at, body)| LakeRow { id, lake_table, event_id, user_id, at, body };
        Ok(rows.into_iter().map(row).collect())
    }

    async fn accept_lake_rows(&self, ids: &[i64], at: i64) -> StoreResult<()> {
        let mut write = self.write().await?;
        sqlx::query(concat!("UPDATE lake_rows SET taken = TRUE, taken_at = $2 WHERE id IN ", numbers_of!("$1")))
            .bind(list(ids)?)
            .bind(at)
            .execute(&mut *write)
            .await?;
        // Only rows of the books are compared with the lake later. An older worker accepts others, and leaves them.
        sqlx::query("DELETE FROM lake_rows WHERE lake_table IN ('event', 'event_count') AND taken")
            .execute(&mut *write)
            .await?;
        write.commit().await
    }

    async fn requeue_lake_rows(&self, ids: &[i64]) -> StoreResult<()> {
        let mut write = self.write().await?;
        sqlx::query(concat!("UPDATE lake_rows SET taken = FALSE WHERE id IN ", numbers_of!("$1")))
            .bind(list(ids)?)
            .execute(&mut *write)
            .await?;
        write.commit().await
    }

    async fn accepted_lake_rows(&self, lake_table: &str, after: i64, limit: u32) -> StoreResult<Vec<AcceptedRow>> {
        let rows: Vec<(i64, String, Option<i64>, i64, i64)> = sqlx::query_as(
            "SELECT id, event_id, order_id, at, COALESCE(taken_at, at) FROM lake_rows
             WHERE lake_table = $1 AND id > $2 AND taken ORDER BY id LIMIT $3",
        )
        .bind(lake_table)
        .bind(after)
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await?;
        let row = |(id, event_id, order_id, at, taken_at)| AcceptedRow { id, event_id, order_id, at, taken_at };
        Ok(rows.into_iter().map(row).collect())
    }

    async fn oldest_pending_lake_row(&self) -> StoreResult<Option<i64>> {
        // The time of a count is its day.
        Ok(sqlx::query_scalar("SELECT MIN(at) FROM lake_rows WHERE NOT taken AND lake_table <> $1")
            .bind(EVENT_COUNT)
            .fetch_one(self.readers())
            .await?)
    }

    async fn delete_lake_rows(&self, ids: &[i64]) -> StoreResult<()> {
        let mut write = self.write().await?;
        sqlx::query(concat!("DELETE FROM lake_rows WHERE taken AND id IN ", numbers_of!("$1")))
            .bind(list(ids)?)
            .execute(&mut *write)
            .await?;
        write.commit().await
    }

    async fn queue_dimensions(&self, channel_key: &str, dimensions: &[Dimension], at: i64) -> StoreResult<u64> {
        let previous: Vec<(String, String, String)> =
            sqlx::query_as("SELECT lake_table, id, body FROM lake_dimensions WHERE channel_key = $1")
                .bind(channel_key)
                .fetch_all(self.readers())
                .await?;
        let previous: HashMap<_, _> = previous.into_iter().map(|(table, id, body)| ((table, id), body)).collect();
        let mut changed = removed(&previous, dimensions)?;
        for dimension in dimensions {
            let key = (dimension.lake_table.to_owned(), dimension.id.to_string());
            if previous.get(&key) != Some(&dimension.body) {
                changed.insert(key, dimension.body.clone());
            }
        }
        if changed.is_empty() {
            return Ok(0);
        }
        let mut write = self.write().await?;
        for ((lake_table, id), body) in &changed {
            sqlx::query(
                "INSERT INTO lake_dimensions (channel_key, lake_table, id, body) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (channel_key, lake_table, id) DO UPDATE SET body = excluded.body",
            )
            .bind(channel_key)
            .bind(lake_table)
            .bind(id)
            .bind(body)
            .execute(&mut *write)
            .await?;
            let event_id = event_id(&format!("{lake_table}/{channel_key}/{id}/{at}"));
            let row = NewRow { lake_table, event_id, user_id: None, order_id: None, net: 0 };
            insert_row(&mut write, row, body, at).await?;
        }
        write.commit().await?;
        Ok(changed.len() as u64)
    }
}

/// A dimension's table in the lake and its ID.
type DimensionKey = (String, String);

/// The bodies of dimensions that the channel no longer has, with `is_removed` set. Those already marked are left out.
fn removed(
    previous: &HashMap<DimensionKey, String>,
    dimensions: &[Dimension],
) -> StoreResult<BTreeMap<DimensionKey, String>> {
    let current: HashSet<_> = dimensions.iter().map(|it| (it.lake_table, it.id.to_string())).collect();
    let mut removed = BTreeMap::new();
    for (key, body) in previous {
        if current.contains(&(key.0.as_str(), key.1.clone())) {
            continue;
        }
        let mut body: Value = serde_json::from_str(body).map_err(StoreError::encoding)?;
        if body["is_removed"] != true {
            body["is_removed"] = json!(true);
            removed.insert(key.clone(), body.to_string());
        }
    }
    Ok(removed)
}

/// Name of money that moved without a transition of its order.
pub(super) fn charge_event_name(kind: &touchline_protocol::purchases::ChargeKind) -> StoreResult<&'static str> {
    Ok(match to_text(kind)?.as_str() {
        "refund" => "refunded",
        "dispute" => "disputed",
        "dispute_won" => "dispute_won",
        "refund_failed" => "refund_failed",
        other => return Err(StoreError::encoding(format!("{other} is not a reversal"))),
    })
}
