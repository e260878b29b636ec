//! Opening, checking and replacing the file. What is damaged is never written over.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection, SqlitePool};
use touchline_protocol::ambient::Entropy;

use super::note::{Note, Noted};
use super::{journal, maintenance};
use crate::{StoreError, StoreResult};

static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

/// SQLite's own codes for a file that is damaged (`SQLITE_CORRUPT`) or no database (`SQLITE_NOTADB`).
const DAMAGED_CODES: [i64; 2] = [11, 26];

/// Names of a store's files after its own: the file, its journal, the journal's index, the note of its last commit.
const FILES: [&str; 4] = ["", "-wal", "-shm", "-commits"];

/// Makes the file under another name and moves it into place when it is whole, so that an empty file of this name is
/// always a damaged one.
pub(super) async fn create_if_missing(path: &Path) -> StoreResult<()> {
    let unopened = |error: std::io::Error| unopened(path, &error);
    match std::fs::metadata(path) {
        Ok(file) if file.len() == 0 => {
            return Err(StoreError::Damaged { path: path.to_owned(), cause: "the file is empty".to_owned() });
        }
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(unopened(error)),
    }
    if is_there(path) {
        // Its disk may not be mounted yet: a fresh store in its place would hide the records.
        return Err(unopened(std::io::Error::other("it is a link to a file that is not there")));
    }
    for (suffix, name) in [("-wal", "journal"), ("-commits", "note of commits")] {
        if beside(path, suffix).exists() {
            let cause = format!("its {name} is there and the file itself is not");
            return Err(StoreError::Damaged { path: path.to_owned(), cause });
        }
    }
    let begun = beside(path, ".begun");
    remove_database(&begun).map_err(unopened)?;
    let pool = pool_of(path, options(&begun).create_if_missing(true), 1).await?;
    MIGRATIONS.run(&pool).await.map_err(|error| of_migrate(path, error))?;
    pool.close().await;
    std::fs::File::open(&begun).and_then(|file| file.sync_all()).map_err(unopened)?;
    std::fs::rename(&begun, path).map_err(unopened)?;
    sync_folder_of(path).map_err(unopened)
}

/// An error of reading or writing beside the store.
pub(super) fn unopened(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Unopened { path: path.to_owned(), cause: error.to_string() }
}

/// Sees that the journal has every commit that it ever had, without changing anything. SQLite must not open it before:
/// it would drop what is behind a bad frame, and write over it.
pub(super) fn check_journal(path: &Path) -> StoreResult<()> {
    let file = linked(path);
    let wal = beside(&file, "-wal");
    let read = || journal::damage(&file, &wal, Noted::read(&beside(&file, "-commits"))?.as_ref());
    match read().map_err(|error| unopened(path, &error))? {
        None => Ok(()),
        Some(journal::Damage { cause, sound }) => Err(StoreError::LostCommits { path: wal, cause, sound }),
    }
}

/// The note of a store that is open.
fn note(path: &Path) -> StoreResult<Note> {
    let file = linked(path);
    let open = || {
        let note = beside(&file, "-commits");
        let is_new = !note.exists();
        let (index, journal) = (beside(&file, "-shm"), beside(&file, "-wal"));
        let opened = Note::open(&note, &index, &journal, journal::page_bytes_of(&file)?)?;
        if is_new {
            sync_folder_of(&file)?;
        }
        Ok(opened)
    };
    open().map_err(|error| unopened(path, &error))
}

/// Brings the journal into the file, and cuts it to nothing if `truncates`: then readers are waited for. Says whether
/// all of it was.
pub(super) async fn checkpoint(pool: &SqlitePool, note: &Note, truncates: bool) -> StoreResult<bool> {
    let copy = if truncates { "PRAGMA wal_checkpoint(FULL)" } else { "PRAGMA wal_checkpoint(PASSIVE)" };
    let (busy, frames, copied): (i64, i64, i64) = sqlx::query_as(copy).fetch_one(pool).await?;
    if busy != 0 || frames != copied {
        return Ok(false);
    }
    // From here on the journal may be written over.
    note.clear().map_err(sqlx::Error::Io)?;
    if !truncates {
        return Ok(true);
    }
    let (busy, _, _): (i64, i64, i64) = sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(pool).await?;
    Ok(busy == 0)
}

