//! `order refund|grant`

use anyhow::{Context, Result};
use clap::ArgMatches;
use reqwest::Method;
use serde_json::json;
use touchline_protocol::purchases::{Order, OrderType};

use crate::admin::calls::{ById, Grant};
use crate::admin::client::Worker;

pub(super) async fn refund(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let id = super::id_of(matches, "ID")?;
    let order: Order = worker.ask(Method::POST, "orders/refund", &ById { id }).await?;
    Ok(format!("order {} is refunded: {}\n", order.id, money(&order)))
}

pub(super) async fn grant(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let text = |name: &str| matches.get_one::<String>(name).cloned().unwrap_or_default();
    let kind: OrderType =
        serde_json::from_value(json!(text("type"))).context("--type is event, package or subscription")?;
    let grant = Grant {
        channel_key: text("channel"),
        email: text("email"),
        kind,
        id: super::id_of(matches, "id")?,
        participant_id: matches.get_one::<i64>("participant-id").copied(),
    };
    let order: Order = worker.ask(Method::POST, "orders/grant", &grant).await?;
    Ok(format!("order {}: {} was given to {}\n", order.id, order.product.name, grant.email))
}

fn money(order: &Order) -> String {
    format!("{}.{:02} {}", order.total / 100, order.total % 100, order.currency)
}
