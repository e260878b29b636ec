//! A media playlist of a broadcast. Its segments have the worker's own numbers, which continue over encoder restarts.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::path::Path;

use super::encoder_folder::{EncoderFolder, is_media};
use super::entry::{Entry, key_uri};
use super::files::{self, Stamp};
use super::key_frame;
use super::listing::{Init, Listed, Listing, Part};
use crate::media::stream::{path_of, resolve};

/// A gap of up to this many numbers is filled with placeholders, so that all qualities have the same numbers.
const MAX_GAPS: u64 = 16;
/// Time that expired segments stay on disk, since players still use an earlier playlist.
const LINGER_MS: u64 = 60_000;

/// Folders and limits of a read.
pub(super) struct ReadContext<'a> {
    /// The encoder's folder.
    pub(super) from: &'a EncoderFolder,
    /// Folder of the stored segments.
    pub(super) to: &'a Path,
    /// Segments finished before this time belong to an earlier event, in milliseconds since 1970.
    pub(super) since_ms: i64,
    /// Seekable window, in milliseconds.
    pub(super) window_ms: u64,
    /// Returns whether that many more bytes may be recorded.
    pub(super) may_record: &'a dyn Fn(u64) -> bool,
}

/// For each run of the encoder, the offset added to its numbers. All renditions share it.
pub(super) type Shifts = Vec<i64>;

/// Start of each segment by its number, in milliseconds since 1970. All renditions share it.
pub(super) type Dates = BTreeMap<u64, i64>;

/// Maximum difference between a segment's start time according to its file's modification time and according to the
/// durations of the segments before it.
const MAX_DRIFT_MS: i64 = 2_000;
/// Number of recent segments whose start is shared with other renditions.
const MAX_DATES: usize = 256;

/// A rendition and its stored segments.
#[derive(Debug, Default)]
pub(super) struct Rendition {
    /// Its playlist, relative to the stream's folder.
    pub(super) path: String,
    pub(super) entries: VecDeque<Entry>,
    /// Number of discontinuities before expired segments.
    pub(super) expired_discontinuities: u64,
    /// The encoder's latest playlist, without its segments.
    pub(super) last: Listing,
    /// Parts of the unfinished segment, and hints, under their served names.
    pub(super) tail: Vec<String>,
    /// Number of parts in it.
    pub(super) tail_parts: u64,
    /// Files of the encoder's folder that may be served directly.
    pub(super) live_files: HashSet<String>,
    /// Announced files that may be waited for.
    pub(super) hinted: HashSet<String>,
    /// Number of entries that use each file.
    uses: HashMap<String, u32>,
    /// Index of the current run of the encoder.
    run: usize,
    shift: i64,
    /// Fault in the encoder's output.
    pub(super) fault: Option<String>,
}

impl Rendition {
    /// Returns a rendition without segments, in the encoder's current run.
    pub(super) fn new(path: &str, shifts: &Shifts) -> Self {
        let (run, shift) = (shifts.len().saturating_sub(1), shifts.last().copied().unwrap_or(0));
        Self { path: path.to_owned(), run, shift, ..Self::default() }
    }

    /// Restores a rendition from its persisted state.
    pub(super) fn restored(path: &str, last: Listing, entries: Vec<Entry>, folder: &Path) -> Self {
        let mut rendition = Self { last, ..Self::new(path, &Shifts::new()) };
        for entry in entries {
            let is_there = entry.file.is_empty() || entry.is_whole(&folder.join(rendition.beside(&entry.file)));
            if is_there && (!entry.file.is_empty() || !rendition.entries.is_empty()) {
                rendition.shift = entry.number as i64 - entry.msn as i64;
                rendition.add(entry);
            } else {
                rendition.expired_discontinuities += u64::from(entry.is_discontinuous);
            }
        }
        // An earlier version linked init sections and keys.
        let small = rendition.entries.iter().flat_map(|entry| entry.names().filter(|name| *name != entry.file));
        for name in small.collect::<HashSet<_>>() {
            let _ = files::detach(&folder.join(rendition.beside(name)));
        }
        rendition
    }

