//! State of a broadcast, and lookup of its paths.

use std::collections::BTreeMap;
use std::io::Read;

use bytes::Bytes;

use super::files::{self, Stamp};
use super::key_frames;
use super::listing::Listing;
use super::notes;
use super::rendition::{Dates, ReadContext, Rendition, Shifts};
use super::window::{self, Contents};
use crate::media::hls::{self, Line, MAX_PLAYLIST_BYTES, MAX_PLAYLISTS};
use crate::media::index::Ingest;
use crate::media::stream::resolve;

/// File name of the stored copy of the encoder's master playlist.
pub(super) const MASTER: &str = "master.copy";

const NO_BIT_RATE: &str = "tell the encoder its bit rates (ffmpeg: -b:v 5M -b:a 128k)";

/// Segment or part that a player waits for in a low-latency stream (`_HLS_msn`, `_HLS_part`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
pub struct ReloadParams {
    /// Segment that the playlist must contain.
    #[serde(rename = "_HLS_msn")]
    msn: Option<u64>,
    /// Part of that segment, counted from 0.
    #[serde(rename = "_HLS_part")]
    part: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) master: Option<Bytes>,
    pub(super) renditions: Vec<Rendition>,
    pub(super) shifts: Shifts,
    pub(super) dates: Dates,
    /// Stamp of each playlist when it was last read.
    pub(super) read: BTreeMap<String, Stamp>,
    /// Time of the latest segment, in milliseconds since 1970.
    pub(super) newest_ms: i64,
    /// The last fault that was logged.
    pub(super) logged_fault: Option<String>,
    /// Cached live playlist of each rendition, and whether it has ended. It is shared by all viewers until a segment is
    /// added.
    pub(super) windows: BTreeMap<String, (bool, Bytes)>,
}

pub(super) enum Target {
    Text(Bytes),
    /// Path within the broadcast's folder.
    Stored(String),
    /// Path within the encoder's folder.
    Part(String),
}

pub(super) enum Lookup {
    Found(Target),
    /// Announced, but not available yet.
    Awaited,
    Nothing,
}

impl State {
    /// Reads the encoder's folder. Returns whether anything is new.
    pub(super) fn look(&mut self, entry: &str, context: &ReadContext<'_>, now_ms: i64) -> Result<bool, String> {
        let mut is_new = false;
        let mut warning = None;
        if let Some(text) = self.read_changed(entry, context)? {
            is_new = true;
            let named = if hls::is_media(&text) {
                self.read.remove(entry);
                vec![entry.to_owned()]
            } else {
                let named = if hls::is_master(&text) {
                    playlists_in(entry, &text)?
                } else {
                    let only = only_playlist_beside(entry, context).inspect_err(|_| {
                        self.read.remove(entry);
                    })?;
                    warning = Some(format!("{entry} names no quality, `{only}` is served: {NO_BIT_RATE}"));
                    vec![only]
                };
                files::write_atomically(&context.to.join(MASTER), text.as_bytes())
                    .map_err(|error| error.to_string())?;
                self.master = Some(text.into());
                named
            };
            for path in named {
                self.rendition(path);
            }
        }
        for index in 0..self.renditions.len() {
            let path = self.renditions[index].path.clone();
            // The encoder now writes a master playlist under this name.
            if path == entry && self.master.is_some() {
                continue;
            }
            if let Some(text) = self.read_changed(&path, context)? {
                let listing = Listing::read(&text).map_err(|why| format!("{path} {why}"))?;
                let highest = self.renditions.iter().map(Rendition::next).max().unwrap_or(0);
                let rendition = &mut self.renditions[index];
                let added = rendition.add_new(listing, context, (&mut self.shifts, &mut self.dates), highest);
                rendition.expire(context.window_ms, context.to);
                is_new = true;
                if !added.is_empty() {
                    self.newest_ms = now_ms;
                    let written = notes::append(context.to, index, &path, &rendition.last, &added);
                    written.map_err(|error| format!("{path}: its segments cannot be recorded: {error}"))?;
                }
                if let Some(fault) = rendition.fault.take() {
                    return Err(fault);
                }
            }
        }
        if self.newest_ms == 0 && self.renditions.iter().any(|rendition| !rendition.entries.is_empty()) {
            self.newest_ms = now_ms;
        }
        warning.map_or(Ok(is_new), Err)
    }

