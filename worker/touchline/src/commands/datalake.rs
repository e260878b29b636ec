//! `datalake status|dead-letters|requeue`

use std::fmt::Write;

use anyhow::{Context, Result};
use clap::ArgMatches;
use reqwest::Method;
use serde_json::{Value, json};
use touchline_datalake::{DeadLetterFilter, Table};

use super::output::{as_json, plain_value as plain, render, table};
use crate::admin::calls::DeadLettersQuery;
use crate::admin::client::Worker;

pub(super) async fn status(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let status: Value = worker.call(Method::POST, "datalake/status", &json!({})).await?;
    if matches.get_flag("json") {
        return as_json(&status);
    }
    let text = |name: &str| plain(&status[name]);
    let mut out = String::new();
    writeln!(out, "node {}, epoch {}", text("node"), text("epoch"))?;
    let oldest = status["oldest_age_s"].as_u64().map(|age| format!("; the oldest event has waited {age} s"));
    writeln!(
        out,
        "{} bytes queued, limit {}; {} bytes on disk; {} dead letters{}",
        text("pending_bytes"),
        text("pending_limit_bytes"),
        text("disk_bytes"),
        text("dead_letters"),
        oldest.unwrap_or_default()
    )?;
    if let Some(broken) = status["broken"].as_str() {
        writeln!(out, "NO EVENTS ARE ACCEPTED: {broken}")?;
    }
    let shortages = [
        ("queue_full", "THE QUEUE IS FULL for", "the queue was full for"),
        ("refused", "NO DISK SPACE for", "there was no disk space for"),
    ];
    for (list, at_present, earlier) in shortages {
        for refused in status[list].as_array().into_iter().flatten() {
            let [purpose, count] = ["purpose", "count"].map(|name| plain(&refused[name]));
            let shortage = if refused["now"] == true { at_present } else { earlier };
            writeln!(out, "{shortage} {purpose}: refused {count} times")?;
        }
    }
    if let Some(events) = status["over_budget"].as_u64().filter(|events| *events > 0) {
        writeln!(out, "{events} events were deferred: their address exceeded its hourly limit")?;
    }
    for damaged in status["damaged"].as_array().into_iter().flatten() {
        let [folder, bytes, why] = ["folder", "bytes", "why"].map(|name| plain(&damaged[name]));
        writeln!(
            out,
            "a damaged queue was set aside; delete it once it is not needed: {folder}, {bytes} bytes: {why}"
        )?;
    }
    let columns = ["sink", "table", "accepted", "shipped", "queued", "dead_lettered", "oldest_age_s"];
    out.push_str(&table(&columns, status["ledger"].as_array().map(Vec::as_slice).unwrap_or_default()));
    for trouble in status["troubles"].as_array().into_iter().flatten() {
        writeln!(out, "{} {} fails: {}", plain(&trouble["sink"]), plain(&trouble["table"]), plain(&trouble["reason"]))?;
    }
    for drifted in status["drift"].as_array().into_iter().flatten() {
        writeln!(out, "{} drifts: {}", plain(&drifted["table"]), plain(&drifted["detail"]))?;
    }
    Ok(out)
}

pub(super) async fn dead_letters(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let limit = matches.get_one::<u32>("limit").copied().unwrap_or(50) as usize;
    let request = DeadLettersQuery { filter: filter(matches)?, limit };
    let found: Value = worker.call(Method::POST, "datalake/dead-letters", &request).await?;
    render(matches, &found, letters_text)
}

fn letters_text(found: &Value) -> String {
    let letters = found["letters"].as_array().map(Vec::as_slice).unwrap_or_default();
    let total = found["total"].as_u64().unwrap_or_default();
    if total == 0 {
        return "no dead letter matches: 0 of 0\n".to_owned();
    }
    let columns = ["sink", "table", "id", "reason", "died_at", "detail"];
    let rest = if (letters.len() as u64) < total { ": use a larger --limit or a filter to see the others" } else { "" };
    format!("{}{} of {total}{rest}\n", table(&columns, letters), letters.len())
}

pub(super) async fn requeue(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let done: Value = worker.call(Method::POST, "datalake/requeue", &filter(matches)?).await?;
    let counts = |done: &Value| ["requeued", "duplicates", "without_sink"].map(|name| done[name].as_u64().unwrap_or(0));
    render(matches, &done, |done| requeue_summary(counts(done)))
}

fn requeue_summary([requeued, duplicates, without_sink]: [u64; 3]) -> String {
    if (requeued, duplicates, without_sink) == (0, 0, 0) {
        return "0 requeued: no dead letter matches\n".to_owned();
    }
    let mut out = format!("{requeued} requeued: they will be shipped again\n");
    if duplicates > 0 {
        out += &format!("{duplicates} dropped: the event was sent again and accepted meanwhile\n");
    }
    if without_sink > 0 {
        out += &format!("{without_sink} skipped: their sink is no longer configured\n");
    }
    out
}

fn filter(matches: &ArgMatches) -> Result<DeadLetterFilter> {
    let mut filter = DeadLetterFilter::default();
    for name in ["sink", "table", "id"] {
        if let Some(text) = matches.get_one::<String>(name) {
            narrow(&mut filter, name, text)?;
        }
    }
    Ok(filter)
}

fn narrow(filter: &mut DeadLetterFilter, name: &str, text: &str) -> Result<()> {
    match name {
        "table" => {
            let tables = || Table::ALL.map(Table::name).join(", ");
            filter.table =
                Some(Table::of_name(text).with_context(|| format!("--table {text}: not one of {}", tables()))?);
        }
        "id" => filter.id = Some(text.parse().with_context(|| format!("--id {text}: not an event id"))?),
        _ => filter.sink = Some(text.to_owned()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_filter_lists_the_valid_values() {
        let why = |name, text| format!("{:#}", narrow(&mut DeadLetterFilter::default(), name, text).unwrap_err());
        assert!(
            why("table", "events")
                .starts_with("--table events: not one of session, event, video_event, video_viewing, ")
        );
        assert!(why("id", "12").starts_with("--id 12: not an event id: "), "{}", why("id", "12"));
    }

    #[test]
    fn requeued_letters_are_reported_and_others_only_if_there_are_any() {
        assert_eq!(requeue_summary([0, 0, 0]), "0 requeued: no dead letter matches\n");
        assert_eq!(requeue_summary([2, 0, 0]), "2 requeued: they will be shipped again\n");
        let text = requeue_summary([0, 1, 3]);
        assert!(text.contains("1 dropped: ") && text.contains("3 skipped: "), "{text}");
    }
}
