//! The state of a table at one version, folded from its log.

use std::collections::{BTreeMap, HashMap};

use super::actions::{Add, Line, MetaData, Protocol, READER_VERSION, Remove, Txn, WRITER_VERSION};
use super::error::DeltaError;

/// Time for which a removed file stays in the log and on disk for readers of earlier versions, milliseconds.
pub(crate) const RETENTION_MS: i64 = 7 * 24 * 60 * 60 * 1000;
/// Time for which a writer's progress is remembered, milliseconds. A batch can wait that long.
const TXN_RETENTION_MS: i64 = 180 * 24 * 60 * 60 * 1000;

/// A table at one version.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    /// `None` before the first commit.
    pub(crate) version: Option<u64>,
    pub(crate) protocol: Option<Protocol>,
    pub(crate) meta_data: Option<MetaData>,
    /// The table's files, by path.
    pub(crate) files: BTreeMap<String, Add>,
    /// Removed files with their removal time, Unix milliseconds.
    pub(crate) removed: HashMap<Box<str>, i64>,
    /// Each writer's progress and its time, Unix milliseconds.
    txns: BTreeMap<String, (i64, i64)>,
}

impl Snapshot {
    /// The version of the next commit.
    pub(crate) fn next(&self) -> u64 {
        self.version.map_or(0, |version| version + 1)
    }

    /// Whether `writer` committed `version` or a later one.
    pub(crate) fn has(&self, writer: &str, version: i64) -> bool {
        self.txns.get(writer).is_some_and(|(latest, _)| *latest >= version)
    }

    /// Applies the lines of the commit or checkpoint `version`.
    pub(crate) fn fold(&mut self, version: u64, lines: Vec<Line>) -> Result<(), DeltaError> {
        for line in lines {
            if let Some(protocol) = line.protocol {
                if protocol.min_reader_version > READER_VERSION || protocol.min_writer_version > WRITER_VERSION {
                    return Err(DeltaError::Newer(protocol.min_reader_version, protocol.min_writer_version));
                }
                self.protocol = Some(protocol);
            }
            if let Some(meta_data) = line.meta_data {
                self.meta_data = Some(meta_data);
            }
            if let Some(Txn { app_id, version, last_updated }) = line.txn {
                self.txns.insert(app_id, (version, last_updated.unwrap_or(0)));
            }
            if let Some(Remove { path, deletion_timestamp, .. }) = line.remove {
                self.files.remove(&path);
                self.removed.insert(path.into(), deletion_timestamp.unwrap_or(0));
            }
            if let Some(add) = line.add {
                self.removed.remove(&*add.path);
                self.files.insert(add.path.clone(), add);
            }
        }
        self.version = Some(version);
        Ok(())
    }

    /// Drops removed files and writers after their retention time.
    pub(crate) fn forget_old(&mut self, now_ms: i64) {
        self.removed.retain(|_, removed_ms| now_ms - *removed_ms < RETENTION_MS);
        self.txns.retain(|_, (_, updated_ms)| now_ms - *updated_ms < TXN_RETENTION_MS);
    }

    /// The lines of a checkpoint.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Line> + '_ {
        let protocol =
            self.protocol.iter().map(|protocol| Line { protocol: Some(protocol.clone()), ..Line::default() });
        let meta_data =
            self.meta_data.iter().map(|meta_data| Line { meta_data: Some(meta_data.clone()), ..Line::default() });
        let txns = self.txns.iter().map(|(app_id, (version, updated_ms))| {
            let txn = Txn { app_id: app_id.clone(), version: *version, last_updated: Some(*updated_ms) };
            Line { txn: Some(txn), ..Line::default() }
        });
        let removed = self.removed.iter().map(|(path, removed_ms)| {
            let remove = Remove { path: path.to_string(), deletion_timestamp: Some(*removed_ms), data_change: false };
            Line { remove: Some(remove), ..Line::default() }
        });
        let files = self.files.values().map(|add| {
            let add = Add { data_change: false, ..add.clone() };
            Line { add: Some(add), ..Line::default() }
        });
        protocol.chain(meta_data).chain(txns).chain(removed).chain(files)
    }
}