    fn rendition(&mut self, path: String) {
        if !self.renditions.iter().any(|existing| existing.path == path) {
            if self.shifts.is_empty() {
                self.shifts.push(0);
            }
            self.renditions.push(Rendition::new(&path, &self.shifts));
        }
    }

    /// Reads a playlist of the encoder if it has changed.
    fn read_changed(&mut self, path: &str, context: &ReadContext<'_>) -> Result<Option<String>, String> {
        let Some((stamp, _)) = context.from.stamp(path).filter(|(stamp, _)| self.read.get(path) != Some(stamp)) else {
            return Ok(None);
        };
        if stamp.len() > MAX_PLAYLIST_BYTES {
            return Err(format!("{path} is too large: at most {MAX_PLAYLIST_BYTES} bytes"));
        }
        // A file that is being replaced is read next time.
        let mut text = String::new();
        let Ok(file) = context.from.open(path) else { return Ok(None) };
        let Ok(_) = file.take(MAX_PLAYLIST_BYTES).read_to_string(&mut text) else { return Ok(None) };
        self.read.insert(path.to_owned(), stamp);
        // The encoder has truncated the file and not yet written its first line.
        if text.is_empty() { Ok(None) } else { Ok(Some(text)) }
    }

    /// Returns the rendition of a playlist, and whether it lists segments or I-frames.
    fn playlist(&self, path: &str) -> Option<(&Rendition, Contents)> {
        let of = |wanted: &str| self.renditions.iter().find(|rendition| rendition.path == wanted);
        let whole = of(path).map(|rendition| (rendition, Contents::Segments));
        whole.or_else(|| Some((of(&key_frames::rendition_of(path)?)?, Contents::KeyFrames)))
    }

    pub(super) fn is_ended(&self, ingest: &Ingest, now_ms: i64) -> bool {
        let is_silent = self.newest_ms > 0 && now_ms - self.newest_ms > ingest.silence_s as i64 * 1000;
        let by_encoder = self.renditions.iter().any(|rendition| rendition.last.is_ended);
        by_encoder || is_silent || now_ms >= ingest.ends_at * 1000
    }

    pub(super) fn live(&mut self, ingest: &Ingest, path: &str, reload: ReloadParams, now_ms: i64) -> Lookup {
        if path == ingest.entry
            && let Some(master) = &self.master
        {
            let is_there = self.renditions.iter().any(|rendition| !rendition.entries.is_empty());
            let text = || master_for_viewers(master, &ingest.entry, &self.renditions);
            return if is_there { Lookup::Found(Target::Text(text())) } else { Lookup::Nothing };
        }
        if let Some((rendition, of)) = self.playlist(path) {
            if rendition.entries.is_empty() {
                return Lookup::Nothing;
            }
            let is_ended = self.is_ended(ingest, now_ms);
            if !is_ended && !has(rendition, reload) {
                return Lookup::Awaited;
            }
            if let Some((_, text)) = self.windows.get(path).filter(|(ended, _)| *ended == is_ended) {
                return Lookup::Found(Target::Text(text.clone()));
            }
            let text = Bytes::from(window::live(rendition, of, ingest.window_s * 1000, is_ended));
            self.windows.insert(path.to_owned(), (is_ended, text.clone()));
            return Lookup::Found(Target::Text(text));
        }
        if self.renditions.iter().any(|rendition| rendition.has(path)) {
            return Lookup::Found(Target::Stored(path.to_owned()));
        }
        for rendition in &self.renditions {
            if let Some(file) = rendition.live_file(path, &rendition.live_files) {
                return Lookup::Found(Target::Part(file));
            }
            if rendition.live_file(path, &rendition.hinted).is_some() {
                return Lookup::Awaited;
            }
        }
        Lookup::Nothing
    }

