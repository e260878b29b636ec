//! One event as it waits in the queue.

use bytes::Bytes;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use sha2::{Digest, Sha256};
use uuid::Uuid;

const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;

/// One event as it waits in the queue. Times are Unix microseconds, UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueuedEvent {
    pub(crate) id: Uuid,
    /// When it happened, by the sender's clock.
    pub(crate) at_us: i64,
    /// When the worker heard of it.
    pub(crate) received_us: i64,
    /// When it happened, by the worker's clock.
    pub(crate) occurred_us: i64,
    /// The call's body, valid JSON, at most [`touchline_protocol::analytics::MAX_EVENT_BYTES`].
    /// It is a part of the request or the chunk that it came in, and keeps that alive; one that the worker wrote a
    /// channel into stands alone.
    pub(crate) body: Bytes,
}

impl QueuedEvent {
    /// The same day as a number, since 1970.
    pub(crate) fn received_day(&self) -> i64 {
        self.received_us.div_euclid(DAY_US)
    }
}

/// An id that is the same each time for the same text.
pub(crate) fn id_of(text: &str) -> Uuid {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(text)[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// The day, UTC, of a moment.
pub(crate) fn date_of(us: i64) -> Date {
    Timestamp::from_microsecond(us).unwrap_or(Timestamp::UNIX_EPOCH).to_zoned(TimeZone::UTC).date()
}
