//! From a request to the queue: bounds, shape, clock.
//!
//! A sender's clock may be wrong by hours. What it says of *how long ago* an event happened, `sent_at - at`, is right
//! all the same, so that is what is believed: the event happened that long before the worker heard of it.

use jiff::Timestamp;
use serde_json::value::RawValue;
use touchline_protocol::analytics::{
    BatchEvent, BatchRequest, Common, EventBody, EventResult, Label, MAX_EVENT_BYTES, MAX_FIELD_NAME, MAX_LONG_TEXT,
    MAX_OTHER_FIELDS, MAX_TEXT, Outcome, REMEMBERED_MS, SessionBody, VideoEventBody, VideoViewingBody, Viewer,
};
use uuid::Uuid;

use crate::event::QueuedEvent;
use crate::queue::{Candidate, Verdict};
use crate::table::{Priority, Table};

const REMEMBERED_US: i64 = REMEMBERED_MS * 1000;
/// A heartbeat that claims more than a day is broken.
const MAX_VIEWING_S: f64 = 86_400.0;

/// Why an event will never be taken: a code, for some followed by what is wrong.
pub(crate) type Fault = String;

/// Reads one event of a batch that was received at `received`.
pub(crate) fn read_event(event: &BatchEvent, sent_at: Timestamp, received: Timestamp) -> Result<Candidate, Fault> {
    let id = Uuid::parse_str(&event.id).map_err(|_| "bad_id".to_owned())?;
    let table = Table::of_path(&event.path).ok_or_else(|| "unknown_path".to_owned())?;
    let times = Times::of(event.at.0, sent_at, received);
    read_body(table, id, &event.body, times)
}

/// Reads the body of a single call: it happened when it was received.
pub(crate) fn read_call(table: Table, id: Uuid, body: &RawValue, received: Timestamp) -> Result<Candidate, Fault> {
    read_body(table, id, body, Times::of(received, received, received))
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
        // A clock that was set back between the two says that it will happen: then it happened just now.
        let age = (sent_at - at).max(0);
        Self { at, received, occurred: received - age, too_old: age > REMEMBERED_US }
    }
}

fn read_body(table: Table, id: Uuid, body: &RawValue, times: Times) -> Result<Candidate, Fault> {
    let json = body.get();
    if json.len() > MAX_EVENT_BYTES {
        return Err("too_large".to_owned());
    }
    let name = check(table, json)?;
    let event = QueuedEvent {
        id,
        at_us: times.at,
        received_us: times.received,
        occurred_us: times.occurred,
        body: json.to_owned(),
    };
    let priority = Priority::of(table, name.as_deref());
    Ok(Candidate { table, priority, event, too_old: times.too_old })
}

/// Checks a body against its table; gives the name of its event, where it has one.
pub(crate) fn check(table: Table, json: &str) -> Result<Option<String>, Fault> {
    let invalid = |e: serde_json::Error| {
        // The position is of no use to a sender and differs with spelling.
        let text = e.to_string();
        let what = text.split(" at line ").next().unwrap_or_default();
        format!("invalid: {}", what.chars().take(200).collect::<String>())
    };
    match table {
        Table::Session => {
            let body: SessionBody = serde_json::from_str(json).map_err(invalid)?;
            required("profile", &body.profile)?;
            required("session", &body.session)?;
            texts(&[
                ("device_type", &body.device_type),
                ("resolution", &body.resolution),
                ("platform", &body.platform),
            ])?;
            long("user_agent", &body.user_agent)?;
            common(&body.common)?;
            Ok(None)
        }
        Table::Event => {
            let body: EventBody = serde_json::from_str(json).map_err(invalid)?;
            required("event", &body.event)?;
            viewer(&body.viewer)?;
            common(&body.common)?;
            Ok(Some(body.event.0))
        }
        Table::VideoEvent => {
            let body: VideoEventBody = serde_json::from_str(json).map_err(invalid)?;
            required("event", &body.event)?;
            required("video_view_uuid", &body.video_view_uuid)?;
            texts(&[("stream_id", &body.stream_id), ("stream_type", &body.stream_type)])?;
            viewer(&body.viewer)?;
            common(&body.common)?;
            Ok(Some(body.event.0))
        }
        Table::VideoViewing => {
            let body: VideoViewingBody = serde_json::from_str(json).map_err(invalid)?;
            if !(0.0..=MAX_VIEWING_S).contains(&body.viewing_time) {
                return Err("invalid: viewing_time is not between 0 and 86400".to_owned());
            }
            texts(&[
                ("category", &body.category),
                ("sport", &body.sport),
                ("gender", &body.gender),
                ("school", &body.school),
                ("league", &body.league),
                ("video_view_uuid", &body.video_view_uuid),
                ("stream_id", &body.stream_id),
                ("stream_type", &body.stream_type),
            ])?;
            viewer(&body.viewer)?;
            common(&body.common)?;
            Ok(None)
        }
    }
}

fn required(field: &str, value: &Label) -> Result<(), Fault> {
    if value.0.is_empty() {
        return Err(format!("invalid: {field} is empty"));
    }
    within(field, value, MAX_TEXT)
}

fn within(field: &str, value: &Label, limit: usize) -> Result<(), Fault> {
    if value.0.chars().count() > limit {
        return Err(format!("invalid: {field} is longer than {limit} characters"));
    }
    Ok(())
}

fn texts(fields: &[(&str, &Option<Label>)]) -> Result<(), Fault> {
    fields.iter().try_for_each(|(field, value)| value.as_ref().map_or(Ok(()), |value| within(field, value, MAX_TEXT)))
}

fn long(field: &str, value: &Option<Label>) -> Result<(), Fault> {
    value.as_ref().map_or(Ok(()), |value| within(field, value, MAX_LONG_TEXT))
}

