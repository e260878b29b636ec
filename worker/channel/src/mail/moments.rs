//! Times in emails, in the channel's language and time zone.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::catalogue::ChannelSnapshot;

const MONTHS_EN: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const MONTHS_FR: [&str; 12] = [
    "janvier",
    "février",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
];

fn local(channel: &ChannelSnapshot, at_ms: i64) -> Zoned {
    let zone = TimeZone::get(&channel.settings.time_zone).unwrap_or(TimeZone::UTC);
    Timestamp::from_millisecond(at_ms).unwrap_or(Timestamp::UNIX_EPOCH).to_zoned(zone)
}

/// The day of `at_ms`, Unix milliseconds: `November 29, 2026`.
pub(super) fn date(channel: &ChannelSnapshot, at_ms: i64) -> String {
    let at = local(channel, at_ms);
    let month = usize::from(at.month().unsigned_abs()).saturating_sub(1) % 12;
    if channel.settings.language == "fr" {
        format!("{} {} {}", at.day(), MONTHS_FR[month], at.year())
    } else {
        format!("{} {}, {}", MONTHS_EN[month], at.day(), at.year())
    }
}

/// The day and time of `at_ms`, Unix milliseconds: `November 29, 2026, 11:05 (CST)`.
pub(super) fn moment(channel: &ChannelSnapshot, at_ms: i64) -> String {
    let at = local(channel, at_ms);
    format!("{}, {} ({})", date(channel, at_ms), at.strftime("%H:%M"), at.strftime("%Z"))
}
