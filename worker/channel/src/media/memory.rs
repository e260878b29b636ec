//! Media files in memory, and the bytes of responses in progress, within `media.memory_bytes`.
//!
//! Bytes count from their allocation until they left the cache and the last response that sends them. Without room,
//! responses read small pieces, one at a time each, which count too but are never refused.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::{Stream, stream};
use moka::Expiry;
use moka::future::Cache;
use moka::policy::EvictionPolicy;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use touchline_protocol::limits::Limit;

use crate::source::{ChannelSource, FileVersion, OpenFile};

/// Default of `media.memory_bytes`.
pub const MEMORY_BYTES: u64 = 128 << 20;
/// Largest file that is served whole from memory.
pub const WHOLE_BYTES: u64 = 4 << 20;
/// Size of a piece of other files.
pub(crate) const PIECE_BYTES: u64 = 256 << 10;
/// Size of a piece without room.
const SMALL_PIECE_BYTES: u64 = 64 << 10;
/// Memory per entry in addition to its bytes.
const OVERHEAD: u64 = 512;

pub(crate) const LIMITS: &[Limit] = &[
    Limit::bytes(
        "media.memory_bytes",
        MEMORY_BYTES,
        "Media files in memory, with bytes of responses in progress (`media.memory_bytes`).",
    ),
    Limit::bytes(
        "media.whole",
        WHOLE_BYTES,
        "A media file that is sent whole, from memory. Others are sent in pieces.",
    ),
    Limit::bytes(
        "media.piece",
        SMALL_PIECE_BYTES,
        "Memory of a response in progress when `media.memory_bytes` are used.",
    ),
];

/// A key of the cache.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum MemoryKey {
    /// A file of the channel, a recording, a clip, or an object in the bucket.
    File(FileVersion),
    /// A file of another host, or a block of it.
    Pulled(String),
}

/// A file in memory.
#[derive(Debug, Clone)]
pub(crate) struct MemoryFile {
    pub(crate) bytes: Bytes,
    /// First byte and total length, if it is part of a file.
    pub(crate) part: Option<(u64, Option<u64>)>,
    /// `None` for a file whose key changes with its content.
    pub(crate) lifetime: Option<Duration>,
}

struct Lifetime;

impl Expiry<MemoryKey, MemoryFile> for Lifetime {
    fn expire_after_create(&self, _: &MemoryKey, file: &MemoryFile, _: Instant) -> Option<Duration> {
        file.lifetime
    }

    fn expire_after_update(
        &self,
        _: &MemoryKey,
        file: &MemoryFile,
        _: Instant,
        _: Option<Duration>,
    ) -> Option<Duration> {
        file.lifetime
    }
}

/// Media files in memory. Clones share it.
#[derive(Debug, Clone)]
pub struct MediaMemory {
    files: Cache<MemoryKey, MemoryFile>,
    room: Arc<Room>,
}

impl MediaMemory {
    /// Creates an empty memory of `max_bytes`.
    pub fn new(max_bytes: u64) -> Self {
        let weight =
            |_: &MemoryKey, file: &MemoryFile| u32::try_from(file.bytes.len() as u64 + OVERHEAD).unwrap_or(u32::MAX);
        let files = Cache::builder()
            // The rest is for files that are sent although they left the cache, and for pieces.
            .max_capacity(max_bytes - max_bytes / 4)
            // Other policies would reject the newest segment of a live stream.
            .eviction_policy(EvictionPolicy::lru())
            .weigher(weight)
            .expire_after(Lifetime)
            .build();
        Self { files, room: Arc::new(Room { max: max_bytes, used: AtomicU64::new(0) }) }
    }

    /// Returns a file in memory.
    pub(crate) async fn get(&self, key: &MemoryKey) -> Option<MemoryFile> {
        self.files.get(key).await
    }

