//! The store in one SQLite file: WAL, `synchronous=FULL`, one writer, several readers.
//!
//! The statements are those of the folder `sql`.

mod open;
// Compiled once for each backend, against its own driver.
#[path = "../sql/mod.rs"]
mod sql;

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sqlx::{Sqlite, SqliteConnection, SqlitePool, Transaction};
use tokio::sync::{Mutex, OwnedMutexGuard, broadcast};
use touchline_protocol::ambient::Entropy;
use touchline_protocol::limits::Limit;

pub use open::restore;
use sql::{Claiming, Subject, Write, maintenance};

use crate::{Change, Store, StoreError, StoreResult};

/// How many changes a subscriber may lag behind before it must start again from its position.
const CHANGES_KEPT: usize = 4096;
/// The rows of the limits table.
pub const LIMITS: &[Limit] = &[Limit::count(
    "statuses.behind",
    CHANGES_KEPT as u64,
    "changes",
    "How far the status feed may fall behind before it starts again.",
)];

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
        Ok(Write::begun(transaction, Announcer { gate, changes: self.0.changes.clone() }))
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
        self.0.readers.close().await;
        self.0.writer.close().await;
    }
}

/// Tells this process's subscribers of a commit.
struct Announcer {
    gate: OwnedMutexGuard<()>,
    changes: broadcast::Sender<Change>,
}

impl Announcer {
    /// Nobody but this process is to be told, so nothing is written.
    #[expect(clippy::unused_async, reason = "another backend writes rows here")]
    async fn record(&mut self, _write: &mut Connection, _changes: &[Change]) -> StoreResult<()> {
        Ok(())
    }

    /// Tells in the order of the commits, and lets the next one write.
    #[expect(clippy::unused_async, reason = "another backend waits for its listener here")]
    async fn publish(self, changes: Vec<Change>) {
        for change in changes {
            // Without subscribers there is nobody to tell.
            let _ = self.changes.send(change);
        }
        drop(self.gate);
    }
}
