//! Records of accepted ids: appended as they come, and packed when the queue moves to a fresh folder.
//!
//! Most ids are UUIDs that start with a 48-bit time. In sorted order, an id is packed as the difference to the
//! previous time, a LEB128 number, and its other 80 bits: eleven bytes instead of sixteen. Ids without a time take at
//! most seventeen.

use uuid::Uuid;

/// Ids in an unpacked record.
const IDS_PER_RECORD: usize = 400;
/// The bits after the time.
const REST_BITS: u32 = 80;
const REST_BYTES: usize = 10;
/// The longest packed id, in bytes.
const MAX_PACKED_ID: usize = 7 + REST_BYTES;
/// Bytes of a packed record. Sixteen larger ones are a leaf of sled's tree, and would take half as much space again.
const PACKED_BYTES: usize = 1024;

/// Encodes ids as store values, unpacked.
pub(crate) fn records(ids: &[Uuid]) -> impl Iterator<Item = Vec<u8>> {
    ids.chunks(IDS_PER_RECORD).map(|ids| ids.iter().flat_map(|id| *id.as_bytes()).collect())
}

/// Decodes a record; `None` if it is damaged.
pub(crate) fn read(value: &[u8], packed: bool) -> Option<Vec<Uuid>> {
    if packed {
        return unpack(value);
    }
    let (ids, rest) = value.as_chunks::<16>();
    rest.is_empty().then(|| ids.iter().map(|id| Uuid::from_bytes(*id)).collect())
}

/// Sorts the ids and encodes them as packed store values.
pub(crate) fn pack(ids: &mut [Uuid]) -> Vec<Vec<u8>> {
    ids.sort_unstable();
    let mut values = Vec::new();
    let mut value = Vec::with_capacity(PACKED_BYTES);
    let mut before = 0;
    for id in ids {
        if value.len() + MAX_PACKED_ID > PACKED_BYTES {
            values.push(std::mem::replace(&mut value, Vec::with_capacity(PACKED_BYTES)));
            before = 0;
        }
        let time = id.as_u128() >> REST_BITS;
        write_number(time - before, &mut value);
        value.extend_from_slice(&id.as_bytes()[16 - REST_BYTES..]);
        before = time;
    }
    if !value.is_empty() {
        values.push(value);
    }
    values
}

fn unpack(mut value: &[u8]) -> Option<Vec<Uuid>> {
    let mut ids = Vec::with_capacity(value.len() / (REST_BYTES + 1));
    let mut time = 0_u128;
    while !value.is_empty() {
        time += take_number(&mut value)?;
        let (rest, after) = value.split_first_chunk::<REST_BYTES>()?;
        let rest = rest.iter().fold(0, |number, byte| number << 8 | u128::from(*byte));
        ids.push(Uuid::from_u128(time.checked_shl(REST_BITS).filter(|_| time >> 48 == 0)? | rest));
        value = after;
    }
    Some(ids)
}

fn write_number(mut number: u128, value: &mut Vec<u8>) {
    while number >= 0x80 {
        value.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    value.push(number.to_le_bytes()[0]);
}

/// At most seven bytes: 49 bits.
fn take_number(value: &mut &[u8]) -> Option<u128> {
    let mut number = 0;
    for shift in (0..49).step_by(7) {
        let (byte, after) = value.split_first()?;
        *value = after;
        number |= u128::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_ids_survive_encoding_in_bounded_records(ids in proptest::collection::vec(any::<u128>(), 0..2000)) {
            let mut ids: Vec<_> = ids.into_iter().map(Uuid::from_u128).collect();
            let back: Vec<_> = records(&ids).flat_map(|value| read(&value, false).unwrap()).collect();
            prop_assert_eq!(&back, &ids);
            let packed = pack(&mut ids);
            prop_assert!(packed.iter().all(|value| value.len() <= PACKED_BYTES));
            let back: Vec<_> = packed.iter().flat_map(|value| read(value, true).unwrap()).collect();
            prop_assert_eq!(back, ids);
        }

        #[test]
        fn damage_is_detected_or_harmless_and_never_panics(value in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&value, false);
            let _ = read(&value, true);
        }
    }

    #[test]
    fn the_smallest_and_the_largest_id_can_be_packed() {
        let mut ids = [Uuid::max(), Uuid::nil()];
        let packed = pack(&mut ids);
        assert_eq!(packed.len(), 1);
        assert_eq!(read(&packed[0], true).unwrap(), [Uuid::nil(), Uuid::max()]);
    }

    #[test]
    fn a_truncated_record_or_an_impossible_time_is_damage() {
        let packed = pack(&mut [Uuid::from_u128(7)]).remove(0);
        assert!(read(&packed[..packed.len() - 1], true).is_none());
        assert!(read(&[&[0xff; 6][..], &[0x7f], &[0; REST_BYTES]].concat(), true).is_none());
        assert!(read(&[0; 17], false).is_none());
    }

    #[test]
    fn ids_of_similar_times_take_eleven_bytes() {
        let entropy = touchline_protocol::ambient::SeededEntropy::new(5);
        let clock = touchline_protocol::ambient::ManualClock::at_ms(1_795_255_200_000);
        let mut ids: Vec<_> = (0..100_000)
            .map(|_| {
                clock.advance_ms(1);
                touchline_protocol::ambient::Entropy::uuid_v7(&*entropy, &*clock)
            })
            .collect();
        let bytes: usize = pack(&mut ids).iter().map(Vec::len).sum();
        assert!(bytes < ids.len() * 23 / 2, "{bytes}");
    }
}
