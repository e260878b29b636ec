//! Comparison of the books with the provider's records (`OPS-19`).
//!
//! Orders with differences are first refreshed from the provider, as their webhooks would have done. Only the remaining
//! differences are reported.

use std::collections::{BTreeSet, HashMap, HashSet};

use touchline_domain::DAY_MS;
use touchline_domain::subscriptions::Lifecycle;
use touchline_protocol::limits::Limit;
use touchline_protocol::purchases::ChargeKind;
use touchline_store::{ChargeRecord, Disagreement, OrderRecord, StoreError, StoreResult};

use super::records::{ProviderMove, ProviderSubscription};
use super::webhooks::{self, Failure, order_of};
use super::{Billing, PaymentError};

/// Time that a change may take before the records must agree.
pub const SETTLING_MS: i64 = 60_000;
/// Longest time between the start of a payment and its charge row: banks ask for confirmation, and renewals are retried
/// for a week.
const LOOKBACK_MS: i64 = 16 * DAY_MS;
/// Maximum number of charges compared.
pub const CHARGES: u32 = 500_000;
/// Maximum number of orders refreshed from the provider.
const MAX_REFRESHED: usize = 200;

pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("audit.charges", CHARGES as u64, "charges", "Charges per comparison with the provider and the lake."),
    Limit::count("audit.asked", MAX_REFRESHED as u64, "orders", "Orders refreshed from the provider per audit."),
];

/// Rules of this comparison.
pub const RULES: [&str; 4] =
    ["provider_payment", "provider_reversal", "provider_unknown_charge", "provider_subscription"];

/// Reasons why the comparison failed.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The provider failed.
    #[error(transparent)]
    Payment(#[from] PaymentError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A difference, with the keys for finding its order.
struct Finding {
    rule: &'static str,
    order_id: Option<i64>,
    /// The customer of a payment without an order.
    customer: Option<String>,
    detail: String,
}

/// Returns the differences between the books and the provider's records: payments since `since`, and every
/// subscription.
///
/// # Errors
/// [`AuditError`].
pub async fn disagreements(billing: &Billing, since: i64) -> Result<Vec<Disagreement>, AuditError> {
    let found = compare(billing, since).await?;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    for record in orders_to_refresh(billing, &found).await?.into_iter().take(MAX_REFRESHED) {
        match webhooks::follow(billing, &record, true, None).await {
            Ok(()) => {}
            // A request that the provider rejects concerns one order only. The others are still compared.
            Err(Failure::Payment(error @ PaymentError::Fatal(_))) => {
                tracing::warn!(order = record.order.id, %error, "an order with differences could not be refreshed");
            }
            Err(Failure::Payment(error)) => return Err(error.into()),
            Err(Failure::Store(error)) => return Err(error.into()),
        }
    }
    let remaining = compare(billing, since).await?;
    Ok(remaining
        .into_iter()
        .map(|Finding { rule, order_id, detail, .. }| disagreement(rule, order_id, detail))
        .collect())
}

fn disagreement(rule: &str, order_id: Option<i64>, detail: String) -> Disagreement {
    Disagreement { rule: rule.to_owned(), order_id, channel_key: None, detail }
}

/// Returns the orders with differences. For a payment without an order, these are its customer's subscriptions.
async fn orders_to_refresh(billing: &Billing, found: &[Finding]) -> StoreResult<Vec<OrderRecord>> {
    let ids: BTreeSet<i64> = found.iter().filter_map(|found| found.order_id).collect();
    let mut orders = Vec::new();
    for id in ids {
        orders.extend(billing.store.any_order(id).await?);
    }
    let customers: BTreeSet<&String> = found.iter().filter_map(|found| found.customer.as_ref()).collect();
    let mut users = HashSet::new();
    for customer in customers {
        users.extend(billing.store.user_by_customer_id(customer).await?);
    }
    for user in users {
        // Includes ended subscriptions, which may have been paid for nevertheless.
        orders.extend(billing.store.subscriptions_of(user).await?);
    }
    Ok(orders)
}

async fn compare(billing: &Billing, since: i64) -> Result<Vec<Finding>, AuditError> {
    let until = billing.clock.now_ms() - SETTLING_MS;
    let from = since - LOOKBACK_MS;
    let records = billing.payments.records(from).await?;
    let charges = billing.store.charges_since(from, CHARGES).await?;
    // Charges over the limit are not loaded. The comparison ends where they start.
    let read = charges.get(CHARGES as usize - 1).map_or(until, |charge| charge.at.min(until));
    let mut found = moves(billing, &records.moves, &charges, (since, read)).await?;
    if let Some(subscriptions) = &records.subscriptions {
        found.extend(running(billing, subscriptions, until).await?);
    }
    Ok(found)
}

async fn moves(
    billing: &Billing,
    moves: &[ProviderMove],
    charges: &[ChargeRecord],
    (since, until): (i64, i64),
) -> Result<Vec<Finding>, AuditError> {
    let rows: HashMap<&str, &ChargeRecord> = charges.iter().map(|row| (row.provider_id.as_str(), row)).collect();
    let mut went_back: HashMap<&str, i64> = HashMap::new();
    for back in moves.iter().filter(|it| !it.is_won_back) {
        if let Some(payment) = back.of_payment.as_deref() {
            *went_back.entry(payment).or_default() += back.amount;
        }
    }
    let by_id: HashMap<&str, &ProviderMove> = moves.iter().map(|it| (it.id.as_str(), it)).collect();
    let mut found = Vec::new();
    let is_in_range = |at: i64| at >= since && at < until;
    for one in moves.iter().filter(|it| is_in_range(it.at)) {
        if let Some(row) = rows.get(one.id.as_str()) {
            if row.amount != one.amount {
                let detail = format!("{}, but the books record {}", described(one), row.amount);
                found.push(Finding { rule: rule_of(one), order_id: Some(row.order_id), customer: None, detail });
            }
            continue;
        }
        // A payment for an order that had ended was refunded in full. Neither has a row.
        let payment = one.of_payment.as_deref().map_or(Some(one), |id| by_id.get(id).copied());
        let is_undone = |payment: &ProviderMove| {
            !rows.contains_key(payment.id.as_str())
                && went_back.get(payment.id.as_str()).is_some_and(|back| *back >= payment.amount)
        };
        if payment.is_some_and(is_undone) {
            continue;
        }
        let refs = [one.of_payment.clone().unwrap_or_else(|| one.id.clone())];
        let record = billing.store.find_order_by_refs(None, &refs).await?;
        let key = payment.and_then(|payment| payment.order_key.as_deref()).and_then(order_of);
        let order_id = record.map(|record| record.order.id).or(key);
        let customer = payment.and_then(|payment| payment.customer.clone()).filter(|_| order_id.is_none());
        let user = match &customer {
            Some(customer) => billing.store.user_by_customer_id(customer).await?,
            None => None,
        };
        // The account may also take payments for others, with no order and no customer of ours.
        if order_id.is_none() && user.is_none() {
            continue;
        }
        let whose = user.map_or_else(String::new, |user| format!(" of user {user}"));
        let detail = format!("{}{whose}, but the books have no such {}", described(one), noun_of(one));
        found.push(Finding { rule: rule_of(one), order_id, customer, detail });
    }
    for row in charges.iter().filter(|row| is_in_range(row.at) && billing.payments.recognises_id(&row.provider_id)) {
        if !by_id.contains_key(row.provider_id.as_str()) {
            let detail = format!(
                "charge {} records {} as {}, but the provider has no such {}",
                row.id,
                row.amount,
                row.provider_id,
                if matches!(row.kind, ChargeKind::Purchase | ChargeKind::Renewal) { "payment" } else { "reversal" }
            );
            found.push(Finding {
                rule: "provider_unknown_charge",
                order_id: Some(row.order_id),
                customer: None,
                detail,
            });
        }
    }
    Ok(found)
}

fn rule_of(one: &ProviderMove) -> &'static str {
    if one.of_payment.is_some() { "provider_reversal" } else { "provider_payment" }
}

