//! `order list|show|refund|grant`, `subscription cancel`

use std::fmt::Write;

use anyhow::{Result, anyhow};
use clap::ArgMatches;
use reqwest::Method;
use serde_json::{Value, json};
use touchline_protocol::purchases::{Order, OrderStatus, OrderType};
use touchline_store::ChargeRecord;

use super::output::{minute, minute_of, money, plain, render, span, table_or};
use super::promo::product;
use super::{id_of, record_of, text_of};
use crate::admin::calls::lookups::{OperatorOrder, OrderDetails, OrdersQuery};
use crate::admin::calls::{Grant, RecordQuery, RefundOrder};
use crate::admin::client::Worker;

pub(super) async fn list(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let status = text_of(matches, "status").map(|label| {
        serde_json::from_value(json!(label)).map_err(|_| anyhow!("--status must be created, failed, paid or refunded"))
    });
    let request = OrdersQuery {
        channel_key: text_of(matches, "channel"),
        user_id: matches.get_one::<i64>("user").copied(),
        status: status.transpose()?,
        product: text_of(matches, "product").as_deref().map(product).transpose()?,
        between: span(matches)?,
        limit: matches.get_one::<u32>("limit").copied().unwrap_or(50),
    };
    let orders: Vec<OperatorOrder> = worker.call(Method::POST, "orders/list", &request).await?;
    render(matches, &orders, |orders| {
        let columns = ["order", "placed", "channel", "user", "product", "total", "status"];
        table_or(&columns, &orders.iter().map(row).collect::<Vec<_>>(), "no matching orders")
    })
}

pub(super) async fn show(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let order: OrderDetails = worker.call(Method::POST, "orders/show", &record_of(matches)?).await?;
    render(matches, &order, details)
}

pub(super) async fn refund(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let amount = matches.get_one::<i64>("amount").copied();
    let RecordQuery { id, channel_key } = record_of(matches)?;
    let request = RefundOrder { id, channel_key, amount, outside: text_of(matches, "outside") };
    let order: Order = worker.call(Method::POST, "orders/refund", &request).await?;
    render(matches, &order, |order| {
        let so_far = money(order.refunded_minor, &order.currency);
        let how_far = if order.status == OrderStatus::Refunded { "is refunded" } else { "is refunded in part" };
        format!("order {} {how_far}: {so_far}\n", order.id)
    })
}

pub(super) async fn cancel(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let order: Order = worker.call(Method::POST, "subscriptions/cancel", &record_of(matches)?).await?;
    render(matches, &order, |order| {
        let until = order.subscription.as_ref().map(|subscription| minute_of(&subscription.current_period_end));
        let name = plain(&order.product.name);
        format!("order {}: auto-renew of {name} is off; it runs until {}\n", order.id, until.unwrap_or_default())
    })
}

pub(super) async fn grant(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let text = |name: &str| text_of(matches, name).unwrap_or_default();
    let kind: OrderType = serde_json::from_value(json!(text("type")))
        .map_err(|_| anyhow!("--type must be event, package or subscription"))?;
    let grant = Grant {
        channel_key: text("channel"),
        email: text("email"),
        kind,
        id: id_of(matches, "id")?,
        participant_id: matches.get_one::<i64>("participant-id").copied(),
    };
    let order: Order = worker.call(Method::POST, "orders/grant", &grant).await?;
    render(matches, &order, |order| {
        format!("order {}: {} was granted to {}\n", order.id, plain(&order.product.name), plain(&grant.email))
    })
}

pub(super) fn row(of: &OperatorOrder) -> Value {
    let order = &of.order;
    json!({
        "order": order.id, "placed": minute_of(&order.created_at), "channel": of.channel_key, "user": of.user_id,
        "product": order.product.name, "total": money(order.total, &order.currency), "status": status_text(order),
    })
}

/// An order in full, with its events and charges.
pub(super) fn details(details: &OrderDetails) -> String {
    let OrderDetails { order: OperatorOrder { channel_key, user_id, promo_code, order }, events, charges } = details;
    let currency = &order.currency;
    let kind = super::output::plain_value(&json!(order.kind));
    let mut out = String::new();
    let mut line = |name: &str, text: String| {
        let _written = writeln!(out, "{name:<9}{}", plain(&text)).is_ok();
    };
    line("order", format!("{}, {}", order.id, status_text(order)));
    line("product", format!("{} ({kind} {})", order.product.name, order.product.id));
    line("viewer", format!("user {user_id} of {channel_key}"));
    line("placed", minute_of(&order.created_at));
    line("price", money(order.base_price, currency));
    if order.discount > 0 {
        line(
            "discount",
            format!("{} {}", money(-order.discount, currency), promo_code.as_deref().unwrap_or("complimentary")),
        );
    }
    line("fee", money(order.service_fee, currency));
    line("total", money(order.total, currency));
    if let Some(subscription) = &order.subscription {
        let renews = super::output::plain_value(&json!(subscription.auto_renew));
        line("runs", format!("until {}, auto-renew {renews}", minute_of(&subscription.current_period_end)));
    }
    if let Some(failure) = &order.failure {
        line("failure", failure.clone());
    }
    for charge in charges {
        line("charge", charge_line(charge));
    }
    for event in events {
        line("", format!("{}  {}", minute(event.at), event.what.replace('_', " ")));
    }
    out
}

/// A charge in one line: time, kind, amount, card, outcome.
fn charge_line(charge: &ChargeRecord) -> String {
    let label = |value: Value| super::output::plain_value(&value).replace('_', " ");
    let card = charge.card_brand.as_deref().zip(charge.card_last4.as_deref());
    let outside = if charge.is_outside() { ", not to the card" } else { "" };
    let card = card.map_or_else(|| outside.to_owned(), |(brand, last4)| format!(", {brand} {last4}"));
    let failure = charge.failure.as_deref().map_or_else(String::new, |failure| format!(": {failure}"));
    format!(
        "{}  {} {}, {}{card}{failure}",
        minute(charge.at),
        label(json!(charge.kind)),
        money(charge.amount, &charge.currency),
        label(json!(charge.status)),
    )
}

fn status_text(order: &Order) -> String {
    let label = |value: Value| super::output::plain_value(&value);
    format!("{}, {}", label(json!(order.status)), label(json!(order.activity_status)))
}
