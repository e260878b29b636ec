//! Requests to other hosts at a time: in all, of one medium and for one viewer's address (`PULL-4`).

use std::hash::Hash;
use std::sync::Arc;

use foldhash::HashMap;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Requests for files and playlists at a time.
pub(super) const MAX_REQUESTS: usize = 64;
/// The same of one medium.
pub(super) const MAX_REQUESTS_OF_MEDIUM: usize = 16;
/// The same that viewers at one address caused.
pub(super) const MAX_REQUESTS_OF_ADDRESS: usize = 8;
/// Requests at a time that wait for the next of a playlist.
pub(super) const MAX_WAITING: usize = 256;
/// The same of one medium, one for each of its playlists.
pub(super) const MAX_WAITING_OF_MEDIUM: usize = 16;
/// Idle keys are forgotten above this count.
const MAX_IDLE: usize = 1_024;

/// A permission that ends when it is dropped.
pub(super) type Slot = OwnedSemaphorePermit;

/// Semaphores by key.
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
            // A slot, and whoever waits for one, has a reference of its own.
            semaphores.retain(|_, semaphore| Arc::strong_count(semaphore) > 1);
        }
        Arc::clone(semaphores.entry(key.clone()).or_insert_with(|| Arc::new(Semaphore::new(self.size))))
    }
}

/// See the module.
#[derive(Debug)]
pub(super) struct Slots {
    all: Arc<Semaphore>,
    media: Keyed<String>,
    addresses: Keyed<String>,
    all_waiting: Arc<Semaphore>,
    waiting: Keyed<String>,
}

impl Slots {
    pub(super) fn new() -> Self {
        Self {
            all: Arc::new(Semaphore::new(MAX_REQUESTS)),
            media: Keyed::new(MAX_REQUESTS_OF_MEDIUM),
            addresses: Keyed::new(MAX_REQUESTS_OF_ADDRESS),
            all_waiting: Arc::new(Semaphore::new(MAX_WAITING)),
            waiting: Keyed::new(MAX_WAITING_OF_MEDIUM),
        }
    }

    /// A slot of the address, if one is free.
    pub(super) fn try_address(&self, address: &String) -> Option<Slot> {
        self.addresses.of(address).try_acquire_owned().ok()
    }

    /// A slot of the address, once one is free.
    pub(super) async fn address(&self, address: &String) -> Option<Slot> {
        self.addresses.of(address).acquire_owned().await.ok()
    }

    /// A slot for a request of the medium, once one is free.
    pub(super) async fn medium(&self, medium: &String) -> Option<(Slot, Slot)> {
        // A medium whose host is slow waits for itself, and takes no slot of others meanwhile.
        let slot = self.media.of(medium).acquire_owned().await.ok()?;
        Some((slot, Arc::clone(&self.all).acquire_owned().await.ok()?))
    }

    /// A slot for waiting at the medium's host, if one is free.
    pub(super) fn try_waiting(&self, medium: &String) -> Option<(Slot, Slot)> {
        let slot = self.waiting.of(medium).try_acquire_owned().ok()?;
        Some((slot, Arc::clone(&self.all_waiting).try_acquire_owned().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn idle_keys_are_forgotten_and_those_in_use_are_not() {
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
