//! The operator's photographs in several widths (`FAST-6`): WebP, created on the first request, cached on disk within
//! limits.
//!
//! | module | contents |
//! |---|---|
//! | [`essential`] | removal of chunks that decoders do not need |
//! | [`facts`] | facts about photographs for pages that are loading |
//! | [`resize`] | resizing |
//! | [`sizes`] | the available widths and their addresses |
//!
//! A photograph is requested at its own address with `?width=`. A file that cannot be resized (a drawing, or an image
//! that is damaged or too large) is sent unchanged, so that a page always has a picture.

mod essential;
mod facts;
pub mod resize;
pub mod sizes;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use moka::future::Cache;
use moka::notification::RemovalCause;
use moka::policy::EvictionPolicy;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use touchline_disk::{Disk, Purpose};
use touchline_protocol::limits::Limit;

use self::facts::FactStore;
use self::resize::{Photograph, ResizeError};
use crate::source::{ChannelSource, SourceFile};

const CACHE_BYTES: u64 = 256 << 20;
const MAX_CONCURRENT: usize = 2;
/// Maximum number of waiting requests. Further ones get the original.
const MAX_WAITING: usize = 64;
/// Incremented when resizing changes, which invalidates the cache.
const VERSION: u8 = 1;
const ENDING: &str = "webp";
/// Extension of unfinished files.
const UNFINISHED: &str = "begun";

/// Rows of the limits table.
pub const LIMITS: &[Limit] = &[
    Limit::bytes("pictures.kept", CACHE_BYTES, "Resized pictures on disk; the least recently used are removed."),
    Limit::count("pictures.at_once", MAX_CONCURRENT as u64, "pictures", "Concurrent picture resizes."),
    Limit::count(
        "pictures.waiting",
        MAX_WAITING as u64,
        "pictures",
        "Pictures waiting to be resized; others are sent unchanged.",
    ),
    Limit::bytes(
        "pictures.source",
        resize::MAX_BYTES,
        "Maximum size of a picture that is resized; larger ones are sent unchanged.",
    ),
    Limit::count("pictures.pixels", resize::MAX_PIXELS, "pixels", "Maximum number of pixels of such a picture."),
    Limit::count("pictures.side", resize::MAX_SIDE as u64, "pixels", "Maximum width and height of such a picture."),
    Limit::bytes(
        "pictures.exif",
        essential::MAX_EXIF_BYTES as u64,
        "Camera data read from a picture; colour profiles and texts are ignored.",
    ),
];

#[derive(Debug, Clone, Copy)]
enum Resized {
    /// Cached file of this size.
    Cached { len: u64 },
    /// The original is sent.
    Original,
}

/// The resized pictures. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Pictures {
    resized: Cache<String, Resized>,
    folder: Arc<Path>,
    disk: Disk,
    fact_store: Arc<FactStore>,
    at_once: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    /// Locked while a large picture is resized, so that two do not take memory at once.
    large: Arc<Mutex<()>>,
}

impl Pictures {
    /// Opens the cache in `folder`.
    pub async fn open(folder: PathBuf, disk: Disk) -> Self {
        let folder: Arc<Path> = folder.into();
        let evict_from = Arc::clone(&folder);
        let resized = Cache::builder()
            .max_capacity(CACHE_BYTES)
            // Other policies would reject a new picture that is about to be sent.
            .eviction_policy(EvictionPolicy::lru())
            .weigher(|_: &String, resized: &Resized| match resized {
                Resized::Cached { len } => u32::try_from((*len).max(1)).unwrap_or(u32::MAX),
                Resized::Original => 1,
            })
            .eviction_listener(move |name: Arc<String>, _, cause: RemovalCause| {
                if cause.was_evicted() {
                    // The file may have been removed by hand.
                    let _ = fs::remove_file(evict_from.join(&*name));
                }
            })
            .build();
        let listed = Arc::clone(&folder);
        let read = tokio::task::spawn_blocking(move || (list(&listed), FactStore::read(&listed))).await;
        let (cached, fact_store) = read.unwrap_or_default();
        for (name, len) in cached {
            resized.insert(name, Resized::Cached { len }).await;
        }
        let (at_once, waiting) = (Semaphore::new(MAX_CONCURRENT), Semaphore::new(MAX_CONCURRENT + MAX_WAITING));
        Self {
            resized,
            folder,
            disk,
            fact_store: Arc::new(fact_store),
            at_once: Arc::new(at_once),
            waiting: Arc::new(waiting),
            large: Arc::default(),
        }
    }

