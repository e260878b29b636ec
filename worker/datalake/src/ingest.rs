//! From a request to the queue: limits, shape and clock.
//!
//! A sender's clock may be wrong by hours, but the age of an event, `sent_at - at`, is still right. So the event time
//! is the time of receipt minus that age.

use bytes::Bytes;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use touchline_protocol::analytics::{
    BatchEvent, BatchRequest, EventResult, MAX_EVENT_BYTES, Moment, Outcome, REMEMBERED_MS,
};
use uuid::Uuid;

use crate::cmcd;
use crate::compact_batch::{self, ValidEvent};
use crate::event::QueuedEvent;
use crate::masked;
use crate::queue::{Candidate, Verdict};
use crate::shape::{self, ValidBody};
use crate::table::Table;

const REMEMBERED_US: i64 = REMEMBERED_MS * 1000;

/// Why an event is refused for good: a code, sometimes followed by details.
pub(crate) type Fault = String;

/// The key of the channel whose host received the request. The server sets it as a request extension; without it an
/// event that names no channel has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestChannel(pub String);

impl RequestChannel {
    /// Adds this channel to a body that names none. `None` if the body would become too large.
    fn write_into(&self, body: &str) -> Option<Bytes> {
        // A body that fits a table has at least one field before this one.
        let fields = body.strip_suffix('}')?;
        let body = format!("{fields},\"channel\":{}}}", Value::from(&*self.0));
        (body.len() <= MAX_EVENT_BYTES).then(|| body.into())
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) body: &'a Bytes,
    pub(crate) channel: Option<&'a RequestChannel>,
    pub(crate) received: Timestamp,
}

/// Parses one event of a batch that is part of `request`.
fn read_event(request: Request<'_>, event: &BatchEvent<'_>, sent_at: Timestamp) -> Result<Candidate, Fault> {
    let id = Uuid::parse_str(&event.id).map_err(|_| "bad_id".to_owned())?;
    let table = Table::of_path(&event.path).ok_or_else(|| "unknown_path".to_owned())?;
    let at = event.at.ok_or_else(|| "bad_at".to_owned())?;
    let times = Times::of(at.0, sent_at, request.received);
    read_body(request, table, id, event.body, times)
}

fn candidate_of_valid(request: Request<'_>, event: &ValidEvent<'_>, sent_at: Timestamp) -> Candidate {
    let times = Times::of(event.at, sent_at, request.received);
    candidate(request, (event.table, event.checked), event.id, event.body, times)
}

/// Parses the body of a single call that is part of `request`. The event time is the time of receipt.
pub(crate) fn read_call(request: Request<'_>, table: Table, id: Uuid, body: &RawValue) -> Result<Candidate, Fault> {
    let Request { received, .. } = request;
    read_body(request, table, id, body, Times::of(received, received, received))
}

/// Parses a player's report, a line of `request`. `newest` is the latest time in the request, which stands for the
/// sender's clock when it was sent.
pub(crate) fn read_report(request: Request<'_>, line: cmcd::Line, newest: Timestamp) -> Result<Candidate, Fault> {
    let cmcd::Line { id, at, body } = line;
    let request = Request { body: &body, ..request };
    let event: &RawValue = serde_json::from_slice(&body).map_err(|e| e.to_string())?;
    read_body(request, Table::Cmcd, id, event, Times::of(at, newest, request.received))
}

/// Unix microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Times {
    at: i64,
    received: i64,
    occurred: i64,
    too_old: bool,
}

impl Times {
    fn of(at: Timestamp, sent_at: Timestamp, received: Timestamp) -> Self {
        let (at, sent_at, received) = (at.as_microsecond(), sent_at.as_microsecond(), received.as_microsecond());
        // A clock that was set back puts the event in the future: it counts as just happened.
        let age = (sent_at - at).max(0);
        Self { at, received, occurred: received - age, too_old: age > REMEMBERED_US }
    }
}

fn read_body(request: Request<'_>, table: Table, id: Uuid, body: &RawValue, times: Times) -> Result<Candidate, Fault> {
    let json = body.get();
    if json.len() > MAX_EVENT_BYTES {
        return Err("too_large".to_owned());
    }
    let checked = shape::check(table, json).map_err(|what| format!("invalid: {what}"))?;
    Ok(candidate(request, (table, checked), id, json, times))
}

fn candidate(
    request: Request<'_>,
    (table, ValidBody { priority, has_channel, is_search }): (Table, ValidBody),
    id: Uuid,
    json: &str,
    times: Times,
) -> Candidate {
    let channel = request.channel.filter(|_| !has_channel);
    let as_sent = || {
        let with_channel = channel.and_then(|channel| channel.write_into(json));
        with_channel.unwrap_or_else(|| request.body.slice_ref(json.as_bytes()))
    };
    let event = QueuedEvent {
        id,
        at_us: times.at,
        received_us: times.received,
        occurred_us: times.occurred,
        body: match table {
            Table::EventCount => counted(request.channel, json),
            _ if is_search => masked::search(&as_sent()),
            _ => as_sent(),
        },
    };
    Candidate { table, priority, event, too_old: times.too_old }
}

