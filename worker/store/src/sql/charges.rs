//! Queries of charges, and refunds from request to completion.

use async_trait::async_trait;
use touchline_protocol::purchases::{ActivityStatus, ChargeKind, ChargeStatus, Order, OrderStatus};

use super::charge_rows::{
    Row, charge, charge_columns, has_provider_id, insert, records, refundable, request_refund, reversal_of, unaccepted,
};
use super::lake_rows::{self, Amounts, Money};
use super::order_rows::{Row as OrderRow, find};
use super::receipts::{self, Number};
use super::{SqlStore, Write, order_transitions, skip_locked, unclaimed};
use crate::charges::OUTSIDE;
use crate::{ChargeRecord, Charges, RefundRequest, Reversal, StoreResult};

#[async_trait]
impl Charges for SqlStore {
    async fn order_charges(&self, order_id: i64) -> StoreResult<Vec<ChargeRecord>> {
        records(
            sqlx::query_as(concat!("SELECT ", charge_columns!(""), " FROM charges WHERE order_id = $1 ORDER BY id"))
                .bind(order_id)
                .fetch_all(self.readers())
                .await?,
        )
    }

    async fn user_charges(&self, user_id: i64, limit: u32, offset: u32) -> StoreResult<(Vec<ChargeRecord>, u64)> {
        let mut read = self.read().await?;
        let total: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM charges WHERE user_id = $1")
            .bind(user_id)
            .fetch_one(&mut *read)
            .await?;
        let rows = sqlx::query_as(concat!(
            "SELECT ",
            charge_columns!(""),
            " FROM charges WHERE user_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3"
        ))
        .bind(user_id)
        .bind(i64::from(limit))
        .bind(i64::from(offset))
        .fetch_all(&mut *read)
        .await?;
        Ok((records(rows)?, total.unsigned_abs()))
    }

    async fn request_refund(&self, order_id: i64, amount: Option<i64>, at: i64) -> StoreResult<RefundRequest> {
        let mut write = self.write().await?;
        let request = request(&mut write, (order_id, "refund"), amount, at).await?;
        write.commit().await?;
        Ok(request)
    }

    async fn refund_outside(&self, order_id: i64, amount: Option<i64>, at: i64) -> StoreResult<RefundRequest> {
        let mut write = self.write().await?;
        let done = match request(&mut write, (order_id, OUTSIDE), amount, at).await? {
            RefundRequest::Pending(refund) => {
                let order = finish(&mut write, refund.id, &refund.provider_id, at).await?;
                order.map_or(RefundRequest::Refused, |order| RefundRequest::Done(Box::new(order)))
            }
            done => done,
        };
        write.commit().await?;
        Ok(done)
    }

    async fn pending_refunds(&self, limit: u32) -> StoreResult<Vec<ChargeRecord>> {
        let mut claiming = self.claiming().await?;
        let node = claiming.node();
        let rows: Vec<Row> = sqlx::query_as(concat!(
            "SELECT ",
            charge_columns!(""),
            " FROM charges c WHERE c.status = 'pending' AND ",
            unclaimed!("'refund/' || c.id", "$2"),
            " ORDER BY c.id LIMIT $1",
            skip_locked!("c")
        ))
        .bind(i64::from(limit))
        .bind(node)
        .fetch_all(claiming.connection())
        .await?;
        records(claiming.take(rows, |row| format!("refund/{}", row.id)).await?)
    }

    async fn finish_refund(&self, charge_id: i64, provider_id: &str, at: i64) -> StoreResult<Option<Order>> {
        let mut write = self.write().await?;
        let order = finish(&mut write, charge_id, provider_id, at).await?;
        write.commit().await?;
        Ok(order)
    }

    async fn fail_refund(&self, charge_id: i64, failure: &str, at: i64) -> StoreResult<()> {
        let mut write = self.write().await?;
        refuse(&mut write, charge_id, failure, at).await?;
        write.commit().await
    }

    async fn record_reversal(&self, reversal: Reversal, at: i64) -> StoreResult<Option<Order>> {
        let mut write = self.write().await?;
        let order = reverse(&mut write, reversal, at).await?;
        write.commit().await?;
        Ok(order)
    }
}

