//! Receipt numbers: each channel has its own series, without gaps (`ORDER-6`).

use sqlx::FromRow;
use touchline_domain::receipts;

use super::{Connection, Write, receipt_letter};
use crate::{ChargeRecord, Disagreement, StoreError, StoreResult};

/// The number of a receipt.
#[derive(Debug, Clone, Copy)]
pub(super) struct Number {
    pub(super) receipt: i64,
    pub(super) series: i64,
    pub(super) seller: i64,
}

/// Draws the next number for a charge of the channel that sold its order. The channel's counter stays locked until the
/// end of the transaction, so a rollback leaves no gap.
pub(super) async fn draw(write: &mut Write, charge: &ChargeRecord) -> StoreResult<Number> {
    let found: Option<(i64, Option<String>)> =
        sqlx::query_as(receipt_letter!()).bind(charge.order_id).fetch_optional(&mut **write).await?;
    let (series, channel_key) = found.ok_or(StoreError::PromotedStandby)?;
    let channel_key = channel_key.ok_or(StoreError::Database(sqlx::Error::RowNotFound))?;
    let is_payment = charge.is_payment();
    loop {
        let drawn: Option<(i64, i64, i64)> = sqlx::query_as(
            "UPDATE receipt_series SET payments = payments + $3, refunds = refunds + $4
             WHERE channel_key = $1 AND letter = $2 RETURNING seller, payments, refunds",
        )
        .bind(&channel_key)
        .bind(series)
        .bind(i64::from(is_payment))
        .bind(i64::from(!is_payment))
        .fetch_optional(&mut **write)
        .await?;
        if let Some((seller, payments, refunds)) = drawn {
            return Ok(Number { receipt: if is_payment { payments } else { refunds }, series, seller });
        }
        // If another channel takes the number at the same time, this one takes the next.
        sqlx::query(
            "INSERT INTO receipt_series (channel_key, letter, seller, payments, refunds)
             VALUES ($1, $2, COALESCE((SELECT MIN(seller) FROM receipt_series WHERE channel_key = $1),
                                      (SELECT MAX(seller) + 1 FROM receipt_series), 0), 0, 0)
             ON CONFLICT DO NOTHING",
        )
        .bind(&channel_key)
        .bind(series)
        .execute(&mut **write)
        .await?;
    }
}

/// A receipt of a channel that doesn't follow the one before, or the next one if there is none with this number.
#[derive(FromRow)]
struct Unordered {
    channel_key: String,
    series: i64,
    seller: i64,
    is_payment: bool,
    previous: i64,
    receipt: i64,
    /// The order of a repeated number. A missing one belongs to no known order.
    order_id: Option<i64>,
}

impl Unordered {
    fn disagreement(self) -> Disagreement {
        let Self { channel_key, series, seller, is_payment, previous, receipt, order_id } = self;
        let number = receipts::number(series, seller, receipt);
        let kind = if is_payment { "receipt" } else { "refund receipt" };
        let detail = format!("{kind} {number} of {channel_key} follows number {previous}");
        Disagreement { rule: "receipts".to_owned(), order_id, channel_key: Some(channel_key), detail }
    }
}

/// Returns at most `limit` receipts whose number doesn't follow the one before, and channels whose counter isn't at
/// their last receipt.
pub(super) async fn disagreements(read: &mut Connection, limit: u32) -> StoreResult<Vec<Disagreement>> {
    let rows: Vec<Unordered> = sqlx::query_as(
        "SELECT channel_key, series, seller, is_payment, previous, receipt,
             CASE WHEN receipt = previous THEN order_id END AS order_id FROM (
             SELECT s.channel_key, c.series, c.seller, c.kind IN ('purchase', 'renewal') AS is_payment, c.receipt,
                 c.order_id, LAG(c.receipt, 1, 0) OVER (
                     PARTITION BY c.series, c.seller, c.kind IN ('purchase', 'renewal') ORDER BY c.receipt) AS previous
             FROM receipt_series s JOIN charges c ON c.series = s.letter AND c.seller = s.seller
             WHERE c.receipt IS NOT NULL) AS receipts
         WHERE receipt <> previous + 1
         UNION ALL
         SELECT channel_key, letter, seller, is_payment, last, counter + 1, NULL FROM (
             SELECT s.channel_key, s.letter, s.seller, TRUE AS is_payment, s.payments AS counter, COALESCE((
                 SELECT MAX(c.receipt) FROM charges c WHERE c.series = s.letter AND c.seller = s.seller
                     AND c.kind IN ('purchase', 'renewal')), 0) AS last
             FROM receipt_series s
             UNION ALL
             SELECT s.channel_key, s.letter, s.seller, FALSE, s.refunds, COALESCE((
                 SELECT MAX(c.receipt) FROM charges c WHERE c.series = s.letter AND c.seller = s.seller
                     AND c.kind NOT IN ('purchase', 'renewal')), 0)
             FROM receipt_series s) AS counters
         WHERE counter <> last
         LIMIT $1",
    )
    .bind(i64::from(limit))
    .fetch_all(read)
    .await?;
    Ok(rows.into_iter().map(Unordered::disagreement).collect())
}
