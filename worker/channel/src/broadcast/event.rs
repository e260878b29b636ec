//! A single broadcast: requests for its files, and waiting for announced ones.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::watch;

use super::encoder_folder::EncoderFolder;
use super::files::Stamp;
use super::notes;
use super::rendition::{ReadContext, Rendition};
use super::state::{Lookup, MASTER, ReloadParams, State, Target};
use crate::media::Stream;
use crate::media::index::Ingest;
use crate::source::SourceFile;

/// Maximum time that a player waits for an announced segment or part.
pub(super) const LONGEST_WAIT_MS: u64 = 15_000;
/// Segments finished up to this long before the event's start belong to it.
pub(super) const EARLY_MS: i64 = 30_000;

/// Response to a path of a broadcast.
#[derive(Debug, PartialEq)]
pub enum BroadcastFile {
    /// The current playlist.
    Playlist(Bytes),
    /// A file that does not change, in the recordings folder.
    Stored(SourceFile),
    /// A part that the encoder still has, in the encoders' folder.
    Part(SourceFile),
}

/// A live broadcast and its recording.
#[derive(Debug)]
pub struct Broadcast {
    /// Folder of the stored segments.
    folder: PathBuf,
    /// The same folder relative to the recordings folder, with a trailing slash.
    base: String,
    state: Mutex<State>,
    changed: watch::Sender<()>,
}

impl Broadcast {
    /// Resumes from the stored state of `base` within `root`.
    pub(super) fn open(root: &Path, base: String) -> Self {
        let folder = root.join(&base);
        let stored_renditions = notes::stored_renditions(&folder);
        let renditions: Vec<_> = stored_renditions
            .into_iter()
            .map(|(path, last, entries)| Rendition::restored(&path, last, entries, &folder))
            .collect();
        let shifts = renditions.first().map(Rendition::shift).into_iter().collect();
        let master = std::fs::read(folder.join(MASTER)).ok().map(Bytes::from);
        let state = State { master, renditions, shifts, ..State::default() };
        Self { folder, base, state: Mutex::new(state), changed: watch::Sender::default() }
    }

    /// Reads new segments from the encoder's folder `from`. `may_record` returns whether that many more bytes may be
    /// recorded.
    pub(super) fn look(&self, ingest: &Ingest, from: &Path, now_ms: i64, may_record: &dyn Fn(u64) -> bool) {
        let mut state = self.state.lock();
        let context = ReadContext {
            from: &EncoderFolder::new(from),
            to: &self.folder,
            since_ms: ingest.starts_at * 1000 - EARLY_MS,
            window_ms: ingest.window_s * 1000,
            may_record: &|bytes| ingest.is_recorded && may_record(bytes),
        };
        let looked = state.look(&ingest.entry, &context, now_ms);
        if !matches!(looked, Ok(false)) {
            state.windows.clear();
            self.changed.send_replace(());
        }
        match looked {
            Ok(_) => {}
            Err(fault) if state.logged_fault.as_ref() != Some(&fault) => {
                tracing::warn!(folder = %from.display(), fault, "the encoder's output has a fault");
                state.logged_fault = Some(fault);
            }
            Err(_) => {}
        }
    }

    /// Returns whether it has parts, which need more frequent reads.
    pub(super) fn has_parts(&self) -> bool {
        self.state.lock().renditions.iter().any(|rendition| rendition.last.part_inf.is_some())
    }

    /// Returns the live response for `path`. Waits for the requested segment or an announced part, up to
    /// [`LONGEST_WAIT_MS`].
    pub async fn live(
        &self,
        ingest: &Ingest,
        path: &str,
        reload: ReloadParams,
        from: &Path,
        now_ms: i64,
    ) -> Option<BroadcastFile> {
        let mut changes = self.changed.subscribe();
        let look = async {
            loop {
                changes.mark_unchanged();
                match self.state.lock().live(ingest, path, reload, now_ms) {
                    Lookup::Found(found) => return self.file(found, from),
                    Lookup::Nothing => return None,
                    Lookup::Awaited => {}
                }
                changes.changed().await.ok()?;
            }
        };
        match tokio::time::timeout(Duration::from_millis(LONGEST_WAIT_MS), look).await {
            Ok(found) => found,
            // After the timeout, the current playlist is more useful to a player than an error.
            Err(_) => match self.state.lock().live(ingest, path, ReloadParams::default(), now_ms) {
                Lookup::Found(found) => self.file(found, from),
                _ => None,
            },
        }
    }

    /// Returns the response for `path` of the recording.
    pub fn recorded(&self, ingest: &Ingest, path: &str) -> Option<BroadcastFile> {
        let found = self.state.lock().recorded(ingest, path)?;
        self.file(found, Path::new(""))
    }

    /// Returns the recording as a stream whose files are within [`Broadcast::base`], or `None` if nothing is recorded.
    pub fn stream(&self, ingest: &Ingest) -> Option<Arc<Stream>> {
        let state = self.state.lock();
        let read = |path: &str| match state.recorded(ingest, path)? {
            Target::Text(text) => Some(text),
            Target::Stored(_) | Target::Part(_) => Some(Bytes::new()),
        };
        Stream::read(&ingest.entry, read).ok().map(Arc::new)
    }

    /// Returns the length of the recording before a segment of the rendition at `path`, in milliseconds, or `None` if
    /// that segment is not recorded.
    pub fn recorded_before(&self, path: &str, number: u64) -> Option<u64> {
        let state = self.state.lock();
        let rendition = state.renditions.iter().find(|rendition| rendition.path == path)?;
        let mut before = 0;
        for entry in rendition.entries.iter().filter(|entry| entry.is_recorded) {
            if entry.number >= number {
                return (entry.number == number).then_some(before);
            }
            before += entry.length_ms;
        }
        None
    }

    /// Returns its folder relative to the recordings folder, with a trailing slash.
    pub fn base(&self) -> &str {
        &self.base
    }

    fn file(&self, target: Target, from: &Path) -> Option<BroadcastFile> {
        let ((stamp, _), path, base) = match &target {
            Target::Text(text) => return Some(BroadcastFile::Playlist(text.clone())),
            Target::Stored(path) => (Stamp::of(&self.folder.join(path))?, path, self.base.as_str()),
            Target::Part(path) => (EncoderFolder::new(from).stamp(path)?, path, ""),
        };
        let file = SourceFile { path: format!("{base}{path}"), len: stamp.len(), stamp: stamp.modified() };
        Some(if matches!(target, Target::Stored(_)) { BroadcastFile::Stored(file) } else { BroadcastFile::Part(file) })
    }
}