/// Requests a refund: first of charges the order never accepted, otherwise of its last payment. The name of the refund
/// starts with `prefix`.
async fn request(
    write: &mut Write,
    (order_id, prefix): (i64, &str),
    amount: Option<i64>,
    at: i64,
) -> StoreResult<RefundRequest> {
    // Charges the order never accepted are refunded first.
    let unaccepted = unaccepted(write, order_id).await?;
    let last = refundable(write, order_id).await?.filter(|(_, remaining)| *remaining > 0);
    let Some((payment, remaining)) = unaccepted.or(last) else {
        if amount.is_some() {
            return Ok(RefundRequest::Refused);
        }
        let refunded = order_transitions::refund(write, order_id, Money { amount: 0, fee: 0, at }, at).await?;
        return Ok(refunded.map_or(RefundRequest::Refused, |order| RefundRequest::Done(Box::new(order))));
    };
    let amount = amount.unwrap_or(remaining);
    let is_pending: bool =
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM charges WHERE order_id = $1 AND status = 'pending')")
            .bind(order_id)
            .fetch_one(&mut **write)
            .await?;
    let order = find(write, order_id).await?.map(OrderRow::record).transpose()?;
    let is_paid = order.is_some_and(|record| record.order.status == OrderStatus::Paid);
    let Some(payment) = charge(write, payment).await? else { return Ok(RefundRequest::Refused) };
    if !(is_paid || unaccepted.is_some()) || is_pending || amount <= 0 || amount > remaining {
        return Ok(RefundRequest::Refused);
    }
    // A refund made outside the provider records no card.
    let payment = match prefix {
        OUTSIDE => ChargeRecord { card_brand: None, card_last4: None, ..payment },
        _ => payment,
    };
    let request = request_refund(write, payment, (amount, prefix), at).await?;
    Ok(request.map_or(RefundRequest::Refused, |request| RefundRequest::Pending(Box::new(request))))
}

/// Completes a requested refund.
pub(super) async fn finish(
    write: &mut Write,
    charge_id: i64,
    provider_id: &str,
    at: i64,
) -> StoreResult<Option<Order>> {
    let Some(refund) = charge(write, charge_id).await? else { return Ok(None) };
    if refund.status != ChargeStatus::Pending {
        return order(write, refund.order_id).await;
    }
    // The order changes first, while the payment's remainder doesn't include this refund.
    let money = Money { amount: refund.amount, fee: refund.fee, at };
    let updated = if refund.accepted {
        refunded(write, refund.order_id, money, at).await?
    } else {
        order_transitions::returned(write, refund.order_id, money, at).await?
    };
    if let Some(order) = &updated {
        order_transitions::link_notice(write, order, charge_id).await?;
    }
    let Number { receipt, series, seller } = receipts::draw(write, &refund).await?;
    sqlx::query(
        "UPDATE charges SET status = 'succeeded', provider_id = $2, at = $3, receipt = $4, series = $5, seller = $6
         WHERE id = $1",
    )
    .bind(charge_id)
    .bind(provider_id)
    .bind(at)
    .bind(receipt)
    .bind(series)
    .bind(seller)
    .execute(&mut **write)
    .await?;
    Ok(updated)
}

/// Records that the provider refused a refund.
pub(super) async fn refuse(write: &mut Write, charge_id: i64, failure: &str, at: i64) -> StoreResult<()> {
    sqlx::query("UPDATE charges SET status = 'failed', failure = $2, at = $3 WHERE id = $1 AND status = 'pending'")
        .bind(charge_id)
        .bind(failure)
        .bind(at)
        .execute(&mut **write)
        .await?;
    Ok(())
}

