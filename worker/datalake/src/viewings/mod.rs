//! Viewings: how well each one played, made of its player's reports (`QOE-1`).
//!
//! Reports come doubled, late and in any order, and a tab may be killed at any moment. What a report counts, it counts
//! from the beginning of its viewing, so that the newest one tells it all; of what a player says once only, such as its
//! startup time, each viewing remembers the first.

pub(crate) mod quality;
mod record;
mod row;

use std::time::Duration;

use touchline_protocol::limits::Limit;

pub(crate) use record::{Report, Viewing};

/// A viewing that gave no sign for so long is over: its tab was killed, or its device sleeps.
pub(crate) const SILENCE: Duration = Duration::from_secs(15 * 60);
/// One that said that it is over gets its row after so long: its last reports may come in another order.
pub(crate) const SETTLED: Duration = Duration::from_secs(20);
/// For how long a late report amends the row of a viewing that is over.
pub(crate) const AMENDED_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// Viewings under way at once; beyond them the one that was silent longest is over.
pub(crate) const OPEN: usize = 50_000;
/// Codes of errors that a viewing remembers.
const CODES: usize = 8;
/// The longest text that a viewing takes from a report, characters.
const TEXT: usize = 128;

/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::time("viewings.silence", SILENCE, "A viewing without a report for so long is over."),
    Limit::time("viewings.amended_for", AMENDED_FOR, "For how long late reports amend a viewing's row."),
    Limit::count("viewings.open", OPEN as u64, "viewings", "Viewings under way; beyond them the most silent is over."),
];

#[cfg(test)]
mod tests;
