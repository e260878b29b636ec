//! The timeline of a recorded session and the server's side of it (`OPS-18`).

use std::collections::BTreeSet;
use std::fmt::Write;

use serde::Deserialize;
use touchline_channel::reports::StoredReport;
use touchline_protocol::reports::REQUEST_IDS_MAX;
use touchline_protocol::time::rfc3339;

use super::clocks::{self, Offset};
use super::output::plain;
use crate::admin::calls::reports::ServerSide;
use crate::journal::Entry;

/// The prefix of stored blobs, which are not lines of the session.
const PART: &str = r#"{"blob":"#;

#[derive(Deserialize)]
struct Header {
    started_at: i64,
}

#[derive(Deserialize)]
struct Line {
    seq: u64,
    /// Unix milliseconds by the viewer's clock.
    at: i64,
    kind: String,
    origin: String,
    #[serde(rename = "type")]
    name: String,
}

#[derive(Default)]
struct Session {
    started_at: Option<i64>,
    lines: Vec<Line>,
    unreadable: usize,
}

/// The timeline of a report: a summary of its sources and their gaps, then a row for each line, request and order
/// event.
pub(super) fn timeline(report: &StoredReport, log: &str, server: &ServerSide) -> String {
    let session = read(log);
    let mut entries: Vec<_> = server.journal.entries.iter().collect();
    entries.sort_by_key(|entry| entry.at);
    let recorded = session.lines.iter().filter(|line| line.kind == "effect" && line.name.starts_with("api."));
    let recorded: Vec<_> = recorded.map(|line| line.at).collect();
    let answered: Vec<_> = entries.iter().map(|entry| entry.at.saturating_add_unsigned(entry.ms)).collect();
    let offset = clocks::offset(&recorded, &answered, least_offset(&session, report));
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _written = head(&mut out, report, &session, offset.as_ref(), server).is_ok();

    let ahead = offset.map_or(0, |offset| offset.ms);
    let mut rows: Vec<(i64, String)> = Vec::new();
    for Entry { id, at, ms, call, status, order } in entries {
        let order = order.map(|order| format!("  order {order}")).unwrap_or_default();
        rows.push((*at, row("server", status, &format!("{call}  {ms} ms{order}  {id}"))));
    }
    rows.extend(server.events.iter().map(|event| (event.at, row("order", event.order_id, &event.what))));
    rows.sort_by_key(|(at, _)| *at);
    let mut rows = rows.into_iter().map(|(at, text)| (at.saturating_add(ahead), text)).peekable();
    let first = session.lines.first().map(|line| line.at).or(rows.peek().map(|(at, _)| *at));
    let zero = session.started_at.or(first).unwrap_or_default();
    let _written = writeln!(out, "\n{:>12}  {}", "seconds", row("source", "number", "event")).is_ok();
    let mut put = |at: i64, text: &str| {
        let _written = writeln!(out, "{:>12}  {text}", seconds(at.saturating_sub(zero))).is_ok();
    };
    for Line { seq, at, kind, origin, name } in &session.lines {
        while let Some((at, text)) = rows.next_if(|(server, _)| server <= at) {
            put(at, &text);
        }
        let what = format!("{:<10}  {:<7}  {}", plain(kind), plain(origin), plain(name));
        put(*at, &row("viewer", seq, &what));
    }
    for (at, text) in rows {
        put(at, &text);
    }
    out
}

