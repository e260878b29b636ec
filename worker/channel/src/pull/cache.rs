//! Cache of fetched media: in memory, and files also on disk. Concurrent requests for the same address cause one
//! request to the other host. A failure is returned to all of them and not cached.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use moka::future::Cache;
use moka::{Expiry, notification::RemovalCause};
use sha2::{Digest, Sha256};
use touchline_disk::{Disk, Purpose};

use super::live::Live;
use super::upstream::PullError;

pub(super) const MEMORY_BYTES: u64 = 64 << 20;
/// Default size of the cache on disk.
pub const DISK_BYTES: u64 = 1 << 30;
pub(super) const DISK_FILES: u64 = 10_000;
/// Files occupy whole blocks on disk.
const DISK_BLOCK: u64 = 4_096;
/// Memory per entry in addition to its bytes.
const OVERHEAD: u64 = 512;

/// A request: its medium, its URL and its block of the file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) medium: String,
    pub(super) url: String,
    /// Number of a block; `None` for the whole file.
    pub(super) block: Option<u64>,
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

#[derive(Debug, Clone)]
struct Stored {
    path: PathBuf,
    len: u64,
    part: Option<(u64, Option<u64>)>,
    lifetime: Duration,
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
        Some(stored.lifetime)
    }

    fn expire_after_update(&self, _: &Key, stored: &Stored, _: Instant, _: Option<Duration>) -> Option<Duration> {
        Some(stored.lifetime)
    }
}

#[derive(Debug)]
pub(super) struct PullCache {
    memory: Cache<Key, Arc<CachedResponse>>,
    stored: Cache<Key, Stored>,
    folder: PathBuf,
    disk: Disk,
}

impl PullCache {
    /// Creates an empty cache with limits on bytes and files on disk. Files of an earlier worker are removed from
    /// `folder`.
    pub(super) fn new(folder: PathBuf, (disk_bytes, disk_files): (u64, u64), disk: Disk) -> Self {
        if let Err(error) = empty(&folder) {
            tracing::warn!(%error, folder = %folder.display(), "the folder of pulled media cannot be emptied");
        }
        let weight = |len: u64| u32::try_from(len.max(1)).unwrap_or(u32::MAX);
        let memory = Cache::builder()
            .max_capacity(MEMORY_BYTES)
            .weigher(move |key: &Key, cached: &Arc<CachedResponse>| {
                weight((cached.bytes.len() + key.url.len()) as u64 + OVERHEAD)
            })
            .expire_after(EntryLifetime)
            .build();
        // Weighing each file with at least this share limits the number of small files to `disk_files`.
        let share = disk_bytes / disk_files.max(1);
        let stored = Cache::builder()
            .max_capacity(disk_bytes)
            .weigher(move |_: &Key, stored: &Stored| weight(stored.len.next_multiple_of(DISK_BLOCK).max(share)))
            .expire_after(EntryLifetime)
            .eviction_listener(|_, stored: Stored, cause: RemovalCause| {
                // A replacement has the same name. The file may have been removed by hand.
                if cause != RemovalCause::Replaced {
                    let _ = std::fs::remove_file(stored.path);
                }
            })
            .build();
        Self { memory, stored, folder, disk }
    }

    /// Returns the cached entry, or the result of `fetch`. With `is_file` it is also stored on disk.
    pub(super) async fn get(
        &self,
        key: &Key,
        is_file: bool,
        fetch: impl Future<Output = Result<CachedResponse, PullError>>,
    ) -> Result<Arc<CachedResponse>, PullError> {
        let get = async {
            if is_file && let Some(cached) = self.read(key).await {
                return Ok(Arc::new(cached));
            }
            let cached = fetch.await?;
            if is_file {
                self.store(key, &cached).await;
            }
            Ok(Arc::new(cached))
        };
        self.memory.try_get_with_by_ref(key, get).await.map_err(|error: Arc<PullError>| PullError::clone(&error))
    }

    pub(super) async fn file(&self, key: &Key) -> Option<Arc<CachedResponse>> {
        match self.memory.get(key).await {
            Some(cached) => Some(cached),
            None => self.read(key).await.map(Arc::new),
        }
    }

    pub(super) async fn insert_playlist(&self, key: Key, playlist: CachedResponse) {
        self.memory.insert(key, Arc::new(playlist)).await;
    }

    /// Caches a whole file that was returned instead of a block.
    pub(super) async fn insert_file(&self, key: Key, file: CachedResponse) {
        self.store(&key, &file).await;
        self.memory.insert(key, Arc::new(file)).await;
    }

    async fn read(&self, key: &Key) -> Option<CachedResponse> {
        let Stored { path, len, part, lifetime } = self.stored.get(key).await?;
        let bytes = tokio::fs::read(path).await.ok().filter(|bytes| bytes.len() as u64 == len)?;
        Some(CachedResponse { bytes: bytes.into(), part, lifetime: lifetime.min(Duration::from_secs(10)), live: None })
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
                let stored = Stored { path, len, part: cached.part, lifetime: cached.lifetime };
                self.stored.insert(key.clone(), stored).await;
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
        let cache = PullCache::new(folder.path().join("pulled"), room, Disk::new(0));
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
