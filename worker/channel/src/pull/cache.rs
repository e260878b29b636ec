//! Cache of fetched media: in memory, and files also on disk. Concurrent requests for the same address cause one
//! request to the other host. A failure is returned to all of them and not cached.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use moka::Expiry;
use moka::future::Cache;
use moka::notification::RemovalCause;
use moka::policy::EvictionPolicy;
use sha2::{Digest, Sha256};
use touchline_disk::{Disk, Purpose};

use super::live::Live;
use super::upstream::PullError;
use crate::media::memory::{MediaMemory, MemoryFile, MemoryKey, PIECE_BYTES, Turn, WHOLE_BYTES};
use crate::source::OpenFile;

/// Memory for playlists.
pub(super) const PLAYLISTS_BYTES: u64 = 16 << 20;
/// Default size of the cache on disk.
pub const DISK_BYTES: u64 = 1 << 30;
pub(super) const DISK_FILES: u64 = 10_000;
/// Files occupy whole blocks on disk.
const DISK_BLOCK: u64 = 4_096;
/// Memory per playlist in addition to its bytes.
const OVERHEAD: u64 = 512;

/// A request: its medium, its URL and its block of the file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) medium: String,
    pub(super) url: String,
    /// Number of a block; `None` for the whole file.
    pub(super) block: Option<u64>,
}

impl Key {
    fn text(&self) -> String {
        format!("{}\n{}\n{:?}", self.medium, self.url, self.block)
    }
}

#[derive(Debug, Clone)]
pub(super) struct CachedResponse {
    pub(super) bytes: Bytes,
    /// First byte and total length, if it is part of a file.
    pub(super) part: Option<(u64, Option<u64>)>,
    pub(super) lifetime: Duration,
    /// End of the playlist, if it is a media playlist.
    pub(super) live: Option<Live>,
}

impl CachedResponse {
    pub(super) fn facts(&self) -> FileFacts {
        FileFacts { len: self.bytes.len() as u64, part: self.part, lifetime: self.lifetime }
    }

    fn of(file: MemoryFile) -> Self {
        Self { bytes: file.bytes, part: file.part, lifetime: file.lifetime.unwrap_or_default(), live: None }
    }

    fn in_memory(&self) -> MemoryFile {
        MemoryFile { bytes: self.bytes.clone(), part: self.part, lifetime: Some(self.lifetime) }
    }

    /// The next bytes of a response, at most `len`. A piece of a long file is a copy.
    pub(super) fn piece(&self, offset: u64, len: u64) -> Option<Bytes> {
        if self.bytes.len() as u64 <= WHOLE_BYTES {
            let from = usize::try_from(offset).ok()?;
            let to = from.checked_add(usize::try_from(len).ok()?)?;
            return (to <= self.bytes.len()).then(|| self.bytes.slice(from..to));
        }
        self.block(offset, len.min(PIECE_BYTES))
    }

    /// A copy of some bytes, which does not keep the others in memory.
    pub(super) fn block(&self, offset: u64, len: u64) -> Option<Bytes> {
        let from = usize::try_from(offset).ok()?;
        let to = from.checked_add(usize::try_from(len).ok()?)?;
        self.bytes.get(from..to).map(Bytes::copy_from_slice)
    }
}

/// Facts about a cached file.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileFacts {
    pub(super) len: u64,
    /// First byte and total length, if it is part of a file.
    pub(super) part: Option<(u64, Option<u64>)>,
    pub(super) lifetime: Duration,
}

#[derive(Debug, Clone)]
struct Stored {
    path: PathBuf,
    facts: FileFacts,
}

/// Each entry has its own lifetime, including one that replaces another.
struct EntryLifetime;

impl Expiry<Key, Arc<CachedResponse>> for EntryLifetime {
    fn expire_after_create(&self, _: &Key, cached: &Arc<CachedResponse>, _: Instant) -> Option<Duration> {
        Some(cached.lifetime)
    }

    fn expire_after_update(
        &self,
        _: &Key,
        cached: &Arc<CachedResponse>,
        _: Instant,
        _: Option<Duration>,
    ) -> Option<Duration> {
        Some(cached.lifetime)
    }
}

impl Expiry<Key, Stored> for EntryLifetime {
    fn expire_after_create(&self, _: &Key, stored: &Stored, _: Instant) -> Option<Duration> {
        Some(stored.facts.lifetime)
    }

    fn expire_after_update(&self, _: &Key, stored: &Stored, _: Instant, _: Option<Duration>) -> Option<Duration> {
        Some(stored.facts.lifetime)
    }
}

#[derive(Debug)]
pub(super) struct PullCache {
    playlists: Cache<Key, Arc<CachedResponse>>,
    memory: MediaMemory,
    stored: Cache<Key, Stored>,
    folder: PathBuf,
    disk: Disk,
}

impl PullCache {
    /// Creates an empty cache with limits on bytes and files on disk. Files of an earlier worker are removed from
    /// `folder`.
    pub(super) fn new(
        folder: PathBuf,
        (disk_bytes, disk_files): (u64, u64),
        (memory, disk): (MediaMemory, Disk),
    ) -> Self {
        if let Err(error) = empty(&folder) {
            tracing::warn!(%error, folder = %folder.display(), "the folder of pulled media cannot be emptied");
        }
        let weight = |len: u64| u32::try_from(len.max(1)).unwrap_or(u32::MAX);
        let playlists = Cache::builder()
            .max_capacity(PLAYLISTS_BYTES)
            .weigher(move |key: &Key, cached: &Arc<CachedResponse>| {
                weight((cached.bytes.len() + key.url.len()) as u64 + OVERHEAD)
            })
            .expire_after(EntryLifetime)
            .build();
        // Weighing each file with at least this share limits the number of small files to `disk_files`.
        let share = disk_bytes / disk_files.max(1);
        // The newest file is always stored, so that its viewers do not keep it in memory.
        let stored = Cache::builder()
            .max_capacity(disk_bytes)
            .eviction_policy(EvictionPolicy::lru())
            .weigher(move |_: &Key, stored: &Stored| weight(stored.facts.len.next_multiple_of(DISK_BLOCK).max(share)))
            .expire_after(EntryLifetime)
            .eviction_listener(|_, stored: Stored, cause: RemovalCause| {
                // A replacement has the same name. The file may have been removed by hand.
                if cause != RemovalCause::Replaced {
                    let _ = std::fs::remove_file(stored.path);
                }
            })
            .build();
        Self { playlists, memory, stored, folder, disk }
    }