fn head(
    out: &mut String,
    report: &StoredReport,
    session: &Session,
    offset: Option<&Offset>,
    server: &ServerSide,
) -> std::fmt::Result {
    let named: BTreeSet<_> = report.request_ids.iter().map(String::as_str).collect();
    let in_journal: BTreeSet<_> = server.journal.entries.iter().map(|entry| entry.id.as_str()).collect();
    let found = named.intersection(&in_journal).count();
    writeln!(out, "report    {}, received {}", report.id, report.received_at)?;
    if let Some(at) = session.started_at {
        let lines = session.lines.len();
        writeln!(out, "session   started {} by the viewer's clock; {lines} lines", rfc3339(at))?;
    }
    match offset {
        Some(Offset { ms, answers, spread }) => {
            writeln!(
                out,
                "clocks    the viewer's is {ms} ms ahead of the server's, by {answers} responses within {spread} ms"
            )?;
            writeln!(out, "          the server's times are shifted accordingly")?;
        }
        None => writeln!(out, "clocks    too few responses to compare them; the server's times are unchanged")?,
    }
    writeln!(out, "requests  the report names {}; the journal has {}", named.len(), found)?;
    let of_others = in_journal.len() - found;
    if of_others > 0 {
        writeln!(
            out,
            "          and {of_others} about this session's orders, sent by another tab or before the session"
        )?;
    }
    let mut missing = |what: String| writeln!(out, "missing   {what}");
    if session.started_at.is_none() && session.lines.is_empty() {
        missing("the report has no recording".to_owned())?;
    }
    if session.unreadable > 0 {
        missing(format!("unreadable lines in the recording: {}", session.unreadable))?;
    }
    let gaps = session.lines.iter().filter(|line| line.kind == "gap").count();
    if gaps > 0 {
        missing(format!("gaps in the recording: {gaps}"))?;
    }
    if report.request_ids.len() >= REQUEST_IDS_MAX {
        missing(format!("requests before the last {REQUEST_IDS_MAX}, which is all that a report names"))?;
    }
    let unknown: Vec<_> = named.difference(&in_journal).map(|id| plain(id)).collect();
    if !unknown.is_empty() {
        let start = match server.journal.since {
            Some(since) => format!("starts {}", rfc3339(since)),
            None => "is empty".to_owned(),
        };
        missing(format!("not in the journal, which {start}: {}", unknown.join(" ")))?;
    }
    if server.journal.lost > 0 {
        missing(format!("the journal lost {} requests of all viewers since then", server.journal.lost))?;
    }
    Ok(())
}

fn read(log: &str) -> Session {
    let mut lines = log.lines().filter(|line| !line.is_empty() && !line.starts_with(PART));
    let mut session = Session::default();
    let Some(header) = lines.next() else { return session };
    match serde_json::from_str(header) {
        Ok(Header { started_at }) => session.started_at = Some(started_at),
        Err(_) => session.unreadable += 1,
    }
    for line in lines {
        match serde_json::from_str(line) {
            Ok(line) => session.lines.push(line),
            Err(_) => session.unreadable += 1,
        }
    }
    session
}

fn row(from: &str, number: impl ToString, what: &str) -> String {
    format!("{from:<6}  {:>7}  {what}", number.to_string())
}

/// The least offset of the viewer's clock: the last line was recorded before the report arrived.
fn least_offset(session: &Session, report: &StoredReport) -> i64 {
    let received = report.received_at.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond);
    let last = session.lines.iter().map(|line| line.at).max();
    last.zip(received).map_or(i64::MIN, |(last, received)| last.saturating_sub(received))
}

/// Milliseconds as seconds with a sign.
fn seconds(ms: i64) -> String {
    let (sign, ms) = (if ms < 0 { '-' } else { '+' }, ms.unsigned_abs());
    format!("{sign}{}.{:03}", ms / 1_000, ms % 1_000)
}

#[cfg(test)]
mod tests {
    use touchline_store::RecordedOrderEvent;

    use super::*;
    use crate::journal::Excerpt;

    /// The start of the session by the viewer's clock, an hour ahead of the server's.
    const STARTED: i64 = 1_790_000_000_000;
    const AHEAD: i64 = 3_600_000;

    fn report(request_ids: &[&str]) -> StoredReport {
        StoredReport {
            id: "01a1".into(),
            received_at: "2026-09-21T14:00:00.000Z".into(),
            channel: "meadow".into(),
            device: "Firefox".into(),
            note: "x".into(),
            page: "/buy".into(),
            request_ids: request_ids.iter().map(ToString::to_string).collect(),
            summary: None,
            log_bytes: 1,
            network: String::new(),
        }
    }

    fn entry(id: &str, after_ms: i64, call: &str, order: Option<i64>) -> Entry {
        Entry { id: id.into(), at: STARTED - AHEAD + after_ms, ms: 20, call: call.into(), status: 200, order }
    }

