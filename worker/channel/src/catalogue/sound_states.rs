//! The last sound state of each channel folder, stored so that a start with a faulty folder can serve it (`OPS-54`).
//!
//! A state is one file: everything that the load read, together with the list of the folder's files. Loading it again
//! gives the same channel. Media stay in the folder.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use touchline_disk::{Disk, Purpose};
use touchline_protocol::limits::Limit;

use crate::source::{ChannelSource, SourceFile};

/// Largest stored state of a channel, in bytes.
const MAX_STATE: usize = 64 * 1024 * 1024;
pub(crate) const LIMITS: &[Limit] = &[Limit::bytes(
    "channel.state",
    MAX_STATE as u64,
    "The last sound state of a channel. A larger one is not stored, and a start with a faulty folder cannot serve it.",
)];
const EXTENSION: &str = "state";
/// Length of a SHA-256 in hexadecimal.
const DIGEST_LEN: usize = 64;

/// The folder of stored states.
#[derive(Debug, Clone)]
pub struct SoundStates {
    folder: PathBuf,
    disk: Disk,
}

/// The content of a state's first line after its digest.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    /// Path, length and stamp of each file.
    files: Vec<(String, u64, u64)>,
    /// Path and length of each file that was read. Their contents follow this line.
    reads: Vec<(String, usize)>,
    /// Path, offset and requested length of each part that was read, and its actual length. The parts follow the files.
    parts: Vec<(String, u64, usize, usize)>,
}

/// Everything that a load read from a folder.
#[derive(Debug, Default)]
struct Contents {
    reads: BTreeMap<String, Bytes>,
    parts: BTreeMap<(String, u64, usize), Bytes>,
}

impl SoundStates {
    /// Opens the folder, which is created when the first state is stored.
    pub fn new(folder: PathBuf, disk: Disk) -> Self {
        Self { folder, disk }
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.{EXTENSION}"))
    }

    /// Keys of the channels with a stored state.
    pub(super) fn keys(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let key = |path: PathBuf| {
            let is_state = path.extension().is_some_and(|extension| extension == EXTENSION);
            is_state.then(|| path.file_stem()?.to_str().map(str::to_owned))?
        };
        let mut keys: Vec<_> = entries.flatten().filter_map(|entry| key(entry.path())).collect();
        keys.sort_unstable();
        keys
    }

    pub(super) fn contains(&self, key: &str) -> bool {
        self.path(key).exists()
    }

    /// Stores a state, unless it is stored already. A failure is logged: the channel is served all the same. The state
    /// stored before is deleted, since it is not the last one.
    pub(super) fn store(&self, key: &str, files: &[SourceFile], recorded: &RecordingSource) {
        if let Err(error) = self.try_store(key, files, &recorded.contents.lock()) {
            tracing::warn!(channel = key, %error, "the channel's last sound state cannot be stored");
            self.remove(key);
        }
    }

    fn try_store(&self, key: &str, files: &[SourceFile], contents: &Contents) -> io::Result<()> {
        let state = encoded(files, contents)?;
        let path = self.path(key);
        let mut stored = [0; DIGEST_LEN];
        let is_stored = fs::File::open(&path).and_then(|mut file| file.read_exact(&mut stored)).is_ok();
        if is_stored && stored == state[..DIGEST_LEN] {
            return Ok(());
        }
        self.disk.admit(Purpose::Channels, &self.folder, state.len() as u64)?;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let new = self.folder.join(format!("{key}.new"));
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(&state)?;
        file.sync_data()?;
        fs::rename(new, path)
    }

    /// The stored state of a channel, as a source of its folder.
    pub(super) fn source(&self, key: &str) -> Option<StoredSource> {
        let state = match read_limited(&self.path(key)) {
            Ok(state) => state,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                tracing::warn!(channel = key, %error, "the channel's last sound state cannot be read");
                return None;
            }
        };
        let source = decoded(state);
        if source.is_none() {
            tracing::warn!(channel = key, "the channel's last sound state is damaged");
        }
        source
    }

    /// Removes the state of a channel.
    pub(super) fn remove(&self, key: &str) {
        if let Err(error) = fs::remove_file(self.path(key))
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(channel = key, %error, "the stored state of the channel cannot be deleted");
        }
    }
}

fn read_limited(path: &Path) -> io::Result<Bytes> {
    let mut state = Vec::new();
    fs::File::open(path)?.take(MAX_STATE as u64 + 1).read_to_end(&mut state)?;
    Ok(state.into())
}

/// The digest, the header, and the contents.
fn encoded(files: &[SourceFile], contents: &Contents) -> io::Result<Vec<u8>> {
    let header = Header {
        files: files.iter().map(|file| (file.path.clone(), file.len, file.stamp)).collect(),
        reads: contents.reads.iter().map(|(path, bytes)| (path.clone(), bytes.len())).collect(),
        parts: contents
            .parts
            .iter()
            .map(|((path, offset, len), bytes)| (path.clone(), *offset, *len, bytes.len()))
            .collect(),
    };
    let mut body = serde_json::to_vec(&header)?;
    body.push(b'\n');
    let blobs = || contents.reads.values().chain(contents.parts.values());
    let len = DIGEST_LEN + body.len() + blobs().map(Bytes::len).sum::<usize>();
    if len > MAX_STATE {
        return Err(io::Error::other(format!("it has {len} bytes, at most {MAX_STATE}")));
    }
    blobs().for_each(|bytes| body.extend_from_slice(bytes));
    let mut state = hex::encode(Sha256::digest(&body)).into_bytes();
    state.append(&mut body);
    Ok(state)
}

