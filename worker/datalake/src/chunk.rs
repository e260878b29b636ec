//! Events packed into values small enough for the store: about twenty per chunk, compressed together.
//!
//! A chunk is `version, target length, target, count (u16), lz4 of the events`. The target names the only sink that a
//! requeued dead letter is for. All events of a chunk belong to one day, and therefore all events of a batch, which
//! consists of whole chunks.

use bytes::{Buf, Bytes};
use lz4_flex::block::{compress_into, get_maximum_output_size};
use uuid::Uuid;

use crate::event::QueuedEvent;

/// The largest value, in bytes. Sixteen of them, a full leaf of sled's tree, stay below the size at which sled writes a
/// blob file, which it never syncs.
pub(crate) const MAX_VALUE: usize = 7 * 1024;
const VERSION: u8 = 1;
/// Bodies packed before compression, in bytes. Analytics JSON compresses to well below half.
const PACKED_BYTES: usize = 13 * 1024;
/// No valid chunk unpacks to more bytes.
const UNPACKED_LIMIT: usize = 64 * 1024;
const EVENT_HEAD: usize = 16 + 3 * 8 + 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// The only sink that it is for; `None` means all.
    pub(crate) only: Option<String>,
    pub(crate) events: Vec<QueuedEvent>,
}

/// A chunk's header, read without unpacking the events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChunkHead<'a> {
    pub(crate) only: Option<&'a str>,
    pub(crate) count: u64,
}

/// The facts that a batch's bounds depend on, read without building the events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChunkOutline {
    /// The only sink that it is for; `None` means all.
    pub(crate) only: Option<String>,
    pub(crate) count: u64,
    /// When its first event was received.
    pub(crate) received_us: i64,
    pub(crate) body_bytes: u64,
}

/// Packs events of one day and one target as they come. Each body is copied once and released.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    only: Option<String>,
    plain: Vec<u8>,
    /// Offsets of the events in `plain`.
    starts: Vec<usize>,
    packed: Vec<(usize, Vec<u8>)>,
    /// Reused buffer for a compressed value whose length is not known yet.
    scratch: Vec<u8>,
}

impl Packer {
    /// Packs for every sink, or for `only` one.
    pub(crate) fn new(only: Option<String>) -> Self {
        let plain = Vec::with_capacity(PACKED_BYTES);
        Self { only, plain, ..Self::default() }
    }

    pub(crate) fn push(&mut self, event: &QueuedEvent) {
        if !self.starts.is_empty() && self.plain.len() + EVENT_HEAD + event.body.len() > PACKED_BYTES {
            self.close();
        }
        self.starts.push(self.plain.len());
        write_event(event, &mut self.plain);
    }

    /// The values in order, each with its number of events.
    pub(crate) fn finish(mut self) -> Vec<(usize, Vec<u8>)> {
        self.close();
        self.packed
    }

    fn close(&mut self) {
        if !self.starts.is_empty() {
            self.pack(0, self.starts.len());
        }
        self.starts.clear();
        self.plain.clear();
    }

    /// Splits incompressible events in half until they fit; a single event always fits.
    fn pack(&mut self, first: usize, end: usize) {
        let until = self.starts.get(end).copied().unwrap_or(self.plain.len());
        let plain = &self.plain[self.starts[first]..until];
        let value = seal(self.only.as_deref(), end - first, plain, &mut self.scratch);
        if value.len() <= MAX_VALUE || end - first == 1 {
            self.packed.push((end - first, value));
            return;
        }
        let middle = first.midpoint(end);
        self.pack(first, middle);
        self.pack(middle, end);
    }
}

/// Packs `events` into one value of any size.
pub(crate) fn encode(only: Option<&str>, events: &[QueuedEvent]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(events.iter().map(|event| event.body.len() + EVENT_HEAD).sum());
    for event in events {
        write_event(event, &mut plain);
    }
    seal(only, events.len(), &plain, &mut Vec::new())
}

