//! The persisted state of a broadcast, from which another worker resumes: a file of JSON lines per rendition.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::listing::Listing;

/// A line of a rendition's file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Note {
    /// Playlist-level data.
    Header { path: String, version: u32, target_s: u64, tags: Vec<String> },
    /// A segment.
    Segment(Box<Entry>),
}

/// Suffix of the files' names. Served files never have it.
const NOTES: &str = "segments.jsonl";

/// Appends the segments that were added to a rendition.
pub(super) fn append(folder: &Path, index: usize, path: &str, last: &Listing, added: &[Entry]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut lines = Vec::new();
    let header = Note::Header {
        path: path.to_owned(),
        version: last.version,
        target_s: last.target_s,
        tags: last.header.clone(),
    };
    for note in std::iter::once(header).chain(added.iter().cloned().map(|entry| Note::Segment(Box::new(entry)))) {
        serde_json::to_writer(&mut lines, &note)?;
        lines.push(b'\n');
    }
    let name = folder.join(format!("{index}.{NOTES}"));
    fs::OpenOptions::new().create(true).append(true).open(name)?.write_all(&lines)
}

/// A rendition's path, its last playlist without segments, and its segments.
pub(super) type StoredRendition = (String, Listing, Vec<Entry>);

/// Reads a broadcast's renditions, in order. Incomplete lines are skipped.
pub(super) fn stored_renditions(folder: &Path) -> Vec<StoredRendition> {
    let read = |index: usize| fs::read_to_string(folder.join(format!("{index}.{NOTES}"))).ok();
    (0..).map_while(read).filter_map(|text| parse(&text)).collect()
}

fn parse(text: &str) -> Option<StoredRendition> {
    let (mut named, mut last, mut entries) = (None, Listing::default(), Vec::<Entry>::new());
    for note in text.lines().filter_map(|line| serde_json::from_str::<Note>(line).ok()) {
        match note {
            Note::Header { path, version, target_s, tags } => {
                named = Some(path);
                last = Listing { version, target_s: target_s.max(last.target_s), header: tags, ..Listing::default() };
            }
            Note::Segment(entry) => entries.push(*entry),
        }
    }
    named.map(|path| (path, last, entries))
}
