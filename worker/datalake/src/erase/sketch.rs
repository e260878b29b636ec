//! A Bloom filter of the people in a lake file, stored in the file's metadata, so that an erasure can skip files
//! without the person.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use serde_json::Value;

use super::{Person, addresses};
use crate::schema::{self, Kind};
use crate::table::Table;

/// Metadata key of the sketch.
pub(crate) const KEY: &str = "touchline.people";

/// Bits for each id or address, for one false positive in 90,000 files.
const BITS_PER_ENTRY: usize = 32;
const PROBES: u64 = 7;
/// The largest sketch, in bytes. A file with more people has more false positives.
const MAX_BYTES: usize = 64 * 1024;

/// Collects the people of a file.
#[derive(Debug, Default)]
pub(crate) struct Sketch {
    entries: Vec<u64>,
}

impl Sketch {
    pub(crate) fn add(&mut self, table: Table, batch: &RecordBatch) {
        for (column, array) in schema::columns(table).iter().zip(batch.columns()) {
            if !matches!(column.kind, Kind::Text | Kind::Json) {
                continue;
            }
            for text in array.as_string::<i32>().iter().flatten() {
                if column.name == "user_id" {
                    self.entries.push(hash("id", text));
                }
                self.add_addresses(text);
                // Values in a document may be escaped.
                if column.kind == Kind::Json
                    && (text.contains("user_id") || text.contains('\\'))
                    && let Ok(document) = serde_json::from_str(text)
                {
                    self.add_document("", &document);
                }
            }
        }
        self.entries.sort_unstable();
        self.entries.dedup();
    }

    fn add_addresses(&mut self, text: &str) {
        if text.contains('@') || text.contains('%') {
            addresses::each(text, &mut |address| self.entries.push(hash("address", address)));
        }
    }

    fn add_document(&mut self, name: &str, value: &Value) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    self.add_addresses(name);
                    self.add_document(name, value);
                }
            }
            Value::Array(values) => values.iter().for_each(|value| self.add_document(name, value)),
            Value::String(text) => {
                self.add_addresses(text);
                if name == "user_id" {
                    self.entries.push(hash("id", text));
                }
            }
            Value::Number(number) if name == "user_id" => self.entries.push(hash("id", &number.to_string())),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The sketch as stored in a file, hexadecimal.
    pub(crate) fn encode(&self) -> String {
        let bytes = (self.entries.len() * BITS_PER_ENTRY).div_ceil(8).clamp(8, MAX_BYTES);
        let mut filter = vec![0_u8; bytes];
        for entry in &self.entries {
            for bit in bits(*entry, bytes) {
                filter[bit / 8] |= 1 << (bit % 8);
            }
        }
        filter.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A person's entries, hashed once for all sketches. `None` if a sketch may lack them: every file may contain the person.
#[derive(Debug, Clone)]
pub(crate) struct Probe(Option<Vec<u64>>);

impl Probe {
    pub(crate) fn of(person: &Person) -> Self {
        let mut entries: Vec<_> = person.user_id.iter().map(|id| hash("id", id)).collect();
        if let Some(email) = &person.email {
            let address = addresses::reduced(email).unwrap_or_default();
            // An address of an unusual form is not found in a text either.
            let mut is_found = false;
            addresses::each(email, &mut |found| is_found |= found == address);
            if !is_found {
                return Self(None);
            }
            entries.push(hash("address", &address));
        }
        Self(Some(entries))
    }
}

/// The sketch of a file.
#[derive(Debug)]
pub(crate) struct Filter(Vec<u8>);

impl Filter {
    /// Decodes a sketch as stored in a file; `None` if it is unreadable.
    pub(crate) fn decode(sketch: &str) -> Option<Self> {
        let pairs = sketch.as_bytes().chunks(2);
        let bytes = pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        bytes.collect::<Option<Vec<u8>>>().filter(|bytes| !bytes.is_empty()).map(Self)
    }

    /// Whether the person may be in the file.
    pub(crate) fn may_hold(&self, Probe(entries): &Probe) -> bool {
        let Self(filter) = self;
        let holds = |entry: &u64| bits(*entry, filter.len()).all(|bit| filter[bit / 8] & (1 << (bit % 8)) != 0);
        entries.as_ref().is_none_or(|entries| entries.iter().any(holds))
    }
}

fn bits(entry: u64, bytes: usize) -> impl Iterator<Item = usize> {
    // Two halves of one hash yield any number of bits.
    let (first, step) = (entry & 0xffff_ffff, (entry >> 32) | 1);
    (0..PROBES).map(move |n| (first.wrapping_add(n.wrapping_mul(step)) % (bytes as u64 * 8)) as usize)
}

/// FNV-1a with a final mix. It must be the same in every build, because files outlive it.
fn hash(kind: &str, text: &str) -> u64 {
    let bytes = kind.bytes().chain([0]).chain(text.bytes());
    let mut hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    for _ in 0..2 {
        hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(id: Option<&str>, email: Option<&str>) -> Person {
        Person { user_id: id.map(str::to_owned), email: email.map(str::to_owned), deleted_us: None }
    }

    fn may_hold(sketch: &str, person: &Person) -> bool {
        Filter::decode(sketch).is_none_or(|filter| filter.may_hold(&Probe::of(person)))
    }

    #[test]
    fn a_sketch_has_no_false_negatives_and_few_false_positives() {
        let mut sketch = Sketch::default();
        for n in 0..1000 {
            sketch.entries.push(hash("id", &n.to_string()));
            sketch.entries.push(hash("address", &format!("p{n}@example.com")));
        }
        let text = sketch.encode();
        for n in 0..1000 {
            assert!(may_hold(&text, &person(Some(&n.to_string()), None)), "{n}");
            assert!(may_hold(&text, &person(None, Some(&format!("p{n}@example.com")))), "{n}");
        }
        let filter = Filter::decode(&text).unwrap();
        let is_match = |n: &u32| filter.may_hold(&Probe::of(&person(Some(&n.to_string()), None)));
        let wrong = (1000..101_000).filter(is_match).count();
        assert!(wrong < 10, "{wrong} of 100,000 false positives");
        assert!(may_hold("no sketch", &person(Some("5000"), None)) && may_hold("", &person(Some("5000"), None)));
    }

    #[test]
    fn the_sketch_of_a_file_without_people_is_empty() {
        assert!(!may_hold(&Sketch::default().encode(), &person(Some("7"), Some("ann@example.com"))));
    }
}
