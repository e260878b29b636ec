//! The storage interface of the queue: an ordered map with atomic, durable commits.

use std::ops::ControlFlow;

use crate::chunk::MAX_VALUE;

/// A store's error. After the first failed [`Store::commit`] an open store is not used again, because the outcome of a
/// failed write or sync is unknown. The queue is reopened instead.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum StoreError {
    /// The content on disk is not what was written.
    #[error("the queue is damaged: {0}")]
    Corrupt(String),
    /// Another process has the folder open.
    #[error("the queue's folder is in use by another process: {0}")]
    Locked(String),
    /// The disk failed, or permission is missing.
    #[error("the queue's disk failed: {0}")]
    Disk(String),
    /// A write failed for lack of space or file descriptors, which is temporary.
    #[error("the queue cannot be written at the moment: {0}")]
    Passing(String),
    /// A sync failed. The file's content may not be on disk, and a second sync would not write it.
    #[error("the queue's disk lost a write: {0}")]
    Unsynced(String),
}

impl StoreError {
    /// Whether reopening the queue may succeed after a while.
    pub(crate) fn passes(&self) -> bool {
        matches!(self, Self::Passing(_) | Self::Locked(_))
    }
}

/// Changes that become durable together.
#[derive(Debug, Default)]
pub(crate) struct Changes(pub(crate) Vec<(Vec<u8>, Option<Vec<u8>>)>);

impl Changes {
    /// Sets `key`; the value is at most [`MAX_VALUE`] bytes.
    pub(crate) fn put(&mut self, key: Vec<u8>, value: Vec<u8>) {
        debug_assert!(value.len() <= MAX_VALUE, "a value of {} bytes", value.len());
        self.0.push((key, Some(value)));
    }

    pub(crate) fn remove(&mut self, key: Vec<u8>) {
        self.0.push((key, None));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Receives a key and its value; `Break` ends the scan.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(&[u8], &[u8]) -> ControlFlow<()>;

/// A key and its value.
pub(crate) type Entry = (Vec<u8>, Vec<u8>);

pub(crate) trait Store: Send + Sync {
    /// Applies all of `changes` or none. They are durable on return, as far as the machine can tell.
    fn commit(&self, changes: Changes) -> Result<(), StoreError>;

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Visits the keys from `from` up to, but not including, `until`, in order.
    fn scan(&self, from: &[u8], until: &[u8], visit: Visit<'_>) -> Result<(), StoreError>;

    /// The last key below `until`, with its value.
    fn last_before(&self, until: &[u8]) -> Result<Option<Entry>, StoreError>;

    /// Bytes on disk.
    fn disk_bytes(&self) -> Result<u64, StoreError>;
}