/// The body of a count. It has nothing else of what was sent (`ANA-14`).
fn counted(channel: Option<&RequestChannel>, json: &str) -> Bytes {
    let sent: Value = serde_json::from_str(json).unwrap_or_default();
    let channel = channel.map_or_else(|| sent["channel"].clone(), |channel| Value::from(&*channel.0));
    json!({ "event": sent["event"], "channel": channel }).to_string().into()
}

/// The result that a sender receives for a queued event.
pub(crate) fn result(id: String, verdict: Verdict) -> EventResult {
    let (outcome, reason) = match verdict {
        Verdict::Accepted => (Outcome::Accepted, None),
        Verdict::Duplicate => (Outcome::Duplicate, None),
        Verdict::TooOld => (Outcome::Rejected, Some("too_old")),
        Verdict::Full => (Outcome::Retry, Some("queue_full")),
        Verdict::NoSpace => (Outcome::Retry, Some("no_space")),
        Verdict::OverBudget(_) => (Outcome::Retry, Some("over_budget")),
        Verdict::Unavailable => (Outcome::Retry, Some("unavailable")),
    };
    EventResult { id, outcome, reason: reason.map(str::to_owned) }
}

/// A batch, split into candidates for the queue and faults.
#[derive(Debug)]
pub(crate) struct SortedBatch {
    pub(crate) candidates: Vec<Candidate>,
    /// For each event of the batch the fault, or `None` if it is the next candidate.
    pub(crate) faults: Vec<Option<Fault>>,
}

/// A batch whose events are parsed one by one.
#[derive(Deserialize)]
struct UnreadBatch<'a> {
    sent_at: Moment,
    #[serde(borrow)]
    events: Vec<&'a RawValue>,
}

/// A batch with its events, parsed as far as possible.
pub(crate) struct Batch<'a> {
    pub(crate) sent_at: Timestamp,
    pub(crate) events: Vec<ReceivedEvent<'a>>,
}

pub(crate) enum ReceivedEvent<'a> {
    Valid(ValidEvent<'a>),
    /// An event whose fields may have faults.
    Read(BatchEvent<'a>),
    /// Not an event; with its id, if it has one.
    Unreadable {
        id: String,
        fault: Fault,
    },
}

impl ReceivedEvent<'_> {
    /// The id as sent; empty if there is none.
    pub(crate) fn id(&self) -> &str {
        match self {
            Self::Valid(event) => event.id_text,
            Self::Read(event) => &event.id,
            Self::Unreadable { id, .. } => id,
        }
    }
}

/// Parses a batch. An unreadable event does not affect the others.
///
/// # Errors
/// If the text is not a batch.
pub(crate) fn read_batch(text: &str) -> serde_json::Result<Batch<'_>> {
    match compact_batch::read(text, ReceivedEvent::Valid) {
        Some((sent_at, events)) => Ok(Batch { sent_at, events }),
        None => read_any_batch(text),
    }
}

fn read_any_batch(text: &str) -> serde_json::Result<Batch<'_>> {
    if let Ok(BatchRequest { sent_at, events }) = serde_json::from_str(text) {
        return Ok(Batch { sent_at: sent_at.0, events: events.into_iter().map(ReceivedEvent::Read).collect() });
    }
    let UnreadBatch { sent_at, events } = serde_json::from_str(text)?;
    Ok(Batch { sent_at: sent_at.0, events: events.into_iter().map(read_value).collect() })
}

fn read_value(sent: &RawValue) -> ReceivedEvent<'_> {
    match serde_json::from_str(sent.get()) {
        Ok(event) => ReceivedEvent::Read(event),
        Err(error) => {
            let value: Value = serde_json::from_str(sent.get()).unwrap_or_default();
            let id = value.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
            ReceivedEvent::Unreadable { id, fault: format!("invalid: {error}") }
        }
    }
}

