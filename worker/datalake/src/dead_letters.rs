//! Events that will not be taken as they are: kept, typed, and put back when the operator says so.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::chunk;
use crate::event::QueuedEvent;
use crate::table::Table;

/// The name under which the worker's own refusals stand among the sinks.
pub const INGEST: &str = "ingest";
/// The longest account of a refusal that is kept, bytes.
const DETAIL_BYTES: usize = 300;

/// Why an event was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeadReason {
    /// It waited longer than ids are remembered before it was sent: it may have been accepted before.
    TooOld,
    /// The sink answered that it will never take it.
    Refused,
    /// Its body does not fit the table.
    Unreadable,
}

/// An event that a sink refused for good.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) event: QueuedEvent,
    pub(crate) reason: DeadReason,
    pub(crate) detail: String,
}

/// A dead letter, as the operator sees it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DeadLetter {
    /// The sink that refused it, or [`INGEST`].
    pub sink: String,
    /// The table that it is of.
    pub table: Table,
    /// The event's id.
    #[schema(value_type = String)]
    pub id: Uuid,
    /// Why it was refused.
    pub reason: DeadReason,
    /// What the sink said; at most 300 bytes.
    pub detail: String,
    /// When it was refused.
    #[schema(value_type = String)]
    pub died_at: Timestamp,
    /// When the worker received the event.
    #[schema(value_type = String)]
    pub received_at: Timestamp,
    /// The event's body. It may hold personal data.
    #[schema(value_type = Object)]
    pub body: Box<RawValue>,
}

/// Which dead letters are meant; what is absent does not narrow.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct DeadLetterFilter {
    /// Of this sink, or of [`INGEST`].
    pub sink: Option<String>,
    /// Of this table.
    pub table: Option<Table>,
    /// Only this one.
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

/// What became of a wish to put dead letters back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Requeued {
    /// Put back into the queue of the sink that had refused them.
    pub requeued: u64,
    /// Gone, because the event was accepted by another way meanwhile.
    pub duplicates: u64,
    /// Left, because their sink is no longer configured.
    pub without_sink: u64,
}

#[derive(Serialize, Deserialize)]
struct Head {
    reason: DeadReason,
    detail: String,
    died_us: i64,
}

/// A refusal as a value of the store: the length of its head, the head as JSON, the event as a chunk.
pub(crate) fn encode(refusal: &Refusal, died_us: i64) -> Vec<u8> {
    let mut detail: String = refusal.detail.chars().filter(|c| !c.is_control()).collect();
    detail.truncate(detail.floor_char_boundary(DETAIL_BYTES));
    let head = serde_json::to_vec(&Head { reason: refusal.reason, detail, died_us }).unwrap_or_default();
    let mut value = u16::try_from(head.len()).unwrap_or_default().to_le_bytes().to_vec();
    value.extend_from_slice(&head);
    value.extend_from_slice(&chunk::encode(None, std::slice::from_ref(&refusal.event)));
    value
}

/// Reads a refusal back; `None` when it is damaged.
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
    fn a_dead_letter_is_read_back_as_it_was_written() {
        let written = refusal("{\"event\":\"visit\"}".to_owned(), "422: no such event");
        let (read, died_us) = decode(&encode(&written, 9)).unwrap();
        assert_eq!((read.event, read.detail.as_str(), died_us), (written.event, "422: no such event", 9));
        assert!(decode(&[200, 0, 1]).is_none());
    }

    #[test]
    fn the_largest_event_with_the_longest_account_fits_into_one_value() {
        let entropy = touchline_protocol::ambient::SeededEntropy::new(3);
        let mut noise = vec![0; touchline_protocol::analytics::MAX_EVENT_BYTES];
        touchline_protocol::ambient::Entropy::fill(&*entropy, &mut noise);
        let body = noise.iter().map(|byte| char::from(byte % 94 + 33)).collect();
        let value = encode(&refusal(body, &"é\"".repeat(1000)), i64::MAX);
        assert!(value.len() <= MAX_VALUE, "{}", value.len());
    }
}
