//! What keeps a table's log from being read or written.

use arrow_schema::ArrowError;
use parquet::errors::ParquetError;

use super::store_error::explained;

/// How often a commit that was not first is made anew.
pub(super) const TRIES: u32 = 200;

/// What keeps a table's log from being read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DeltaError {
    #[error("{}", explained(.0))]
    Store(#[from] object_store::Error),
    #[error("the table's log: {0}")]
    Unreadable(String),
    #[error("the table's log: a newer program wrote it (reader {0}, writer {1})")]
    Newer(i32, i32),
    #[error("{0}")]
    Other(String),
    #[error("the table's log: {TRIES} other commits came first")]
    Contended,
}

impl From<ParquetError> for DeltaError {
    fn from(error: ParquetError) -> Self {
        Self::Unreadable(error.to_string())
    }
}

impl From<ArrowError> for DeltaError {
    fn from(error: ArrowError) -> Self {
        Self::Unreadable(error.to_string())
    }
}
