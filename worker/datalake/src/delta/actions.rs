//! The lines of a commit, as defined in `PROTOCOL.md` of Delta Lake. Actions that this worker does not use are ignored.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::error::DeltaError;

/// The reader protocol version. No table feature is used, so that every engine can read the table.
pub(crate) const READER_VERSION: i32 = 1;
pub(crate) const WRITER_VERSION: i32 = 2;

/// One line. Exactly one field is set.
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

/// Describes a commit. The id makes each commit's content unique.
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

/// A writer's progress: it does not commit the same or an earlier version again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Txn {
    pub(crate) app_id: String,
    pub(crate) version: i64,
    /// Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_updated: Option<i64>,
}

/// Adds a file to the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Add {
    /// Relative to the table's folder, percent-encoded.
    pub(crate) path: String,
    pub(crate) partition_values: BTreeMap<String, Option<String>>,
    pub(crate) size: i64,
    /// Unix milliseconds.
    pub(crate) modification_time: i64,
    /// False if the commit only moves rows between files.
    pub(crate) data_change: bool,
    /// JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stats: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tags: Option<BTreeMap<String, Option<String>>>,
}

/// Removes a file from the table.
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

pub(super) fn encoded(lines: &[Line]) -> Result<Bytes, DeltaError> {
    let mut text = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut text, line).map_err(|error| DeltaError::Unreadable(error.to_string()))?;
        text.push(b'\n');
    }
    Ok(text.into())
}

pub(super) fn decoded(bytes: &[u8]) -> Result<Vec<Line>, DeltaError> {
    bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty())
        .map(|line| serde_json::from_slice(line).map_err(|error| DeltaError::Unreadable(error.to_string())))
        .collect()
}
