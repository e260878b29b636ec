//! Opening, checking and replacing the file. A damaged file is never overwritten.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection, SqlitePool};
use touchline_protocol::ambient::Entropy;

use super::note::{self, Note, NoteState};
use super::{journal, maintenance, numbers};
use crate::{StoreError, StoreResult};

static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

/// SQLite's error codes for a damaged file (`SQLITE_CORRUPT`) and for one that isn't a database (`SQLITE_NOTADB`).
const DAMAGED_CODES: [i64; 2] = [11, 26];

/// Suffixes of a store's files: the database, its journal, the journal's index and the note of the last commit.
const FILES: [&str; 4] = ["", "-wal", "-shm", "-commits"];

/// Creates the file under another name and renames it once complete, so that an empty file with this name is always
/// damaged.
pub(super) async fn create_if_missing(path: &Path) -> StoreResult<()> {
    let cannot_open = |error: std::io::Error| cannot_open(path, &error);
    match std::fs::metadata(path) {
        Ok(file) if file.len() == 0 => {
            return Err(StoreError::Damaged { path: path.to_owned(), cause: "the file is empty".to_owned() });
        }
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(cannot_open(error)),
    }
    if exists(path) {
        // Its disk may not be mounted yet. A new store in its place would hide the records.
        return Err(cannot_open(std::io::Error::other("it is a link to a missing file")));
    }
    for (suffix, name) in [("-wal", "journal"), ("-commits", "note of commits")] {
        if beside(path, suffix).exists() {
            let cause = format!("its {name} exists but the file does not");
            return Err(StoreError::Damaged { path: path.to_owned(), cause });
        }
    }
    let temporary = beside(path, ".begun");
    remove_database(&temporary).map_err(cannot_open)?;
    let pool = pool_of(path, options(&temporary).create_if_missing(true), 1).await?;
    MIGRATIONS.run(&pool).await.map_err(|error| of_migrate(path, error))?;
    pool.close().await;
    std::fs::File::open(&temporary).and_then(|file| file.sync_all()).map_err(cannot_open)?;
    std::fs::rename(&temporary, path).map_err(cannot_open)?;
    sync_folder_of(path).map_err(cannot_open)
}

/// An I/O error outside the database.
pub(super) fn cannot_open(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::CannotOpen { path: path.to_owned(), cause: error.to_string() }
}

/// Checks that the journal contains every commit, without changing anything. SQLite must not open it before, because it
/// would drop and overwrite everything after a bad frame.
pub(super) fn check_journal(path: &Path) -> StoreResult<()> {
    let file = link_target(path);
    let wal = beside(&file, "-wal");
    let read = || journal::damage(&file, &wal, NoteState::read(&beside(&file, "-commits"))?);
    match read().map_err(|error| cannot_open(path, &error))? {
        None => Ok(()),
        Some(journal::Damage { cause, sound }) => Err(StoreError::LostCommits { path: wal, cause, sound }),
    }
}

/// The note of an open store.
fn note(path: &Path) -> StoreResult<Note> {
    let file = link_target(path);
    let open = || {
        let note = beside(&file, "-commits");
        if !note::is_whole(&note)? {
            note::create(&note, &beside(&file, "-commits.begun"))?;
            sync_folder_of(&file)?;
        }
        let (index, journal) = (beside(&file, "-shm"), beside(&file, "-wal"));
        Note::open(&note, &index, &journal, journal::page_bytes_of(&file)?)
    };
    open().map_err(|error| cannot_open(path, &error))
}

/// Checkpoints the journal, and truncates it if `truncates`, which waits for readers. Returns whether it is complete.
pub(super) async fn checkpoint(pool: &SqlitePool, note: &Note, truncates: bool) -> StoreResult<bool> {
    let copy = if truncates { "PRAGMA wal_checkpoint(FULL)" } else { "PRAGMA wal_checkpoint(PASSIVE)" };
    let (busy, frames, copied): (i64, i64, i64) = sqlx::query_as(copy).fetch_one(pool).await?;
    if busy != 0 || frames != copied {
        return Ok(false);
    }
    // From here on the journal may be overwritten.
    note.clear().map_err(sqlx::Error::Io)?;
    if !truncates {
        return Ok(true);
    }
    let (busy, _, _): (i64, i64, i64) = sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(pool).await?;
    Ok(busy == 0)
}

