use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files::Stamp;
use super::listing::{ByteRange, Init};

/// A stored segment of a rendition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Increases by one per segment.
    pub(super) number: u64,
    /// Media sequence number in the encoder's playlist.
    pub(super) msn: u64,
    /// File name in the encoder's playlist.
    pub(super) uri: String,
    /// Distinguishes the encoder's file from a later one with the same name.
    pub(super) stamp: Stamp,
    /// Stored file, beside the playlist; empty for a missing segment.
    pub(super) file: String,
    /// Byte range of the segment, unless it is the whole file.
    pub(super) range: Option<ByteRange>,
    pub(super) bytes: u64,
    /// Number of leading bytes that contain the first frame, if known.
    #[serde(default)]
    pub(super) picture_bytes: Option<u64>,
    pub(super) length_ms: u64,
    /// Start, in milliseconds since 1970, unless `tags` contain it.
    #[serde(default)]
    pub(super) date_ms: Option<i64>,
    /// Whether it is discontinuous with the previous segment.
    pub(super) is_discontinuous: bool,
    /// The segment's tags, as the encoder wrote them.
    pub(super) tags: Vec<String>,
    /// Its init section, under the stored name.
    pub(super) init: Option<Init>,
    /// Its keys, under the stored names.
    pub(super) keys: Vec<String>,
    /// Whether it belongs to the recording.
    #[serde(rename = "is_kept")]
    pub(super) is_recorded: bool,
    /// Its parts, under their served names, while it is recent.
    #[serde(skip)]
    pub(super) parts: Vec<String>,
}

impl Entry {
    /// Returns a placeholder for a missing segment.
    pub(super) fn gap(number: u64, msn: u64, length_ms: u64) -> Self {
        Self {
            number,
            msn,
            uri: "gap".to_owned(),
            stamp: Stamp::default(),
            file: String::new(),
            range: None,
            bytes: 0,
            picture_bytes: None,
            length_ms,
            date_ms: None,
            is_discontinuous: false,
            tags: vec!["#EXT-X-GAP".to_owned(), format!("#EXTINF:{}.0,", length_ms / 1000)],
            init: None,
            keys: Vec::new(),
            is_recorded: false,
            parts: Vec::new(),
        }
    }

    /// Returns whether this is the segment's file, unchanged. A file with byte ranges may have grown.
    pub(super) fn is_whole(&self, file: &Path) -> bool {
        Stamp::of(file).is_some_and(|(now, _)| self.has_stamp(now))
    }

    /// Returns whether the stamp belongs to the segment's file.
    pub(super) fn has_stamp(&self, now: Stamp) -> bool {
        now == self.stamp || self.range.is_some() && now.len() >= self.stamp.len()
    }

    /// Returns its stored files, relative to the playlist.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let keys = self.keys.iter().filter_map(|tag| key_uri(tag));
        let files = (!self.file.is_empty()).then_some(self.file.as_str());
        files.into_iter().chain(self.init.as_ref().map(|init| init.uri.as_str())).chain(keys)
    }
}

/// Returns the file that an `EXT-X-KEY` tag names.
pub(super) fn key_uri(tag: &str) -> Option<&str> {
    crate::media::hls::attribute(tag.split_once(':')?.1, "URI")
}