    /// Returns the offset currently added to the encoder's numbers.
    pub(super) fn shift(&self) -> i64 {
        self.shift
    }

    pub(super) fn next(&self) -> u64 {
        self.entries.back().map_or(0, |last| last.number + 1)
    }

    /// Returns the peak bit rate of its segments.
    pub(super) fn bits_per_second(&self) -> u64 {
        let bits = |entry: &Entry| (entry.bytes * 8000).div_ceil(entry.length_ms.max(1));
        self.entries.iter().map(bits).max().unwrap_or(0)
    }

    /// Returns the path of a file beside the playlist.
    pub(super) fn beside(&self, name: &str) -> String {
        self.path.rsplit_once('/').map_or_else(|| name.to_owned(), |(folder, _)| format!("{folder}/{name}"))
    }

    /// Prefix of its files' names, which distinguishes playlists in the same folder.
    fn stem(&self) -> &str {
        let name = self.path.rsplit_once('/').map_or(self.path.as_str(), |(_, name)| name);
        name.strip_suffix(".m3u8").unwrap_or(name)
    }

    /// Served name of an encoder's file, relative to the playlist.
    fn live_name(&self, uri: &str) -> String {
        format!("{}-live-{}/{uri}", self.stem(), self.run)
    }

    /// Returns the encoder's file for a served path, if it may be served.
    pub(super) fn live_file(&self, path: &str, files: &HashSet<String>) -> Option<String> {
        let uri = path.strip_prefix(&self.beside(&self.live_name("")))?;
        files.contains(uri).then(|| resolve(&self.path, uri))?
    }

    /// Stores the new segments of the encoder's playlist and returns them. `shifts`, `dates` and `highest` (the next
    /// number) are shared by all renditions.
    pub(super) fn add_new(
        &mut self,
        mut listing: Listing,
        context: &ReadContext<'_>,
        (shifts, dates): (&mut Shifts, &mut Dates),
        highest: u64,
    ) -> Vec<Entry> {
        let listed = std::mem::take(&mut listing.segments);
        let (first, stored) = (listing.first, self.stored_count(&listing, &listed, context.from));
        let ends_with = listed.last().map(|segment| (segment.uri.clone(), first + listed.len() as u64 - 1));
        let new = listed.into_iter().zip(first..).skip(stored.unwrap_or(0));
        let mut restarted = stored.is_none() && !self.entries.is_empty();
        let mut added = Vec::new();
        for (segment, msn) in new {
            if segment.tags.iter().any(|tag| tag == "#EXT-X-GAP") {
                restarted = true;
                continue;
            }
            let Some(stamp) = self.stamp_of(&segment, context) else { continue };
            if restarted && stored.is_none() && added.is_empty() {
                self.start_run(msn, shifts, highest, context.to);
            }
            for gap in self.gaps_before(msn) {
                self.add(gap.clone());
                added.push(gap);
            }
            let uri = segment.uri.clone();
            let continues = !restarted && !segment.is_discontinuous;
            let Some(mut entry) = self.store(segment, msn, stamp, continues, context) else {
                let why = "it, its key or its init section does not exist or is outside the folder";
                self.fault = Some(format!("{}: `{uri}` cannot be stored: {why}", self.path));
                restarted = true;
                continue;
            };
            entry.is_discontinuous |= std::mem::take(&mut restarted);
            entry.date_ms = self.date_of(&entry, dates);
            self.add(entry.clone());
            added.push(entry);
        }
        self.update_parts(&mut listing);
        // An earlier event's end tag does not end this event.
        listing.is_ended &= self.entries.back().map(|last| (last.uri.clone(), last.msn)) == ends_with;
        self.last = listing;
        added
    }