fn decoded(state: Bytes) -> Option<StoredSource> {
    if state.len() < DIGEST_LEN {
        return None;
    }
    let body = state.slice(DIGEST_LEN..);
    if hex::encode(Sha256::digest(&body)).as_bytes() != &state[..DIGEST_LEN] {
        return None;
    }
    let end = body.iter().position(|&byte| byte == b'\n')?;
    let header: Header = serde_json::from_slice(&body[..end]).ok()?;
    let mut at = end + 1;
    let mut take = |len: usize| {
        let next = at.checked_add(len).filter(|&next| next <= body.len())?;
        let bytes = body.slice(at..next);
        at = next;
        Some(bytes)
    };
    let reads = header.reads.into_iter().map(|(path, len)| Some((path, take(len)?))).collect::<Option<_>>()?;
    let parts = header.parts.into_iter();
    let parts = parts.map(|(path, from, asked, len)| Some(((path, from, asked), take(len)?))).collect::<Option<_>>()?;
    let files = header.files.into_iter().map(|(path, len, stamp)| SourceFile { path, len, stamp }).collect();
    Some(StoredSource { files, reads, parts })
}

/// A source that records what is read from it.
#[derive(Debug)]
pub(super) struct RecordingSource {
    source: Arc<dyn ChannelSource>,
    contents: Mutex<Contents>,
}

impl RecordingSource {
    pub(super) fn new(source: Arc<dyn ChannelSource>) -> Self {
        Self { source, contents: Mutex::default() }
    }
}

impl ChannelSource for RecordingSource {
    fn files(&self) -> io::Result<Vec<SourceFile>> {
        self.source.files()
    }

    fn read(&self, path: &str) -> io::Result<Bytes> {
        let bytes = self.source.read(path)?;
        self.contents.lock().reads.insert(path.to_owned(), bytes.clone());
        Ok(bytes)
    }

    fn read_part(&self, path: &str, offset: u64, len: usize) -> io::Result<Bytes> {
        let bytes = self.source.read_part(path, offset, len)?;
        self.contents.lock().parts.insert((path.to_owned(), offset, len), bytes.clone());
        Ok(bytes)
    }
}

/// A stored state as a source.
#[derive(Debug)]
pub(super) struct StoredSource {
    files: Vec<SourceFile>,
    reads: HashMap<String, Bytes>,
    parts: HashMap<(String, u64, usize), Bytes>,
}

impl ChannelSource for StoredSource {
    fn files(&self) -> io::Result<Vec<SourceFile>> {
        Ok(self.files.clone())
    }

    fn read(&self, path: &str) -> io::Result<Bytes> {
        self.reads.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn read_part(&self, path: &str, offset: u64, len: usize) -> io::Result<Bytes> {
        let part = self.parts.get(&(path.to_owned(), offset, len)).cloned();
        part.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FolderSource;

    fn stored() -> (tempfile::TempDir, SoundStates, Vec<SourceFile>) {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("channels/a/media")).unwrap();
        fs::write(root.path().join("channels/a/channel.json"), "{}\n").unwrap();
        fs::write(root.path().join("channels/a/media/film.mp4"), "0123456789").unwrap();
        let recording = RecordingSource::new(Arc::new(FolderSource::new(root.path().join("channels"))));
        recording.read("a/channel.json").unwrap();
        recording.read_part("a/media/film.mp4", 3, 4).unwrap();
        let files = recording.files().unwrap();
        let states = SoundStates::new(root.path().join("states"), Disk::new(0));
        states.store("a", &files, &recording);
        (root, states, files)
    }

    #[test]
    fn a_stored_state_has_the_list_of_files_and_everything_that_was_read() {
        let (_root, states, files) = stored();
        assert_eq!(states.keys(), ["a"]);
        let source = states.source("a").unwrap();
        assert_eq!(source.files().unwrap(), files);
        assert_eq!(source.read("a/channel.json").unwrap(), "{}\n");
        assert_eq!(source.read_part("a/media/film.mp4", 3, 4).unwrap(), "3456");
        assert!(source.read("a/media/film.mp4").is_err());
        assert!(states.source("b").is_none());
        states.remove("a");
        assert!(states.source("a").is_none());
    }

    #[test]
    fn a_state_that_cannot_be_stored_leaves_no_older_one() {
        let (root, states, files) = stored();
        let recording = RecordingSource::new(Arc::new(FolderSource::new(root.path().join("channels"))));
        recording.contents.lock().reads.insert("a/events.json".to_owned(), vec![0; MAX_STATE].into());
        states.store("a", &files, &recording);
        assert!(states.source("a").is_none());
    }

    #[test]
    fn a_damaged_state_is_no_state() {
        let (_root, states, _) = stored();
        let sound = fs::read(states.path("a")).unwrap();
        for damaged in [&sound[..sound.len() - 1], &sound[..DIGEST_LEN], &sound[..10], b""] {
            fs::write(states.path("a"), damaged).unwrap();
            assert!(states.source("a").is_none());
        }
        let mut damaged = sound;
        *damaged.last_mut().unwrap() ^= 1;
        fs::write(states.path("a"), damaged).unwrap();
        assert!(states.source("a").is_none());
    }
}