/// Sees that the file holds a store, without changing anything in it.
pub(super) async fn check_whose(path: &Path) -> StoreResult<()> {
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

/// Connections to a file that is there.
pub(super) async fn pool(path: &Path, connections: u32, read_only: bool) -> StoreResult<SqlitePool> {
    let options = options(path);
    // A reader of a WAL file needs its shared memory, so it is opened for writing and told not to.
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

/// Whether the next one may have a connection. After a full disk or a failed write SQLite rolls a transaction back by
/// itself; the rollback that follows fails, and the connection counts as within a transaction for ever: it is closed.
async fn is_reusable(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    // A rollback on drop is queued before this.
    connection.ping().await?;
    let reusable = !connection.is_in_transaction();
    if !reusable {
        tracing::debug!("a connection of the store whose transaction did not end is closed");
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
        // What is deleted or written over is gone from the file, not only from its tables: people can be erased.
        .pragma("secure_delete", "ON")
}

/// Sees that the file is sound and brings its tables up to this version.
pub(super) async fn check_and_migrate(path: &Path, pool: &SqlitePool) -> StoreResult<Note> {
    check(path, pool, "PRAGMA quick_check(1)").await?;
    let note = note(path)?;
    // A torn transaction at the journal's end must not be followed by others in the same run of frames.
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

/// What a run of positions is called; see [`super::super::Statuses::epoch`].
pub(super) fn fresh_epoch(entropy: &dyn Entropy) -> String {
    format!("{:016x}", entropy.next_u64())
}

/// The store's own secret for the hashes of addresses, made when it has none.
pub(super) async fn address_secret(pool: &SqlitePool, entropy: &dyn Entropy) -> StoreResult<[u8; 32]> {
    let mut bytes = [0; 32];
    entropy.fill(&mut bytes);
    let stored = maintenance::remembered(pool, "address_secret", &hex::encode(bytes)).await?;
    hex::decode_to_slice(&stored, &mut bytes).map_err(StoreError::encoding)?;
    Ok(bytes)
}

/// Puts a backup in the place of a store that nobody has open. The file that was there is kept beside it, under the
/// name that is given back.
///
/// # Errors
/// [`StoreError::Backup`] for a backup that is not there or not sound; then nothing was changed.
pub async fn restore(backup: &Path, target: &Path, entropy: &dyn Entropy) -> StoreResult<Option<PathBuf>> {
    replace(backup, target, Journal::Whole, entropy).await
}

/// Puts the sound part of a store whose journal lost commits in its place; nobody has it open. The damaged files are
/// kept beside it, under the name that is given back.
///
/// # Errors
/// [`StoreError::Backup`] for a store whose sound part does not agree with itself; then nothing was changed.
pub async fn accept_loss(target: &Path, entropy: &dyn Entropy) -> StoreResult<Option<PathBuf>> {
    replace(target, target, Journal::Damaged, entropy).await
}

/// Copies the sound part of a store whose journal lost commits to a file in `folder`, which is empty.
///
/// # Errors
/// [`StoreError::Unopened`] where there is no room for it.
pub async fn sound_part(path: &Path, folder: &Path) -> StoreResult<PathBuf> {
    let copy = folder.join("sound.sqlite");
    copy_database(path, &copy, Journal::Damaged).map_err(|error| unopened(&copy, &error))?;
    // SQLite brings into the file what it sees of the journal, and drops the rest.
    check_whose(&copy).await?;
    Ok(copy)
}

/// Journal that comes with a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Journal {
    /// All of its commits.
    Whole,
    /// Those before its damage.
    Damaged,
}

fn copy_database(from: &Path, to: &Path, journal: Journal) -> std::io::Result<()> {
    std::fs::copy(from, to)?;
    // Without its note a damaged journal is what SQLite takes it for.
    let files: &[&str] = if journal == Journal::Whole { &["-wal", "-commits"] } else { &["-wal"] };
    for suffix in files {
        match std::fs::copy(beside(&linked(from), suffix), beside(to, suffix)) {
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
    let unread = |error: std::io::Error| refused(format!("cannot be put in place: {error}"));
    let copy = beside(target, ".restored");
    remove_database(&copy).map_err(unread)?;
    copy_database(source, &copy, journal).map_err(|error| refused(format!("cannot be read: {error}")))?;
    let sound = async {
        if journal == Journal::Whole {
            check_journal(&copy)?;
        }
        check_whose(&copy).await?;
        let pool = pool_of(&copy, options(&copy), 1).await?;
        if journal == Journal::Damaged {
            // Pages may be of commits behind the damage.
            check(&copy, &pool, "PRAGMA integrity_check(1)").await?;
        }
        check_and_migrate(&copy, &pool).await?;
        // The positions that were given after the backup must not be taken for its own.
        sqlx::query("UPDATE remembered SET value = $1 WHERE name = 'epoch'")
            .bind(fresh_epoch(entropy))
            .execute(&pool)
            .await?;
        pool.close().await;
        Ok::<_, StoreError>(())
    };
    if let Err(error) = sound.await {
        // The copy is ours; what it was made from is untouched.
        let _ = remove_database(&copy);
        return Err(refused(match error {
            StoreError::Foreign { .. } => "is no channel store: it has none of its tables".to_owned(),
            error => format!("is not sound: {error}"),
        }));
    }
    std::fs::File::open(&copy).and_then(|file| file.sync_all()).map_err(unread)?;
    let replaced = set_aside(target, entropy).map_err(unread)?;
    std::fs::rename(&copy, target).map_err(unread)?;
    remove_database(&copy).map_err(unread)?;
    sync_folder_of(target).map_err(unread)?;
    Ok(replaced)
}

fn set_aside(target: &Path, entropy: &dyn Entropy) -> std::io::Result<Option<PathBuf>> {
    let aside = beside(target, &format!(".replaced-{:08x}", entropy.next_u64() >> 32));
    let was_there = is_there(target);
    for suffix in FILES {
        let from = beside(target, suffix);
        if is_there(&from) {
            std::fs::rename(from, beside(&aside, suffix))?;
        }
    }
    Ok(was_there.then_some(aside))
}

/// The file that a link leads to: SQLite has the journal beside that one.
fn linked(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Whether something has this name, be it a link to nothing.
fn is_there(path: &Path) -> bool {
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

/// A file's name is durable when its folder is.
fn sync_folder_of(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::File::open(folder)?.sync_all()
}

fn of_open(path: &Path, error: sqlx::Error) -> StoreError {
    let code = error.as_database_error().and_then(|error| error.code()).and_then(|code| code.parse::<i64>().ok());
    let path = path.to_owned();
    match code {
        // The low byte of an extended code is the code.
        Some(code) if DAMAGED_CODES.contains(&(code & 0xff)) => StoreError::Damaged { path, cause: error.to_string() },
        _ => StoreError::Unopened { path, cause: error.to_string() },
    }
}

fn of_migrate(path: &Path, error: MigrateError) -> StoreError {
    match error {
        MigrateError::VersionMissing(_) | MigrateError::VersionTooNew(..) => {
            StoreError::Newer { path: path.to_owned(), cause: error.to_string() }
        }
        MigrateError::Execute(error) => of_open(path, error),
        error => StoreError::Unopened { path: path.to_owned(), cause: error.to_string() },
    }
}
