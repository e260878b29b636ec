//! A viewer's list of payments and refunds: charges, and orders without a charge.

use touchline_domain::receipts;
use touchline_protocol::purchases::{
    ChargeKind, ChargeStatus, Order, OrderStatus, Product, Transaction, TransactionKind,
};
use touchline_protocol::time::rfc3339;
use touchline_store::{ChargeRecord, OrderRecord};

/// Returns the receipt number of a charge: year, series and number within the series, with the prefix `R-` for money
/// returned. The first series has no name (`ORDER-6`).
pub(crate) fn receipt_number(charge: &ChargeRecord) -> Option<String> {
    if !charge.has_receipt() {
        return None;
    }
    let year = rfc3339(charge.at)[..4].to_owned();
    let back = if charge.is_payment() { "" } else { "R-" };
    Some(format!("{back}{year}-{}", receipts::number(charge.series, charge.seller, charge.receipt)))
}

/// Returns the transactions of a person's orders and charges, newest first.
pub(crate) fn transactions(orders: &[OrderRecord], charges: &[ChargeRecord]) -> Vec<Transaction> {
    let mut lines: Vec<(i64, Transaction)> = Vec::with_capacity(charges.len() + orders.len());
    for charge in charges {
        if let Some(order) = orders.iter().find(|record| record.order.id == charge.order_id) {
            lines.push((charge.at, charge_transaction(&order.order, charge, charges)));
        }
    }
    for record in orders {
        let is_charged = charges.iter().any(|charge| charge.order_id == record.order.id && charge.renewal == 0);
        if let Some(line) = order_transaction(record).filter(|_| !is_charged) {
            lines.push((record.created_at, line));
        }
    }
    lines.sort_by(|(at, line), (other_at, other)| other_at.cmp(at).then_with(|| other.id.cmp(&line.id)));
    lines.into_iter().map(|(_, line)| line).collect()
}

fn charge_transaction(order: &Order, charge: &ChargeRecord, charges: &[ChargeRecord]) -> Transaction {
    let (kind, sign) = match charge.kind {
        ChargeKind::Purchase => (TransactionKind::Purchase, 1),
        ChargeKind::Renewal => (TransactionKind::Renewal, 1),
        ChargeKind::Refund => (TransactionKind::Refund, -1),
        ChargeKind::Dispute => (TransactionKind::Dispute, -1),
        ChargeKind::DisputeWon => (TransactionKind::DisputeWon, 1),
        ChargeKind::RefundFailed => (TransactionKind::RefundFailed, 1),
    };
    let payment = charge.of_charge.and_then(|id| charges.iter().find(|other| other.id == id));
    let back = |other: &&ChargeRecord| other.of_charge == Some(charge.id) && other.status == ChargeStatus::Succeeded;
    let refunded = charges.iter().filter(back).map(|other| match other.kind {
        ChargeKind::DisputeWon | ChargeKind::RefundFailed => -other.amount,
        _ => other.amount,
    });
    Transaction {
        id: format!("c{}", charge.id),
        kind,
        status: charge.status,
        at: rfc3339(charge.at),
        order_id: order.id,
        product_type: order.kind,
        product: order.product.clone(),
        amount: sign * charge.amount,
        fee: sign * charge.fee,
        discount: if charge.kind == ChargeKind::Purchase { order.discount } else { 0 },
        currency: charge.currency.clone(),
        card_brand: charge.card_brand.clone(),
        card_last4: charge.card_last4.clone(),
        failure: charge.failure.clone(),
        receipt: receipt_number(charge),
        of_receipt: payment.and_then(receipt_number),
        refunded: refunded.sum(),
    }
}

/// Returns the transaction of an order without a charge: a trial, a grant, or a declined first payment.
fn order_transaction(record: &OrderRecord) -> Option<Transaction> {
    let order = &record.order;
    let is_trial = record.subscription.is_some_and(|subscription| subscription.trial_days > 0);
    let (kind, status, amount) = match order.status {
        OrderStatus::Created => return None,
        OrderStatus::Failed => (TransactionKind::Purchase, ChargeStatus::Failed, order.total),
        OrderStatus::Paid | OrderStatus::Refunded if is_trial => (TransactionKind::Trial, ChargeStatus::Succeeded, 0),
        OrderStatus::Refunded if record.is_granted() => (TransactionKind::GrantEnded, ChargeStatus::Succeeded, 0),
        OrderStatus::Paid if record.is_granted() => (TransactionKind::Grant, ChargeStatus::Succeeded, 0),
        OrderStatus::Paid | OrderStatus::Refunded => (TransactionKind::Purchase, ChargeStatus::Succeeded, order.total),
    };
    Some(Transaction {
        id: format!("o{}", order.id),
        kind,
        status,
        at: order.created_at.clone(),
        order_id: order.id,
        product_type: order.kind,
        product: Product { ..order.product.clone() },
        amount,
        fee: if amount == 0 { 0 } else { order.service_fee },
        discount: if kind == TransactionKind::Purchase { order.discount } else { 0 },
        currency: order.currency.clone(),
        card_brand: None,
        card_last4: None,
        failure: order.failure.clone(),
        receipt: None,
        of_receipt: None,
        refunded: 0,
    })
}
