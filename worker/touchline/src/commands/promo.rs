//! `promo add|list|end`

use anyhow::{Result, anyhow, bail};
use clap::ArgMatches;
use reqwest::Method;
use serde_json::{Value, json};
use touchline_channel::routes::operator::promo::{ListedPromoCode, PromoCode};
use touchline_protocol::purchases::OrderType;

use super::output::{amount, day_end, day_start, minute, render, table_or};
use super::text_of;
use crate::admin::calls::promo::{AddPromo, ChannelCode};
use crate::admin::client::Worker;

pub(super) async fn add(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let products = matches.get_many::<String>("product").into_iter().flatten();
    let promo = PromoCode {
        code: text_of(matches, "CODE").unwrap_or_default(),
        percent: matches.get_one::<i64>("percent").copied(),
        amount: matches.get_one::<i64>("amount").copied(),
        products: products.map(|text| product(text)).collect::<Result<_>>()?,
        max_uses: matches.get_one::<i64>("max-uses").copied(),
        starts_at: day_start(matches, "from")?,
        ends_at: day_end(matches, "until")?,
    };
    let request = AddPromo { channel_key: text_of(matches, "channel").unwrap_or_default(), promo };
    let added: PromoCode = worker.call(Method::POST, "promo/add", &request).await?;
    render(matches, &added, |added| format!("{} gives {} off\n", added.code, discount(added)))
}

pub(super) async fn end(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let ended: PromoCode = worker.call(Method::POST, "promo/end", &of_channel(matches)).await?;
    render(matches, &ended, |ended| format!("{} is no longer valid; existing orders keep their discount\n", ended.code))
}

pub(super) async fn list(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let codes: Vec<ListedPromoCode> = worker.call(Method::POST, "promo/list", &of_channel(matches)).await?;
    render(matches, &codes, |codes| {
        let columns = ["code", "discount", "products", "uses", "from", "until", "valid", "source"];
        table_or(&columns, &codes.iter().map(row).collect::<Vec<_>>(), "no promo codes")
    })
}

pub(super) fn product(text: &str) -> Result<(OrderType, i64)> {
    let Some((kind, id)) = text.split_once(':') else { bail!("{text}: expected a product such as package:3") };
    let kind = serde_json::from_value(json!(kind))
        .map_err(|_| anyhow!("{text}: {kind} is not event, package or subscription"))?;
    Ok((kind, id.parse().map_err(|_| anyhow!("{text}: {id} is not an id"))?))
}

fn of_channel(matches: &ArgMatches) -> ChannelCode {
    let code = matches.try_get_one::<String>("CODE").ok().flatten().cloned().unwrap_or_default();
    ChannelCode { channel_key: text_of(matches, "channel").unwrap_or_default(), code }
}

fn discount(promo: &PromoCode) -> String {
    match (promo.percent, promo.amount) {
        (Some(percent), _) => format!("{percent} %"),
        // A promo code has no currency; most have two decimals.
        (None, minor) => amount(minor.unwrap_or_default(), ""),
    }
}

fn row(code: &ListedPromoCode) -> Value {
    let promo = &code.promo;
    let name = |(kind, id): &(OrderType, i64)| format!("{}:{id}", super::output::plain_value(&json!(kind)));
    let products: Vec<String> = promo.products.iter().map(name).collect();
    let uses = promo.max_uses.map_or_else(|| code.uses.to_string(), |most| format!("{} of {most}", code.uses));
    json!({
        "code": promo.code, "discount": discount(promo),
        "products": if products.is_empty() { "all".to_owned() } else { products.join(" ") },
        "uses": uses, "from": promo.starts_at.map(minute), "until": promo.ends_at.map(|end| minute(end - 1)),
        "valid": if code.is_open { "yes" } else { "no" }, "source": code.from,
    })
}
