//! A table's log in the Delta format, so that any engine can read the table. It lists the table's Parquet files, now
//! and at each earlier version.
//!
//! | module | content |
//! |---|---|
//! | [`actions`] | the lines of a commit |
//! | [`snapshot`] | the state of a table at one version |
//! | [`log`] | reading and committing |
//! | [`files`] | the log's files: their names, and which are needed |
//! | [`checkpoint`] | a snapshot as one Parquet file, so that readers need not read all commits |
//! | [`stats`] | statistics of a file, for readers to skip it |
//! | [`store_error`] | store errors explained to the operator |

pub(crate) mod actions;
mod checkpoint;
mod error;
mod files;
pub(crate) mod log;
pub(crate) mod snapshot;
pub(crate) mod stats;
mod store_error;

pub(crate) use actions::Add;
pub(crate) use error::DeltaError;
pub(crate) use log::{Change, DeltaLog};
pub(crate) use snapshot::{RETENTION_MS, Snapshot};
