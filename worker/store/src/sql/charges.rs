//! Charges that are read, and refunds from request to end.

use async_trait::async_trait;
use touchline_protocol::purchases::{ChargeKind, ChargeStatus, Order, OrderStatus};

use super::charge_rows::{Row, charge, insert, is_known, records, refundable, reversal_of};
use super::lake_rows::{self, Money, Moved};
use super::order_rows::{Row as OrderRow, find};
use super::{SqlStore, Write, order_transitions};
use crate::{ChargeRecord, Charges, RefundRequest, Reversal, StoreResult};

#[async_trait]
impl Charges for SqlStore {
    async fn order_charges(&self, order_id: i64) -> StoreResult<Vec<ChargeRecord>> {
        records(
            sqlx::query_as("SELECT * FROM charges WHERE order_id = $1 ORDER BY id")
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
        let rows = sqlx::query_as("SELECT * FROM charges WHERE user_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3")
            .bind(user_id)
            .bind(i64::from(limit))
            .bind(i64::from(offset))
            .fetch_all(&mut *read)
            .await?;
        Ok((records(rows)?, total.unsigned_abs()))
    }

    async fn request_refund(&self, order_id: i64, amount: Option<i64>, at: i64) -> StoreResult<RefundRequest> {
        let mut write = self.write().await?;
        let payment = refundable(&mut write, order_id).await?.filter(|(_, left)| *left > 0);
        let Some((payment, left)) = payment else {
            if amount.is_some() {
                return Ok(RefundRequest::Refused);
            }
            let refunded = order_transitions::refund(&mut write, order_id, Money { amount: 0, fee: 0 }, at).await?;
            write.commit().await?;
            return Ok(refunded.map_or(RefundRequest::Refused, |order| RefundRequest::Done(Box::new(order))));
        };
        let amount = amount.unwrap_or(left);
        let is_pending: bool =
            sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM charges WHERE order_id = $1 AND status = 'pending')")
                .bind(order_id)
                .fetch_one(&mut *write)
                .await?;
        let order = find(&mut write, order_id).await?.map(OrderRow::record).transpose()?;
        let is_paid = order.is_some_and(|record| record.order.status == OrderStatus::Paid);
        let Some(payment) = charge(&mut write, payment).await? else { return Ok(RefundRequest::Refused) };
        if !is_paid || is_pending || amount <= 0 || amount > left {
            return Ok(RefundRequest::Refused);
        }
        let rows: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM charges WHERE order_id = $1")
            .bind(order_id)
            .fetch_one(&mut *write)
            .await?;
        // The moment is part of the name, since a restored store gives the same ids again.
        let name = format!("refund-{order_id}-{rows}-{at}");
        let request = reversal_of(&mut write, payment, ChargeKind::Refund, amount, name, at).await?;
        let request = insert(&mut write, ChargeRecord { status: ChargeStatus::Pending, ..request }).await?;
        write.commit().await?;
        Ok(request.map_or(RefundRequest::Refused, |request| RefundRequest::Pending(Box::new(request))))
    }

    async fn pending_refunds(&self, limit: u32) -> StoreResult<Vec<ChargeRecord>> {
        records(
            sqlx::query_as("SELECT * FROM charges WHERE status = 'pending' ORDER BY id LIMIT $1")
                .bind(i64::from(limit))
                .fetch_all(self.readers())
                .await?,
        )
    }

    async fn finish_refund(&self, charge_id: i64, provider_id: &str, at: i64) -> StoreResult<Option<Order>> {
        let mut write = self.write().await?;
        let order = finish(&mut write, charge_id, provider_id, at).await?;
        write.commit().await?;
        Ok(order)
    }

    async fn fail_refund(&self, charge_id: i64, failure: &str, at: i64) -> StoreResult<()> {
        let mut write = self.write().await?;
        sqlx::query("UPDATE charges SET status = 'failed', failure = $2, at = $3 WHERE id = $1 AND status = 'pending'")
            .bind(charge_id)
            .bind(failure)
            .bind(at)
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(())
    }

    async fn record_reversal(&self, reversal: Reversal, at: i64) -> StoreResult<Option<Order>> {
        let mut write = self.write().await?;
        let order = reverse(&mut write, reversal, at).await?;
        write.commit().await?;
        Ok(order)
    }
}

/// A refund that was requested is made.
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
    // The order moves first: what is left of the payment is counted without this refund.
    let money = Money { amount: refund.amount, fee: refund.fee };
    let moved = refunded(write, refund.order_id, money, at).await?;
    sqlx::query("UPDATE charges SET status = 'succeeded', provider_id = $2, at = $3 WHERE id = $1")
        .bind(charge_id)
        .bind(provider_id)
        .bind(at)
        .execute(&mut **write)
        .await?;
    Ok(moved)
}

/// Money went back without this worker's doing.
pub(super) async fn reverse(write: &mut Write, reversal: Reversal, at: i64) -> StoreResult<Option<Order>> {
    let Reversal { kind, of_provider_id, provider_id, amount } = reversal;
    let payment: Option<Row> = sqlx::query_as("SELECT * FROM charges WHERE provider_id = $1")
        .bind(&of_provider_id)
        .fetch_optional(&mut **write)
        .await?;
    let Some(payment) = payment.map(Row::record).transpose()? else { return Ok(None) };
    let order_id = payment.order_id;
    let is_last = refundable(write, order_id).await?.is_some_and(|(last, _)| last == payment.id);
    if is_known(write, &provider_id).await? {
        return Ok(None);
    }
    let reversal = reversal_of(write, payment, kind, amount, provider_id, at).await?;
    let (fee, renewal) = (reversal.fee, reversal.renewal);
    let money = Money { amount, fee };
    let moved = match kind {
        ChargeKind::Refund if is_last => refunded(write, order_id, money, at).await?,
        ChargeKind::Refund => order_transitions::refund_earlier(write, order_id, money, at).await?,
        ChargeKind::Dispute => order_transitions::dispute(write, order_id, money, at).await?,
        _ => None,
    };
    let unique = format!("charge/{}", reversal.provider_id);
    insert(write, reversal).await?;
    if moved.is_some() {
        return Ok(moved);
    }
    // The order stays as it is: the lake is told of the money alone.
    let Some(record) = find(write, order_id).await?.map(OrderRow::record).transpose()? else { return Ok(None) };
    let back = match kind {
        ChargeKind::DisputeWon => (Moved { fee, ..Moved::default() }, amount),
        _ => Moved::back(amount, fee),
    };
    let event = (lake_rows::charge_word(&kind)?, unique.as_str(), renewal);
    lake_rows::insert(write, &record, event, back, at).await?;
    Ok(Some(record.order))
}

/// Money of the last payment went back. Of an order that ended otherwise meanwhile it counts all the same.
async fn refunded(write: &mut Write, order_id: i64, money: Money, at: i64) -> StoreResult<Option<Order>> {
    match order_transitions::refund(write, order_id, money, at).await? {
        Some(order) => Ok(Some(order)),
        None => order_transitions::refund_earlier(write, order_id, money, at).await,
    }
}

async fn order(write: &mut Write, id: i64) -> StoreResult<Option<Order>> {
    Ok(find(write, id).await?.map(OrderRow::record).transpose()?.map(|record| record.order))
}
