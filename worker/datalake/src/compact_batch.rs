//! Fast path for batches in the exact format that the browser and the worker's HTTP sink send: no white space,
//! `sent_at` before `events`, the fields of an event in the order `id`, `path`, `at`, `body`, and the path with a
//! trailing slash.
//!
//! Such a batch is parsed once, each body directly against its table. Any other batch, and any batch with a fault, is
//! left to `ingest.rs`, which accepts all valid JSON and reports what is wrong. This parser accepts nothing that
//! `ingest.rs` refuses.

use jiff::Timestamp;
use touchline_protocol::analytics::{MAX_BATCH_EVENTS, MAX_EVENT_BYTES, Moment};
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use crate::shape::{self, ValidBody};
use crate::table::Table;

/// A fully validated event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ValidEvent<'a> {
    /// The id as sent.
    pub(crate) id_text: &'a str,
    pub(crate) id: Uuid,
    pub(crate) table: Table,
    pub(crate) at: Timestamp,
    pub(crate) body: &'a str,
    pub(crate) checked: ValidBody,
}

/// A low estimate of an event's size, in bytes: decides for how many events memory is reserved.
const SHORT_EVENT: usize = 128;

/// Parses a batch into its send time and its events, each converted by `convert`; `None` if it is in another format or
/// has a fault.
pub(crate) fn read<'a, T>(text: &'a str, convert: impl Fn(ValidEvent<'a>) -> T) -> Option<(Timestamp, Vec<T>)> {
    let (sent_at, rest) = text.strip_prefix(r#"{"sent_at":"#)?.split_once(',')?;
    let mut rest = rest.strip_prefix(r#""events":["#)?;
    let sent_at = moment(sent_at)?;
    let mut events = Vec::with_capacity((rest.len() / SHORT_EVENT + 1).min(MAX_BATCH_EVENTS));
    loop {
        let (event, after) = read_event(rest)?;
        events.push(convert(event));
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None => return (after == "]}").then_some((sent_at, events)),
        }
    }
}

/// Parses the first event of `text` and returns the remaining text.
fn read_event(text: &str) -> Option<(ValidEvent<'_>, &str)> {
    let (id_text, rest) = text.strip_prefix(r#"{"id":""#)?.split_at_checked(Hyphenated::LENGTH)?;
    // A valid id contains nothing that JSON escapes.
    let id = Uuid::parse_str(id_text).ok()?;
    let rest = rest.strip_prefix(r#"","path":""#)?;
    let (table, rest) = Table::sent_by_browsers().find_map(|table| Some((table, rest.strip_prefix(table.path())?)))?;
    let (at, rest) = rest.strip_prefix(r#"","at":"#)?.split_once(',')?;
    let rest = rest.strip_prefix(r#""body":"#).filter(|rest| rest.starts_with('{'))?;
    let at = moment(at)?;
    let (checked, length) = shape::check_first(table, rest).ok().filter(|(_, length)| *length <= MAX_EVENT_BYTES)?;
    let (body, rest) = rest.split_at_checked(length)?;
    Some((ValidEvent { id_text, id, table, at, body, checked }, rest.strip_prefix('}')?))
}

fn moment(json: &str) -> Option<Timestamp> {
    serde_json::from_str::<Moment>(json).ok().map(|moment| moment.0)
}
