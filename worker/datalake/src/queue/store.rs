//! The narrow floor of the queue: an ordered map whose changes are applied whole and are on disk when told so.

use std::ops::ControlFlow;

use crate::chunk::MAX_VALUE;

/// What a store cannot do. The first failed [`Store::commit`] is the last one of an open store: nothing is retried on
/// top of a write or sync whose outcome nobody knows. The queue is opened anew instead.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum StoreError {
    /// What is on disk is not what was written.
    #[error("the queue is damaged: {0}")]
    Corrupt(String),
    /// Another process has the folder open.
    #[error("the queue's folder is held by another process: {0}")]
    Held(String),
    /// The disk, or the permission to use it.
    #[error("the queue's disk failed: {0}")]
    Disk(String),
    /// A write failed for want of space or of file descriptors: it passes.
    #[error("the queue cannot be written at the moment: {0}")]
    Passing(String),
    /// A sync failed. What the file shows is not what is on the disk, and a second sync would not bring it there.
    #[error("the queue's disk lost a write: {0}")]
    Unsynced(String),
}

impl StoreError {
    /// Whether opening the queue again may succeed with nothing but time.
    pub(crate) fn passes(&self) -> bool {
        matches!(self, Self::Passing(_) | Self::Held(_))
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

    /// Removes `key`.
    pub(crate) fn remove(&mut self, key: Vec<u8>) {
        self.0.push((key, None));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Hands over a key and its value; `Break` ends the scan.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(&[u8], &[u8]) -> ControlFlow<()>;

/// A key and its value.
pub(crate) type Entry = (Vec<u8>, Vec<u8>);

/// An ordered, durable map.
pub(crate) trait Store: Send + Sync {
    /// Applies all of `changes` or none. On disk, as far as the machine can tell, when it returns.
    fn commit(&self, changes: Changes) -> Result<(), StoreError>;

    /// The value of `key`.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Visits the keys from `from` up to, not including, `until`, in order.
    fn scan(&self, from: &[u8], until: &[u8], visit: Visit<'_>) -> Result<(), StoreError>;

    /// The last key below `until`, with its value.
    fn last_before(&self, until: &[u8]) -> Result<Option<Entry>, StoreError>;

    /// Bytes on disk.
    fn disk_bytes(&self) -> Result<u64, StoreError>;
}
