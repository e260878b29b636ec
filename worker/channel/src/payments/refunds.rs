//! Refunds. A refund is stored before the provider is called. After a crash it is repeated under the same name, which
//! the provider recognises.

use touchline_protocol::purchases::{ChargeKind, ChargeStatus, Order, OrderStatus};
use touchline_store::{ChargeRecord, RefundRequest, StoreError, StoreResult};

use super::{Billing, PaymentError};

const BATCH_SIZE: u32 = 64;

/// Reasons why a refund failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RefundError {
    /// The order is not paid, its last payment has too little left, or another refund is pending.
    #[error("the order isn't paid, or the amount exceeds what is left to refund on its last payment")]
    NotPaid,
    /// The provider rejected the refund or did not respond. Without a response it is retried.
    #[error(transparent)]
    Payment(#[from] PaymentError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Refunds an amount of an order's last payment, in minor units, or its remainder. A full refund ends access. A payment
/// that the order never accepted, and whose refund failed, is refunded first and does not end access.
///
/// # Errors
/// [`RefundError`].
pub(crate) async fn refund(billing: &Billing, order_id: i64, amount: Option<i64>) -> Result<Order, RefundError> {
    let charge = match billing.store.request_refund(order_id, amount, billing.clock.now_ms()).await? {
        RefundRequest::Refused => return Err(RefundError::NotPaid),
        RefundRequest::Done(order) => {
            end_subscription(billing, order_id).await?;
            return Ok(*order);
        }
        RefundRequest::Pending(charge) => charge,
    };
    make(billing, &charge).await?.ok_or(RefundError::NotPaid)
}

/// Records a refund made outside the provider: an amount of an order's last payment, in minor units, or its remainder.
/// A full refund ends access.
///
/// # Errors
/// [`RefundError`]. Nothing is recorded then.
pub(crate) async fn refund_outside(
    billing: &Billing,
    order_id: i64,
    amount: Option<i64>,
) -> Result<Order, RefundError> {
    let record = billing.store.any_order(order_id).await?.ok_or(RefundError::NotPaid)?;
    let charges = billing.store.order_charges(order_id).await?;
    let is_pending = charges.iter().any(|row| row.status == ChargeStatus::Pending);
    // Refunding a payment that the order never accepted does not change the order.
    let has_unaccepted = charges.iter().any(|row| !row.accepted && is_payment(row) && !is_whole(&charges, 0, row));
    if !(record.order.status == OrderStatus::Paid || has_unaccepted) || is_pending {
        return Err(RefundError::NotPaid);
    }
    let is_accepted_payment = |row: &&ChargeRecord| row.accepted && is_payment(row);
    let last = charges.iter().rev().find(is_accepted_payment);
    if !has_unaccepted && amount.is_none_or(|amount| last.is_some_and(|payment| is_whole(&charges, amount, payment))) {
        billing.payments.end_subscription(&record).await?;
    }
    match billing.store.refund_outside(order_id, amount, billing.clock.now_ms()).await? {
        RefundRequest::Done(order) => Ok(*order),
        RefundRequest::Pending(_) | RefundRequest::Refused => Err(RefundError::NotPaid),
    }
}

pub(super) async fn make_pending(billing: &Billing) -> StoreResult<()> {
    for charge in billing.store.pending_refunds(BATCH_SIZE).await? {
        match make(billing, &charge).await {
            Ok(_) => {}
            Err(RefundError::Store(error)) => return Err(error),
            Err(error) => tracing::warn!(order = charge.order_id, %error, "a refund could not be made"),
        }
    }
    Ok(())
}

async fn make(billing: &Billing, charge: &ChargeRecord) -> Result<Option<Order>, RefundError> {
    let charges = billing.store.order_charges(charge.order_id).await?;
    let payment = charges.iter().find(|payment| Some(payment.id) == charge.of_charge).ok_or(RefundError::NotPaid)?;
    match billing.payments.refund(charge, payment).await {
        Ok(id) => {
            // Must happen before the refund is finished: after a crash in between, the refund is retried here.
            if is_whole(&charges, charge.amount, payment) {
                end_subscription(billing, charge.order_id).await?;
            }
            Ok(billing.store.finish_refund(charge.id, &id, billing.clock.now_ms()).await?)
        }
        Err(error) => {
            if let PaymentError::Fatal(failure) = &error {
                billing.store.fail_refund(charge.id, failure, billing.clock.now_ms()).await?;
            }
            Err(error.into())
        }
    }
}

fn is_payment(row: &ChargeRecord) -> bool {
    row.status == ChargeStatus::Succeeded && matches!(row.kind, ChargeKind::Purchase | ChargeKind::Renewal)
}

/// Returns whether refunding `amount` leaves nothing of the payment.
fn is_whole(charges: &[ChargeRecord], amount: i64, payment: &ChargeRecord) -> bool {
    let moved = |row: &&ChargeRecord| row.of_charge == Some(payment.id) && row.status == ChargeStatus::Succeeded;
    let back = |row: &ChargeRecord| match row.kind {
        ChargeKind::DisputeWon | ChargeKind::RefundFailed => -row.amount,
        _ => row.amount,
    };
    let before: i64 = charges.iter().filter(moved).map(back).sum();
    before + amount >= payment.amount
}

/// Stops the provider's renewals of an order that is refunded in full.
async fn end_subscription(billing: &Billing, order_id: i64) -> Result<(), RefundError> {
    if let Some(record) = billing.store.any_order(order_id).await? {
        billing.payments.end_subscription(&record).await?;
    }
    Ok(())
}
