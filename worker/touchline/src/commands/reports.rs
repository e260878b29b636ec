//! `reports [ID]`

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::ArgMatches;
use reqwest::Method;
use serde_json::json;
use touchline_channel::reports::{FOLDER, OutcomeFilter, ReportFilter, ReportFolder, StoredReport, read_log};

use super::output::{as_json, plain};
use super::text_of;
use super::timeline::timeline;
use crate::admin::calls::reports::{ReportFile, ReportId, ServerSide};
use crate::admin::client::Worker;

/// The length of a note in the list, in characters.
const NOTE_WIDTH: usize = 60;

/// The reports of a running worker, or the folder of a stopped one, which writes no audit log.
enum Source {
    Running(Worker),
    Stopped(ReportFolder),
}

impl Source {
    async fn of(data: &Path) -> Result<Self> {
        let worker = Worker::of(data);
        if let Ok(worker) = worker
            && worker.is_running().await
        {
            return Ok(Self::Running(worker));
        }
        let folder = data.join(FOLDER);
        anyhow::ensure!(
            folder.is_dir(),
            "data folder {}: it has no problem reports, and no worker runs on it",
            data.display()
        );
        Ok(Self::Stopped(ReportFolder::new(folder)))
    }

    async fn list(&self, filter: &ReportFilter) -> Result<Vec<StoredReport>> {
        match self {
            Self::Running(worker) => worker.call(Method::POST, "reports", filter).await,
            Self::Stopped(folder) => Ok(folder.list(|report| filter.matches(report))?),
        }
    }

    async fn show(&self, query: &ReportId) -> Result<ReportFile> {
        match self {
            Self::Running(worker) => worker.call(Method::POST, "reports/show", query).await,
            Self::Stopped(folder) => {
                let (report, log) = found(folder.get(&query.id).zip(folder.log_path(&query.id)), query)?;
                Ok(ReportFile { report, log: std::path::absolute(log)? })
            }
        }
    }

    async fn server_side(&self, query: &ReportId) -> Result<ServerSide> {
        match self {
            Self::Running(worker) => worker.call(Method::POST, "reports/server", query).await,
            Self::Stopped(_) => bail!("the server's side of a session needs a running worker"),
        }
    }
}

pub(super) async fn reports(data: &Path, matches: &ArgMatches) -> Result<String> {
    let source = Source::of(data).await?;
    let channel_key = text_of(matches, "channel");
    let Some(id) = text_of(matches, "report") else {
        let filter = ReportFilter {
            channel_key,
            build: text_of(matches, "build"),
            language: text_of(matches, "language"),
            device: text_of(matches, "device"),
            outcome: matches.get_one::<OutcomeFilter>("outcome").cloned(),
            min_wait_ms: matches.get_one::<u32>("waited").map(|&seconds| u64::from(seconds) * 1000),
        };
        return list(&source, matches, &filter).await;
    };
    let query = ReportId { id, channel_key };
    if matches.get_flag("recording") {
        recording(&source, &query).await
    } else if matches.get_flag("server") {
        server(&source, matches, &query).await
    } else {
        show(&source, matches, &query).await
    }
}

async fn list(source: &Source, matches: &ArgMatches, filter: &ReportFilter) -> Result<String> {
    let reports = source.list(filter).await?;
    if matches.get_flag("json") {
        return as_json(&reports);
    }
    let mut out = String::new();
    for report in &reports {
        let StoredReport { id, received_at, channel, page, note, log_bytes, .. } = report;
        let (build, outcomes, page, note) = (plain(report.build()), outcomes_of(report), plain(page), plain(note));
        let end = note.char_indices().nth(NOTE_WIDTH).map_or(note.len(), |(at, _)| at);
        let more = if end < note.len() { "…" } else { "" };
        writeln!(
            out,
            "{id}  {received_at}  {channel}  {log_bytes:>7} bytes  {build}  {outcomes}  {page}  {}{more}",
            &note[..end]
        )?;
    }
    let count = reports.len();
    writeln!(out, "{count} report{}", if count == 1 { "" } else { "s" })?;
    Ok(out)
}

/// The outcomes of a session, or a dash.
fn outcomes_of(report: &StoredReport) -> String {
    let outcomes = report.summary.iter().flat_map(|summary| &summary.outcomes);
    let names: Vec<_> = outcomes.map(|outcome| plain(&outcome.to_string())).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(", ") }
}

fn found<T>(record: Option<(StoredReport, T)>, ReportId { id, channel_key }: &ReportId) -> Result<(StoredReport, T)> {
    let record = record.filter(|(report, _)| channel_key.as_ref().is_none_or(|key| *key == report.channel));
    record.with_context(|| match channel_key {
        None => format!("There is no report {id}."),
        Some(key) => format!("There is no report {id} of channel {key}."),
    })
}

/// One report, with the path of the log for the replayer.
async fn show(source: &Source, matches: &ArgMatches, query: &ReportId) -> Result<String> {
    let found = source.show(query).await?;
    if matches.get_flag("json") {
        return as_json(&found);
    }
    let ReportFile { report, log } = found;
    let mut out = String::new();
    writeln!(out, "report   {}", report.id)?;
    writeln!(out, "received {}", report.received_at)?;
    writeln!(out, "channel  {}", report.channel)?;
    writeln!(out, "build    {}", plain(report.build()))?;
    writeln!(out, "language {}", plain(report.language()))?;
    if let Some(summary) = &report.summary {
        writeln!(out, "outcomes {}", outcomes_of(&report))?;
        writeln!(out, "waited   {} ms at most for an answer", summary.longest_wait_ms)?;
    }
    writeln!(out, "page     {}", plain(&report.page))?;
    writeln!(out, "device   {}", plain(&report.device))?;
    writeln!(out, "requests {}", plain(&report.request_ids.join(" ")))?;
    writeln!(out, "log      {} ({} bytes uncompressed)", log.display(), report.log_bytes)?;
    for line in report.note.lines() {
        writeln!(out, "  {}", plain(line))?;
    }
    Ok(out)
}

async fn recording(source: &Source, query: &ReportId) -> Result<String> {
    let ReportFile { log, .. } = source.show(query).await?;
    let bytes = read_log(&log).with_context(|| log.display().to_string())?;
    let text = String::from_utf8(bytes).with_context(|| log.display().to_string())?;
    // A pipe receives the log unchanged. JSON has no control characters except line breaks.
    Ok(if std::io::stdout().is_terminal() { text.lines().map(|line| plain(line) + "\n").collect() } else { text })
}

async fn server(source: &Source, matches: &ArgMatches, query: &ReportId) -> Result<String> {
    let ReportFile { report, log } = source.show(query).await?;
    let server = source.server_side(query).await?;
    if matches.get_flag("json") {
        return as_json(&json!({ "report": report, "log": log, "server": server }));
    }
    let bytes = read_log(&log).with_context(|| log.display().to_string())?;
    Ok(timeline(&report, &String::from_utf8_lossy(&bytes), &server))
}