/// Checks that the file contains a store, without changing anything.
pub(super) async fn check_owner(path: &Path) -> StoreResult<()> {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(false);
    let mut connection = options.connect().await.map_err(|error| of_open(path, error))?;
    let tables: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM sqlite_master WHERE name = '_sqlx_migrations'")
        .fetch_one(&mut connection)
        .await
        .map_err(|error| of_open(path, error))?;
    connection.close().await.map_err(|error| of_open(path, error))?;
    if tables == 0 {
        return Err(StoreError::Foreign { path: path.to_owned() });
    }
    Ok(())
}

/// Connects to an existing file.
pub(super) async fn pool(path: &Path, connections: u32, read_only: bool) -> StoreResult<SqlitePool> {
    let options = options(path);
    // A reader of a WAL file needs its shared memory, so the file is opened for writing and restricted.
    let options = if read_only { options.pragma("query_only", "ON") } else { options };
    pool_of(path, options, connections).await
}

async fn pool_of(path: &Path, options: SqliteConnectOptions, connections: u32) -> StoreResult<SqlitePool> {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .min_connections(connections)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
        .acquire_timeout(Duration::from_secs(20))
        .after_release(|connection, _| Box::pin(is_reusable(connection)))
        .connect_with(options)
        .await
        .map_err(|error| of_open(path, error))
}

/// Whether a connection can be reused. After a full disk or failed write SQLite rolls back by itself, the next rollback
/// fails, and sqlx considers the connection inside a transaction forever. Such a connection is closed.
async fn is_reusable(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    // A rollback on drop is queued before this.
    connection.ping().await?;
    let reusable = !connection.is_in_transaction();
    if !reusable {
        tracing::debug!("closing a connection inside a failed transaction");
    }
    Ok(reusable)
}

fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(10))
        .foreign_keys(true)
        // Deleted and overwritten content must be gone from the file too, because users can be erased.
        .pragma("secure_delete", "ON")
}

/// Checks that the file is sound, and migrates its tables to this version.
pub(super) async fn check_and_migrate(path: &Path, pool: &SqlitePool) -> StoreResult<Note> {
    check(path, pool, "PRAGMA quick_check(1)").await?;
    let note = note(path)?;
    // A torn transaction at the journal's end must not be followed by others with the same salts.
    checkpoint(pool, &note, true).await?;
    MIGRATIONS.run(pool).await.map_err(|error| of_migrate(path, error))?;
    Ok(note)
}

async fn check(path: &Path, pool: &SqlitePool, pragma: &'static str) -> StoreResult<()> {
    let verdict: String = sqlx::query_scalar(pragma).fetch_one(pool).await.map_err(|error| of_open(path, error))?;
    if verdict != "ok" {
        let cause = verdict.lines().collect::<Vec<_>>().join(" ");
        return Err(StoreError::Damaged { path: path.to_owned(), cause });
    }
    Ok(())
}

/// A new epoch; see [`super::super::Statuses::epoch`].
pub(super) fn fresh_epoch(entropy: &dyn Entropy) -> String {
    format!("{:016x}", entropy.next_u64())
}

/// Returns the store's secret for hashes of email addresses, created on first use.
pub(super) async fn address_secret(pool: &SqlitePool, entropy: &dyn Entropy) -> StoreResult<[u8; 32]> {
    let mut bytes = [0; 32];
    entropy.fill(&mut bytes);
    let stored = maintenance::stored_value(pool, "address_secret", &hex::encode(bytes)).await?;
    hex::decode_to_slice(&stored, &mut bytes).map_err(StoreError::encoding)?;
    Ok(bytes)
}

/// Replaces a store with a backup, while nobody has it open. The previous file is moved aside and its new path
/// returned.
///
/// # Errors
/// [`StoreError::Backup`] if the backup is missing or damaged. Nothing is changed in that case.
pub async fn restore(backup: &Path, target: &Path, entropy: &dyn Entropy) -> StoreResult<Option<PathBuf>> {
    replace(backup, target, Journal::Whole, entropy).await
}

/// Replaces a store whose journal lost commits with its sound part, while nobody has it open. The damaged files are
/// moved aside and their new path returned.
///
/// # Errors
/// [`StoreError::Backup`] if the sound part is inconsistent. Nothing is changed in that case.
pub async fn accept_loss(target: &Path, entropy: &dyn Entropy) -> StoreResult<Option<PathBuf>> {
    replace(target, target, Journal::Damaged, entropy).await
}

/// Copies the sound part of a store whose journal lost commits to a file in the empty `folder`.
///
/// # Errors
/// [`StoreError::CannotOpen`] if there isn't enough space.
pub async fn sound_part(path: &Path, folder: &Path) -> StoreResult<PathBuf> {
    let copy = folder.join("sound.sqlite");
    copy_database(path, &copy, Journal::Damaged).map_err(|error| cannot_open(&copy, &error))?;
    // SQLite checkpoints the part of the journal that it sees, and drops the rest.
    check_owner(&copy).await?;
    Ok(copy)
}