pub(crate) fn sort(request: Request<'_>, batch: &Batch<'_>) -> SortedBatch {
    let mut sorted = SortedBatch {
        candidates: Vec::with_capacity(batch.events.len()),
        faults: Vec::with_capacity(batch.events.len()),
    };
    for event in &batch.events {
        let read = match event {
            ReceivedEvent::Valid(event) => Ok(candidate_of_valid(request, event, batch.sent_at)),
            ReceivedEvent::Read(event) => read_event(request, event, batch.sent_at),
            ReceivedEvent::Unreadable { fault, .. } => Err(fault.clone()),
        };
        match read {
            Ok(candidate) => {
                sorted.candidates.push(candidate);
                sorted.faults.push(None);
            }
            Err(fault) => sorted.faults.push(Some(fault)),
        }
    }
    sorted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOUR: i64 = 3_600_000_000;

    fn moment(us: i64) -> Timestamp {
        Timestamp::from_microsecond(us).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn an_events_age_is_independent_of_the_senders_clock(
            received in 1_700_000_000_000_000_i64..1_900_000_000_000_000,
            skew in -6 * HOUR..6 * HOUR,
            age in 0..REMEMBERED_US,
        ) {
            let times = Times::of(moment(received + skew - age), moment(received + skew), moment(received));
            prop_assert_eq!(times.occurred, received - age);
            prop_assert_eq!(times.at, received + skew - age);
            prop_assert!(!times.too_old);
        }
    }

    fn any_part(good: &'static [&'static str], bad: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
        prop_oneof![8 => proptest::sample::select(good), 1 => proptest::sample::select(bad)]
    }

    fn any_event() -> impl Strategy<Value = String> {
        let id = any_part(
            &["01a1fdda-7948-7cbd-a16c-df02a4c6044a", "{01a1fdda-7948-7cbd-a16c-df02a4c6044a}"],
            &["7", "\\u0030", ""],
        );
        let path = any_part(
            &["/datalake/event/", "/datalake/video/viewing/", "/datalake/video/viewing"],
            &["/datalake/other/", "\\/datalake/event/"],
        );
        let at = any_part(&["1795255200000", "\"2026-11-21T10:00:00.250Z\""], &["1.5", "null", "\"a,b\"", " 7"]);
        let body = any_part(
            &[
                r#"{"event":"visit","viewing_time":1,"extras":{"a":[1,"}"]}}"#,
                r#"{"event":"v\u00e9\"}","viewing_time":2.5,"channel":null,"x":{}}"#,
            ],
            &[
                "{}",
                "null",
                r#"{"event":1e999}"#,
                r#"{"event":"e","event":"e"}"#,
                " {}",
                r#"{"event":"e","viewing_time":1} "#,
                "{",
            ],
        );
        (id, path, at, body)
            .prop_map(|(id, path, at, body)| format!(r#"{{"id":"{id}","path":"{path}","at":{at},"body":{body}}}"#))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_fast_path_reads_a_batch_like_the_general_one(
            events in proptest::collection::vec(any_event(), 0..4),
            sent_at in any_part(&["1795255200000", "\"2026-11-21T10:00:01Z\""], &["null", "1,2"]),
            cut in prop_oneof![8 => Just(0_usize), 1 => 1..40_usize],
        ) {
            let text = format!(r#"{{"sent_at":{sent_at},"events":[{}]}}"#, events.join(","));
            let request = Bytes::copy_from_slice(&text.as_bytes()[..text.len() - cut.min(text.len())]);
            let text = std::str::from_utf8(&request).unwrap();
            let request = Request { body: &request, channel: None, received: moment(1_795_255_300_000_000) };
            let sorted = |batch: serde_json::Result<Batch<'_>>| {
                batch.ok().map(|batch| {
                    let ids: Vec<_> = batch.events.iter().map(|event| event.id().to_owned()).collect();
                    (ids, format!("{:?}", sort(request, &batch)))
                })
            };
            prop_assert_eq!(sorted(read_batch(text)), sorted(read_any_batch(text)));
        }
    }

    #[test]
    fn a_browsers_batch_takes_the_fast_path() {
        let event = r#"{"id":"01a1fdda-7948-7cbd-a16c-df02a4c6044a","path":"/datalake/event/","at":1795255200000,"body":{"event":"visit"}}"#;
        let text = format!(r#"{{"sent_at":"2026-11-21T10:00:01.000Z","events":[{event},{event}]}}"#);
        let batch = read_batch(&text).unwrap();
        assert!(batch.events.len() == 2 && batch.events.iter().all(|event| matches!(event, ReceivedEvent::Valid(_))));
    }

    #[test]
    fn an_event_older_than_remembered_ids_is_too_old() {
        let sent = moment(1_795_255_200_000_000);
        let old = |age| Times::of(moment(sent.as_microsecond() - age), sent, sent).too_old;
        assert!(!old(REMEMBERED_US));
        assert!(old(REMEMBERED_US + 1));
    }

    #[test]
    fn a_channel_is_added_to_a_body_without_one_if_it_fits() {
        let northfield = RequestChannel("north\"field".to_owned());
        let read = |body: &str| {
            let request = Bytes::copy_from_slice(body.as_bytes());
            let json = serde_json::from_slice::<&RawValue>(&request).unwrap();
            let request = Request { body: &request, channel: Some(&northfield), received: moment(1) };
            let candidate = read_call(request, Table::Event, Uuid::nil(), json).unwrap();
            String::from_utf8(candidate.event.body.to_vec()).unwrap()
        };
        assert_eq!(read(r#"{"event":"e" }"#), r#"{"event":"e" ,"channel":"north\"field"}"#);
        for unchanged in [r#"{"channel":"other","event":"e"}"#, r#"{"event":"e","channel":null}"#] {
            assert_eq!(read(unchanged), unchanged);
        }
        let full = format!(r#"{{"event":"e","extras":"{}"}}"#, "x".repeat(MAX_EVENT_BYTES - 25));
        assert_eq!(full.len(), MAX_EVENT_BYTES);
        assert_eq!(read(&full), full);
    }

    #[test]
    fn an_event_from_the_future_counts_as_happening_now() {
        let sent = moment(1_795_255_200_000_000);
        let times = Times::of(moment(sent.as_microsecond() + HOUR), sent, sent);
        assert_eq!((times.occurred, times.too_old), (sent.as_microsecond(), false));
    }
}
