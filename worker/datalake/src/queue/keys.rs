//! Where each thing lives in the store. Numbers are big-endian, so that keys sort as they do.
//!
//! | key | value |
//! |---|---|
//! | `b` | what makes the folder a queue: see [`super::folder`] |
//! | `c` table offset | a chunk of events |
//! | `d` sink 0 table id | a dead letter |
//! | `i` window sequence | ids that were accepted, as they came |
//! | `i` window sequence `p` | the same, packed when the queue moved to a fresh folder |
//! | `l` | that erased bytes may stand in the folder still, until it is left |
//! | `s` table sink | how far a sink is |
//! | `t` table | how far the queue is |
//! | `v` sid | a viewing: see [`super::viewings`] |
//! | `x` hash | when the account of an erased person went |
//! | `y` | what those hashes are keyed with |

use uuid::Uuid;

use crate::erase::marks::Mark;
use crate::table::Table;

/// The record that makes a folder a queue.
pub(crate) const BIRTH: &[u8] = b"b";
/// The record that erased bytes may stand in the folder still.
pub(crate) const HOLDS_ERASED: &[u8] = b"l";
/// The secret of the erased people's hashes.
pub(crate) const MARK_SECRET: &[u8] = b"y";
/// Before every key.
pub(crate) const START: &[u8] = b"a";
/// After every key.
pub(crate) const END: &[u8] = b"z";

pub(crate) fn chunk(table: Table, first: u64) -> Vec<u8> {
    [&[b'c', table.tag()][..], &first.to_be_bytes()].concat()
}

/// The table and the first offset of a chunk.
pub(crate) fn read_chunk(key: &[u8]) -> Option<(Table, u64)> {
    match key {
        [b'c', tag, first @ ..] => Some((Table::of_tag(*tag)?, u64::from_be_bytes(first.try_into().ok()?))),
        _ => None,
    }
}

pub(crate) fn table(table: Table) -> Vec<u8> {
    vec![b't', table.tag()]
}

pub(crate) fn sink(table: Table, sink: &str) -> Vec<u8> {
    [&[b's', table.tag()][..], sink.as_bytes()].concat()
}

/// The table and the name of a sink's record.
pub(crate) fn read_sink(key: &[u8]) -> Option<(Table, &str)> {
    match key {
        [b's', tag, name @ ..] => Some((Table::of_tag(*tag)?, std::str::from_utf8(name).ok()?)),
        _ => None,
    }
}

pub(crate) fn ids(window: i64, sequence: u64) -> Vec<u8> {
    [&b"i"[..], &window.to_be_bytes(), &sequence.to_be_bytes()].concat()
}

pub(crate) fn packed_ids(window: i64, sequence: u64) -> Vec<u8> {
    [&ids(window, sequence), &b"p"[..]].concat()
}

/// What the key of a record of ids says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IdsKey {
    pub(crate) window: i64,
    pub(crate) sequence: u64,
    pub(crate) packed: bool,
}

pub(crate) fn read_ids(key: &[u8]) -> Option<IdsKey> {
    let (window, rest) = key.strip_prefix(b"i")?.split_first_chunk()?;
    let (sequence, end) = rest.split_first_chunk()?;
    let packed = match end {
        b"" => false,
        b"p" => true,
        _ => return None,
    };
    Some(IdsKey { window: i64::from_be_bytes(*window), sequence: u64::from_be_bytes(*sequence), packed })
}

/// A viewing.
pub(crate) fn viewing(sid: &str) -> Vec<u8> {
    [b"v", sid.as_bytes()].concat()
}

pub(crate) fn read_viewing(key: &[u8]) -> Option<&str> {
    std::str::from_utf8(key.strip_prefix(b"v")?).ok()
}

/// An erased person.
pub(crate) fn mark(mark: &Mark) -> Vec<u8> {
    [&b"x"[..], mark].concat()
}

pub(crate) fn read_mark(key: &[u8]) -> Option<Mark> {
    key.strip_prefix(b"x")?.try_into().ok()
}

pub(crate) fn dead_letter(sink: &str, table: Table, id: Uuid) -> Vec<u8> {
    [&b"d"[..], sink.as_bytes(), &[0, table.tag()], id.as_bytes()].concat()
}

/// The sink, the table and the id of a dead letter.
pub(crate) fn read_dead_letter(key: &[u8]) -> Option<(&str, Table, Uuid)> {
    let rest = key.strip_prefix(b"d")?;
    let (name, rest) = rest.split_at(rest.iter().position(|byte| *byte == 0)?);
    match rest {
        [0, tag, id @ ..] => Some((std::str::from_utf8(name).ok()?, Table::of_tag(*tag)?, Uuid::from_slice(id).ok()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_read_back_as_it_was_written() {
        let id = Uuid::from_u128(7);
        assert_eq!(read_chunk(&chunk(Table::VideoEvent, 300)), Some((Table::VideoEvent, 300)));
        assert_eq!(read_sink(&sink(Table::Event, "lake:/x")), Some((Table::Event, "lake:/x")));
        let key = |packed| IdsKey { window: 1_795_255_200_000, sequence: 9, packed };
        assert_eq!(read_ids(&ids(1_795_255_200_000, 9)), Some(key(false)));
        assert_eq!(read_ids(&packed_ids(1_795_255_200_000, 9)), Some(key(true)));
        let letter = dead_letter("http:http://x", Table::Session, id);
        assert_eq!(read_dead_letter(&letter), Some(("http:http://x", Table::Session, id)));
        assert_eq!(read_mark(&mark(&[7; 16])), Some([7; 16]));
        assert_eq!(read_viewing(&viewing("v-1")), Some("v-1"));
        assert_eq!(read_chunk(&letter), None);
        assert_eq!(read_ids(b"i123"), None);
        assert_eq!(read_ids(&[ids(1, 2), b"q".to_vec()].concat()), None);
    }

    #[test]
    fn chunks_sort_by_offset() {
        assert!(chunk(Table::Event, 255) < chunk(Table::Event, 256));
        assert!(chunk(Table::Event, u64::MAX) < chunk(Table::VideoEvent, 0));
    }

    #[test]
    fn ids_sort_by_window_packed_or_not() {
        assert!(ids(1, u64::MAX) < packed_ids(1, u64::MAX));
        assert!(packed_ids(1, u64::MAX) < ids(2, 0));
    }
}
