//! Output of a verb: tables, amounts and times as text, or the worker's answer as JSON.

use anyhow::{Result, anyhow};
use clap::ArgMatches;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::Value;
use touchline_protocol::money::in_units;

/// The answer as JSON with `--json`, otherwise as `text`.
pub(super) fn render<T: Serialize>(
    matches: &ArgMatches,
    answer: &T,
    text: impl FnOnce(&T) -> String,
) -> Result<String> {
    if matches.get_flag("json") { as_json(answer) } else { Ok(text(answer)) }
}

pub(super) fn as_json<T: Serialize>(answer: &T) -> Result<String> {
    Ok(serde_json::to_string(answer)? + "\n")
}

/// Replaces control characters: text from viewers must not control the operator's terminal.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

pub(super) fn table(columns: &[&str], rows: &[Value]) -> String {
    let cells: Vec<Vec<String>> =
        rows.iter().map(|row| columns.iter().map(|column| plain_value(&row[*column])).collect()).collect();
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

/// A table, or `none` if there are no rows.
pub(super) fn table_or(columns: &[&str], rows: &[Value], none: &str) -> String {
    if rows.is_empty() { format!("{none}\n") } else { table(columns, rows) }
}

/// A value as text, without control characters.
pub(super) fn plain_value(value: &Value) -> String {
    match value {
        Value::String(text) => plain(text),
        Value::Null => "-".to_owned(),
        other => other.to_string(),
    }
}

/// Minor units as an amount, such as `-12.99`.
pub(super) fn amount(minor: i64, currency: &str) -> String {
    in_units(minor, currency, '.')
}

pub(super) fn money(minor: i64, currency: &str) -> String {
    format!("{} {currency}", amount(minor, currency))
}

/// Unix milliseconds to the minute, UTC.
pub(super) fn minute(at_ms: i64) -> String {
    let at = Timestamp::from_millisecond(at_ms).unwrap_or(Timestamp::UNIX_EPOCH).to_zoned(TimeZone::UTC);
    at.strftime("%Y-%m-%d %H:%M").to_string()
}

/// An RFC 3339 time to the minute.
pub(super) fn minute_of(rfc3339: &str) -> String {
    plain(rfc3339).get(..16).unwrap_or_default().replace('T', " ")
}

/// The start of a day in UTC, in Unix milliseconds.
pub(super) fn day_start(matches: &ArgMatches, name: &str) -> Result<Option<i64>> {
    matches.get_one::<String>(name).map(|text| start_of(name, text, 0)).transpose()
}

/// The start of the day after, in Unix milliseconds.
pub(super) fn day_end(matches: &ArgMatches, name: &str) -> Result<Option<i64>> {
    matches.get_one::<String>(name).map(|text| start_of(name, text, 1)).transpose()
}

/// One `--day`, or the days from `--from` to `--until`, inclusive.
pub(super) fn span(matches: &ArgMatches) -> Result<Option<(i64, i64)>> {
    if let Some(day) = day_start(matches, "day")?.zip(day_end(matches, "day")?) {
        return Ok(Some(day));
    }
    let (from, until) = (day_start(matches, "from")?, day_end(matches, "until")?);
    Ok((from.is_some() || until.is_some()).then(|| (from.unwrap_or(0), until.unwrap_or(i64::MAX))))
}

fn start_of(name: &str, text: &str, days: i64) -> Result<i64> {
    let day: Date = text.parse().map_err(|_| anyhow!("--{name} {text}: not a day such as 2026-11-23"))?;
    let day = day.checked_add(jiff::Span::new().try_days(days)?)?;
    Ok(day.to_zoned(TimeZone::UTC)?.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tables_are_aligned_and_free_of_control_characters() {
        let rows = [json!({ "sink": "lake:x", "queued": 3 }), json!({ "sink": "a\u{1b}[2Jb", "queued": null })];
        assert_eq!(table(&["sink", "queued"], &rows), "sink    queued\nlake:x  3\na [2Jb  -\n");
    }

    #[test]
    fn amounts_and_days_are_parsed_and_formatted() {
        assert_eq!([0, 5, -5, 129_900].map(|minor| amount(minor, "USD")), ["0.00", "0.05", "-0.05", "1299.00"]);
        assert_eq!(start_of("day", "2026-11-23", 1).unwrap() - start_of("day", "2026-11-23", 0).unwrap(), 86_400_000);
        assert_eq!(minute(start_of("day", "2026-11-23", 0).unwrap()), "2026-11-23 00:00");
        assert_eq!(minute_of("2026-11-23T14:05:06.000Z"), "2026-11-23 14:05");
        assert!(format!("{:#}", start_of("day", "today", 0).unwrap_err()).starts_with("--day today: not a day"));
    }
}