    /// Returns the start of a segment, unless the encoder specifies it.
    fn date_of(&self, entry: &Entry, dates: &mut Dates) -> Option<i64> {
        if entry.tags.iter().any(|tag| tag.starts_with("#EXT-X-PROGRAM-DATE-TIME:")) {
            return None;
        }
        let length = |entry: &Entry| i64::try_from(entry.length_ms).unwrap_or(0);
        let by_file = (entry.stamp.modified() / 1_000_000).cast_signed() - length(entry);
        let previous = self.entries.back().filter(|_| !entry.is_discontinuous);
        let by_lengths = previous.and_then(|previous| Some(previous.date_ms? + length(previous)));
        let date = by_lengths.filter(|date| (date - by_file).abs() <= MAX_DRIFT_MS).unwrap_or(by_file);
        let date = *dates.entry(entry.number).or_insert(date);
        while dates.len() > MAX_DATES {
            dates.pop_first();
        }
        Some(date)
    }

    /// Returns how many of the listed segments are already stored, or `None` if the encoder restarted or moved on too
    /// far.
    fn stored_count(&self, listing: &Listing, listed: &[Listed], from: &EncoderFolder) -> Option<usize> {
        let Some(last) = self.entries.iter().rev().find(|entry| !entry.file.is_empty()) else { return Some(0) };
        if listing.first == last.msn + 1 {
            return Some(0);
        }
        let index = usize::try_from(last.msn.checked_sub(listing.first)?).ok()?;
        let same = listed.get(index).filter(|segment| segment.uri == last.uri && segment.range == last.range)?;
        let stamp = from.stamp(&resolve(&self.path, &same.uri)?);
        // The encoder may have removed the file in the meantime.
        stamp.is_none_or(|(stamp, _)| last.has_stamp(stamp)).then_some(index + 1)
    }

    /// Returns the stamp of a segment's file, if it belongs to this event.
    fn stamp_of(&self, segment: &Listed, context: &ReadContext<'_>) -> Option<Stamp> {
        let file = resolve(&self.path, &segment.uri)?;
        let (stamp, modified_ms) = context.from.stamp(&file).filter(|_| is_media(&segment.uri))?;
        (modified_ms >= context.since_ms).then_some(stamp)
    }

    /// Starts a new run of the encoder, whose numbers are shifted after all existing ones.
    fn start_run(&mut self, msn: u64, shifts: &mut Shifts, highest: u64, folder: &Path) {
        self.detach_from_encoder(folder);
        self.run += 1;
        if shifts.len() <= self.run {
            shifts.resize(self.run + 1, highest as i64 - msn as i64);
        }
        self.shift = shifts[self.run];
    }

    /// Copies the linked files, since a restarted encoder may overwrite its earlier files. Files that it has already
    /// overwritten become gaps.
    fn detach_from_encoder(&mut self, folder: &Path) {
        let mut lost = 0;
        for index in 0..self.entries.len() {
            let entry = &self.entries[index];
            let file = folder.join(self.beside(&entry.file));
            if entry.file.is_empty() || (entry.is_whole(&file) && files::detach(&file).is_ok()) {
                continue;
            }
            lost += 1;
            let entry = &mut self.entries[index];
            entry.is_recorded = false;
            entry.tags.insert(0, "#EXT-X-GAP".to_owned());
        }
        if lost > 0 {
            let advice =
                "configure it to write each segment under a temporary name first (ffmpeg: -hls_flags temp_file)";
            let path = &self.path;
            self.fault =
                Some(format!("{path}: the encoder restarted and overwrote {lost} finished segments: {advice}"));
        }
    }

    /// Returns placeholders for missing segments, so that this segment's number matches the other renditions.
    fn gaps_before(&mut self, msn: u64) -> Vec<Entry> {
        let Some(last) = self.entries.back() else { return Vec::new() };
        let (next, number) = (last.number + 1, msn.saturating_add_signed(self.shift));
        if number < next || number - next > MAX_GAPS {
            self.shift = next as i64 - msn as i64;
            return Vec::new();
        }
        let (length_ms, shift) = (self.last.target_s.max(1) * 1000, self.shift);
        (next..number).map(|number| Entry::gap(number, number.saturating_add_signed(-shift), length_ms)).collect()
    }