/// Records money that moved without a request from this worker.
pub(super) async fn reverse(write: &mut Write, reversal: Reversal, at: i64) -> StoreResult<Option<Order>> {
    let Reversal { kind, of_provider_id, provider_id, amount, at: moved_at } = reversal;
    let Some(reversed) = by_provider_id(write, &of_provider_id).await? else { return Ok(None) };
    if has_provider_id(write, &provider_id).await? {
        return Ok(None);
    }
    // A failed refund refers to the refund, which refers to the payment.
    let payment = match reversed.of_charge.filter(|_| kind == ChargeKind::RefundFailed) {
        Some(payment) => charge(write, payment).await?,
        None => Some(reversed),
    };
    let Some(payment) = payment else { return Ok(None) };
    let (order_id, accepted, payment_id) = (payment.order_id, payment.accepted, payment.id);
    let last = refundable(write, order_id).await?;
    let is_last = last.is_some_and(|(last, _)| last == payment_id);
    let reversal = reversal_of(write, payment, kind, amount, provider_id, moved_at.unwrap_or(at)).await?;
    let (fee, renewal) = (reversal.fee, reversal.renewal);
    let money = Money { amount, fee, at: reversal.at };
    let was_active = order(write, order_id).await?.is_some_and(|it| it.activity_status == ActivityStatus::Active);
    let updated = match kind {
        ChargeKind::Refund if !accepted => order_transitions::returned(write, order_id, money, at).await?,
        ChargeKind::Refund if is_last => refunded(write, order_id, money, at).await?,
        ChargeKind::Refund => order_transitions::refund_earlier(write, order_id, money, at).await?,
        ChargeKind::Dispute => order_transitions::dispute(write, order_id, money, at).await?,
        ChargeKind::RefundFailed if accepted => {
            let ended_it = is_last && !was_disputed(write, order_id).await?;
            order_transitions::refund_failed(write, order_id, ended_it, money, at).await?
        }
        _ => None,
    };
    let unique = format!("charge/{}", reversal.provider_id);
    let row = insert(write, reversal).await?;
    if let Some((order, row)) = updated.as_ref().zip(row) {
        order_transitions::link_notice(write, order, row.id).await?;
        let is_again = kind == ChargeKind::RefundFailed && order.activity_status == ActivityStatus::Active;
        let record =
            find(write, order_id).await?.filter(|_| is_again && !was_active).map(OrderRow::record).transpose()?;
        if let Some(record) = record {
            let unique = format!("{}/reopened", order.version);
            let nothing = (Amounts::default(), 0);
            lake_rows::insert(write, &record, ("reopened", unique.as_str(), renewal), nothing, money.at).await?;
        }
        return Ok(updated);
    }
    // The order doesn't change, so the lake gets only the charge.
    let Some(record) = find(write, order_id).await?.map(OrderRow::record).transpose()? else { return Ok(None) };
    let back = match kind {
        ChargeKind::DisputeWon | ChargeKind::RefundFailed => Amounts::refund_returned(amount, fee),
        _ => Amounts::refund(amount, fee),
    };
    let event = (lake_rows::charge_event_name(&kind)?, unique.as_str(), renewal);
    lake_rows::insert(write, &record, event, back, money.at).await?;
    Ok(Some(record.order))
}

async fn by_provider_id(write: &mut Write, provider_id: &str) -> StoreResult<Option<ChargeRecord>> {
    let row: Option<Row> =
        sqlx::query_as(concat!("SELECT ", charge_columns!(""), " FROM charges WHERE provider_id = $1"))
            .bind(provider_id)
            .fetch_optional(&mut **write)
            .await?;
    row.map(Row::record).transpose()
}

/// Whether a payment of the order was ever disputed. Its access doesn't come back automatically.
async fn was_disputed(write: &mut Write, order_id: i64) -> StoreResult<bool> {
    Ok(sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM charges WHERE order_id = $1 AND kind = 'dispute')")
        .bind(order_id)
        .fetch_one(&mut **write)
        .await?)
}

/// Refunds part of the last payment, even if the order ended in another way meanwhile.
async fn refunded(write: &mut Write, order_id: i64, money: Money, at: i64) -> StoreResult<Option<Order>> {
    match order_transitions::refund(write, order_id, money, at).await? {
        Some(order) => Ok(Some(order)),
        None => order_transitions::refund_earlier(write, order_id, money, at).await,
    }
}

async fn order(write: &mut Write, id: i64) -> StoreResult<Option<Order>> {
    Ok(find(write, id).await?.map(OrderRow::record).transpose()?.map(|record| record.order))
}
