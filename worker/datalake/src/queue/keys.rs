//! The keys of the store. Numbers are big-endian, so that keys sort in numeric order.
//!
//! | key | value |
//! |---|---|
//! | `b` | marks a complete queue: see [`super::folder`] |
//! | `c` table offset | a chunk of events |
//! | `d` sink 0 table id | a dead letter |
//! | `i` window sequence | accepted ids, unpacked |
//! | `i` window sequence `p` | accepted ids, packed when the queue moved to a fresh folder |
//! | `l` | the folder may contain erased bytes |
//! | `n` JSON | a count of events: see [`super::daily_counts`] |
//! | `s` table sink | a sink's progress |
//! | `t` table | the queue's progress |
//! | `v` sid | a viewing: see [`super::viewings`] |
//! | `x` hash | when an erased person's account was deleted |
//! | `y` | the key of those hashes |

use crate::erase::marks::Mark;
use crate::table::Table;
use uuid::Uuid;

/// Marks a complete queue.
pub(crate) const BIRTH: &[u8] = b"b";
/// Marks a folder that may contain erased bytes.
pub(crate) const HOLDS_ERASED: &[u8] = b"l";
/// The key of the erased people's hashes.
pub(crate) const MARK_SECRET: &[u8] = b"y";
/// Sorts before every key.
pub(crate) const START: &[u8] = b"a";
/// Sorts after every key.
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

/// The table and the name of a sink.
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

/// The parsed key of an id record.
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

pub(crate) fn viewing(sid: &str) -> Vec<u8> {
    [b"v", sid.as_bytes()].concat()
}

pub(crate) fn read_viewing(key: &[u8]) -> Option<&str> {
    std::str::from_utf8(key.strip_prefix(b"v")?).ok()
}

pub(crate) fn count(subject: &[u8]) -> Vec<u8> {
    [b"n", subject].concat()
}

/// The subject of a count.
pub(crate) fn read_count(key: &[u8]) -> Option<&[u8]> {
    key.strip_prefix(b"n")
}

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
    fn every_key_survives_encoding() {
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
