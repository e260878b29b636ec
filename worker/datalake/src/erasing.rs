//! Keeps erasures and shipping apart without letting one batch wait for another.
//!
//! An erasure first changes the queue. A batch that was read before may still contain the person: its refused events
//! are read again before they become dead letters, and the erasure waits for the attempt to ship it before it looks
//! into the lakes. Other batches ship meanwhile.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, MutexGuard, RwLock, oneshot};

use crate::erase::{EraseError, Erased, Person};

/// A person to erase.
pub(crate) struct Waiting {
    pub(crate) person: Person,
    pub(crate) reply: oneshot::Sender<Result<Erased, EraseError>>,
}

#[derive(Default)]
pub(crate) struct Erasing {
    /// Number of changes of the queue so far. Each holds the write lock; none happens under a read lock.
    pub(crate) count: RwLock<u64>,
    /// One lock for each shipper, which holds it during an attempt.
    attempts: Mutex<Vec<Arc<Attempts>>>,
    pub(crate) waiting: Mutex<Vec<Waiting>>,
    /// Held during an erasure. Those who come meanwhile are erased together afterwards.
    pub(crate) running: AsyncMutex<()>,
}

/// The attempts of a shipper.
#[derive(Debug, Default)]
pub(crate) struct Attempts(AsyncMutex<()>);

impl Attempts {
    /// Begins an attempt, which lasts until the guard is dropped.
    pub(crate) async fn begin(&self) -> MutexGuard<'_, ()> {
        self.0.lock().await
    }
}

impl Erasing {
    /// Registers a shipper.
    pub(crate) fn attempts(&self) -> Arc<Attempts> {
        let attempts = Arc::<Attempts>::default();
        self.attempts.lock().push(Arc::clone(&attempts));
        attempts
    }

    /// Waits until the attempts that run now have ended.
    pub(crate) async fn running_attempts_end(&self) {
        let attempts = self.attempts.lock().clone();
        for attempts in attempts {
            drop(attempts.begin().await);
        }
    }
}