fn noun_of(one: &ProviderMove) -> &'static str {
    if one.of_payment.is_some() { "reversal" } else { "payment" }
}

fn described(one: &ProviderMove) -> String {
    match &one.of_payment {
        Some(_) if one.is_won_back => format!("the provider recovered {} as {}", one.amount, one.id),
        Some(payment) => format!("the provider refunded {} of {payment} as {}", one.amount, one.id),
        None => format!("the provider charged {} as {}", one.amount, one.id),
    }
}

async fn running(
    billing: &Billing,
    subscriptions: &[ProviderSubscription],
    until: i64,
) -> Result<Vec<Finding>, AuditError> {
    let mut found = Vec::new();
    let mut report = |order_id, detail: String| {
        found.push(Finding { rule: "provider_subscription", order_id, customer: None, detail });
    };
    let books = billing.store.subscriptions_at_provider().await?;
    let by_ref: HashMap<&str, &OrderRecord> =
        books.iter().filter_map(|record| Some((record.provider_ref.as_deref()?, record))).collect();
    let mut seen = HashSet::new();
    for one in subscriptions {
        seen.insert(one.id.as_str());
        let status = if one.renews { "renews" } else { "ends with its period" };
        let Some(record) = by_ref.get(one.id.as_str()) else {
            let record = billing.store.find_order_by_refs(None, std::slice::from_ref(&one.id)).await?;
            let id = record.map(|record| record.order.id).or(one.order_key.as_deref().and_then(order_of));
            if id.is_some() && one.at < until {
                report(id, format!("{} {status} at the provider, but the books have no active subscription", one.id));
            }
            continue;
        };
        let renews = record.subscription.is_some_and(|bought| bought.lifecycle != Lifecycle::Cancelling);
        if renews != one.renews && has_settled(billing, record, until).await? {
            let books = if renews { "renews" } else { "ends with its period" };
            report(Some(record.order.id), format!("{} {status} at the provider, but the books say it {books}", one.id));
        }
    }
    // A cancelled subscription that is still in use need not run at the provider.
    let renews = |record: &OrderRecord| record.subscription.is_some_and(|it| it.lifecycle != Lifecycle::Cancelling);
    for (id, record) in by_ref.into_iter().filter(|(_, record)| renews(record)) {
        if !seen.contains(id) && billing.payments.recognises_id(id) && has_settled(billing, record, until).await? {
            report(Some(record.order.id), format!("{id} is active in the books, but not at the provider"));
        }
    }
    Ok(found)
}

/// Returns whether the order has not changed recently.
async fn has_settled(billing: &Billing, record: &OrderRecord, until: i64) -> StoreResult<bool> {
    Ok(billing.store.last_event_at(record.order.id).await?.is_none_or(|at| at < until))
}
