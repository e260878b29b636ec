//! What can be wrong with a store.

use std::path::PathBuf;

/// SQLite's own codes for a disk that cannot be written: `SQLITE_IOERR`, `SQLITE_FULL`, `SQLITE_CANTOPEN`.
const DISK_CODES: [i64; 3] = [10, 13, 14];

/// PostgreSQL's code for a full disk.
const DISK_FULL: &str = "53100";
/// PostgreSQL's own codes for a server that stops or starts, has no room or no connection left, or gave up on a
/// transaction for the sake of others.
const SERVER_CODES: [&str; 6] = ["08", "53", "57P", "58", "40001", "40P01"];

/// What can be wrong with a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file is no database, or is damaged. It is left as it is.
    #[error("the channel store {} is damaged: {cause}; restore a backup with `touchline restore FILE`", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the database says.
        cause: String,
    },
    /// Commits that were answered are missing from the sound part of the journal. Nothing was changed.
    #[error(
        "the journal {} is damaged: {cause}; the store is sound up to {}; restore a backup with `touchline restore FILE`, or go on without what is lost with `touchline store accept-loss`",
        path.display(), sound_part(*sound)
    )]
    LostCommits {
        /// The journal.
        path: PathBuf,
        /// The fault.
        cause: String,
        /// The journal's frame that ends the last sound commit; 0 for what the store's own file has.
        sound: u32,
    },
    /// The file is a database of somebody else's, or an empty one. It is left as it is.
    #[error("{} is no channel store: it has none of its tables; move it away, or name another data folder", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be opened: permissions, a full disk, a missing folder.
    #[error("the channel store {} cannot be opened: {cause}", path.display())]
    Unopened {
        /// The file.
        path: PathBuf,
        /// What the database says.
        cause: String,
    },
    /// The file was written by a newer worker.
    #[error("the channel store {} was written by a newer version: {cause}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// What the migrator says.
        cause: String,
    },
    /// A database whose tables are missing, older, or somebody else's.
    #[error("the channel store {store} {cause}")]
    Unmigrated {
        /// The database.
        store: String,
        /// What it is, and what to do.
        cause: String,
    },
    /// A store that cannot be copied into another.
    #[error("the records were not copied: {0}")]
    Copy(String),
    /// A backup that cannot be written or read.
    #[error("the backup {} {cause}", path.display())]
    Backup {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
    /// The database refused a statement.
    #[error("the channel store failed: {0}")]
    Database(#[from] sqlx::Error),
    /// A record that is not of its own shape.
    #[error("a record of the channel store cannot be read or written: {0}")]
    Encoding(String),
}

fn sound_part(frame: u32) -> String {
    match frame {
        0 => "its last checkpoint".to_owned(),
        frame => format!("the commit that ends at frame {frame}"),
    }
}

impl StoreError {
    /// A record that is not of its own shape.
    pub fn encoding(cause: impl ToString) -> Self {
        Self::Encoding(cause.to_string())
    }

    /// Whether the database's server was not there, or had no connection left: the same call is worth trying again.
    pub fn is_of_the_server(&self) -> bool {
        let Self::Database(error) = self else { return false };
        match error {
            sqlx::Error::Database(error) => error.code().is_some_and(|code| {
                code.len() == 5 && code != DISK_FULL && SERVER_CODES.iter().any(|class| code.starts_with(class))
            }),
            sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::Tls(_) => true,
            _ => false,
        }
    }

    /// Whether the disk could not take a write, being full or failing, or the database's server was not there: the same
    /// write is worth trying again. On a disk nothing of it is there.
    pub fn is_of_the_disk(&self) -> bool {
        let Self::Database(error) = self else { return false };
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