    /// Stores the files of a segment and numbers it. `continues` means that it follows the previous segment without a
    /// discontinuity. Returns `None` if a file is missing.
    fn store(
        &mut self,
        segment: Listed,
        msn: u64,
        stamp: Stamp,
        continues: bool,
        context: &ReadContext<'_>,
    ) -> Option<Entry> {
        let number = if self.entries.is_empty() { msn.saturating_add_signed(self.shift) } else { self.next() };
        let file = self.linked(&segment.uri, &number.to_string(), context)?;
        let previous = self.entries.iter().rev().find(|entry| !entry.file.is_empty());
        let finished = continues.then(|| stamp.modified());
        let previous_init = previous.and_then(|entry| entry.init.as_ref());
        let init = match &segment.init {
            None => None,
            Some(init) if is_media(&init.uri) => {
                Some(self.copied(init, &format!("init-{number}"), previous_init, finished, context)?)
            }
            Some(_) => return None,
        };
        let is_changed = previous.is_some() && init.as_ref() != previous_init;
        let mut keys = Vec::new();
        for (index, key) in segment.keys.iter().enumerate() {
            let previous = previous.and_then(|entry| key_uri(entry.keys.get(index)?)).map(Init::whole);
            let (file, name) = (Init::whole(key.uri()), format!("key-{number}-{index}"));
            keys.push(key.renamed(&self.copied(&file, &name, previous.as_ref(), finished, context)?.uri));
        }
        let bytes = segment.range.map_or(stamp.len(), |(len, _)| len);
        let path = |name: &str| context.to.join(self.beside(name));
        let is_open = keys.is_empty() && segment.range.is_none();
        let plain_init = init.as_ref().filter(|init| is_open && init.range.is_none());
        let picture_bytes = plain_init.and_then(|init| key_frame::end(&path(&init.uri), &path(&file)));
        let parts = segment.parts.iter().map(|part| part.renamed(&self.live_name(part.uri()))).collect();
        Some(Entry {
            number,
            msn,
            uri: segment.uri,
            stamp,
            file,
            range: segment.range,
            bytes,
            picture_bytes: picture_bytes.filter(|end| *end <= bytes),
            length_ms: segment.length_ms,
            date_ms: None,
            is_discontinuous: segment.is_discontinuous || is_changed,
            tags: segment.tags,
            init,
            keys,
            is_recorded: (context.may_record)(bytes),
            parts,
        })
    }

    /// Links an encoder's file and returns its stored name. A file that the previous segment already uses keeps its
    /// name.
    fn linked(&self, uri: &str, name: &str, context: &ReadContext<'_>) -> Option<String> {
        let source = resolve(&self.path, uri)?;
        let file = context.from.open(&source).and_then(|file| file.metadata()).ok()?;
        if let Some(last) = self.entries.iter().rev().find(|entry| !entry.file.is_empty())
            && files::is_linked(&context.to.join(self.beside(&last.file)), &file)
        {
            return Some(last.file.clone());
        }
        let name = self.stored_name(uri, name);
        context.from.link(&source, &context.to.join(self.beside(&name))).ok()?;
        Some(name)
    }

    /// Copies an init section or a key, which a restarted encoder overwrites (`LIVE-2`), and returns its stored name.
    /// The `previous` segment's copy is used again if it is the same, or if the file was written after the segment was
    /// `finished`: it is the next run's then.
    fn copied(
        &self,
        file: &Init,
        name: &str,
        previous: Option<&Init>,
        finished: Option<u64>,
        context: &ReadContext<'_>,
    ) -> Option<Init> {
        let read = context.from.small_file(&resolve(&self.path, &file.uri)?, file.range);
        let stored = EncoderFolder::new(context.to);
        let applies = |previous: &&Init| match &read {
            Ok((_, written)) if finished.is_some_and(|finished| *written > finished) => true,
            Ok((bytes, _)) => stored
                .small_file(&self.beside(&previous.uri), previous.range)
                .is_ok_and(|(existing, _)| existing == *bytes),
            Err(_) => finished.is_some(),
        };
        if let Some(previous) = previous.filter(applies) {
            return Some(previous.clone());
        }
        let name = self.stored_name(&file.uri, name);
        files::write_atomically(&context.to.join(self.beside(&name)), &read.ok()?.0).ok()?;
        Some(Init::whole(&name))
    }

