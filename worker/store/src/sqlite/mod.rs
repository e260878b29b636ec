//! A store in one SQLite file: WAL, `synchronous=FULL`, one writer, several readers.
//!
//! The statements are in the folder `sql`.

mod checksum;
mod journal;
mod note;
mod numbers;
mod open;
// Compiled once per backend, against its own driver.
#[path = "../sql/mod.rs"]
mod sql;

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use sqlx::{Sqlite, SqliteConnection, SqlitePool, Transaction};
use tokio::sync::{Mutex, OwnedMutexGuard, broadcast};
use touchline_protocol::ambient::Entropy;
use touchline_protocol::limits::Limit;

use note::Note;
pub use open::{accept_loss, restore, sound_part};
use sql::{Claiming, Subject, Write, maintenance};

use crate::{Change, Store, StoreError, StoreResult};

/// Changes that a subscriber can lag behind before it must resume from its position.
const MAX_LAG: usize = 4096;
/// Number of frames after which the journal is checkpointed, so that fewer commits depend on it.
const JOURNAL_FRAMES: u32 = 256;
/// Rows of the limits table.
pub const LIMITS: &[Limit] = &[
    Limit::count(
        "statuses.behind",
        MAX_LAG as u64,
        "changes",
        "Changes that a subscriber can lag behind before it must resume from its position.",
    ),
    Limit::count(
        "store.journal",
        JOURNAL_FRAMES as u64,
        "pages",
        "Pages in SQLite's journal that trigger a checkpoint.",
    ),
];

const IS_SHARED: bool = false;
/// All waiting clips are returned.
const MAX_CLAIMED_CLIPS: i64 = i64::MAX;

/// The driver that the statements are compiled for.
type Db = Sqlite;
type Connection = SqliteConnection;
type SqlStore = SqliteStore;

/// The strings of a parameter that is a JSON list.
macro_rules! texts_of {
    ($parameter:literal) => {
        concat!("(SELECT value FROM json_each(", $parameter, "))")
    };
}
/// The numbers of a parameter that is a JSON list.
macro_rules! numbers_of {
    ($parameter:literal) => {
        concat!("(SELECT value FROM json_each(", $parameter, "))")
    };
}
/// A new id for a table. Ids have no gaps.
macro_rules! next_id {
    () => {
        "INSERT INTO counters (name, last) VALUES ($1, 1)
         ON CONFLICT (name) DO UPDATE SET last = counters.last + 1 RETURNING last"
    };
}
/// The letter of new receipts, and the channel of an order.
macro_rules! receipt_letter {
    () => {
        "SELECT COALESCE((SELECT CAST(value AS BIGINT) FROM remembered WHERE name = 'receipt_letter'), 0),
                (SELECT channel_key FROM orders WHERE id = $1)"
    };
}
/// Whether no other worker has claimed a job. There is no other worker.
macro_rules! unclaimed {
    ($job:literal, $node:literal) => {
        concat!("(", $node, " = ", $node, ")")
    };
}
/// Nothing to skip: there is a single writer.
macro_rules! skip_locked {
    ($table:literal) => {
        ""
    };
}
use {next_id, numbers_of, receipt_letter, skip_locked, texts_of, unclaimed};

/// All jobs belong to this worker.
async fn claim_jobs(_write: &mut Connection, _node: &str, jobs: Vec<String>) -> StoreResult<HashSet<String>> {
    Ok(jobs.into_iter().collect())
}

/// A store in one SQLite file.
#[derive(Debug, Clone)]
pub struct SqliteStore(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    writer: SqlitePool,
    readers: SqlitePool,
    /// Held from the start of a transaction until its changes are announced, so that announcements are in order.
    gate: Arc<Mutex<()>>,
    /// Position of the last commit, in a file beside the database.
    note: Note,
    /// Number of frames at which the journal is checkpointed.
    checkpoint_at: AtomicU32,
    /// Whether the journal may end with frames of a failed commit.
    has_failed_commit: AtomicBool,
    changes: broadcast::Sender<Change>,
    epoch: String,
    /// Key of the hashes of email addresses that outlive their account.
    address_secret: [u8; 32],
}

impl Store for SqliteStore {}

