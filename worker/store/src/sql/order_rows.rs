//! Rows of orders and their events.

use sqlx::FromRow;
use touchline_domain::orders::PlacedOrder;
use touchline_domain::orders::transitions::OrderEvent;
use touchline_domain::periods::BillingPeriod;
use touchline_domain::subscriptions::{BoughtSubscription, Lifecycle};
use touchline_protocol::purchases::{NextAction, Order, OrderStatus, Product, SubscriptionState};
use touchline_protocol::sync::StatusKind;

use super::lake_rows::Money;
use super::{Write, from_list, from_text, lake_rows, rfc3339, statuses};
use crate::{NewStatus, OrderRecord, Scope, StoreError, StoreResult};

/// Selects orders with their subscription. The argument is the `WHERE` clause.
macro_rules! orders_where {
    ($($rest:expr),+ $(,)?) => {
        concat!(
            "SELECT o.id, o.channel_key, o.user_id, o.kind, o.product_id, o.product_name, o.event_category_id,
                o.participant_id, o.event_categories, o.base_price, o.discount, o.service_fee, o.currency, o.promo_code,
                o.payment_method_id, o.status, o.activity_status, o.failure, o.client_secret, o.active_until, o.due_at,
                o.attempts, o.version, o.created_at, o.period_days, o.refunded_minor, o.provider_ref, s.annual, s.trial_days,
                s.renewal_price, s.renewal_fee, s.lifecycle, s.anchor, s.current_period_end, s.trial_end, s.renewals, s.failed_attempts
             FROM orders o LEFT JOIN subscriptions s ON s.order_id = o.id WHERE ",
            $($rest),+
        )
    };
}
pub(super) use orders_where;

#[derive(FromRow)]
pub(super) struct Row {
    pub(super) id: i64,
    channel_key: String,
    user_id: i64,
    kind: String,
    product_id: i64,
    product_name: String,
    event_category_id: Option<i64>,
    participant_id: Option<i64>,
    event_categories: String,
    base_price: i64,
    discount: i64,
    service_fee: i64,
    currency: String,
    promo_code: Option<String>,
    payment_method_id: String,
    status: String,
    activity_status: String,
    failure: Option<String>,
    client_secret: Option<String>,
    active_until: Option<i64>,
    due_at: Option<i64>,
    pub(super) attempts: i64,
    version: i64,
    created_at: i64,
    period_days: i64,
    refunded_minor: i64,
    provider_ref: Option<String>,
    annual: Option<bool>,
    trial_days: Option<i64>,
    renewal_price: Option<i64>,
    renewal_fee: Option<i64>,
    lifecycle: Option<String>,
    anchor: Option<i64>,
    current_period_end: Option<i64>,
    trial_end: Option<i64>,
    renewals: Option<i64>,
    failed_attempts: Option<i64>,
}

impl Row {
    fn subscription(&self) -> StoreResult<Option<BoughtSubscription>> {
        let (Some(annual), Some(lifecycle)) = (self.annual, self.lifecycle.clone()) else { return Ok(None) };
        Ok(Some(BoughtSubscription {
            period: BillingPeriod::from_annual(annual),
            lifecycle: from_text(lifecycle)?,
            anchor: self.anchor.unwrap_or_default(),
            current_period_end: self.current_period_end.unwrap_or_default(),
            trial_end: self.trial_end,
            trial_days: self.trial_days.unwrap_or_default(),
            renewal_price: self.renewal_price.unwrap_or_default(),
            renewal_fee: self.renewal_fee.unwrap_or_default(),
            renewals: self.renewals.unwrap_or_default(),
            failed_attempts: self.failed_attempts.unwrap_or_default(),
        }))
    }

    /// The state of an order for transitions. `refundable` is the remainder of its last payment.
    pub(super) fn placed_order(&self, refundable: i64) -> StoreResult<PlacedOrder> {
        Ok(PlacedOrder {
            status: from_text(self.status.clone())?,
            activity_status: from_text(self.activity_status.clone())?,
            failure: self.failure.clone(),
            client_secret: self.client_secret.clone(),
            period_days: self.period_days,
            active_until: self.active_until,
            due_at: self.due_at,
            attempts: self.attempts,
            version: self.version,
            refundable,
            refunded_minor: self.refunded_minor,
            subscription: self.subscription()?,
        })
    }

