//! Rows of charges.

use sqlx::FromRow;
use touchline_protocol::purchases::{ChargeKind, ChargeStatus};

use super::receipts::{self, Number};
use super::{Write, from_text, to_text};
use crate::{ChargeRecord, NewCharge, OrderRecord, StoreResult};

/// Columns of a [`Row`].
macro_rules! charge_columns {
    ($of:literal) => {
        columns!(
            $of,
            id,
            order_id,
            user_id,
            kind,
            status,
            renewal,
            of_charge,
            amount,
            fee,
            currency,
            card_brand,
            card_last4,
            failure,
            provider_id,
            at,
            accepted,
            receipt,
            series,
            seller
        )
    };
}
pub(super) use charge_columns;

#[derive(FromRow)]
pub(super) struct Row {
    pub(super) id: i64,
    order_id: i64,
    user_id: i64,
    kind: String,
    status: String,
    renewal: i64,
    of_charge: Option<i64>,
    amount: i64,
    fee: i64,
    currency: String,
    card_brand: Option<String>,
    card_last4: Option<String>,
    failure: Option<String>,
    provider_id: String,
    at: i64,
    accepted: bool,
    receipt: Option<i64>,
    series: i64,
    seller: i64,
}

impl Row {
    pub(super) fn record(self) -> StoreResult<ChargeRecord> {
        Ok(ChargeRecord {
            id: self.id,
            order_id: self.order_id,
            user_id: self.user_id,
            kind: from_text(self.kind)?,
            status: from_text(self.status)?,
            renewal: self.renewal,
            of_charge: self.of_charge,
            amount: self.amount,
            fee: self.fee,
            currency: self.currency,
            card_brand: self.card_brand,
            card_last4: self.card_last4,
            failure: self.failure,
            provider_id: self.provider_id,
            at: self.at,
            accepted: self.accepted,
            receipt: self.receipt.unwrap_or(self.id),
            series: self.series,
            seller: self.seller,
        })
    }
}

pub(super) fn records(rows: Vec<Row>) -> StoreResult<Vec<ChargeRecord>> {
    rows.into_iter().map(Row::record).collect()
}

pub(super) async fn charge(write: &mut Write, id: i64) -> StoreResult<Option<ChargeRecord>> {
    let row: Option<Row> = sqlx::query_as(concat!("SELECT ", charge_columns!(""), " FROM charges WHERE id = $1"))
        .bind(id)
        .fetch_optional(&mut **write)
        .await?;
    row.map(Row::record).transpose()
}

/// Returns an order's last accepted payment and its refundable remainder in minor units. Pending refunds aren't
/// subtracted.
pub(super) async fn refundable(write: &mut Write, order_id: i64) -> StoreResult<Option<(i64, i64)>> {
    Ok(sqlx::query_as(
        "SELECT paid.id, CAST(paid.amount - COALESCE((
             SELECT SUM(CASE WHEN kind IN ('dispute_won', 'refund_failed') THEN -amount ELSE amount END) FROM charges
             WHERE of_charge = paid.id AND status = 'succeeded'), 0) AS BIGINT)
         FROM charges paid
         WHERE order_id = $1 AND kind IN ('purchase', 'renewal') AND status = 'succeeded' AND accepted
         ORDER BY renewal DESC LIMIT 1",
    )
    .bind(order_id)
    .fetch_optional(&mut **write)
    .await?)
}

/// Returns a payment that the order didn't accept, and the amount not refunded yet in minor units. A failed refund
/// counts as not refunded.
pub(super) async fn unaccepted(write: &mut Write, order_id: i64) -> StoreResult<Option<(i64, i64)>> {
    Ok(sqlx::query_as(
        "SELECT id, owed FROM (
             SELECT paid.id, CAST(paid.amount - COALESCE((
                 SELECT SUM(CASE WHEN kind IN ('dispute_won', 'refund_failed') THEN -amount ELSE amount END) FROM charges
                 WHERE of_charge = paid.id AND status = 'succeeded'), 0) AS BIGINT) AS owed
             FROM charges paid
             WHERE order_id = $1 AND kind IN ('purchase', 'renewal') AND status = 'succeeded' AND NOT accepted) AS payments
         WHERE owed > 0 ORDER BY id LIMIT 1",
    )
    .bind(order_id)
    .fetch_optional(&mut **write)
    .await?)
}

/// Inserts the row of a successful or declined payment, unless the provider's id exists. `accepted` says whether the
/// order accepts the payment.
pub(super) async fn insert_payment(
    write: &mut Write,
    record: &OrderRecord,
    renewal: i64,
    new: NewCharge,
    (accepted, at): (bool, i64),
) -> StoreResult<Option<ChargeRecord>> {
    let charge = ChargeRecord {
        id: 0,
        order_id: record.order.id,
        user_id: record.user_id,
        kind: if renewal == 0 { ChargeKind::Purchase } else { ChargeKind::Renewal },
        status: if new.failure.is_none() { ChargeStatus::Succeeded } else { ChargeStatus::Failed },
        renewal,
        of_charge: None,
        amount: new.amount,
        fee: if renewal == 0 { record.order.service_fee } else { record.subscription.map_or(0, |row| row.renewal_fee) },
        currency: record.order.currency.clone(),
        card_brand: new.card_brand,
        card_last4: new.card_last4,
        failure: new.failure,
        provider_id: new.provider_id,
        at: new.at.unwrap_or(at),
        accepted,
        receipt: 0,
        series: 0,
        seller: 0,
    };
    insert(write, charge).await
}

