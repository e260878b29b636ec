//! The store in one SQLite file: WAL, `synchronous=FULL`, one writer, several readers.
//!
//! The statements are those of the folder `sql`.

mod checksum;
mod journal;
mod note;
mod open;
// Compiled once for each backend, against its own driver.
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

/// How many changes a subscriber may lag behind before it must start again from its position.
const CHANGES_KEPT: usize = 4096;
/// Frames of the journal after which it is brought into the file: fewer commits hang on it.
const JOURNAL_FRAMES: u32 = 256;
/// The rows of the limits table.
pub const LIMITS: &[Limit] = &[
    Limit::count(
        "statuses.behind",
        CHANGES_KEPT as u64,
        "changes",
        "How far the status feed may fall behind before it starts again.",
    ),
    Limit::count(
        "store.journal",
        JOURNAL_FRAMES as u64,
        "pages",
        "Pages in the journal of SQLite after which they are brought into its file.",
    ),
];

/// One worker has it.
const IS_SHARED: bool = false;
/// How many clips that wait are looked at: all of them.
const CLIPS_AT_ONCE: i64 = i64::MAX;

/// What the statements are compiled for.
type Db = Sqlite;
type Connection = SqliteConnection;
type SqlStore = SqliteStore;

/// The texts of a parameter that is a JSON list.
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
/// A new id of a table: they have no gaps.
macro_rules! next_id {
    () => {
        "INSERT INTO counters (name, last) VALUES ($1, 1)
         ON CONFLICT (name) DO UPDATE SET last = counters.last + 1 RETURNING last"
    };
}
/// Whether no other worker has claimed a job: there is none.
macro_rules! unclaimed {
    ($job:literal, $node:literal) => {
        concat!("(", $node, " = ", $node, ")")
    };
}
/// Nobody else holds a row.
macro_rules! skip_locked {
    ($table:literal) => {
        ""
    };
}
use {next_id, numbers_of, skip_locked, texts_of, unclaimed};

