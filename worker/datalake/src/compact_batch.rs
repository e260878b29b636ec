//! A batch in the spelling that the browser and the worker's HTTP sink send: no white space, `sent_at` before `events`,
//! and of an event `id`, `path`, `at`, `body`, the path with its last slash.
//!
//! Such a text is read once, each body straight against its table. Any other text, and one with a fault anywhere, is
//! left to `ingest.rs`, which takes every spelling and says what is wrong. So this reader takes
//! nothing that the other one refuses.

use jiff::Timestamp;
use touchline_protocol::analytics::{MAX_BATCH_EVENTS, MAX_EVENT_BYTES, Moment};
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use crate::shape::{self, Checked};
use crate::table::Table;

/// An event whose every part is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CheckedEvent<'a> {
    /// The id as it was sent.
    pub(crate) id_text: &'a str,
    pub(crate) id: Uuid,
    pub(crate) table: Table,
    pub(crate) at: Timestamp,
    pub(crate) body: &'a str,
    pub(crate) checked: Checked,
}

/// Most events take more bytes: a batch reserves memory for one event in so many.
const SHORT_EVENT: usize = 128;

/// When a batch was sent, and what `taken` makes of each event of it; `None` when it is spelt otherwise, or has a fault.
pub(crate) fn read<'a, T>(text: &'a str, taken: impl Fn(CheckedEvent<'a>) -> T) -> Option<(Timestamp, Vec<T>)> {
    let (sent_at, rest) = text.strip_prefix(r#"{"sent_at":"#)?.split_once(',')?;
    let mut rest = rest.strip_prefix(r#""events":["#)?;
    let sent_at = moment(sent_at)?;
    let mut events = Vec::with_capacity((rest.len() / SHORT_EVENT + 1).min(MAX_BATCH_EVENTS));
    loop {
        let (event, after) = read_event(rest)?;
        events.push(taken(event));
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None => return (after == "]}").then_some((sent_at, events)),
        }
    }
}

/// Reads the first event of `text`; gives what follows it.
fn read_event(text: &str) -> Option<(CheckedEvent<'_>, &str)> {
    let (id_text, rest) = text.strip_prefix(r#"{"id":""#)?.split_at_checked(Hyphenated::LENGTH)?;
    // A text of an id holds nothing that JSON would escape.
    let id = Uuid::parse_str(id_text).ok()?;
    let rest = rest.strip_prefix(r#"","path":""#)?;
    let (table, rest) = Table::sent_by_browsers().find_map(|table| Some((table, rest.strip_prefix(table.path())?)))?;
    let (at, rest) = rest.strip_prefix(r#"","at":"#)?.split_once(',')?;
    let rest = rest.strip_prefix(r#""body":"#).filter(|rest| rest.starts_with('{'))?;
    let at = moment(at)?;
    let (checked, length) = shape::check_first(table, rest).ok().filter(|(_, length)| *length <= MAX_EVENT_BYTES)?;
    let (body, rest) = rest.split_at_checked(length)?;
    Some((CheckedEvent { id_text, id, table, at, body, checked }, rest.strip_prefix('}')?))
}

fn moment(json: &str) -> Option<Timestamp> {
    serde_json::from_str::<Moment>(json).ok().map(|moment| moment.0)
}