    fn stored_name(&self, uri: &str, name: &str) -> String {
        let file = path_of(uri).rsplit('/').next().unwrap_or_default();
        let ending = file.rsplit_once('.').map_or("bin", |(_, ending)| ending);
        format!("{}-{name}.{ending}", self.stem())
    }

    fn add(&mut self, entry: Entry) {
        for file in entry.names().collect::<HashSet<_>>() {
            *self.uses.entry(file.to_owned()).or_default() += 1;
        }
        self.entries.push_back(entry);
    }

    fn update_parts(&mut self, listing: &mut Listing) {
        let rename = |part: &Part| part.renamed(&self.live_name(part.uri()));
        let tail: Vec<_> = listing.parts.iter().chain(&listing.hints).map(rename).collect();
        self.tail = tail;
        self.tail_parts = listing.parts.len() as u64;
        self.hinted = listing.hints.iter().map(|hint| hint.uri().to_owned()).collect();
        // Playlists list the parts of the last three segments only.
        let (young, old) = (3.min(self.entries.len()), self.entries.len());
        self.entries.range_mut(..old - young).rev().take(64).for_each(|entry| entry.parts.clear());
        if listing.part_inf.is_some() {
            let names = self.entries.range(old - young..).flat_map(|entry| &entry.parts);
            let before = self.live_name("");
            let uris = names.filter_map(|tag| crate::media::hls::attribute(tag.split_once(':')?.1, "URI"));
            let uris = uris.filter_map(|name| name.strip_prefix(&before)).map(str::to_owned);
            let uris = uris.chain(listing.parts.iter().map(|part| part.uri().to_owned()));
            self.live_files = uris.filter(|uri| is_media(uri)).collect();
        } else {
            self.live_files.clear();
        }
        (listing.parts, listing.hints) = (Vec::new(), Vec::new());
    }

    /// Removes segments, and their files, that neither viewers nor the recording need.
    pub(super) fn expire(&mut self, window_ms: u64, folder: &Path) {
        let (mut old, mut behind) = (self.entries.len(), 0);
        while old > 0 && behind < window_ms + LINGER_MS {
            old -= 1;
            behind += self.entries[old].length_ms;
        }
        let newer = self.entries.split_off(old);
        let mut retained = VecDeque::with_capacity(self.entries.len() + newer.len());
        for entry in std::mem::take(&mut self.entries) {
            if entry.is_recorded {
                retained.push_back(entry);
            } else {
                self.expired_discontinuities += u64::from(entry.is_discontinuous);
                self.release(&entry, folder);
            }
        }
        retained.extend(newer);
        self.entries = retained;
    }

    fn release(&mut self, entry: &Entry, folder: &Path) {
        for file in entry.names().collect::<HashSet<_>>() {
            let uses = self.uses.get_mut(file).map_or(0, |uses| {
                *uses -= 1;
                *uses
            });
            if uses == 0 {
                self.uses.remove(file);
                // The file may have been removed by hand.
                let _ = std::fs::remove_file(folder.join(self.beside(file)));
            }
        }
    }

    /// Returns whether the path is a file of this rendition.
    pub(super) fn has(&self, path: &str) -> bool {
        let folder = self.path.len() - self.path.rsplit('/').next().map_or(0, str::len);
        path.split_at_checked(folder)
            .is_some_and(|(before, name)| before == &self.path[..folder] && self.uses.contains_key(name))
    }
}
