//! `reports [ID]`

use std::fmt::Write;
use std::io::IsTerminal;

use anyhow::{Context, Result};
use clap::ArgMatches;
use reqwest::Method;
use serde_json::json;
use touchline_channel::reports::{StoredReport, read_log};

use super::output::{as_json, plain};
use super::text_of;
use super::timeline::timeline;
use crate::admin::calls::reports::{ReportFile, ReportId, ReportsQuery, ServerSide};
use crate::admin::client::Worker;

/// The length of a note in the list, in characters.
const NOTE_WIDTH: usize = 60;

pub(super) async fn reports(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let channel_key = text_of(matches, "channel");
    let Some(id) = text_of(matches, "report") else {
        return list(worker, matches, &ReportsQuery { channel_key }).await;
    };
    let query = ReportId { id, channel_key };
    if matches.get_flag("recording") {
        recording(worker, &query).await
    } else if matches.get_flag("server") {
        server(worker, matches, &query).await
    } else {
        show(worker, matches, &query).await
    }
}

async fn list(worker: &Worker, matches: &ArgMatches, query: &ReportsQuery) -> Result<String> {
    let reports: Vec<StoredReport> = worker.call(Method::POST, "reports", query).await?;
    if matches.get_flag("json") {
        return as_json(&reports);
    }
    let mut out = String::new();
    for StoredReport { id, received_at, channel, page, note, log_bytes, .. } in &reports {
        let note = plain(note);
        let end = note.char_indices().nth(NOTE_WIDTH).map_or(note.len(), |(at, _)| at);
        let more = if end < note.len() { "…" } else { "" };
        writeln!(out, "{id}  {received_at}  {channel}  {log_bytes:>7} bytes  {}  {}{more}", plain(page), &note[..end])?;
    }
    let count = reports.len();
    writeln!(out, "{count} report{}", if count == 1 { "" } else { "s" })?;
    Ok(out)
}

/// One report, with the path of the log for the replayer.
async fn show(worker: &Worker, matches: &ArgMatches, query: &ReportId) -> Result<String> {
    let found: ReportFile = worker.call(Method::POST, "reports/show", query).await?;
    if matches.get_flag("json") {
        return as_json(&found);
    }
    let ReportFile { report, log } = found;
    let mut out = String::new();
    writeln!(out, "report   {}", report.id)?;
    writeln!(out, "received {}", report.received_at)?;
    writeln!(out, "channel  {}", report.channel)?;
    writeln!(out, "page     {}", plain(&report.page))?;
    writeln!(out, "device   {}", plain(&report.device))?;
    writeln!(out, "requests {}", plain(&report.request_ids.join(" ")))?;
    writeln!(out, "log      {} ({} bytes uncompressed)", log.display(), report.log_bytes)?;
    for line in report.note.lines() {
        writeln!(out, "  {}", plain(line))?;
    }
    Ok(out)
}

async fn recording(worker: &Worker, query: &ReportId) -> Result<String> {
    let ReportFile { log, .. } = worker.call(Method::POST, "reports/show", query).await?;
    let bytes = read_log(&log).with_context(|| log.display().to_string())?;
    let text = String::from_utf8(bytes).with_context(|| log.display().to_string())?;
    // A pipe receives the log unchanged. JSON has no control characters except line breaks.
    Ok(if std::io::stdout().is_terminal() { text.lines().map(|line| plain(line) + "\n").collect() } else { text })
}

async fn server(worker: &Worker, matches: &ArgMatches, query: &ReportId) -> Result<String> {
    let ReportFile { report, log } = worker.call(Method::POST, "reports/show", query).await?;
    let server: ServerSide = worker.call(Method::POST, "reports/server", query).await?;
    if matches.get_flag("json") {
        return as_json(&json!({ "report": report, "log": log, "server": server }));
    }
    let bytes = read_log(&log).with_context(|| log.display().to_string())?;
    Ok(timeline(&report, &String::from_utf8_lossy(&bytes), &server))
}