/// Inserts a row with a new id and returns it. `None` if the provider's id exists.
pub(super) async fn insert(write: &mut Write, charge: ChargeRecord) -> StoreResult<Option<ChargeRecord>> {
    if has_provider_id(write, &charge.provider_id).await? {
        return Ok(None);
    }
    let id = write.next_id("charges").await?;
    let charge = ChargeRecord { id, ..charge };
    let number = if charge.has_receipt() { Some(receipts::draw(write, &charge).await?) } else { None };
    sqlx::query(
        "INSERT INTO charges (id, order_id, user_id, kind, status, renewal, of_charge, amount, fee, currency, card_brand,
            card_last4, failure, provider_id, at, accepted, receipt, series, seller)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)",
    )
    .bind(id)
    .bind(charge.order_id)
    .bind(charge.user_id)
    .bind(to_text(&charge.kind)?)
    .bind(to_text(&charge.status)?)
    .bind(charge.renewal)
    .bind(charge.of_charge)
    .bind(charge.amount)
    .bind(charge.fee)
    .bind(&charge.currency)
    .bind(&charge.card_brand)
    .bind(&charge.card_last4)
    .bind(&charge.failure)
    .bind(&charge.provider_id)
    .bind(charge.at)
    .bind(charge.accepted)
    .bind(number.map(|number| number.receipt))
    .bind(number.map_or(0, |number| number.series))
    .bind(number.map_or(0, |number| number.seller))
    .execute(&mut **write)
    .await?;
    let Number { receipt, series, seller } = number.unwrap_or(Number { receipt: id, series: 0, seller: 0 });
    Ok(Some(ChargeRecord { receipt, series, seller, ..charge }))
}

/// Whether a row with the provider's id exists.
pub(super) async fn has_provider_id(write: &mut Write, provider_id: &str) -> StoreResult<bool> {
    Ok(sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM charges WHERE provider_id = $1)")
        .bind(provider_id)
        .fetch_one(&mut **write)
        .await?)
}

/// The service fee included in part of a payment. All parts refunded so far contain the proportional fee, rounded down.
/// The part that completes the refund contains the rest.
async fn fee_within(write: &mut Write, payment: &ChargeRecord, kind: ChargeKind, amount: i64) -> StoreResult<i64> {
    let (amount_back, refunded_fee): (i64, i64) = sqlx::query_as(
        "SELECT CAST(COALESCE(SUM(CASE WHEN kind IN ('dispute_won', 'refund_failed') THEN -amount ELSE amount END), 0)
                     AS BIGINT),
                CAST(COALESCE(SUM(CASE WHEN kind IN ('dispute_won', 'refund_failed') THEN -fee ELSE fee END), 0) AS BIGINT)
         FROM charges WHERE of_charge = $1 AND status = 'succeeded'",
    )
    .bind(payment.id)
    .fetch_one(&mut **write)
    .await?;
    let fee_of = |part: i64| if payment.amount == 0 { 0 } else { payment.fee * part / payment.amount };
    Ok(match kind {
        ChargeKind::DisputeWon | ChargeKind::RefundFailed => refunded_fee - fee_of(amount_back - amount),
        _ => fee_of(amount_back + amount) - refunded_fee,
    })
}

/// The row of a refund or dispute of a payment, or of its return.
pub(super) async fn reversal_of(
    write: &mut Write,
    payment: ChargeRecord,
    kind: ChargeKind,
    amount: i64,
    provider_id: String,
    at: i64,
) -> StoreResult<ChargeRecord> {
    let fee = fee_within(write, &payment, kind, amount).await?;
    let (of_charge, status) = (Some(payment.id), ChargeStatus::Succeeded);
    Ok(ChargeRecord { id: 0, kind, status, of_charge, amount, fee, provider_id, failure: None, at, ..payment })
}

/// Records a requested refund of a payment, with a name that starts with `prefix`.
pub(super) async fn request_refund(
    write: &mut Write,
    payment: ChargeRecord,
    (amount, prefix): (i64, &str),
    at: i64,
) -> StoreResult<Option<ChargeRecord>> {
    let order_id = payment.order_id;
    let rows: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM charges WHERE order_id = $1")
        .bind(order_id)
        .fetch_one(&mut **write)
        .await?;
    // The time is part of the name, because a restored store issues the same ids again.
    let name = format!("{prefix}-{order_id}-{rows}-{at}");
    let request = reversal_of(write, payment, ChargeKind::Refund, amount, name, at).await?;
    insert(write, ChargeRecord { status: ChargeStatus::Pending, ..request }).await
}
