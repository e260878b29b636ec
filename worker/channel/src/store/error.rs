//! What can be wrong with a store.

use std::path::PathBuf;

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

impl StoreError {
    /// A record that is not of its own shape.
    pub fn encoding(cause: impl ToString) -> Self {
        Self::Encoding(cause.to_string())
    }
}
