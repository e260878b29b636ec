//! Errors of reading or writing a table's log.

use arrow_schema::ArrowError;
use parquet::errors::ParquetError;

use super::store_error::explain;

/// Attempts to commit while other writers are faster.
pub(super) const MAX_ATTEMPTS: u32 = 200;

#[derive(Debug, thiserror::Error)]
pub(crate) enum DeltaError {
    #[error("{}", explain(.0))]
    Store(#[from] object_store::Error),
    #[error("the table's log: {0}")]
    Unreadable(String),
    #[error("the table's log was written by a newer program (reader {0}, writer {1})")]
    Newer(i32, i32),
    #[error("{0}")]
    Other(String),
    #[error("could not commit to the table's log: {MAX_ATTEMPTS} other commits came first")]
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