    pub(super) fn recorded(&self, ingest: &Ingest, path: &str) -> Option<Target> {
        if path == ingest.entry
            && let Some(master) = &self.master
        {
            let is_there =
                self.renditions.iter().any(|rendition| rendition.entries.iter().any(|entry| entry.is_recorded));
            return is_there.then(|| Target::Text(master_for_viewers(master, &ingest.entry, &self.renditions)));
        }
        if let Some((rendition, of)) = self.playlist(path) {
            return window::recording(rendition, of).map(|text| Target::Text(text.into()));
        }
        self.renditions.iter().any(|rendition| rendition.has(path)).then(|| Target::Stored(path.to_owned()))
    }
}

/// Returns the encoder's master playlist with its only rendition, if it names none, and the worker's I-frame playlist.
fn master_for_viewers(master: &Bytes, entry: &str, renditions: &[Rendition]) -> Bytes {
    let named = match (std::str::from_utf8(master), renditions.iter().find(|rendition| !rendition.entries.is_empty())) {
        (Ok(text), Some(only)) if !hls::is_master(text) => {
            let folder = entry.rsplit_once('/').map_or(0, |(folder, _)| folder.len() + 1);
            let (bits, uri) = (only.bits_per_second(), only.path.get(folder..).unwrap_or_default());
            Bytes::from(format!("{}\n#EXT-X-STREAM-INF:BANDWIDTH={bits}\n{uri}\n", text.trim_end()))
        }
        _ => master.clone(),
    };
    key_frames::with_key_frames(&named, entry, renditions)
}

/// Returns whether a rendition has the requested segment or part. Requests too far ahead are not waited for.
fn has(rendition: &Rendition, reload: ReloadParams) -> bool {
    let ReloadParams { msn: Some(msn), part } = reload else { return true };
    let next = rendition.next();
    match part {
        _ if msn > next + 1 || msn < next => true,
        Some(part) => msn == next && rendition.tail_parts > part,
        None => false,
    }
}

/// Returns the only media playlist beside a master playlist that names none: ffmpeg leaves out qualities of an unknown
/// bit rate.
fn only_playlist_beside(entry: &str, context: &ReadContext<'_>) -> Result<String, String> {
    match &context.from.playlists_beside(entry)[..] {
        [only] => Ok(only.clone()),
        playlists => {
            let count = playlists.len();
            Err(format!("{entry} names no quality, and {count} other playlists are beside it: {NO_BIT_RATE}"))
        }
    }
}

/// Returns the playlists named in a master playlist.
fn playlists_in(entry: &str, text: &str) -> Result<Vec<String>, String> {
    let mut named = Vec::new();
    for line in hls::lines(text) {
        let uri = match line {
            Line::Uri(uri) => Some(uri),
            Line::Tag("EXT-X-MEDIA" | "EXT-X-I-FRAME-STREAM-INF", list) => hls::attribute(list, "URI"),
            Line::Tag(..) => None,
        };
        if let Some(uri) = uri {
            let path = resolve(entry, uri).ok_or_else(|| format!("{entry}: `{uri}` is outside its folder"))?;
            if !named.contains(&path) {
                named.push(path);
            }
        }
    }
    if named.len() > MAX_PLAYLISTS {
        return Err(format!("{entry} has too many playlists: at most {MAX_PLAYLISTS}"));
    }
    Ok(named)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::encoder_folder::EncoderFolder;
    use super::*;

    #[test]
    fn a_master_playlist_without_qualities_is_reported() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let context = ReadContext {
            from: &EncoderFolder::new(from.path()),
            to: to.path(),
            since_ms: 0,
            window_ms: 30_000,
            may_record: &|_| true,
        };
        let mut state = State::default();
        fs::write(from.path().join("m.m3u8"), "#EXTM3U\n#EXT-X-VERSION:7\n").unwrap();
        let mut fault = || state.look("m.m3u8", &context, 0).unwrap_err();
        assert!(fault().starts_with("m.m3u8 names no quality, and 0 other playlists are beside it: "));
        fs::write(from.path().join("a.m3u8"), "#EXTM3U\n#EXT-X-TARGETDURATION:2\n").unwrap();
        assert!(fault().starts_with("m.m3u8 names no quality, `a.m3u8` is served: tell the encoder its bit rates"));
    }
}
