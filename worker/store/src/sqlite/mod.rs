//! The store in one SQLite file: WAL, `synchronous=FULL`, one writer, several readers.
//!
//! The statements are plain SQL with numbered parameters, which PostgreSQL takes as they are.

mod audit_log;
mod bookkeeping;
mod cards;
mod charge_rows;
mod charges;
mod clips;
mod erasures;
mod favorites;
mod idempotency;
mod keys;
mod lake_rows;
mod mails;
mod maintenance;
mod open;
mod order_rows;
mod order_transitions;
mod orders;
mod playback;
mod promo_codes;
mod sandbox;
mod searches;
mod statuses;
mod tokens;
mod trials;
mod users;
mod webhooks;
mod write;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sqlx::SqlitePool;
use tokio::sync::{Mutex, broadcast};
use touchline_protocol::ambient::Entropy;
use touchline_protocol::limits::Limit;
use touchline_protocol::time::rfc3339;

pub use open::restore;
use write::Write;

use super::{Change, Store, StoreError, StoreResult};

/// How many changes a subscriber may lag behind before it must start again from its position.
const CHANGES_KEPT: usize = 4096;
/// The rows of the limits table.
pub const LIMITS: &[Limit] = &[Limit::count(
    "statuses.behind",
    CHANGES_KEPT as u64,
    "changes",
    "How far the status feed may fall behind before it starts again.",
)];

/// The store in one SQLite file.
#[derive(Debug, Clone)]
pub struct SqliteStore(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    writer: SqlitePool,
    readers: SqlitePool,
    /// Held from the begin of a transaction until its changes were told, so that they are told in order.
    gate: Arc<Mutex<()>>,
    changes: broadcast::Sender<Change>,
    epoch: String,
    /// What the hashes of addresses are keyed with that outlive their account.
    address_secret: [u8; 32],
}

impl Store for SqliteStore {}

impl SqliteStore {
    /// Opens the file, made when it is not there.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] for a file that is no sound database: it is left as it is.
    /// [`StoreError::Foreign`], [`StoreError::Unopened`], [`StoreError::Newer`].
    pub async fn open(path: &Path, entropy: &dyn Entropy) -> StoreResult<Self> {
        open::create_if_missing(path).await?;
        open::check_whose(path).await?;
        let writer = open::pool(path, 1, false).await?;
        open::check_and_migrate(path, &writer).await?;
        let readers = open::pool(path, 4, true).await?;
        let epoch = maintenance::remembered(&writer, "epoch", &open::fresh_epoch(entropy)).await?;
        let address_secret = open::address_secret(&writer, entropy).await?;
        let (changes, _) = broadcast::channel(CHANGES_KEPT);
        let gate = Arc::default();
        Ok(Self(Arc::new(Inner { path: path.to_owned(), writer, readers, gate, changes, epoch, address_secret })))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    fn readers(&self) -> &SqlitePool {
        &self.0.readers
    }

    /// Brings what the journal holds into the file and cuts the journal to nothing: it still has the pages as they were
    /// before. Waits for those who read; who reads on for longer than that keeps it for now, and the log is told.
    async fn empty_journal(&self) -> StoreResult<()> {
        let _gate = self.0.gate.lock().await;
        let (busy, _, _): (i64, i64, i64) =
            sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&self.0.writer).await?;
        if busy != 0 {
            tracing::warn!(
                "the store's journal could not be emptied after an erasure; the next one or the end does it"
            );
        }
        Ok(())
    }

    /// Begins a transaction that writes.
    async fn write(&self) -> StoreResult<Write> {
        let gate = Arc::clone(&self.0.gate).lock_owned().await;
        let transaction = self.0.writer.begin_with("BEGIN IMMEDIATE").await?;
        Ok(Write::begun(transaction, gate, self.0.changes.clone()))
    }
}

/// The word under which a value of the protocol is kept: the one that travels.
fn word<T: serde::Serialize>(value: &T) -> StoreResult<String> {
    match serde_json::to_value(value).map_err(StoreError::encoding)? {
        serde_json::Value::String(word) => Ok(word),
        other => Err(StoreError::encoding(format!("{other} is no word"))),
    }
}

/// The value that a word stands for.
fn of_word<T: serde::de::DeserializeOwned>(word: String) -> StoreResult<T> {
    serde_json::from_value(serde_json::Value::String(word)).map_err(StoreError::encoding)
}

/// A list, as JSON text.
fn list<T: serde::Serialize>(items: &[T]) -> StoreResult<String> {
    serde_json::to_string(items).map_err(StoreError::encoding)
}

/// The list of a JSON text.
fn of_list<T: serde::de::DeserializeOwned>(text: &str) -> StoreResult<Vec<T>> {
    serde_json::from_str(text).map_err(StoreError::encoding)
}
