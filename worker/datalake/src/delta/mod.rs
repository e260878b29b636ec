//! A table's log after the Delta protocol, so that every engine reads the table as a table: which Parquet files are of
//! it now, and which were at each version before.
//!
//! | module | what |
//! |---|---|
//! | [`actions`] | the lines of a commit, and what their file has |
//! | [`snapshot`] | what the lines amount to |
//! | [`log`] | reading and committing |
//! | [`files`] | the log's files: their names, and which are needed |
//! | [`checkpoint`] | the whole as one Parquet file, so that nobody reads all commits |
//! | [`stats`] | what of a file's values a reader may know without opening it |
//! | [`store_error`] | what a store's error means to who has set it up |

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
pub(crate) use snapshot::{KEPT_MS, Snapshot};