    /// Returns a file in memory, or reads it, once for all who wait. Returns `None` without room for it, or if it cannot
    /// be read or has changed.
    pub(crate) async fn load(
        &self,
        source: Arc<dyn ChannelSource>,
        path: String,
        version: FileVersion,
    ) -> Option<Bytes> {
        let room = &self.room;
        let load = async move {
            let share = room.try_take(version.len).ok_or(io::ErrorKind::OutOfMemory)?;
            let read = tokio::task::spawn_blocking(move || {
                let file = source.open_file(&path)?;
                let bytes = file.read_at(0, version.len)?;
                // Also if it was replaced before it was opened.
                if bytes.len() as u64 != version.len || file.version()? != Some(version) {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                Ok::<_, io::Error>(Bytes::from_owner(Counted { bytes, _share: share, _turn: None }))
            });
            let bytes = read.await.map_err(io::Error::other)??;
            Ok::<_, io::Error>(MemoryFile { bytes, part: None, lifetime: None })
        };
        let file = self.files.try_get_with(MemoryKey::File(version), load).await.ok()?;
        // Makes room for the next file.
        self.files.run_pending_tasks().await;
        Some(file.bytes)
    }

    /// Returns a pulled file in memory, or the result of `fetch`, once for all who wait. Without room it does not stay
    /// in memory.
    pub(crate) async fn get_or_fetch<E: Clone + Send + Sync + 'static>(
        &self,
        key: String,
        fetch: impl Future<Output = Result<MemoryFile, E>>,
    ) -> Result<MemoryFile, E> {
        let key = MemoryKey::Pulled(key);
        let fetch = async { fetch.await.map(|file| self.counted(file)) };
        let file = self.files.try_get_with_by_ref(&key, fetch).await.map_err(|error: Arc<E>| E::clone(&error))?;
        self.settle(&key).await;
        Ok(file)
    }

    /// Stores a pulled file if there is room.
    pub(crate) async fn insert(&self, key: String, file: MemoryFile) {
        let key = MemoryKey::Pulled(key);
        self.files.insert(key.clone(), self.counted(file)).await;
        self.settle(&key).await;
    }

    fn counted(&self, file: MemoryFile) -> MemoryFile {
        let share = self.room.take(file.bytes.len() as u64);
        MemoryFile { bytes: Bytes::from_owner(Counted { bytes: file.bytes, _share: share, _turn: None }), ..file }
    }

    /// Drops what exceeds the room.
    async fn settle(&self, newest: &MemoryKey) {
        self.files.run_pending_tasks().await;
        if self.room.is_exceeded() {
            self.files.invalidate(newest).await;
            self.files.run_pending_tasks().await;
        }
    }

    /// Streams parts of files in pieces. Each file is opened once.
    pub(crate) fn pieces(
        &self,
        source: Arc<dyn ChannelSource>,
        mut spans: Vec<Span>,
    ) -> impl Stream<Item = io::Result<Bytes>> + Send + use<> {
        spans.retain(|span| span.len > 0);
        spans.reverse();
        let pieces = Pieces { memory: self.clone(), source, spans, file: None, turn: Turn::default() };
        stream::try_unfold(pieces, async |mut pieces| Ok(pieces.next().await?.map(|piece| (piece, pieces))))
    }

    /// Reads the next piece of a response, of up to `len` bytes; without room, once its last one was sent. `read` gets the
    /// number of bytes.
    pub(crate) async fn piece<F: Send + 'static>(
        &self,
        turn: &Turn,
        len: u64,
        read: impl FnOnce(u64) -> io::Result<(F, Bytes)> + Send + 'static,
    ) -> io::Result<(F, Bytes)> {
        let wanted = len.min(PIECE_BYTES);
        let (len, share, turn) = match self.room.try_take(wanted) {
            Some(share) => (wanted, share, None),
            None => {
                let turn = Arc::clone(&turn.0).acquire_owned().await.map_err(io::Error::other)?;
                let small = len.min(SMALL_PIECE_BYTES);
                (small, self.room.take(small), Some(turn))
            }
        };
        let (file, bytes) = tokio::task::spawn_blocking(move || read(len)).await.map_err(io::Error::other)??;
        // A response about a file that has become shorter is aborted, so that it is not mistaken for complete.
        if bytes.len() as u64 != len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok((file, Bytes::from_owner(Counted { bytes, _share: share, _turn: turn })))
    }
}

/// The turn of a response's next piece without room.
#[derive(Debug, Clone)]
pub(crate) struct Turn(Arc<Semaphore>);

impl Default for Turn {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

/// A part of a file that is still to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) path: String,
    pub(crate) offset: u64,
    pub(crate) len: u64,
}

struct Pieces {
    memory: MediaMemory,
    source: Arc<dyn ChannelSource>,
    /// The next one is last.
    spans: Vec<Span>,
    /// The file of the next span, once it is open.
    file: Option<Box<dyn OpenFile>>,
    turn: Turn,
}