    pub(super) fn record(self) -> StoreResult<OrderRecord> {
        let subscription = self.subscription()?;
        let status: OrderStatus = from_text(self.status)?;
        let activity_status = from_text(self.activity_status)?;
        let next_action =
            self.client_secret.map(|client_secret| NextAction { kind: "confirm".to_owned(), client_secret });
        // Nothing is charged while the bank requires confirmation.
        let next_charge = self.due_at.filter(|_| next_action.is_none());
        Ok(OrderRecord {
            order: Order {
                id: self.id,
                kind: from_text(self.kind)?,
                status,
                activity_status,
                product: Product {
                    id: self.product_id,
                    name: self.product_name,
                    event_category_id: self.event_category_id,
                    participant_id: self.participant_id,
                },
                base_price: self.base_price,
                discount: self.discount,
                service_fee: self.service_fee,
                total: self.base_price - self.discount + self.service_fee,
                currency: self.currency,
                refunded_minor: self.refunded_minor,
                created_at: rfc3339(self.created_at),
                failure: self.failure,
                subscription: subscription.map(|subscription| SubscriptionState {
                    status: subscription.status(activity_status),
                    auto_renew: subscription.auto_renew(),
                    current_period_end: rfc3339(subscription.current_period_end),
                    trial_end: subscription.trial_end.map(rfc3339),
                    next_charge_at: next_charge.filter(|_| subscription.is_renewing()).map(rfc3339),
                    renewal_price: Some(subscription.renewal_price),
                    annual: subscription.period.is_annual(),
                    access_until: self.active_until.filter(|_| subscription.ends()).map(rfc3339),
                    past_due: subscription.lifecycle == Lifecycle::PastDue,
                    payment_method_id: Some(self.payment_method_id.clone())
                        .filter(|id| !id.is_empty() && subscription.lifecycle != Lifecycle::Ended),
                }),
                next_action,
                version: self.version,
            },
            channel_key: self.channel_key,
            user_id: self.user_id,
            event_categories: from_list(&self.event_categories)?,
            payment_method_id: self.payment_method_id,
            promo_code: self.promo_code,
            created_at: self.created_at,
            active_until: self.active_until,
            provider_ref: self.provider_ref,
            subscription,
        })
    }
}

pub(super) async fn find(write: &mut Write, id: i64) -> StoreResult<Option<Row>> {
    Ok(sqlx::query_as(orders_where!("o.id = $1")).bind(id).fetch_optional(&mut **write).await?)
}

/// Whether the viewer gets an email about an event: money that moved or couldn't, and changes to auto-renew. A bank's
/// question about a first payment needs none, because the buyer is on the site. One about a renewal does.
fn needs_email(event: OrderEvent, status: OrderStatus, amount: Option<i64>) -> bool {
    match event {
        OrderEvent::ActionNeeded => status != OrderStatus::Created,
        OrderEvent::Paid | OrderEvent::Renewed => true,
        OrderEvent::PartlyRefunded | OrderEvent::Refunded | OrderEvent::Returned | OrderEvent::RefundFailed => {
            amount.is_some_and(|amount| amount > 0)
        }
        OrderEvent::RenewalFailed | OrderEvent::Ended | OrderEvent::RenewingStopped | OrderEvent::RenewingResumed => {
            true
        }
        OrderEvent::Created | OrderEvent::Failed | OrderEvent::RanOut | OrderEvent::Disputed => false,
    }
}

/// Records an order's event in the books and in the status log. The books contain the amount that moved, or the order's
/// total.
pub(super) async fn log_status(
    write: &mut Write,
    id: i64,
    event: OrderEvent,
    money: Option<Money>,
    at: i64,
) -> StoreResult<OrderRecord> {
    let row = find(write, id).await?.ok_or(StoreError::Database(sqlx::Error::RowNotFound))?;
    let record = row.record()?;
    lake_rows::record_event(write, &record, event, money, at).await?;
    let amount = money.map(|money| money.amount);
    if needs_email(event, record.order.status, amount) && !record.payment_method_id.is_empty() {
        sqlx::query("INSERT INTO order_notices (order_id, version) VALUES ($1, $2)")
            .bind(id)
            .bind(record.order.version)
            .execute(&mut **write)
            .await?;
    }
    let amount = amount.unwrap_or(record.order.total);
    sqlx::query("INSERT INTO order_events (order_id, version, at, what, amount) VALUES ($1, $2, $3, $4, $5)")
        .bind(id)
        .bind(record.order.version)
        .bind(at)
        .bind(event.as_str())
        .bind(amount)
        .execute(&mut **write)
        .await?;
    let line = NewStatus {
        scope: Scope::User(record.user_id),
        kind: StatusKind::Order,
        id,
        version: record.order.version,
        state: serde_json::to_value(&record.order).map_err(StoreError::encoding)?,
        at,
    };
    statuses::record(write, line).await?;
    Ok(record)
}
