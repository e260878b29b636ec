//! Limits on concurrent requests to other hosts and on the memory for their responses: in total, per medium and per
//! viewer's address (`PULL-4`).

use std::hash::Hash;
use std::sync::Arc;

use foldhash::HashMap;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of concurrent requests for files and playlists.
pub(super) const MAX_REQUESTS: usize = 64;
/// Maximum number per medium.
pub(super) const MAX_REQUESTS_OF_MEDIUM: usize = 16;
/// Maximum number per viewer's address.
pub(super) const MAX_REQUESTS_OF_ADDRESS: usize = 8;
/// Maximum number of concurrent requests that wait for an update of a playlist.
pub(super) const MAX_WAITING: usize = 256;
/// Maximum number of waiting requests per medium, one per playlist.
pub(super) const MAX_WAITING_OF_MEDIUM: usize = 16;
/// Size of a block of memory, in bytes.
pub(super) const MEMORY_BLOCK: usize = 1 << 20;
/// Maximum number of blocks of memory for files while they are fetched.
pub(super) const MAX_BLOCKS: usize = 512;
/// Maximum number per medium.
pub(super) const MAX_BLOCKS_OF_MEDIUM: usize = 256;
/// Maximum number per viewer's address: two of the largest files.
pub(super) const MAX_BLOCKS_OF_ADDRESS: usize = 128;
/// Number of keys above which idle ones are removed.
const MAX_IDLE: usize = 1_024;

/// A permit that is released when dropped.
pub(super) type Slot = OwnedSemaphorePermit;

/// Memory for the files that one request fetches. It is released when dropped.
#[derive(Debug)]
pub(crate) struct Memory {
    limits: [Arc<Semaphore>; 3],
    blocks: Mutex<Vec<Slot>>,
}

impl Memory {
    /// Takes another block and returns whether all limits allowed it. Nobody waits for memory, since others wait for the
    /// same file.
    pub(super) fn grow(&self) -> bool {
        let acquired: Option<Vec<_>> =
            self.limits.iter().map(|limit| Arc::clone(limit).try_acquire_owned().ok()).collect();
        acquired.map(|blocks| self.blocks.lock().extend(blocks)).is_some()
    }
}

#[derive(Debug)]
struct Keyed<K> {
    size: usize,
    semaphores: Mutex<HashMap<K, Arc<Semaphore>>>,
}

impl<K: Hash + Eq + Clone> Keyed<K> {
    fn new(size: usize) -> Self {
        Self { size, semaphores: Mutex::default() }
    }

    fn of(&self, key: &K) -> Arc<Semaphore> {
        let mut semaphores = self.semaphores.lock();
        if semaphores.len() >= MAX_IDLE {
            // Slots in use, and tasks waiting for one, hold a reference.
            semaphores.retain(|_, semaphore| Arc::strong_count(semaphore) > 1);
        }
        Arc::clone(semaphores.entry(key.clone()).or_insert_with(|| Arc::new(Semaphore::new(self.size))))
    }
}

/// The limits on concurrent requests.
#[derive(Debug)]
pub(super) struct Slots {
    all: Arc<Semaphore>,
    media: Keyed<String>,
    addresses: Keyed<String>,
    all_waiting: Arc<Semaphore>,
    waiting: Keyed<String>,
    memory: Arc<Semaphore>,
    memory_of_media: Keyed<String>,
    memory_of_addresses: Keyed<String>,
}

impl Slots {
    pub(super) fn new() -> Self {
        Self {
            all: Arc::new(Semaphore::new(MAX_REQUESTS)),
            media: Keyed::new(MAX_REQUESTS_OF_MEDIUM),
            addresses: Keyed::new(MAX_REQUESTS_OF_ADDRESS),
            all_waiting: Arc::new(Semaphore::new(MAX_WAITING)),
            waiting: Keyed::new(MAX_WAITING_OF_MEDIUM),
            memory: Arc::new(Semaphore::new(MAX_BLOCKS)),
            memory_of_media: Keyed::new(MAX_BLOCKS_OF_MEDIUM),
            memory_of_addresses: Keyed::new(MAX_BLOCKS_OF_ADDRESS),
        }
    }

    /// Returns a request's memory, without any blocks yet.
    pub(super) fn memory(&self, medium: &String, address: &String) -> Memory {
        let limits = [self.memory_of_addresses.of(address), self.memory_of_media.of(medium), Arc::clone(&self.memory)];
        Memory { limits, blocks: Mutex::default() }
    }

    /// Takes a slot of the address, if one is free.
    pub(super) fn try_address(&self, address: &String) -> Option<Slot> {
        self.addresses.of(address).try_acquire_owned().ok()
    }

    /// Takes a slot of the address, once one is free.
    pub(super) async fn address(&self, address: &String) -> Option<Slot> {
        self.addresses.of(address).acquire_owned().await.ok()
    }

    /// Takes a slot of the medium, once one is free.
    pub(super) async fn medium(&self, medium: &String) -> Option<(Slot, Slot)> {
        // The medium's own slot comes first, so that a slow host occupies no slots of others while its requests wait.
        let slot = self.media.of(medium).acquire_owned().await.ok()?;
        Some((slot, Arc::clone(&self.all).acquire_owned().await.ok()?))
    }

    /// Takes a slot for waiting at the medium's host, if one is free.
    pub(super) fn try_waiting(&self, medium: &String) -> Option<(Slot, Slot)> {
        let slot = self.waiting.of(medium).try_acquire_owned().ok()?;
        Some((slot, Arc::clone(&self.all_waiting).try_acquire_owned().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_progress_are_limited_per_address_per_medium_and_in_total() {
        let slots = Slots::new();
        let fill = |medium: &str, address: &str| {
            let memory = slots.memory(&medium.to_owned(), &address.to_owned());
            let blocks = (0..2 * MAX_BLOCKS).take_while(|_| memory.grow()).count();
            (blocks, memory)
        };
        let (one, first) = fill("tv/1", "a");
        assert_eq!((one, fill("tv/2", "a").0), (MAX_BLOCKS_OF_ADDRESS, 0));
        let others = [("tv/1", "b"), ("tv/1", "c"), ("tv/2", "c"), ("tv/2", "d"), ("tv/3", "e")];
        let filled = others.map(|(medium, address)| fill(medium, address));
        assert_eq!(filled.each_ref().map(|(blocks, _)| *blocks), [128, 0, 128, 128, 0]);
        drop(first);
        assert_eq!(fill("tv/3", "a").0, MAX_BLOCKS_OF_ADDRESS);
    }

    #[tokio::test]
    async fn idle_keys_are_removed_and_those_in_use_are_not() {
        let slots = Slots::new();
        let busy: Vec<_> = (0..MAX_REQUESTS_OF_ADDRESS).map(|_| slots.try_address(&"busy".to_owned())).collect();
        assert!(busy.iter().all(Option::is_some));
        for number in 0..3 * MAX_IDLE {
            assert!(slots.try_address(&number.to_string()).is_some());
        }
        assert!(slots.addresses.semaphores.lock().len() <= MAX_IDLE);
        assert!(slots.try_address(&"busy".to_owned()).is_none());
        drop(busy);
        assert!(slots.try_address(&"busy".to_owned()).is_some());
    }
}
