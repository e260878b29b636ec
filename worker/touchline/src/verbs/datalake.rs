//! `datalake status|dead-letters|requeue`

use std::fmt::Write;

use anyhow::{Context, Result};
use clap::ArgMatches;
use reqwest::Method;
use serde_json::{Value, json};
use touchline_datalake::DeadLetterFilter;

use crate::admin::calls::AskForLetters;
use crate::admin::client::Worker;

pub(super) async fn status(worker: &Worker) -> Result<String> {
    let status: Value = worker.ask(Method::POST, "datalake/status", &json!({})).await?;
    let text = |name: &str| plain(&status[name]);
    let mut out = String::new();
    writeln!(out, "node {}, epoch {}", text("node"), text("epoch"))?;
    writeln!(
        out,
        "waiting {} of {} bytes, {} bytes on disk, {} dead letters",
        text("pending_bytes"),
        text("pending_limit_bytes"),
        text("disk_bytes"),
        text("dead_letters")
    )?;
    if let Some(broken) = status["broken"].as_str() {
        writeln!(out, "NOTHING IS ACKNOWLEDGED: {broken}")?;
    }
    for damaged in status["damaged"].as_array().into_iter().flatten() {
        let [folder, bytes, why] = ["folder", "bytes", "why"].map(|name| plain(&damaged[name]));
        writeln!(out, "a damaged queue stands aside, until you take it away: {folder}, {bytes} bytes: {why}")?;
    }
    let columns = ["sink", "table", "accepted", "shipped", "queued", "dead_lettered", "oldest_age_s"];
    out.push_str(&table(&columns, status["ledger"].as_array().map(Vec::as_slice).unwrap_or_default()));
    for trouble in status["troubles"].as_array().into_iter().flatten() {
        writeln!(out, "{} {} fails: {}", plain(&trouble["sink"]), plain(&trouble["table"]), plain(&trouble["reason"]))?;
    }
    Ok(out)
}

pub(super) async fn dead_letters(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let limit = matches.get_one::<u32>("limit").copied().unwrap_or(50) as usize;
    let asked = AskForLetters { filter: filter(matches)?, limit };
    let found: Value = worker.ask(Method::POST, "datalake/dead-letters", &asked).await?;
    let letters = found["letters"].as_array().map(Vec::as_slice).unwrap_or_default();
    let columns = ["sink", "table", "id", "reason", "died_at", "detail"];
    Ok(format!("{}{} of {}\n", table(&columns, letters), letters.len(), plain(&found["total"])))
}

pub(super) async fn requeue(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let done: Value = worker.ask(Method::POST, "datalake/requeue", &filter(matches)?).await?;
    Ok(format!(
        "{} put back, {} were accepted by another way meanwhile, {} left without their sink\n",
        plain(&done["requeued"]),
        plain(&done["duplicates"]),
        plain(&done["without_sink"])
    ))
}

fn filter(matches: &ArgMatches) -> Result<DeadLetterFilter> {
    let said = |name: &str| matches.get_one::<String>(name);
    let mut filter = serde_json::Map::new();
    for name in ["sink", "table", "id"] {
        if let Some(text) = said(name) {
            filter.insert(name.to_owned(), text.as_str().into());
        }
    }
    serde_json::from_value(filter.into()).context("--table or --id is none that there is")
}

/// Rows of objects under the names of their columns.
fn table(columns: &[&str], rows: &[Value]) -> String {
    let cells: Vec<Vec<String>> =
        rows.iter().map(|row| columns.iter().map(|column| plain(&row[*column])).collect()).collect();
    let head: Vec<String> = columns.iter().map(|column| column.replace('_', " ")).collect();
    let lines: Vec<&Vec<String>> = std::iter::once(&head).chain(&cells).collect();
    let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    lines.iter().fold(String::new(), |mut text, line| {
        let padded = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        text.push_str(padded.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
        text
    })
}

/// A value as a person reads it: control characters of what others sent never reach the terminal.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect(),
        Value::Null => "-".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_lines_up_and_shows_no_control_characters() {
        let rows = [json!({ "sink": "lake:x", "queued": 3 }), json!({ "sink": "a\u{1b}[2Jb", "queued": null })];
        assert_eq!(table(&["sink", "queued"], &rows), "sink    queued\nlake:x  3\na [2Jb  -\n");
    }
}
