//! Playback quality of each viewing, derived from its player's reports (`QOE-1`).
//!
//! Reports may be duplicated, late and out of order, and a tab can be killed at any moment. Counters in a report start
//! at the beginning of the viewing, so the newest report is complete. A value that is reported only once, such as the
//! startup time, is remembered from its first report.

pub(crate) mod quality;
mod record;
mod row;

use std::time::Duration;

use touchline_protocol::limits::Limit;

pub(crate) use record::{Report, Viewing};

/// A viewing without a report for this long is over: its tab was killed, or its device sleeps.
pub(crate) const SILENCE_LIMIT: Duration = Duration::from_secs(15 * 60);
/// The delay between a viewing's reported end and its row: its last reports may be out of order.
pub(crate) const SETTLE_TIME: Duration = Duration::from_secs(20);
/// Time in which a late report amends the row of a finished viewing.
pub(crate) const AMEND_TIME: Duration = Duration::from_secs(24 * 60 * 60);
/// Concurrent viewings. Beyond this limit the one silent for longest ends.
pub(crate) const MAX_OPEN: usize = 50_000;
/// Error codes remembered per viewing.
const MAX_CODES: usize = 8;
/// The longest text that a viewing takes from a report, in characters.
const MAX_TEXT: usize = 128;

pub(crate) const LIMITS: &[Limit] = &[
    Limit::time("viewings.silence", SILENCE_LIMIT, "A viewing without a report for this long is over."),
    Limit::time("viewings.amended_for", AMEND_TIME, "How long late reports can amend a viewing's row."),
    Limit::count(
        "viewings.open",
        MAX_OPEN as u64,
        "viewings",
        "Concurrent viewings. Above the limit, the one that has been silent longest ends.",
    ),
];

#[cfg(test)]
mod tests;