    /// Returns the entry in memory, or the result of `fetch`. With `is_file` that is also stored on disk, before its
    /// limits are released.
    pub(super) async fn get<L>(
        &self,
        key: &Key,
        is_file: bool,
        fetch: impl Future<Output = Result<(CachedResponse, L), PullError>>,
    ) -> Result<Arc<CachedResponse>, PullError> {
        if !is_file {
            let get = async { fetch.await.map(|(playlist, _limits)| Arc::new(playlist)) };
            let playlist = self.playlists.try_get_with_by_ref(key, get).await;
            return playlist.map_err(|error: Arc<PullError>| PullError::clone(&error));
        }
        let get = async {
            let (file, _limits) = fetch.await?;
            self.store(key, &file).await;
            Ok(file.in_memory())
        };
        self.memory.get_or_fetch(key.text(), get).await.map(|file| Arc::new(CachedResponse::of(file)))
    }

    /// The facts about a cached file.
    pub(super) async fn facts(&self, key: &Key) -> Option<FileFacts> {
        match self.in_memory(key).await {
            Some(cached) => Some(cached.facts()),
            None => self.stored.get(key).await.map(|stored| stored.facts),
        }
    }

    async fn in_memory(&self, key: &Key) -> Option<CachedResponse> {
        self.memory.get(&MemoryKey::Pulled(key.text())).await.map(CachedResponse::of)
    }

    /// The next bytes of a response, at most `len`. A file on disk is not read into memory, since many viewers may each
    /// request a little of it.
    pub(super) async fn piece(&self, key: &Key, (offset, len): (u64, u64), turn: &Turn) -> Option<Bytes> {
        if let Some(cached) = self.in_memory(key).await {
            return cached.piece(offset, len);
        }
        let Stored { path, .. } = self.stored.get(key).await?;
        let read = move |len| Ok(((), File::open(path)?.read_at(offset, len)?));
        self.memory.piece(turn, len, read).await.ok().map(|((), piece)| piece)
    }

    /// Returns a block of a cached file.
    pub(super) async fn block(&self, key: &Key, offset: u64, len: u64) -> Option<Bytes> {
        if let Some(cached) = self.in_memory(key).await {
            return cached.block(offset, len);
        }
        let Stored { path, .. } = self.stored.get(key).await?;
        let read = tokio::task::spawn_blocking(move || File::open(path)?.read_at(offset, len)).await;
        read.ok()?.ok().filter(|block| block.len() as u64 == len)
    }

    pub(super) async fn insert_playlist(&self, key: Key, playlist: CachedResponse) {
        self.playlists.insert(key, Arc::new(playlist)).await;
    }

    /// Caches a whole file that was returned instead of a block.
    pub(super) async fn insert_file(&self, key: Key, file: CachedResponse) {
        self.store(&key, &file).await;
        self.memory.insert(key.text(), file.in_memory()).await;
    }

    /// Stores a file on disk, for when it leaves the memory cache. Without space it will be fetched again.
    async fn store(&self, key: &Key, cached: &CachedResponse) {
        let len = cached.bytes.len() as u64;
        if self.disk.admit(Purpose::Pulled, &self.folder, len).is_err() {
            return;
        }
        let mut name = Sha256::new();
        for part in [&key.medium, &key.url] {
            name.update(part.as_bytes());
            name.update([0]);
        }
        name.update(format!("{:?}", key.block));
        let path = self.folder.join(hex::encode(&name.finalize()[..16]));
        match tokio::fs::write(&path, &cached.bytes).await {
            Ok(()) => {
                self.stored.insert(key.clone(), Stored { path, facts: cached.facts() }).await;
            }
            Err(error) => tracing::debug!(%error, "a pulled file could not be cached on disk"),
        }
    }
}

/// Creates a folder or empties it.
fn empty(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    std::fs::create_dir_all(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn files_after(count: u64, room: (u64, u64)) -> usize {
        let folder = tempfile::tempdir().unwrap();
        let room_and_disk = (MediaMemory::new(0), Disk::new(0));
        let cache = PullCache::new(folder.path().join("pulled"), room, room_and_disk);
        for number in 0..count {
            let key = Key { medium: "tv/1".into(), url: number.to_string(), block: None };
            let file = CachedResponse {
                bytes: Bytes::from_static(b"1"),
                part: None,
                lifetime: Duration::from_secs(60),
                live: None,
            };
            cache.insert_file(key, file).await;
        }
        cache.stored.run_pending_tasks().await;
        std::fs::read_dir(folder.path().join("pulled")).unwrap().count()
    }

    #[tokio::test]
    async fn small_files_count_by_their_disk_blocks_and_their_number() {
        assert_eq!(files_after(100, (10 * DISK_BLOCK, 1_000)).await, 10);
        assert_eq!(files_after(100, (1 << 20, 5)).await, 5);
    }
}
