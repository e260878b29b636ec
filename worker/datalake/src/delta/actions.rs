//! The lines of a commit, as `PROTOCOL.md` of Delta Lake has them. What this worker does not use is not read.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::error::DeltaError;

/// The protocol that a reader must know; no table feature is used, so that every engine reads it.
pub(crate) const READER_VERSION: i32 = 1;
/// The protocol that a writer must know.
pub(crate) const WRITER_VERSION: i32 = 2;

/// One line: one of its fields is there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Line {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) commit_info: Option<CommitInfo>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) protocol: Option<Protocol>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) meta_data: Option<MetaData>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) txn: Option<Txn>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) remove: Option<Remove>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) add: Option<Add>,
}

/// Who committed, and what for. It tells two commits apart whatever else they say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
pub(crate) struct CommitInfo {
    /// Unix milliseconds.
    pub(crate) timestamp: i64,
    /// `CREATE TABLE`, `WRITE`, `OPTIMIZE` or `UPDATE`.
    pub(crate) operation: String,
    pub(crate) engine_info: String,
    /// Unique.
    pub(crate) txn_id: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Protocol {
    pub(crate) min_reader_version: i32,
    pub(crate) min_writer_version: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MetaData {
    pub(crate) id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    pub(crate) format: Format,
    /// The columns, as JSON.
    pub(crate) schema_string: String,
    pub(crate) partition_columns: Vec<String>,
    #[serde(default)]
    pub(crate) configuration: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) created_time: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Format {
    pub(crate) provider: String,
    #[serde(default)]
    pub(crate) options: BTreeMap<String, String>,
}

/// How far a writer is: what it commits again under the same or an earlier version is there already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Txn {
    pub(crate) app_id: String,
    pub(crate) version: i64,
    /// Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_updated: Option<i64>,
}

/// A file is of the table from here on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Add {
    /// Below the table's folder, percent-encoded.
    pub(crate) path: String,
    pub(crate) partition_values: BTreeMap<String, Option<String>>,
    pub(crate) size: i64,
    /// Unix milliseconds.
    pub(crate) modification_time: i64,
    /// False where the same rows stand in other files now.
    pub(crate) data_change: bool,
    /// JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stats: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tags: Option<BTreeMap<String, Option<String>>>,
}

/// A file is no longer of the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Remove {
    pub(crate) path: String,
    /// Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) deletion_timestamp: Option<i64>,
    #[serde(default)]
    pub(crate) data_change: bool,
}

/// The lines of a commit as its file has them.
pub(super) fn encoded(lines: &[Line]) -> Result<Bytes, DeltaError> {
    let mut text = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut text, line).map_err(|error| DeltaError::Unreadable(error.to_string()))?;
        text.push(b'\n');
    }
    Ok(text.into())
}

/// The lines of a file.
pub(super) fn decoded(bytes: &[u8]) -> Result<Vec<Line>, DeltaError> {
    bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty())
        .map(|line| serde_json::from_slice(line).map_err(|error| DeltaError::Unreadable(error.to_string())))
        .collect()
}