fn viewer(viewer: &Viewer) -> Result<(), Fault> {
    texts(&[
        ("profile", &viewer.profile),
        ("session_uuid", &viewer.session_uuid),
        ("user_id", &viewer.user_id),
        ("user_email", &viewer.user_email),
    ])
}

fn common(common: &Common) -> Result<(), Fault> {
    long("origin_url", &common.origin_url)?;
    texts(&[("trk", &common.trk)])?;
    if common.other.len() > MAX_OTHER_FIELDS {
        return Err(format!("invalid: more than {MAX_OTHER_FIELDS} unknown fields"));
    }
    match common.other.keys().find(|name| name.chars().count() > MAX_FIELD_NAME) {
        Some(_) => Err(format!("invalid: the name of a field is longer than {MAX_FIELD_NAME} characters")),
        None => Ok(()),
    }
}

/// What a sender is told of an event that reached the queue.
pub(crate) fn result(id: String, verdict: Verdict) -> EventResult {
    let (outcome, reason) = match verdict {
        Verdict::Accepted => (Outcome::Accepted, None),
        Verdict::Duplicate => (Outcome::Duplicate, None),
        Verdict::TooOld => (Outcome::Rejected, Some("too_old")),
        Verdict::Full => (Outcome::Retry, Some("queue_full")),
        Verdict::Unavailable => (Outcome::Retry, Some("unavailable")),
    };
    EventResult { id, outcome, reason: reason.map(str::to_owned) }
}

/// A batch, split into what goes to the queue and what is answered at once.
pub(crate) struct Sorted {
    pub(crate) candidates: Vec<Candidate>,
    /// For each event of the batch the fault, or none when it is the next candidate.
    pub(crate) faults: Vec<Option<Fault>>,
}

/// Sorts the events of a batch.
pub(crate) fn sort(batch: &BatchRequest, received: Timestamp) -> Sorted {
    let mut sorted = Sorted { candidates: Vec::with_capacity(batch.events.len()), faults: Vec::new() };
    for event in &batch.events {
        match read_event(event, batch.sent_at.0, received) {
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
        fn an_event_keeps_its_age_whatever_the_senders_clock_says(
            received in 1_700_000_000_000_000_i64..1_900_000_000_000_000,
            skew in -6 * HOUR..6 * HOUR,
            age in 0..REMEMBERED_US,
        ) {
            let times = Times::of(moment(received + skew - age), moment(received + skew), moment(received));
            prop_assert_eq!(times.occurred, received - age);
            prop_assert_eq!(times.at, received + skew - age);
            prop_assert!(!times.too_old);
        }

        #[test]
        fn no_body_whatever_it_holds_makes_the_check_panic(json in "\\PC{0,200}", table in 0..4_usize) {
            let _ = check(Table::ALL[table], &json);
        }
    }

    #[test]
    fn an_event_is_too_old_a_microsecond_after_ids_are_forgotten() {
        let sent = moment(1_795_255_200_000_000);
        let old = |age| Times::of(moment(sent.as_microsecond() - age), sent, sent).too_old;
        assert!(!old(REMEMBERED_US));
        assert!(old(REMEMBERED_US + 1));
    }

    #[test]
    fn a_clock_set_back_after_the_event_makes_it_happen_now_and_not_in_the_future() {
        let sent = moment(1_795_255_200_000_000);
        let times = Times::of(moment(sent.as_microsecond() + HOUR), sent, sent);
        assert_eq!((times.occurred, times.too_old), (sent.as_microsecond(), false));
    }

    #[test]
    fn bodies_are_bounded_field_by_field() {
        let long = "x".repeat(MAX_TEXT + 1);
        let many: String = (0..=MAX_OTHER_FIELDS).map(|n| format!(",\"f{n}\":1")).collect();
        let refused = [
            (Table::Session, r#"{"profile":"p"}"#.to_owned(), "missing field `session`"),
            (Table::Session, r#"{"profile":"","session":"s"}"#.to_owned(), "profile is empty"),
            (Table::Event, format!(r#"{{"event":"{long}"}}"#), "event is longer than 512"),
            (Table::Event, format!(r#"{{"event":"e","user_email":"{long}"}}"#), "user_email is longer"),
            (Table::Event, format!(r#"{{"event":"e","origin_url":"{}"}}"#, "y".repeat(2049)), "origin_url is longer"),
            (Table::Event, format!(r#"{{"event":"e"{many}}}"#), "more than 16 unknown fields"),
            (Table::Event, format!(r#"{{"event":"e","{}":1}}"#, "n".repeat(65)), "name of a field"),
            (Table::Event, "[]".to_owned(), "invalid type"),
            (Table::Event, r#"{"event":"a","event":"b"}"#.to_owned(), "duplicate field `event`"),
            (Table::VideoEvent, r#"{"event":"start"}"#.to_owned(), "missing field `video_view_uuid`"),
            (Table::VideoViewing, r#"{"viewing_time":-1}"#.to_owned(), "between 0 and 86400"),
            (Table::VideoViewing, r#"{"viewing_time":"10"}"#.to_owned(), "invalid type"),
            (Table::VideoViewing, format!(r#"{{"viewing_time":1,"school":"{long}"}}"#), "school is longer"),
        ];
        for (table, json, why) in refused {
            let fault = check(table, &json).unwrap_err();
            assert!(fault.starts_with("invalid: ") && fault.contains(why), "{fault} for {json}");
        }
        assert_eq!(
            check(Table::Event, r#"{"event":"purchase","extra":{"deep":[1]}}"#),
            Ok(Some("purchase".to_owned()))
        );
        assert_eq!(check(Table::VideoViewing, r#"{"viewing_time":10.5,"sport":null}"#), Ok(None));
    }
}
