//! Moving a large and mostly empty queue to a fresh folder: sled's space plateaus, it does not shrink.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::store::{Changes, MAX_VALUE, Store, StoreError};
use super::writer::Writer;
use super::{folder, keys};

/// Keys copied in one commit.
const KEYS_PER_COPY: usize = 1000;
/// Bytes that a remembered id takes on disk, about.
const BYTES_PER_ID: u64 = 20;

impl Writer {
    /// Moves the queue when it is large and mostly empty, or when nothing waits and much of it is.
    pub(super) fn roll_when_oversized(&mut self) -> Result<(), StoreError> {
        let old = self.current_store();
        let disk = old.disk_bytes()?;
        let pending = self.state.pending_bytes();
        let live = pending + self.dedupe.len() as u64 * BYTES_PER_ID + self.state.dead_letters * MAX_VALUE as u64 / 4;
        // Copying holds answers up: what waits is copied only while it is little.
        let mostly_empty = pending <= self.limits.roll_bytes && live * 3 <= disk;
        let idle = pending == 0 && live * 5 <= disk * 4 && self.fresh_bytes * 5 <= disk * 4;
        if disk <= self.limits.roll_bytes || !(mostly_empty || idle) {
            return Ok(());
        }
        let epoch = folder::new_epoch(&*self.clock, &*self.entropy, Some(&self.epoch));
        let fresh = match folder::create(&self.folder, &epoch, |new| copy(&*old, new)) {
            Ok(fresh) => fresh,
            Err(error) => {
                tracing::warn!(%error, "the queue could not move to a fresh folder: it stays, and grows before it tries again");
                self.limits.roll_bytes = disk * 2;
                return Ok(());
            }
        };
        self.fresh_bytes = fresh.store.disk_bytes()?;
        *self.store.write() = Arc::new(fresh.store);
        let left = std::mem::replace(&mut self.epoch, epoch);
        tracing::info!(from_bytes = disk, to_bytes = self.fresh_bytes, "the queue moved to a fresh folder");
        drop(old);
        folder::remove(&self.folder, &left)?;
        self.tell_readers()
    }
}

/// Copies everything but the birth record, which only a whole copy gets.
fn copy(old: &dyn Store, new: &dyn Store) -> Result<(), StoreError> {
    let mut changes = Changes::default();
    let mut fault = None;
    old.scan(keys::START, keys::END, &mut |key, value| {
        if key != keys::BIRTH {
            changes.put(key.to_vec(), value.to_vec());
        }
        if changes.0.len() >= KEYS_PER_COPY
            && let Err(e) = new.commit(std::mem::take(&mut changes))
        {
            fault = Some(e);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })?;
    match fault {
        Some(fault) => Err(fault),
        None => new.commit(changes),
    }
}