fn write_event(event: &QueuedEvent, plain: &mut Vec<u8>) {
    plain.extend_from_slice(event.id.as_bytes());
    for us in [event.at_us, event.received_us, event.occurred_us] {
        plain.extend_from_slice(&us.to_le_bytes());
    }
    plain.extend_from_slice(&u32::try_from(event.body.len()).unwrap_or(u32::MAX).to_le_bytes());
    plain.extend_from_slice(&event.body);
}

/// Compresses the events in `plain` into a value. `scratch` can be reused for the next one.
fn seal(only: Option<&str>, count: usize, plain: &[u8], scratch: &mut Vec<u8>) -> Vec<u8> {
    let only = only.unwrap_or_default().as_bytes();
    let only = &only[..only.len().min(255)];
    let longest = get_maximum_output_size(plain.len());
    if scratch.len() < longest {
        scratch.resize(longest, 0);
    }
    #[expect(clippy::expect_used, reason = "the buffer has room for the largest output")]
    let length = compress_into(plain, scratch).expect("room for the largest output");
    let packed = &scratch[..length];
    let mut value = Vec::with_capacity(8 + only.len() + packed.len());
    value.extend_from_slice(&[VERSION, u8::try_from(only.len()).unwrap_or(u8::MAX)]);
    value.extend_from_slice(only);
    value.extend_from_slice(&u16::try_from(count).unwrap_or(u16::MAX).to_le_bytes());
    value.extend_from_slice(&u32::try_from(plain.len()).unwrap_or(u32::MAX).to_le_bytes());
    value.extend_from_slice(packed);
    value
}

pub(crate) fn head(value: &[u8]) -> Option<ChunkHead<'_>> {
    split(value).map(|(head, _)| head)
}

fn split(value: &[u8]) -> Option<(ChunkHead<'_>, &[u8])> {
    let [VERSION, length, rest @ ..] = value else { return None };
    let (only, rest) = rest.split_at_checked(usize::from(*length))?;
    let (count, packed) = rest.split_at_checked(2)?;
    let only = std::str::from_utf8(only).ok()?;
    let count = u64::from(u16::from_le_bytes(count.try_into().ok()?));
    Some((ChunkHead { only: (!only.is_empty()).then_some(only), count }, packed))
}

/// Unpacks a chunk; `None` if it is damaged.
pub(crate) fn unpack(value: &[u8]) -> Option<Chunk> {
    let (head, mut rest) = open(value)?;
    let mut events = Vec::with_capacity(usize::try_from(head.count).ok()?);
    while !rest.is_empty() {
        events.push(take_event(&mut rest)?);
    }
    (events.len() as u64 == head.count).then(|| Chunk { only: head.only.map(str::to_owned), events })
}

/// Reads a chunk's outline; `None` if it is damaged or empty.
pub(crate) fn outline(value: &[u8]) -> Option<ChunkOutline> {
    let (head, mut rest) = open(value)?;
    let bytes = rest.len();
    let (mut count, mut received_us) = (0, None);
    while !rest.is_empty() {
        let event = take_head(&mut rest)?;
        rest.advance(event.length);
        received_us.get_or_insert(event.received_us);
        count += 1;
    }
    let body_bytes = (bytes - count * EVENT_HEAD) as u64;
    let only = head.only.map(str::to_owned);
    (count as u64 == head.count).then_some(ChunkOutline {
        only,
        count: head.count,
        received_us: received_us?,
        body_bytes,
    })
}

fn open(value: &[u8]) -> Option<(ChunkHead<'_>, Bytes)> {
    let (head, packed) = split(value)?;
    let size = u32::from_le_bytes(packed.get(..4)?.try_into().ok()?);
    if usize::try_from(size).ok()? > UNPACKED_LIMIT {
        return None;
    }
    Some((head, lz4_flex::decompress_size_prepended(packed).ok()?.into()))
}

