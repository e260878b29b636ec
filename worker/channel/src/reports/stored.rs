//! Reports on disk. Reading them changes nothing, so that a stopped worker's can be read too.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use touchline_protocol::reports::SessionSummary;
use uuid::Uuid;

use super::files;

/// Facts about a report's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredReport {
    /// Id for support, shown to the viewer; also the name of the files.
    pub id: String,
    /// Time of arrival, RFC 3339 in UTC.
    pub received_at: String,
    /// Key of the channel; empty in reports of earlier builds.
    #[serde(default)]
    pub channel: String,
    /// The browser's user agent.
    pub device: String,
    /// The viewer's description.
    pub note: String,
    /// The page's path.
    pub page: String,
    /// Latest request ids, newest first; they refer to traces.
    pub request_ids: Vec<String>,
    /// Size of the unpacked log in bytes.
    pub log_bytes: u64,
    /// Summary of the log, as the page made it or, in its absence, `make sessions`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<SessionSummary>,
    /// Pseudonym of the sender's network.
    #[serde(default)]
    pub network: String,
}

impl StoredReport {
    /// The build that recorded the log.
    pub fn build(&self) -> &str {
        self.summary.as_ref().map_or(UNKNOWN, |summary| &summary.build)
    }

    /// The site's language.
    pub fn language(&self) -> &str {
        self.summary.as_ref().map_or(UNKNOWN, |summary| &summary.language)
    }
}

/// Stands for the facts of a report without a summary.
const UNKNOWN: &str = "unknown";

/// A folder of reports.
#[derive(Debug, Clone)]
pub struct ReportFolder(PathBuf);

impl ReportFolder {
    /// The folder at a path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The wanted reports, newest first. Damaged ones are skipped and logged.
    ///
    /// # Errors
    /// Fails when the folder cannot be read.
    pub fn list(&self, is_wanted: impl Fn(&StoredReport) -> bool) -> io::Result<Vec<StoredReport>> {
        let mut ids = files::ids(&self.0)?;
        ids.sort_unstable_by(|one, other| other.cmp(one));
        Ok(ids.into_iter().filter_map(|id| self.read(id)).filter(is_wanted).collect())
    }

    /// The facts about a report, if it exists.
    pub fn get(&self, id: &str) -> Option<StoredReport> {
        self.read(files::id_of(id)?)
    }

    /// The file of a report's log, for the replayer, if the report exists.
    pub fn log_path(&self, id: &str) -> Option<PathBuf> {
        let id = files::id_of(id)?;
        self.facts_path(id).is_file().then(|| self.log_file(id))
    }

    pub(super) fn read(&self, id: Uuid) -> Option<StoredReport> {
        let path = self.facts_path(id);
        match std::fs::read(&path).map(|bytes| serde_json::from_slice(&bytes)) {
            Ok(Ok(stored)) => Some(stored),
            // The report was pruned.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => skip(&path, &error),
            Ok(Err(error)) => skip(&path, &error),
        }
    }

    pub(super) fn facts_path(&self, id: Uuid) -> PathBuf {
        self.0.join(format!("{id}.{}", files::FACTS))
    }

    pub(super) fn log_file(&self, id: Uuid) -> PathBuf {
        let plain = self.plain_log(id);
        if plain.is_file() { plain } else { self.compressed_log(id) }
    }

    pub(super) fn compressed_log(&self, id: Uuid) -> PathBuf {
        self.0.join(format!("{id}.{}", files::LOG))
    }

    pub(super) fn plain_log(&self, id: Uuid) -> PathBuf {
        self.0.join(format!("{id}.{}", files::PLAIN_LOG))
    }
}

fn skip(path: &Path, error: &dyn std::fmt::Display) -> Option<StoredReport> {
    tracing::warn!(file = %path.display(), %error, "cannot read a problem report");
    None
}