    /// Returns a picture in one of [`sizes::WIDTHS`] with a name for its bytes, or `None` if the original should be
    /// sent.
    pub async fn get(&self, source: &Arc<dyn ChannelSource>, file: &SourceFile, width: u32) -> Option<(String, Bytes)> {
        if !resize::is_resizable(&file.path) {
            return None;
        }
        let name = name_of(file, width, ENDING);
        // A cached file may have been removed by hand. It is then created again.
        for _ in 0..2 {
            let resized = self.resized.try_get_with_by_ref(&name, self.make(source, file, width, name.clone())).await;
            let Ok(Resized::Cached { len }) = resized else { return None };
            match tokio::fs::read(self.folder.join(&name)).await {
                Ok(bytes) if bytes.len() as u64 == len => return Some((name, bytes.into())),
                _ => self.resized.invalidate(&name).await,
            }
        }
        None
    }

    /// Resizes a picture and stores it. Errors are not cached, so that the next request retries.
    async fn make(
        &self,
        source: &Arc<dyn ChannelSource>,
        file: &SourceFile,
        width: u32,
        name: String,
    ) -> io::Result<Resized> {
        let busy = |_| io::Error::from(io::ErrorKind::ResourceBusy);
        let _waiting = self.waiting.try_acquire().map_err(|_| io::ErrorKind::ResourceBusy)?;
        // Held by the task itself, which continues if the client disconnects.
        let turn = Arc::clone(&self.at_once).acquire_owned().await.map_err(busy)?;
        let (source, file, pictures) = (Arc::clone(source), file.clone(), self.clone());
        let work = move || {
            let _turn = turn;
            if file.len > resize::MAX_BYTES {
                return Ok(Resized::Original);
            }
            match pictures.open_and_make(&source.read(&file.path)?, &file, width) {
                Ok(Some(bytes)) => pictures.store(&name, &bytes),
                Ok(None) => Ok(Resized::Original),
                Err(error) => {
                    tracing::warn!(%error, path = file.path, "a picture cannot be resized and is sent unchanged");
                    Ok(Resized::Original)
                }
            }
        };
        tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
    }

    /// Resizes a picture and stores its facts.
    fn open_and_make(&self, bytes: &[u8], file: &SourceFile, width: u32) -> Result<Option<Vec<u8>>, ResizeError> {
        let (across, down) = resize::size(bytes)?;
        let is_large = u64::from(across) * u64::from(down) > resize::LARGE_PIXELS;
        let _alone = is_large.then(|| self.large.lock());
        let photograph = Photograph::open(bytes)?;
        if !self.fact_store.has(file) {
            self.fact_store.store(&self.folder, &self.disk, file, photograph.facts()?);
        }
        photograph.in_width(width)
    }

    fn store(&self, name: &str, bytes: &[u8]) -> io::Result<Resized> {
        let len = bytes.len() as u64;
        self.disk.admit(Purpose::Pictures, &self.folder, len)?;
        write_whole(&self.folder.join(name), bytes)?;
        Ok(Resized::Cached { len })
    }
}

/// Writes a file atomically and creates its folder.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    let unfinished = path.with_extension(UNFINISHED);
    let mut file = File::create(&unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(unfinished, path)
}

/// Lists the pictures of a folder with their sizes, and removes unfinished files.
fn list(folder: &Path) -> Vec<(String, u64)> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let files = entries.filter_map(|entry| {
        let (name, facts) = (entry.file_name().into_string().ok()?, entry.metadata().ok()?);
        if name.ends_with(&format!(".{UNFINISHED}")) {
            let _ = fs::remove_file(entry.path());
            return None;
        }
        (facts.is_file() && name.ends_with(ENDING)).then_some((name, facts.len()))
    });
    files.collect()
}

/// Returns the name of a resized picture. It changes with the photograph.
fn name_of(file: &SourceFile, width: u32, ending: &str) -> String {
    let mut name = Sha256::new();
    name.update([VERSION]);
    for number in [file.len, file.stamp, u64::from(width)] {
        name.update(number.to_be_bytes());
    }
    name.update(&file.path);
    format!("{}.{ending}", hex::encode(&name.finalize()[..16]))
}

#[cfg(test)]
mod oversized;
#[cfg(test)]
mod tests;
