//! Dead letters: events that were rejected permanently. They are stored with the reason until an operator requeues them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::chunk;
use crate::event::QueuedEvent;
use crate::table::Table;

/// The sink name of events that the worker itself refused.
pub const INGEST: &str = "ingest";
/// The longest stored detail of a refusal, in bytes.
const DETAIL_BYTES: usize = 300;

/// Why an event was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeadReason {
    /// It waited longer than ids are remembered before it was sent, so it may have been accepted before.
    TooOld,
    /// The sink rejected it permanently.
    Refused,
    /// Its body does not fit the table.
    Unreadable,
}

#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) event: QueuedEvent,
    pub(crate) reason: DeadReason,
    pub(crate) detail: String,
}

/// An event that was rejected permanently.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DeadLetter {
    /// The sink that refused it, or `ingest` for the worker itself.
    pub sink: String,
    /// The event's table.
    pub table: Table,
    /// The event's id.
    #[schema(value_type = String)]
    pub id: Uuid,
    /// Why it was refused.
    pub reason: DeadReason,
    /// The sink's answer, at most 300 bytes.
    pub detail: String,
    /// When it was refused.
    #[schema(value_type = String)]
    pub died_at: Timestamp,
    /// When the worker received the event.
    #[schema(value_type = String)]
    pub received_at: Timestamp,
    /// The event's body. It may contain personal data.
    #[schema(value_type = Object)]
    pub body: Box<RawValue>,
}

/// Selects dead letters. An absent field matches all.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct DeadLetterFilter {
    /// Only dead letters of this sink, or `ingest`.
    pub sink: Option<String>,
    /// Only dead letters of this table.
    pub table: Option<Table>,
    /// Only the dead letter with this id.
    #[schema(value_type = Option<String>)]
    pub id: Option<Uuid>,
}

impl DeadLetterFilter {
    pub(crate) fn matches(&self, sink: &str, table: Table, id: Uuid) -> bool {
        self.sink.as_deref().is_none_or(|wanted| wanted == sink)
            && self.table.is_none_or(|wanted| wanted == table)
            && self.id.is_none_or(|wanted| wanted == id)
    }
}

/// The result of requeueing dead letters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Requeued {
    /// Requeued for the sink that refused them.
    pub requeued: u64,
    /// Removed, because the event was accepted another way in the meantime.
    pub duplicates: u64,
    /// Unchanged, because their sink is no longer configured.
    pub without_sink: u64,
}

#[derive(Serialize, Deserialize)]
struct Head {
    reason: DeadReason,
    detail: String,
    died_us: i64,
}

/// Encodes a refusal as a store value: the length of its head, the head as JSON, the event as a chunk.
pub(crate) fn encode(refusal: &Refusal, died_us: i64) -> Vec<u8> {
    let mut detail: String = refusal.detail.chars().filter(|c| !c.is_control()).collect();
    detail.truncate(detail.floor_char_boundary(DETAIL_BYTES));
    let head = serde_json::to_vec(&Head { reason: refusal.reason, detail, died_us }).unwrap_or_default();
    let mut value = u16::try_from(head.len()).unwrap_or_default().to_le_bytes().to_vec();
    value.extend_from_slice(&head);
    value.extend_from_slice(&chunk::encode(None, std::slice::from_ref(&refusal.event)));
    value
}

/// Decodes a refusal; `None` if it is damaged.
pub(crate) fn decode(value: &[u8]) -> Option<(Refusal, i64)> {
    let (length, rest) = value.split_at_checked(2)?;
    let (head, event) = rest.split_at_checked(usize::from(u16::from_le_bytes(length.try_into().ok()?)))?;
    let head: Head = serde_json::from_slice(head).ok()?;
    let event = chunk::unpack(event)?.events.pop()?;
    Some((Refusal { event, reason: head.reason, detail: head.detail }, head.died_us))
}

pub(crate) fn present(sink: &str, table: Table, refusal: Refusal, died_us: i64) -> DeadLetter {
    let moment = |us| Timestamp::from_microsecond(us).unwrap_or(Timestamp::UNIX_EPOCH);
    DeadLetter {
        sink: sink.to_owned(),
        table,
        id: refusal.event.id,
        reason: refusal.reason,
        detail: refusal.detail,
        died_at: moment(died_us),
        received_at: moment(refusal.event.received_us),
        body: serde_json::from_slice(&refusal.event.body).unwrap_or_else(|_| RawValue::NULL.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::MAX_VALUE;

    fn refusal(body: String, detail: &str) -> Refusal {
        let event = QueuedEvent { id: Uuid::from_u128(5), at_us: 1, received_us: 2, occurred_us: 3, body: body.into() };
        Refusal { event, reason: DeadReason::Refused, detail: detail.to_owned() }
    }

    #[test]
    fn a_dead_letter_survives_encoding() {
        let written = refusal("{\"event\":\"visit\"}".to_owned(), "422: no such event");
        let (read, died_us) = decode(&encode(&written, 9)).unwrap();
        assert_eq!((read.event, read.detail.as_str(), died_us), (written.event, "422: no such event", 9));
        assert!(decode(&[200, 0, 1]).is_none());
    }

    #[test]
    fn the_largest_event_with_the_longest_detail_fits_into_one_value() {
        let entropy = touchline_protocol::ambient::SeededEntropy::new(3);
        let mut noise = vec![0; touchline_protocol::analytics::MAX_EVENT_BYTES];
        touchline_protocol::ambient::Entropy::fill(&*entropy, &mut noise);
        let body = noise.iter().map(|byte| char::from(byte % 94 + 33)).collect();
        let value = encode(&refusal(body, &"é\"".repeat(1000)), i64::MAX);
        assert!(value.len() <= MAX_VALUE, "{}", value.len());
    }
}
