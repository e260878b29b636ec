//! `sales`, `audit`

use anyhow::{Result, bail};
use clap::ArgMatches;
use reqwest::Method;
use serde_json::{Value, json};
use touchline_store::{Disagreement, Sales};

use super::output::{amount, day_start, minute, plain, plain_value, render, span, table_or};
use super::{Answer, text_of};
use crate::admin::calls::books::{AuditRequest, SalesQuery};
use crate::admin::client::Worker;
use crate::audit::Audit;

const COLUMNS: [&str; 11] =
    ["day", "channel", "product", "name", "payments", "gross", "discount", "fee", "refunds", "net", "currency"];

pub(super) async fn sales(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let between = span(matches)?.unwrap_or((0, i64::MAX));
    let request = SalesQuery { channel_key: text_of(matches, "channel"), between };
    let sales: Vec<Sales> = worker.call(Method::POST, "sales", &request).await?;
    if matches.get_flag("csv") {
        return Ok(csv(&sales));
    }
    render(matches, &sales, |sales| {
        let rows: Vec<Value> = sales.iter().map(row).collect();
        table_or(&COLUMNS, &rows, "no sales or refunds") + &totals(sales)
    })
}

/// Prints every disagreement. Any of them fails the verb, for timers, and so does a part that could not be compared.
pub(super) async fn audit(worker: &Worker, matches: &ArgMatches) -> Result<Answer> {
    let request = AuditRequest { channel_key: text_of(matches, "channel"), since: day_start(matches, "from")? };
    let audit: Audit = worker.call(Method::POST, "audit", &request).await?;
    let is_failure = !audit.disagreements.is_empty() || !audit.unread.is_empty();
    let text = render(matches, &audit, report)?;
    if is_failure && !matches.get_flag("json") {
        bail!("{}", text.trim_end());
    }
    Ok(Answer { text, is_failure })
}

fn report(Audit { disagreements, unread }: &Audit) -> String {
    let head = match (disagreements.len(), unread.len()) {
        (0, 0) => return "provider, orders, charges, access and lake agree\n".to_owned(),
        (0, _) => "part of the books could not be compared:\n".to_owned(),
        (1, _) => "1 disagreement in the books:\n".to_owned(),
        (count, _) => format!("{count} disagreements in the books:\n"),
    };
    let unread = unread.iter().map(|why| format!("could not be compared: {}\n", plain(why)));
    [head].into_iter().chain(unread).chain(disagreements.iter().map(line_of)).collect()
}

fn line_of(disagreement: &Disagreement) -> String {
    let order = disagreement.order_id.map_or_else(String::new, |id| format!("order {id}: "));
    format!("{order}{}: {}\n", disagreement.rule.replace('_', " "), plain(&disagreement.detail))
}

fn row(sales: &Sales) -> Value {
    let amount = |minor| amount(minor, &sales.currency);
    json!({
        "day": minute(sales.day)[..10], "channel": sales.channel_key,
        "product": format!("{}:{}", plain_value(&json!(sales.kind)), sales.product_id), "name": sales.product_name,
        "payments": sales.payments, "gross": amount(sales.gross), "discount": amount(sales.discount),
        "fee": amount(sales.fee), "refunds": amount(sales.refunds), "net": amount(sales.net), "currency": sales.currency,
    })
}

/// One line per currency.
fn totals(sales: &[Sales]) -> String {
    let mut currencies: Vec<&str> = sales.iter().map(|row| row.currency.as_str()).collect();
    currencies.sort_unstable();
    currencies.dedup();
    let total = |currency: &str| {
        let of = || sales.iter().filter(|row| row.currency == currency);
        let sum = |field: fn(&Sales) -> i64| amount(of().map(field).sum(), currency);
        format!(
            "total {currency}: gross {}, discount {}, fee {}, refunds {}, net {}\n",
            sum(|row| row.gross),
            sum(|row| row.discount),
            sum(|row| row.fee),
            sum(|row| row.refunds),
            sum(|row| row.net)
        )
    };
    currencies.into_iter().map(total).collect()
}

/// CSV by RFC 4180.
fn csv(sales: &[Sales]) -> String {
    let mut text = COLUMNS.join(",") + "\r\n";
    for row in sales.iter().map(row) {
        let cells: Vec<String> = COLUMNS.iter().map(|column| cell(&plain_value(&row[*column]))).collect();
        text.push_str(&cells.join(","));
        text.push_str("\r\n");
    }
    text
}

/// Quotes a cell, and keeps spreadsheets from reading it as a formula.
fn cell(text: &str) -> String {
    let is_number = text.parse::<f64>().is_ok();
    let safe = if !is_number && text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text.to_owned() };
    if safe.contains([',', '"']) { format!("\"{}\"", safe.replace('"', "\"\"")) } else { safe }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_cells_are_quoted_and_never_formulas() {
        assert_eq!(cell("Easton, \"the\" final"), "\"Easton, \"\"the\"\" final\"");
        assert_eq!(cell("=1+1"), "'=1+1");
        assert_eq!(cell("-5.00"), "-5.00");
    }
}