impl Pieces {
    async fn next(&mut self) -> io::Result<Option<Bytes>> {
        let Some(span) = self.spans.last_mut() else { return Ok(None) };
        let (offset, opened, source, path) =
            (span.offset, self.file.take(), Arc::clone(&self.source), span.path.clone());
        let read = move |len| {
            let file = match opened {
                Some(file) => file,
                None => source.open_file(&path)?,
            };
            let bytes = file.read_at(offset, len)?;
            Ok((file, bytes))
        };
        let (file, piece) = self.memory.piece(&self.turn, span.len, read).await?;
        span.offset += piece.len() as u64;
        span.len -= piece.len() as u64;
        if span.len == 0 {
            self.spans.pop();
        } else {
            self.file = Some(file);
        }
        Ok(Some(piece))
    }
}

/// Counted bytes.
#[derive(Debug)]
struct Room {
    max: u64,
    used: AtomicU64,
}

impl Room {
    fn take(self: &Arc<Self>, bytes: u64) -> Share {
        self.used.fetch_add(bytes, Ordering::Relaxed);
        Share { room: Arc::clone(self), bytes }
    }

    fn try_take(self: &Arc<Self>, bytes: u64) -> Option<Share> {
        let add = |used: u64| used.checked_add(bytes).filter(|used| *used <= self.max);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).ok()?;
        Some(Share { room: Arc::clone(self), bytes })
    }

    fn is_exceeded(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.max
    }
}

/// A part of the counted bytes, until it is dropped.
#[derive(Debug)]
struct Share {
    room: Arc<Room>,
    bytes: u64,
}

