//! A queued event.

use bytes::Bytes;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use sha2::{Digest, Sha256};
use uuid::Uuid;

pub(crate) const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;

/// A queued event. Times are Unix microseconds, UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueuedEvent {
    pub(crate) id: Uuid,
    /// Event time by the sender's clock.
    pub(crate) at_us: i64,
    /// When the worker received it.
    pub(crate) received_us: i64,
    /// Event time by the worker's clock.
    pub(crate) occurred_us: i64,
    /// The request's body, valid JSON, at most [`touchline_protocol::analytics::MAX_EVENT_BYTES`]. Usually a slice of
    /// the request or chunk that it came in, which stays in memory as long as this does.
    pub(crate) body: Bytes,
}

impl QueuedEvent {
    /// Days since 1970.
    pub(crate) fn received_day(&self) -> i64 {
        self.received_us.div_euclid(DAY_US)
    }
}

/// A deterministic id for a text.
pub(crate) fn id_of(text: &str) -> Uuid {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(text)[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// The UTC date of a moment in Unix microseconds.
pub(crate) fn date_of(us: i64) -> Date {
    Timestamp::from_microsecond(us).unwrap_or(Timestamp::UNIX_EPOCH).to_zoned(TimeZone::UTC).date()
}