impl SqliteStore {
    /// Opens the file, or creates it if it is missing.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the file isn't a sound database, and [`StoreError::LostCommits`] if its journal lost
    /// commits. The file isn't changed. Also [`StoreError::Foreign`], [`StoreError::CannotOpen`] and
    /// [`StoreError::Newer`].
    pub async fn open(path: &Path, entropy: &dyn Entropy) -> StoreResult<Self> {
        open::create_if_missing(path).await?;
        open::check_journal(path)?;
        open::check_owner(path).await?;
        let writer = open::pool(path, 1, false).await?;
        let note = open::check_and_migrate(path, &writer).await?;
        let readers = open::pool(path, 4, true).await?;
        let epoch = maintenance::stored_value(&writer, "epoch", &open::fresh_epoch(entropy)).await?;
        let address_secret = open::address_secret(&writer, entropy).await?;
        let (changes, _) = broadcast::channel(MAX_LAG);
        note.record().map_err(|error| open::cannot_open(path, &error))?;
        Ok(Self(Arc::new(Inner {
            path: path.to_owned(),
            writer,
            readers,
            gate: Arc::default(),
            note,
            checkpoint_at: AtomicU32::new(JOURNAL_FRAMES),
            has_failed_commit: AtomicBool::new(false),
            changes,
            epoch,
            address_secret,
        })))
    }

    /// Checks that the journal of the store in this file lost no commits. Nothing is opened or changed.
    ///
    /// # Errors
    /// [`StoreError::LostCommits`], [`StoreError::CannotOpen`].
    pub fn check(path: &Path) -> StoreResult<()> {
        open::check_journal(path)
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    fn readers(&self) -> &SqlitePool {
        &self.0.readers
    }

    /// Checkpoints and truncates the journal, which contains old versions of pages. Waits for readers. If a reader
    /// takes too long the journal stays, and the log says so.
    async fn empty_journal(&self) -> StoreResult<()> {
        let _gate = self.0.gate.lock().await;
        if !self.checkpoint(true).await? {
            tracing::warn!(
                "could not truncate the store's journal after an erasure; the next erasure or shutdown will"
            );
        }
        Ok(())
    }

    /// Checkpoints the journal, and truncates it if `truncates`, which waits for readers. Returns whether it is
    /// complete. The gate must be held.
    async fn checkpoint(&self, truncates: bool) -> StoreResult<bool> {
        let is_complete = open::checkpoint(&self.0.writer, &self.0.note, truncates).await?;
        self.0.has_failed_commit.fetch_and(!(is_complete && truncates), Ordering::Relaxed);
        Ok(is_complete)
    }

    /// Notes the last commit and returns whether the journal is long. If the note can't be written, the old one stays.
    /// The gate must be held.
    fn record_commit(&self) -> bool {
        match self.0.note.record() {
            Ok(frame) => {
                let is_long = frame >= self.0.checkpoint_at.load(Ordering::Relaxed);
                if is_long || frame < JOURNAL_FRAMES {
                    // A checkpoint that readers prevent is tried again after as many frames.
                    let next = if is_long { frame.saturating_add(JOURNAL_FRAMES) } else { JOURNAL_FRAMES };
                    self.0.checkpoint_at.store(next, Ordering::Relaxed);
                }
                is_long
            }
            Err(error) => {
                tracing::debug!(%error, "could not write the note of the last commit");
                false
            }
        }
    }

    /// Starts a write transaction.
    async fn write(&self) -> StoreResult<Write> {
        let gate = Arc::clone(&self.0.gate).lock_owned().await;
        if self.has_failed_commit() {
            // Otherwise its frames could be mistaken for a later commit after a bad frame.
            self.checkpoint(true).await?;
        }
        let transaction = self.0.writer.begin_with("BEGIN IMMEDIATE").await?;
        Ok(Write::new(transaction, Announcer { gate, store: self.clone() }))
    }

    /// Starts a write transaction about one subject. They run one at a time here.
    async fn write_about(&self, subject: Subject) -> StoreResult<Write> {
        if let Subject::Person(about) | Subject::Order(about) = subject {
            tracing::trace!(about, "starting a transaction");
        }
        self.write().await
    }

    /// Starts a read transaction with a consistent snapshot.
    async fn read(&self) -> StoreResult<Transaction<'static, Db>> {
        Ok(self.0.readers.begin().await?)
    }