impl Drop for Share {
    fn drop(&mut self) {
        self.room.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Bytes with their share, and with the turn of their response.
struct Counted {
    bytes: Bytes,
    _share: Share,
    _turn: Option<OwnedSemaphorePermit>,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::pin::Pin;

    use futures_util::StreamExt;

    use super::*;
    use crate::source::FolderSource;

    const MIB: u64 = 1 << 20;

    /// A folder with a file of this length without content.
    fn with_file(name: &str, len: u64) -> (tempfile::TempDir, Arc<dyn ChannelSource>) {
        let root = tempfile::tempdir().unwrap();
        File::create(root.path().join(name)).unwrap().set_len(len).unwrap();
        let source = Arc::new(FolderSource::new(root.path()));
        (root, source)
    }

    async fn load(memory: &MediaMemory, source: &Arc<dyn ChannelSource>, path: &str) -> Option<Bytes> {
        let version = source.version(path).unwrap().unwrap();
        memory.load(Arc::clone(source), path.to_owned(), version).await
    }

    #[tokio::test]
    async fn a_file_is_read_once_for_all_who_wait() {
        let (_root, source) = with_file("a.ts", MIB);
        let memory = MediaMemory::new(16 * MIB);
        let all = futures_util::future::join_all((0..100).map(|_| load(&memory, &source, "a.ts"))).await;
        let all: Vec<_> = all.into_iter().map(Option::unwrap).collect();
        assert!(all.iter().all(|bytes| bytes.as_ptr() == all[0].as_ptr()), "it was read several times");
        assert_eq!(memory.room.used.load(Ordering::Relaxed), MIB);
    }

    #[tokio::test]
    async fn a_changed_file_has_another_version_and_a_stale_version_is_not_read() {
        let (root, source) = with_file("a.ts", 3);
        let memory = MediaMemory::new(16 * MIB);
        let path = root.path().join("a.ts");
        let mut versions = Vec::new();
        for (text, is_replaced) in [("one", false), ("two", true), ("six", false), ("ten", true)] {
            let target = if is_replaced { root.path().join("new") } else { path.clone() };
            fs::write(&target, text).unwrap();
            // Writes may be closer than the clock of the file system.
            let written =
                fs::metadata(&target).unwrap().modified().unwrap() + Duration::from_secs(versions.len() as u64);
            File::options().write(true).open(&target).unwrap().set_modified(written).unwrap();
            if is_replaced {
                fs::rename(target, &path).unwrap();
            }
            assert_eq!(load(&memory, &source, "a.ts").await.unwrap(), text);
            versions.push(source.version("a.ts").unwrap().unwrap());
        }
        fs::write(&path, "now").unwrap();
        for version in versions {
            memory.files.invalidate(&MemoryKey::File(version)).await;
            assert_eq!(memory.load(Arc::clone(&source), "a.ts".to_owned(), version).await, None);
        }
        fs::remove_file(&path).unwrap();
        assert_eq!(source.version("a.ts").unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[tokio::test]
    async fn a_file_is_opened_once_for_all_its_pieces() {
        let (root, source) = with_file("a.mp4", 3 * PIECE_BYTES);
        let memory = MediaMemory::new(16 * MIB);
        let span = Span { path: "a.mp4".into(), offset: 10, len: 2 * PIECE_BYTES + 5 };
        let mut pieces = Box::pin(memory.pieces(Arc::clone(&source), vec![span]));
        let mut lengths = vec![pieces.next().await.unwrap().unwrap().len() as u64];
        fs::remove_file(root.path().join("a.mp4")).unwrap();
        while let Some(piece) = pieces.next().await {
            lengths.push(piece.unwrap().len() as u64);
        }
        assert_eq!(lengths, [PIECE_BYTES, PIECE_BYTES, 5]);
        assert_eq!(memory.room.used.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn a_file_that_became_shorter_ends_its_response_with_an_error() {
        let (root, source) = with_file("a.mp4", 2 * PIECE_BYTES);
        let span = Span { path: "a.mp4".into(), offset: 0, len: 2 * PIECE_BYTES };
        let mut pieces = Box::pin(MediaMemory::new(16 * MIB).pieces(source, vec![span]));
        assert!(pieces.next().await.unwrap().is_ok());
        File::options().write(true).open(root.path().join("a.mp4")).unwrap().set_len(PIECE_BYTES + 1).unwrap();
        assert_eq!(pieces.next().await.unwrap().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    /// `LIM-6`: 500 viewers who read slowly, each another segment, and 20 of a long file.
    #[tokio::test]
    async fn bytes_of_slow_responses_stay_within_the_setting_and_a_small_piece_each() {
        const MAX_BYTES: u64 = 64 * MIB;
        let (root, source) = with_file("long.mp4", 2048 * MIB);
        for number in 0..500 {
            File::create(root.path().join(format!("{number}.ts"))).unwrap().set_len(WHOLE_BYTES).unwrap();
        }
        let memory = MediaMemory::new(MAX_BYTES);
        let used = || memory.room.used.load(Ordering::Relaxed);
        type Pieces = Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>;
        let (mut whole, mut responses): (Vec<Bytes>, Vec<(Pieces, Option<Bytes>)>) = (Vec::new(), Vec::new());
        for number in 0..520 {
            let (path, len) =
                if number < 500 { (format!("{number}.ts"), WHOLE_BYTES) } else { ("long.mp4".into(), 2048 * MIB) };
            let loaded = if number < 500 { load(&memory, &source, &path).await } else { None };
            match loaded {
                Some(bytes) => whole.push(bytes),
                None => {
                    let span = Span { path, offset: 0, len };
                    let mut pieces: Pieces = Box::pin(memory.pieces(Arc::clone(&source), vec![span]));
                    let piece = pieces.next().await.unwrap().unwrap();
                    responses.push((pieces, Some(piece)));
                }
            }
            assert!(used() <= MAX_BYTES + responses.len() as u64 * SMALL_PIECE_BYTES, "{number}: {}", used());
        }
        assert!(whole.len() >= 10 && responses.len() >= 400, "{} {}", whole.len(), responses.len());
        assert!(used() <= MAX_BYTES + 64 * MIB, "{}", used());
        // A viewer who has not read the last piece gets no other.
        let (pieces, last) = &mut responses[0];
        assert!(futures_util::poll!(pieces.next()).is_pending());
        last.take();
        assert!(pieces.next().await.unwrap().is_ok());
        drop((whole, responses));
        assert!(used() <= MAX_BYTES - MAX_BYTES / 4, "{}", used());
    }

    #[tokio::test]
    async fn a_pulled_file_without_room_does_not_stay_in_memory() {
        let memory = MediaMemory::new(4 * MIB);
        let file = |len: u64| MemoryFile {
            bytes: vec![0; len as usize].into(),
            part: None,
            lifetime: Some(Duration::from_secs(60)),
        };
        let get = async |name: &str, len| memory.get_or_fetch(name.to_owned(), async { Ok::<_, ()>(file(len)) }).await;
        let first = get("a", 2 * MIB).await.unwrap();
        let second = get("b", 3 * MIB).await.unwrap();
        let is_stored = async |name: &str| memory.get(&MemoryKey::Pulled(name.to_owned())).await.is_some();
        assert_eq!((is_stored("a").await, is_stored("b").await), (true, false));
        drop((first, second));
        assert_eq!(memory.room.used.load(Ordering::Relaxed), 2 * MIB);
    }
}
