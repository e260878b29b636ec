//! Moves a queue to a fresh folder: when it is large and mostly empty, since sled's files never shrink, and after an
//! erasure, since overwritten bytes remain in the old folder.

use std::ops::ControlFlow;
use std::sync::Arc;

use touchline_disk::Purpose;
use uuid::Uuid;

use super::store::{Changes, Store, StoreError};
use super::writer::Writer;
use super::{folder, ids, keys};
use crate::chunk::MAX_VALUE;

/// Pause after a failed move that an erasure requires, milliseconds.
const RETRY_MOVE_MS: i64 = 60_000;
/// Keys copied in one commit.
const KEYS_PER_COPY: usize = 1000;
/// Ids packed together.
const IDS_PACKED: usize = 8192;
/// Approximate bytes of a remembered id on disk.
const BYTES_PER_ID: u64 = 20;

impl Writer {
    /// Moves the queue if it is large and mostly empty, if it is idle and much of it is empty, or if it may contain
    /// erased bytes.
    pub(super) fn rotate_when_due(&mut self) -> Result<(), StoreError> {
        let old = self.current_store();
        let disk = old.disk_bytes()?;
        let pending = self.state.pending_bytes();
        let live = pending + self.dedupe.len() as u64 * BYTES_PER_ID + self.state.dead_letters * MAX_VALUE as u64 / 4;
        // Copying delays answers, so the queue moves only while little is waiting.
        let mostly_empty = pending <= self.limits.roll_bytes && live * 3 <= disk;
        let idle = pending == 0 && live * 5 <= disk * 4 && self.fresh_bytes * 5 <= disk * 4;
        let oversized = disk > self.limits.roll_bytes && (mostly_empty || idle);
        let holds_erased =
            self.holds_erased && pending <= self.limits.roll_bytes && self.clock.now_ms() >= self.retry_move_ms;
        if !(oversized || holds_erased) {
            return Ok(());
        }
        if self.limits.disk.admit(Purpose::QueueMove, &self.folder, live).is_err() {
            return Ok(());
        }
        let epoch = folder::new_epoch(&*self.clock, &*self.entropy, Some(&self.epoch));
        let fresh = match folder::create(&self.folder, &epoch, |new| copy(&*old, new)) {
            Ok(fresh) => fresh,
            Err(error) => {
                tracing::warn!(%error, "the queue could not move to a fresh folder; retrying later");
                self.retry_move_ms = self.clock.now_ms() + RETRY_MOVE_MS;
                if oversized {
                    self.limits.roll_bytes = disk * 2;
                }
                return Ok(());
            }
        };
        self.holds_erased = false;
        self.fresh_bytes = fresh.store.disk_bytes()?;
        *self.store.write() = Arc::new(fresh.store);
        let old_epoch = std::mem::replace(&mut self.epoch, epoch);
        tracing::info!(from_bytes = disk, to_bytes = self.fresh_bytes, "the queue moved to a fresh folder");
        drop(old);
        folder::remove(&self.folder, &old_epoch)?;
        self.publish()
    }
}

/// Copies everything except the mark of a complete queue, which is written last, and the mark of erased bytes. Packs
/// ids on the way.
pub(super) fn copy(old: &dyn Store, new: &dyn Store) -> Result<(), StoreError> {
    let mut copy_state = CopyState { new, changes: Changes::default(), ids: Vec::new(), window: 0, records: 0 };
    let mut fault = None;
    old.scan(keys::START, keys::END, &mut |key, value| match copy_state.take(key, value) {
        Ok(()) => ControlFlow::Continue(()),
        Err(e) => {
            fault = Some(e);
            ControlFlow::Break(())
        }
    })?;
    match fault {
        Some(fault) => Err(fault),
        None => copy_state.finish(),
    }
}

/// A copy in progress.
struct CopyState<'a> {
    new: &'a dyn Store,
    changes: Changes,
    /// Ids of one window that are not packed yet.
    ids: Vec<Uuid>,
    window: i64,
    /// Id records written so far.
    records: u64,
}

impl CopyState<'_> {
    fn take(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let Some(record) = keys::read_ids(key) else {
            if key != keys::BIRTH && key != keys::HOLDS_ERASED {
                self.put(key.to_vec(), value.to_vec())?;
            }
            return Ok(());
        };
        let ids = ids::read(value, record.packed).ok_or_else(|| StoreError::Corrupt("a record of ids".to_owned()))?;
        if record.window != self.window || self.ids.len() >= IDS_PACKED {
            self.put_ids()?;
            self.window = record.window;
        }
        self.ids.extend(ids);
        Ok(())
    }

    fn put_ids(&mut self) -> Result<(), StoreError> {
        for value in ids::pack(&mut std::mem::take(&mut self.ids)) {
            self.put(keys::packed_ids(self.window, self.records), value)?;
            self.records += 1;
        }
        Ok(())
    }

    fn put(&mut self, key: Vec<u8>, value: Vec<u8>) -> Result<(), StoreError> {
        self.changes.put(key, value);
        if self.changes.0.len() >= KEYS_PER_COPY {
            self.new.commit(std::mem::take(&mut self.changes))?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), StoreError> {
        self.put_ids()?;
        self.new.commit(self.changes)
    }
}

#[cfg(test)]
mod tests {
    use touchline_protocol::ambient::{Entropy, ManualClock, SeededEntropy};

    use super::super::sled_store::SledStore;
    use super::*;

    const IDS: usize = 40_000;

    /// The ids of every window, sorted.
    fn ids_in(store: &dyn Store) -> Vec<(i64, Uuid)> {
        let mut found = Vec::new();
        store
            .scan(keys::START, keys::END, &mut |key, value| {
                if let Some(record) = keys::read_ids(key) {
                    found.extend(ids::read(value, record.packed).unwrap().into_iter().map(|id| (record.window, id)));
                }
                ControlFlow::Continue(())
            })
            .unwrap();
        found.sort_unstable();
        found
    }

    #[test]
    fn a_copied_folder_remembers_every_id_of_each_window() {
        let folder = tempfile::tempdir().unwrap();
        let store = |name: &str| SledStore::open(&folder.path().join(name)).unwrap();
        let (old, new, again) = (store("old"), store("new"), store("again"));
        let (clock, entropy) = (ManualClock::at_ms(1_795_255_200_000), SeededEntropy::new(7));
        let mut sequence = 0;
        for window in [1, 2] {
            for _ in 0..IDS / 2 / 4000 {
                let ids: Vec<_> = (0..4000)
                    .map(|_| {
                        clock.advance_ms(1);
                        entropy.uuid_v7(&*clock)
                    })
                    .collect();
                let mut changes = Changes::default();
                for value in ids::records(&ids) {
                    changes.put(keys::ids(window, sequence), value);
                    sequence += 1;
                }
                changes.put(keys::chunk(crate::table::Table::Event, sequence), vec![1]);
                old.commit(changes).unwrap();
            }
        }
        copy(&old, &new).unwrap();
        copy(&new, &again).unwrap();
        let expected = ids_in(&old);
        assert_eq!(expected.len(), IDS);
        assert!(ids_in(&new) == expected && ids_in(&again) == expected, "ids were lost, duplicated or changed");
        assert!(new.get(&keys::chunk(crate::table::Table::Event, sequence)).unwrap().is_some());
    }
}