    /// The store has no clock of its own.
    #[expect(clippy::unused_async, reason = "another backend queries its server here")]
    async fn clock_ms(&self) -> StoreResult<Option<i64>> {
        Ok(None)
    }

    /// Starts a search for jobs.
    async fn claiming(&self) -> StoreResult<Claiming> {
        Ok(Claiming::new(self.read().await?, self.node()))
    }

    /// All exclusive jobs belong to this worker.
    fn cached_holder(&self, _job: &str) -> Option<bool> {
        Some(true)
    }

    fn cache_holder(&self, _job: &str, _is_ours: bool) {}

    /// Whether the last commit failed.
    fn has_failed_commit(&self) -> bool {
        self.0.has_failed_commit.load(Ordering::Relaxed)
    }

    /// The epoch changes only with another file.
    fn current_epoch(&self) -> String {
        self.0.epoch.clone()
    }

    /// A single worker needs no name.
    fn node(&self) -> String {
        String::new()
    }

    /// Writes a consistent copy of everything to a new file.
    async fn back_up(&self, target: &Path) -> StoreResult<()> {
        let failed = |cause: String| StoreError::Backup { path: target.to_owned(), cause };
        let unwritten = |error: &dyn std::error::Error| failed(format!("cannot be written: {error}"));
        let name = target.to_str().ok_or_else(|| failed("has a name that is not UTF-8".to_owned()))?;
        // The backup contains email addresses, so only its owner may read it, from the first byte on.
        let file = match OpenOptions::new().write(true).create_new(true).mode(0o600).open(target) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(failed("already exists".to_owned()));
            }
            Err(error) => return Err(unwritten(&error)),
        };
        let written = match sqlx::query("VACUUM INTO $1").bind(name).execute(&self.0.writer).await {
            Ok(_) => file.sync_all().map_err(|error| unwritten(&error)),
            Err(error) => Err(unwritten(&error)),
        };
        if written.is_err() {
            // Removes an incomplete backup.
            let _ = std::fs::remove_file(target);
        }
        written
    }

    async fn close_connections(&self) {
        let _gate = self.0.gate.lock().await;
        if let Err(error) = self.checkpoint(true).await {
            tracing::warn!(%error, "could not truncate the store's journal; the next start will read it");
        }
        self.0.readers.close().await;
        self.0.writer.close().await;
    }
}

/// Announces a commit to the subscribers of this process.
struct Announcer {
    gate: OwnedMutexGuard<()>,
    store: SqliteStore,
}

impl Announcer {
    /// Nothing to write: there are no other processes.
    #[expect(clippy::unused_async, reason = "another backend writes rows here")]
    async fn record(&mut self, _write: &mut Connection, _changes: &[Change]) -> StoreResult<()> {
        Ok(())
    }

    /// The frames may be in the journal nevertheless.
    fn commit_failed(&self) {
        self.store.0.has_failed_commit.store(true, Ordering::Relaxed);
    }

    /// Announces in commit order, then lets the next transaction write.
    #[expect(clippy::unused_async, reason = "another backend waits for its listener here")]
    async fn publish(self, changes: Vec<Change>) {
        let Self { gate, store } = self;
        let is_journal_long = store.record_commit();
        for change in changes {
            // Fails if there are no subscribers, which is harmless.
            let _ = store.0.changes.send(change);
        }
        if is_journal_long {
            // The caller gets its response meanwhile. The next commit waits.
            tokio::spawn(async move {
                if let Err(error) = store.checkpoint(false).await {
                    tracing::warn!(%error, "could not checkpoint the store's journal");
                }
                drop(gate);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use touchline_protocol::ambient::SeededEntropy;

    use super::*;
    use crate::Maintenance;

    #[tokio::test]
    async fn a_probe_is_as_large_as_a_call_after_a_failed_commit() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("store"), &*SeededEntropy::new(1)).await.unwrap();
        let journal = folder.path().join("store-wal");
        for at in 1_795_000_000_000..1_795_000_000_003 {
            store.0.has_failed_commit.store(true, Ordering::Relaxed);
            store.probe(at).await.unwrap();
            // The checkpoint before it has emptied the journal.
            let bytes = std::fs::metadata(&journal).unwrap().len();
            assert!(bytes > 64 << 10, "{bytes}");
            assert_eq!(store.latest_timestamp().await.unwrap(), Some(at));
        }
    }
}