    fn line(seq: u64, after_ms: i64, kind: &str, name: &str) -> String {
        let at = STARTED + after_ms;
        format!(
            r#"{{"seq":{seq},"at":{at},"mono":0,"kind":"{kind}","origin":"api","type":"{name}","payload":{{"secret":1}}}}"#
        )
    }

    fn log(lines: &[String]) -> String {
        let header = format!(r#"{{"format":"touchline-log","v":1,"started_at":{STARTED},"snapshot":null}}"#);
        format!("{header}\n{}\n", lines.join("\n"))
    }

    fn side(entries: Vec<Entry>, events: Vec<RecordedOrderEvent>) -> ServerSide {
        ServerSide { journal: Excerpt { entries, lost: 0, since: Some(STARTED - AHEAD) }, events }
    }

    fn rows(text: &str) -> Vec<String> {
        let rows = text.lines().skip_while(|line| !line.trim_start().starts_with("seconds")).skip(1);
        rows.map(|row| row.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn server_rows_are_placed_by_the_viewers_clock() {
        let lines = [
            line(1, 500, "effect", "api.getGeo"),
            line(2, 4_000, "action", "purchase/submitPressed"),
            line(3, 4_300, "effect", "api.buy"),
            line(4, 9_130, "effect", "api.getOrder"),
            r#"{"blob":"abc","data":"x"}"#.to_owned(),
        ];
        let entries = vec![
            entry("r3", 9_000, "GET /api/orders/{id}", Some(5)),
            entry("r1", 400, "GET /api/geo", None),
            entry("r2", 4_200, "POST /api/stripe/buy", Some(5)),
        ];
        let booked = |after_ms, what: &str| RecordedOrderEvent {
            order_id: 5,
            at: STARTED - AHEAD + after_ms,
            what: what.to_owned(),
        };
        let events = vec![booked(4_210, "created"), booked(6_000, "paid")];
        let text = timeline(&report(&["r3", "r2", "r1"]), &log(&lines), &side(entries, events));
        assert_eq!(
            rows(&text),
            [
                "server 200 GET /api/geo 20 ms r1",
                "viewer 1 effect api api.getGeo",
                "viewer 2 action api purchase/submitPressed",
                "server 200 POST /api/stripe/buy 20 ms order 5 r2",
                "order 5 created",
                "viewer 3 effect api api.buy",
                "order 5 paid",
                "server 200 GET /api/orders/{id} 20 ms order 5 r3",
                "viewer 4 effect api api.getOrder",
            ],
            "{text}"
        );
        assert!(
            text.contains("the viewer's is 3600080 ms ahead of the server's, by 3 responses within 30 ms"),
            "{text}"
        );
        assert!(text.contains("names 3; the journal has 3") && !text.contains("missing"), "{text}");
        assert!(!text.contains("secret") && !text.contains("abc"), "{text}");
    }

    #[test]
    fn missing_data_is_reported() {
        let ids: Vec<_> = (0..REQUEST_IDS_MAX).map(|n| format!("r{n}")).collect();
        let ids: Vec<_> = ids.iter().map(String::as_str).collect();
        let server = ServerSide { journal: Excerpt { lost: 12, ..Excerpt::default() }, events: Vec::new() };
        let text = timeline(&report(&ids), "", &server);
        for part in [
            "has no recording",
            "before the last 500",
            "not in the journal, which is empty: r0 r1 r10",
            "lost 12 requests",
            "too few responses",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let lines = [line(1, 10, "gap", "lost"), "no line".to_owned()];
        let text = timeline(&report(&["r9"]), &log(&lines), &side(vec![entry("r1", 0, "GET", None)], Vec::new()));
        for part in
            ["gaps in the recording: 1", "unreadable lines in the recording: 1", "starts 2026-09-21T13:13:20.000Z: r9"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn a_recorded_line_cannot_forge_rows_or_control_the_terminal() {
        let lines = [line(1, 10, "action", r"a\n+0.000  server  200\u001b[2J")];
        let text = timeline(&report(&[]), &log(&lines), &side(Vec::new(), Vec::new()));
        assert_eq!(rows(&text).len(), 1, "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