struct EventHead {
    id: Uuid,
    at_us: i64,
    received_us: i64,
    occurred_us: i64,
    /// Bytes of the body that follows.
    length: usize,
}

fn take_head(rest: &mut Bytes) -> Option<EventHead> {
    let mut id = [0; 16];
    rest.try_copy_to_slice(&mut id).ok()?;
    let mut moment = || rest.try_get_i64_le().ok();
    let (at_us, received_us, occurred_us) = (moment()?, moment()?, moment()?);
    let length = usize::try_from(rest.try_get_u32_le().ok()?).ok().filter(|length| *length <= rest.len())?;
    Some(EventHead { id: Uuid::from_bytes(id), at_us, received_us, occurred_us, length })
}

fn take_event(rest: &mut Bytes) -> Option<QueuedEvent> {
    let EventHead { id, at_us, received_us, occurred_us, length } = take_head(rest)?;
    let body = rest.split_to(length);
    std::str::from_utf8(&body).ok()?;
    Some(QueuedEvent { id, at_us, received_us, occurred_us, body })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn events() -> impl Strategy<Value = Vec<QueuedEvent>> {
        let event =
            (any::<u128>(), any::<(i64, i64, i64)>(), "\\PC{0,1500}").prop_map(|(id, times, body)| QueuedEvent {
                id: Uuid::from_u128(id),
                at_us: times.0,
                received_us: times.1,
                occurred_us: times.2,
                body: body.into(),
            });
        proptest::collection::vec(event, 1..40)
    }

    fn pack(only: Option<&str>, events: &[QueuedEvent]) -> Vec<(usize, Vec<u8>)> {
        let mut packer = Packer::new(only.map(str::to_owned));
        events.iter().for_each(|event| packer.push(event));
        packer.finish()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn packed_events_are_unpacked_in_order_and_values_are_bounded(events in events()) {
            let packed = pack(Some("lake:/x"), &events);
            let mut back = Vec::new();
            for (count, value) in &packed {
                prop_assert!(value.len() <= MAX_VALUE);
                prop_assert_eq!(head(value), Some(ChunkHead { only: Some("lake:/x"), count: *count as u64 }));
                let events = unpack(value).unwrap().events;
                let outlined = ChunkOutline {
                    only: Some("lake:/x".to_owned()),
                    count: *count as u64,
                    received_us: events[0].received_us,
                    body_bytes: events.iter().map(|event| event.body.len() as u64).sum(),
                };
                prop_assert_eq!(outline(value), Some(outlined));
                back.extend(events);
            }
            prop_assert_eq!(back, events);
        }

        #[test]
        fn damage_is_detected_or_harmless_and_never_panics(events in events(), at in any::<usize>(), bit in 0..8_u32) {
            for (_, mut value) in pack(None, &events) {
                let at = at % value.len();
                value[at] ^= 1_u8 << bit;
                for value in [&value[..], &value[..at]] {
                    prop_assert!(unpack(value).is_none() || outline(value).is_some());
                }
            }
        }
    }

    #[test]
    fn the_largest_incompressible_event_fits_into_one_value() {
        let entropy = touchline_protocol::ambient::SeededEntropy::new(3);
        let mut noise = vec![0; touchline_protocol::analytics::MAX_EVENT_BYTES];
        touchline_protocol::ambient::Entropy::fill(&*entropy, &mut noise);
        let body = noise.iter().map(|byte| char::from(byte % 94 + 33)).collect::<String>();
        let event = QueuedEvent { id: Uuid::nil(), at_us: 0, received_us: 0, occurred_us: 0, body: body.into() };
        let sink = "x".repeat(255);
        let packed = pack(Some(&sink), &[event]);
        assert!(packed.len() == 1 && packed[0].1.len() <= MAX_VALUE, "{}", packed[0].1.len());
    }
}
