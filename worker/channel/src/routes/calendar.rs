//! `GET /calendar/{of}/{id}`: the games of a team or school, for calendar subscriptions (`TEAM-2`).

use std::fmt::Write as _;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Uri, header};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use touchline_protocol::envelope::Failure;
use touchline_protocol::isolated::isolated;
use touchline_protocol::limits::Limit;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::catalogue::listing::EventFilter;
use crate::catalogue::{ChannelSnapshot, EventRecord};
use crate::http::client::host_of;
use crate::http::{ApiError, ApiResult, AppState};

/// Oldest game in a calendar, in seconds before now: a season.
const HISTORY_S: i64 = 300 * 86_400;
/// Limit of games in a calendar; the latest remain.
const MAX_GAMES: usize = 1_000;
pub(crate) const LIMITS: &[Limit] =
    &[Limit::count("calendar.games", MAX_GAMES as u64, "games", "Games in a calendar feed.")];
/// Longest line in bytes (RFC 5545, 3.1).
const MAX_LINE_BYTES: usize = 75;

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(calendar))
}

/// Returns the games of a team or school as an iCalendar feed, without scores.
///
/// Public, because calendar apps have no key.
#[utoipa::path(
    get, path = "/api/calendar/{of}/{id}", tag = "Events",
    params(
        ("of" = String, Path, description = "`teams` or `schools`.", example = "teams"),
        ("id" = String, Path, description = "ID of the team or school, followed by `.ics`.", example = "102.ics"),
    ),
    responses(
        (
            status = 200, body = String, content_type = "text/calendar",
            example = json!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-CALNAME:Northfield Falcons\r\nEND:VCALENDAR\r\n")
        ),
        (status = 404, body = Failure, description = "the team or school doesn't exist")
    )
)]
pub(crate) async fn calendar(
    State(state): State<AppState>,
    path: Result<Path<(String, String)>, PathRejection>,
    uri: Uri,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let Path((of, file)) = path.map_err(|_| ApiError::NotFound)?;
    let channel = state.channels().by_host(host_of(&uri, &headers)).ok_or(ApiError::NotFound)?;
    let id: i64 = file.strip_suffix(".ics").and_then(|id| id.parse().ok()).ok_or(ApiError::NotFound)?;
    let (name, filter) = match of.as_str() {
        "teams" => {
            let team = channel.participant(id).ok_or(ApiError::NotFound)?;
            (team.name.clone(), EventFilter { participants: vec![id.to_string()], ..EventFilter::default() })
        }
        "schools" => {
            let school = channel.group(id).ok_or(ApiError::NotFound)?;
            let name = format!("{} {}", school.name, school.nickname).trim().to_owned();
            (name, EventFilter { groups: vec![id.to_string()], ..EventFilter::default() })
        }
        _ => return Err(ApiError::NotFound),
    };
    let now_s = state.clock.now_s();
    let filter = EventFilter { start: Some(now_s - HISTORY_S), ..filter };
    let games = filter.apply(&channel, now_s);
    let latest = &games[games.len().saturating_sub(MAX_GAMES)..];
    let site = channel.site_url(&state.base_url);
    let text = calendar_text(&name, &channel, latest, site.as_str(), now_s);
    Ok(([(header::CONTENT_TYPE, "text/calendar; charset=utf-8")], text).into_response())
}

/// RFC 5545, with the widely supported names `X-WR-CALNAME` and RFC 7986.
fn calendar_text(name: &str, channel: &ChannelSnapshot, games: &[&EventRecord], site: &str, now_s: i64) -> String {
    let mut text = String::new();
    let mut line = |content: &str| fold(&mut text, content);
    for head in ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Touchline//EN", "CALSCALE:GREGORIAN", "METHOD:PUBLISH"] {
        line(head);
    }
    line(&format!("NAME:{}", escaped(name)));
    line(&format!("X-WR-CALNAME:{}", escaped(name)));
    line("REFRESH-INTERVAL;VALUE=DURATION:PT1H");
    line("X-PUBLISHED-TTL:PT1H");
    for game in games {
        line("BEGIN:VEVENT");
        line(&format!("UID:event-{}@{}", game.id, channel.key()));
        line(&format!("DTSTAMP:{}", stamp(game.version_at(now_s))));
        line(&format!("DTSTART:{}", stamp(game.starts_at)));
        line(&format!("DTEND:{}", stamp(game.ends_at())));
        line(&format!("SUMMARY:{}", escaped(&title(game))));
        if let Some(location) = channel.location(game.location_id) {
            let address = format!("{}, {} {}", isolated(&location.name), isolated(&location.city), location.state);
            line(&format!("LOCATION:{}", escaped(&address)));
        }
        line(&format!("URL:{site}watch/{}", game.id));
        line("END:VEVENT");
    }
    line("END:VCALENDAR");
    text
}

/// Title of an event, as on the site (`EVENT-2`).
fn title(event: &EventRecord) -> String {
    match event.participants.as_slice() {
        [first, second] if event.home_team_id == Some(first.id) => {
            format!("{} @ {}", isolated(&second.short_name), isolated(&first.short_name))
        }
        [away, home] => format!("{} @ {}", isolated(&away.short_name), isolated(&home.short_name)),
        _ => isolated(&event.name).into_owned(),
    }
}

fn stamp(at_s: i64) -> String {
    Timestamp::from_second(at_s).unwrap_or_default().strftime("%Y%m%dT%H%M%SZ").to_string()
}

fn escaped(text: &str) -> String {
    text.chars().filter(|c| *c != '\r').fold(String::with_capacity(text.len()), |mut escaped, c| {
        match c {
            '\\' | ';' | ',' => escaped.extend(['\\', c]),
            '\n' => escaped.push_str("\\n"),
            c => escaped.push(c),
        }
        escaped
    })
}

/// Writes a line, folded at the length limit without splitting a character.
fn fold(text: &mut String, line: &str) {
    let mut length = 0;
    for c in line.chars() {
        if length + c.len_utf8() > MAX_LINE_BYTES {
            text.push_str("\r\n ");
            length = 1;
        }
        length += c.len_utf8();
        // Writing to a string does not fail.
        let _ = text.write_char(c);
    }
    text.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_folded_between_characters_and_texts_are_escaped() {
        let mut text = String::new();
        fold(&mut text, &format!("SUMMARY:{}", "é".repeat(60)));
        let lines: Vec<_> = text.split("\r\n").collect();
        assert!(lines.iter().all(|line| line.len() <= MAX_LINE_BYTES), "{lines:?}");
        assert_eq!(text.replace("\r\n ", ""), format!("SUMMARY:{}\r\n", "é".repeat(60)));
        assert_eq!(escaped("a, b; c\\d\ne"), "a\\, b\\; c\\\\d\\ne");
        assert_eq!(stamp(1_800_000_000), "20270115T080000Z");
    }
}
