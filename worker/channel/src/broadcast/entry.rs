//! One segment of a rendition, as it is kept and noted.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files::Stamp;
use super::listing::{ByteRange, Init};

/// One segment, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Its number; one more than that of the one before it.
    pub(super) number: u64,
    /// The encoder's number.
    pub(super) msn: u64,
    /// The encoder's name for its file.
    pub(super) uri: String,
    /// What tells that file from a later one of the same name.
    pub(super) stamp: Stamp,
    /// Its file, beside the playlist; empty for one that is missing.
    pub(super) file: String,
    /// Which bytes of the file, when not all.
    pub(super) range: Option<ByteRange>,
    /// How many bytes it has.
    pub(super) bytes: u64,
    /// How many of its first bytes hold its first picture, where that is known.
    #[serde(default)]
    pub(super) picture_bytes: Option<u64>,
    /// Milliseconds.
    pub(super) length_ms: u64,
    /// Whether it does not go on from the one before it.
    pub(super) is_discontinuous: bool,
    /// Its own tags, as the encoder wrote them.
    pub(super) tags: Vec<String>,
    /// The section that it begins with, under its name here.
    pub(super) init: Option<Init>,
    /// The keys that hold for it, under their names here.
    pub(super) keys: Vec<String>,
    /// Whether it belongs to the recording.
    pub(super) is_kept: bool,
    /// Its parts, under their names here, while it is young.
    #[serde(skip)]
    pub(super) parts: Vec<String>,
}

impl Entry {
    /// What stands for a segment that is missing.
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
            is_discontinuous: false,
            tags: vec!["#EXT-X-GAP".to_owned(), format!("#EXTINF:{}.0,", length_ms / 1000)],
            init: None,
            keys: Vec::new(),
            is_kept: false,
            parts: Vec::new(),
        }
    }

    /// Whether this is its file, as it was when it was taken up. One of which it is a part may have grown since.
    pub(super) fn is_whole(&self, file: &Path) -> bool {
        Stamp::of(file).is_some_and(|(now, _)| self.is_of(now))
    }

    /// Whether a stamp is of its file.
    pub(super) fn is_of(&self, now: Stamp) -> bool {
        now == self.stamp || self.range.is_some() && now.len() >= self.stamp.len()
    }

    /// Its files, beside the playlist.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let keys = self.keys.iter().filter_map(|tag| crate::media::hls::attribute(tag.split_once(':')?.1, "URI"));
        let files = (!self.file.is_empty()).then_some(self.file.as_str());
        files.into_iter().chain(self.init.as_ref().map(|init| init.uri.as_str())).chain(keys)
    }
}