/// The part of the journal to copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Journal {
    /// All commits.
    Whole,
    /// The commits before the damage.
    Damaged,
}

fn copy_database(from: &Path, to: &Path, journal: Journal) -> std::io::Result<()> {
    std::fs::copy(from, to)?;
    // Without its note, SQLite's view of a damaged journal is accepted.
    let files: &[&str] = if journal == Journal::Whole { &["-wal", "-commits"] } else { &["-wal"] };
    for suffix in files {
        match std::fs::copy(beside(&link_target(from), suffix), beside(to, suffix)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

async fn replace(
    source: &Path,
    target: &Path,
    journal: Journal,
    entropy: &dyn Entropy,
) -> StoreResult<Option<PathBuf>> {
    let refused = |cause: String| StoreError::Backup { path: source.to_owned(), cause };
    let read_failed = |error: std::io::Error| refused(format!("cannot be installed: {error}"));
    let copy = beside(target, ".restored");
    remove_database(&copy).map_err(read_failed)?;
    copy_database(source, &copy, journal).map_err(|error| refused(format!("cannot be read: {error}")))?;
    let sound = async {
        if journal == Journal::Whole {
            check_journal(&copy)?;
        }
        check_owner(&copy).await?;
        let pool = pool_of(&copy, options(&copy), 1).await?;
        if journal == Journal::Damaged {
            // Pages may belong to commits after the damage.
            check(&copy, &pool, "PRAGMA integrity_check(1)").await?;
        }
        check_and_migrate(&copy, &pool).await?;
        // Positions issued after the backup must not be mistaken for its own.
        sqlx::query("UPDATE remembered SET value = $1 WHERE name = 'epoch'")
            .bind(fresh_epoch(entropy))
            .execute(&pool)
            .await?;
        numbers::skip(&pool, target).await?;
        pool.close().await;
        Ok::<_, StoreError>(())
    };
    if let Err(error) = sound.await {
        // Only the copy is removed. Its source is untouched.
        let _ = remove_database(&copy);
        return Err(refused(match error {
            StoreError::Foreign { .. } => "is not a channel store".to_owned(),
            error => format!("is damaged: {error}"),
        }));
    }
    std::fs::File::open(&copy).and_then(|file| file.sync_all()).map_err(read_failed)?;
    let replaced = set_aside(target, entropy).map_err(read_failed)?;
    std::fs::rename(&copy, target).map_err(read_failed)?;
    remove_database(&copy).map_err(read_failed)?;
    sync_folder_of(target).map_err(read_failed)?;
    Ok(replaced)
}

fn set_aside(target: &Path, entropy: &dyn Entropy) -> std::io::Result<Option<PathBuf>> {
    let moved_to = beside(target, &format!(".replaced-{:08x}", entropy.next_u64() >> 32));
    let was_there = exists(target);
    for suffix in FILES {
        let from = beside(target, suffix);
        if exists(&from) {
            std::fs::rename(from, beside(&moved_to, suffix))?;
        }
    }
    Ok(was_there.then_some(moved_to))
}

/// The target of a link. SQLite's journal is beside the target.
fn link_target(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Whether the path exists, even as a dangling link.
fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

fn remove_database(path: &Path) -> std::io::Result<()> {
    for suffix in FILES.into_iter().chain(["-journal"]) {
        match std::fs::remove_file(beside(path, suffix)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// A file's name is durable once its folder is synced.
fn sync_folder_of(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::File::open(folder)?.sync_all()
}

fn of_open(path: &Path, error: sqlx::Error) -> StoreError {
    let code = error.as_database_error().and_then(|error| error.code()).and_then(|code| code.parse::<i64>().ok());
    let path = path.to_owned();
    match code {
        // The low byte of an extended code is the primary code.
        Some(code) if DAMAGED_CODES.contains(&(code & 0xff)) => StoreError::Damaged { path, cause: error.to_string() },
        _ => StoreError::CannotOpen { path, cause: error.to_string() },
    }
}

fn of_migrate(path: &Path, error: MigrateError) -> StoreError {
    match error {
        MigrateError::VersionMissing(_) | MigrateError::VersionTooNew(..) => {
            StoreError::Newer { path: path.to_owned(), cause: error.to_string() }
        }
        MigrateError::Execute(error) => of_open(path, error),
        error => StoreError::CannotOpen { path: path.to_owned(), cause: error.to_string() },
    }
}