/// Every job is this worker's.
async fn claim_jobs(_write: &mut Connection, _node: &str, jobs: Vec<String>) -> StoreResult<HashSet<String>> {
    Ok(jobs.into_iter().collect())
}

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
    /// Position of the last commit, beside the file.
    note: Note,
    /// Frames of the journal at which it is brought into the file.
    checkpoint_at: AtomicU32,
    /// Whether the journal may end in frames of a commit that failed.
    has_failed_commit: AtomicBool,
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
    /// [`StoreError::Damaged`] for a file that is no sound database, [`StoreError::LostCommits`] for one whose journal
    /// lost commits: it is left as it is.
    /// [`StoreError::Foreign`], [`StoreError::Unopened`], [`StoreError::Newer`].
    pub async fn open(path: &Path, entropy: &dyn Entropy) -> StoreResult<Self> {
        open::create_if_missing(path).await?;
        open::check_journal(path)?;
        open::check_whose(path).await?;
        let writer = open::pool(path, 1, false).await?;
        let note = open::check_and_migrate(path, &writer).await?;
        let readers = open::pool(path, 4, true).await?;
        let epoch = maintenance::remembered(&writer, "epoch", &open::fresh_epoch(entropy)).await?;
        let address_secret = open::address_secret(&writer, entropy).await?;
        let (changes, _) = broadcast::channel(CHANGES_KEPT);
        note.take_down().map_err(|error| open::unopened(path, &error))?;
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

    /// Sees that the journal of the store in this file lost no commits. Nothing is opened or changed.
    ///
    /// # Errors
    /// [`StoreError::LostCommits`], [`StoreError::Unopened`].
    pub fn check(path: &Path) -> StoreResult<()> {
        open::check_journal(path)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    fn readers(&self) -> &SqlitePool {
        &self.0.readers
    }

    /// Brings the journal into the file and cuts it to nothing: it has pages as they were before. Waits for readers; one
    /// that takes longer keeps it for now, and the log says so.
    async fn empty_journal(&self) -> StoreResult<()> {
        let _gate = self.0.gate.lock().await;
        if !self.checkpoint(true).await? {
            tracing::warn!(
                "the store's journal could not be emptied after an erasure; the next one or the end does it"
            );
        }
        Ok(())
    }

    /// Brings the journal into the file, and cuts it to nothing if `truncates`: then readers are waited for. Says whether
    /// all of it was. The gate is held.
    async fn checkpoint(&self, truncates: bool) -> StoreResult<bool> {
        let is_done = open::checkpoint(&self.0.writer, &self.0.note, truncates).await?;
        self.0.has_failed_commit.fetch_and(!(is_done && truncates), Ordering::Relaxed);
        Ok(is_done)
    }

    /// Notes the last commit; a note that cannot be written lags. Says whether the journal is long. The gate is held.
    fn note_commit(&self) -> bool {
        match self.0.note.take_down() {
            Ok(frame) => {
                let is_long = frame >= self.0.checkpoint_at.load(Ordering::Relaxed);
                if is_long || frame < JOURNAL_FRAMES {
                    // One that readers keep is tried again when it has grown as much once more.
                    let next = if is_long { frame.saturating_add(JOURNAL_FRAMES) } else { JOURNAL_FRAMES };
                    self.0.checkpoint_at.store(next, Ordering::Relaxed);
                }
                is_long
            }
            Err(error) => {
                tracing::debug!(%error, "the note of the last commit was not written");
                false
            }
        }
    }

    /// Begins a transaction that writes.
    async fn write(&self) -> StoreResult<Write> {
        let gate = Arc::clone(&self.0.gate).lock_owned().await;
        if self.0.has_failed_commit.load(Ordering::Relaxed) {
            // Its frames would be taken for a later commit behind a bad frame.
            self.checkpoint(true).await?;
        }
        let transaction = self.0.writer.begin_with("BEGIN IMMEDIATE").await?;
        Ok(Write::begun(transaction, Announcer { gate, store: self.clone() }))
    }

    /// Begins a transaction that writes about one subject: here one writes at a time anyway.
    async fn write_about(&self, subject: Subject) -> StoreResult<Write> {
        if let Subject::Person(about) | Subject::Order(about) = subject {
            tracing::trace!(about, "a transaction begins");
        }
        self.write().await
    }

    /// Begins a transaction that reads, all of one moment.
    async fn read(&self) -> StoreResult<Transaction<'static, Db>> {
        Ok(self.0.readers.begin().await?)
    }

    /// It has the worker's.
    #[expect(clippy::unused_async, reason = "another backend asks its server here")]
    async fn clock_ms(&self) -> StoreResult<Option<i64>> {
        Ok(None)
    }

    /// Begins to look for jobs.
    async fn claiming(&self) -> StoreResult<Claiming> {
        Ok(Claiming::begun(self.read().await?, self.node()))
    }

    /// Every turn is this worker's.
    fn known_turn(&self, _job: &str) -> Option<bool> {
        Some(true)
    }

    fn note_turn(&self, _job: &str, _is_ours: bool) {}

    /// Positions begin anew with another file alone.
    fn present_epoch(&self) -> String {
        self.0.epoch.clone()
    }

    /// There is one worker, and it needs no name.
    fn node(&self) -> String {
        String::new()
    }

    /// Writes everything, of one moment, to a new file.
    async fn back_up(&self, target: &Path) -> StoreResult<()> {
        let failed = |cause: String| StoreError::Backup { path: target.to_owned(), cause };
        let unwritten = |error: &dyn std::error::Error| failed(format!("cannot be written: {error}"));
        let name = target.to_str().ok_or_else(|| failed("has a name that is no UTF-8".to_owned()))?;
        // Whoever reads it has everybody's addresses: it is its owner's from its first byte on.
        let file = match OpenOptions::new().write(true).create_new(true).mode(0o600).open(target) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(failed("is there already".to_owned()));
            }
            Err(error) => return Err(unwritten(&error)),
        };
        let written = match sqlx::query("VACUUM INTO $1").bind(name).execute(&self.0.writer).await {
            Ok(_) => file.sync_all().map_err(|error| unwritten(&error)),
            Err(error) => Err(unwritten(&error)),
        };
        if written.is_err() {
            // What was begun is ours, and no backup.
            let _ = std::fs::remove_file(target);
        }
        written
    }

    async fn close_connections(&self) {
        let _gate = self.0.gate.lock().await;
        if let Err(error) = self.checkpoint(true).await {
            tracing::warn!(%error, "the store's journal was not emptied; the next start reads it");
        }
        self.0.readers.close().await;
        self.0.writer.close().await;
    }
}

/// Tells this process's subscribers of a commit.
struct Announcer {
    gate: OwnedMutexGuard<()>,
    store: SqliteStore,
}

impl Announcer {
    /// Nobody but this process is to be told, so nothing is written.
    #[expect(clippy::unused_async, reason = "another backend writes rows here")]
    async fn record(&mut self, _write: &mut Connection, _changes: &[Change]) -> StoreResult<()> {
        Ok(())
    }

    /// Its frames may be in the journal all the same.
    fn commit_failed(&self) {
        self.store.0.has_failed_commit.store(true, Ordering::Relaxed);
    }

    /// Tells in the order of the commits, and lets the next one write.
    #[expect(clippy::unused_async, reason = "another backend waits for its listener here")]
    async fn publish(self, changes: Vec<Change>) {
        let Self { gate, store } = self;
        let is_journal_long = store.note_commit();
        for change in changes {
            // Without subscribers there is nobody to tell.
            let _ = store.0.changes.send(change);
        }
        if is_journal_long {
            // The commit is answered meanwhile; the next one waits.
            tokio::spawn(async move {
                if let Err(error) = store.checkpoint(false).await {
                    tracing::warn!(%error, "the store's journal was not brought into its file");
                }
                drop(gate);
            });
        }
    }
}
