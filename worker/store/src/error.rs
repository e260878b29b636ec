//! Errors of a store.

use std::path::PathBuf;

/// SQLite's error codes for a disk that can't be written: `SQLITE_IOERR`, `SQLITE_FULL`, `SQLITE_CANTOPEN`.
const DISK_CODES: [i64; 3] = [10, 13, 14];

/// PostgreSQL's error code for a full disk.
const DISK_FULL: &str = "53100";
/// PostgreSQL's error codes and classes for a server that is stopping or starting, has no resources or connections
/// left, or aborted a transaction because of others.
const SERVER_CODES: [&str; 6] = ["08", "53", "57P", "58", "40001", "40P01"];

/// An error of a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file isn't a database or is damaged. It isn't changed.
    #[error("the channel store {} is damaged: {cause}; restore a backup with `touchline restore FILE`", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// The database's error message.
        cause: String,
    },
    /// Acknowledged commits are missing from the sound part of the journal. Nothing was changed.
    #[error(
        "the journal {} is damaged: {cause}; the store is sound up to {}; restore a backup with `touchline restore FILE`, or accept the loss with `touchline store accept-loss`, with the worker's `--data` and `--origin`",
        path.display(), sound_part(*sound)
    )]
    LostCommits {
        /// Path of the journal.
        path: PathBuf,
        /// Description of the damage.
        cause: String,
        /// The journal's frame that ends the last sound commit. 0 if only the database file is sound.
        sound: u32,
    },
    /// The file is another application's database, or empty. It isn't changed.
    #[error("{} is not a channel store; move it away or use another data folder", path.display())]
    Foreign {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file can't be opened, for example because of permissions, a full disk or a missing folder.
    #[error("the channel store {} cannot be opened: {cause}", path.display())]
    CannotOpen {
        /// Path of the file.
        path: PathBuf,
        /// The database's error message.
        cause: String,
    },
    /// The file was written by a newer version.
    #[error("the channel store {} was written by a newer version: {cause}", path.display())]
    Newer {
        /// Path of the file.
        path: PathBuf,
        /// The migrator's error message.
        cause: String,
    },
    /// The database's tables are missing, outdated, or belong to another application.
    #[error("the channel store {store} {cause}")]
    Unmigrated {
        /// The database.
        store: String,
        /// Description of the problem and its solution.
        cause: String,
    },
    /// The store can't be copied to another.
    #[error("the records were not copied: {0}")]
    Copy(String),
    /// A backup can't be written or read.
    #[error("the backup {} {cause}", path.display())]
    Backup {
        /// Path of the file.
        path: PathBuf,
        /// Description of the problem.
        cause: String,
    },
    /// The database rejected a statement.
    #[error("the channel store failed: {0}")]
    Database(#[from] sqlx::Error),
    /// The database is a promoted standby. New ids are issued once the feed has skipped those that may exist.
    #[error("the channel store is a promoted standby, and its ids are not skipped yet")]
    PromotedStandby,
    /// A record can't be decoded.
    #[error("a record of the channel store is invalid: {0}")]
    Encoding(String),
}

fn sound_part(frame: u32) -> String {
    match frame {
        0 => "its last checkpoint".to_owned(),
        frame => format!("the commit ending at frame {frame}"),
    }
}

impl StoreError {
    /// A record can't be decoded.
    pub fn encoding(cause: impl ToString) -> Self {
        Self::Encoding(cause.to_string())
    }

    /// Whether the database server was unreachable or out of connections. The call can be retried.
    pub fn is_server_unavailable(&self) -> bool {
        let Self::Database(error) = self else { return matches!(self, Self::PromotedStandby) };
        match error {
            sqlx::Error::Database(error) => error.code().is_some_and(|code| {
                code.len() == 5 && code != DISK_FULL && SERVER_CODES.iter().any(|class| code.starts_with(class))
            }),
            sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::Tls(_) => true,
            _ => false,
        }
    }

    /// Whether the write failed because the disk is full or failing, or the database server was unreachable. The write
    /// can be retried, and left nothing on a disk.
    pub fn is_storage_unavailable(&self) -> bool {
        let Self::Database(error) = self else { return matches!(self, Self::PromotedStandby) };
        match error {
            sqlx::Error::Database(error) => error.code().is_some_and(|code| {
                let primary = code.parse::<i64>().map(|code| code & 0xff);
                // PostgreSQL's codes have five characters.
                code.len() == 5 && SERVER_CODES.iter().any(|class| code.starts_with(class))
                    || primary.is_ok_and(|primary| code.len() < 5 && DISK_CODES.contains(&primary))
            }),
            sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::Tls(_) => true,
            _ => false,
        }
    }
}
