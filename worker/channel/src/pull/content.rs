//! Pulled files are sent from memory, or in pieces, so that a viewer who reads slowly keeps only a piece in memory
//! (`PULL-5`).

use std::fmt::Debug;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{Stream, stream};
use tokio::time::timeout;

use super::blocks::BLOCK;
use super::cache::{CachedResponse, Key, PullCache};
use super::upstream::{FILE_TIMEOUT, PullError};
use crate::media::memory::Turn;

/// Largest content that is sent whole.
const SMALL_BYTES: u64 = 256 << 10;

/// A file of another host, for one viewer.
pub(super) trait RemoteFile: Debug + Send + Sync {
    fn cache(&self) -> &PullCache;

    /// Key of the whole file.
    fn key(&self) -> &Key;

    /// Fetches the file or a block of it.
    fn fetch<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Arc<CachedResponse>, PullError>>;
}

/// A file, or the requested part of it.
#[derive(Debug, Clone)]
pub struct Content {
    file: Arc<dyn RemoteFile>,
    from: u64,
    len: u64,
    is_in_blocks: bool,
    turn: Turn,
    /// A file or block that could not be stored on disk.
    unstored: Option<(Key, Arc<CachedResponse>)>,
}

impl Content {
    pub(super) fn new(file: Arc<dyn RemoteFile>, (from, len): (u64, u64), is_in_blocks: bool) -> Self {
        Self { file, from, len, is_in_blocks, turn: Turn::default(), unstored: None }
    }

    /// Returns its length, in bytes.
    pub fn total_len(&self) -> u64 {
        self.len
    }

    /// Returns a part of it, counted from its first byte.
    #[must_use]
    pub fn part(mut self, from: u64, len: u64) -> Self {
        self.from += from.min(self.len);
        self.len = len.min(self.len - from.min(self.len));
        self
    }

    /// Returns all bytes, if they are few.
    ///
    /// # Errors
    /// The other host's failure.
    pub async fn small(&mut self) -> Result<Option<Bytes>, PullError> {
        if self.len > SMALL_BYTES {
            return Ok(None);
        }
        let len = self.len;
        let first = self.next().await?.unwrap_or_default();
        if first.len() as u64 == len {
            return Ok(Some(first));
        }
        let mut bytes = first.to_vec();
        // The next piece waits until this one is gone.
        drop(first);
        while let Some(piece) = self.next().await? {
            bytes.extend_from_slice(&piece);
        }
        Ok(Some(bytes.into()))
    }

    /// Streams its pieces.
    pub fn stream(self) -> impl Stream<Item = Result<Bytes, PullError>> {
        stream::try_unfold(self, async |mut content| Ok(content.next().await?.map(|piece| (piece, content))))
    }

    /// Returns the next piece. A file that is no longer cached is fetched again.
    async fn next(&mut self) -> Result<Option<Bytes>, PullError> {
        if self.len == 0 {
            return Ok(None);
        }
        let block = self.is_in_blocks.then_some(self.from / BLOCK);
        let (offset, available) = match block {
            Some(number) => (self.from - number * BLOCK, (number + 1) * BLOCK - self.from),
            None => (self.from, self.len),
        };
        let len = self.len.min(available);
        let key = Key { block, ..self.file.key().clone() };
        let piece = self.piece(key, offset, len).await?.ok_or(PullError::Wrong("has changed"))?;
        self.from += piece.len() as u64;
        self.len -= piece.len() as u64;
        Ok(Some(piece))
    }

    async fn piece(&mut self, key: Key, offset: u64, len: u64) -> Result<Option<Bytes>, PullError> {
        if let Some((unstored, file)) = &self.unstored
            && *unstored == key
        {
            return Ok(file.piece(offset, len));
        }
        self.unstored = None;
        if let Some(piece) = self.file.cache().piece(&key, (offset, len), &self.turn).await {
            return Ok(Some(piece));
        }
        let file = timeout(FILE_TIMEOUT, self.file.fetch(&key)).await.map_err(|_| PullError::TimedOut)??;
        let piece = file.piece(offset, len);
        if self.file.cache().facts(&key).await.is_none() {
            self.unstored = Some((key, file));
        }
        Ok(piece)
    }
}
