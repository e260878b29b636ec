//! Problem reports: what viewers chose to send, kept as files until they are too many, too large or too old (`OPS-5`).
//!
//! A report is two files of one name: `<id>.jsonl` is the recorded action log, as the replayer takes it, and `<id>.json`
//! is [`KeptReport`], what stands beside it. The second one is written last and makes the report exist.

mod files;
mod route;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use touchline_protocol::ambient::{SharedClock, SharedEntropy};
use touchline_protocol::reports::ProblemReport;
use uuid::Uuid;

use crate::http::rfc3339;
pub use route::router;

/// How much is kept. The oldest reports go first.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    /// At most so many reports.
    pub count: usize,
    /// At most so many bytes in all.
    pub bytes: u64,
    /// At most so old, milliseconds.
    pub age_ms: u64,
}

impl Default for Retention {
    /// 500 reports, 256 MiB, 90 days.
    fn default() -> Self {
        Self { count: 500, bytes: 256 << 20, age_ms: 90 * 24 * 3_600_000 }
    }
}

/// What stands beside the log of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptReport {
    /// What the viewer was given to tell to support; the name of its files.
    pub id: String,
    /// When it came, RFC 3339 UTC.
    pub received_at: String,
    /// What the viewer's browser calls itself.
    pub device: String,
    /// What the viewer wrote.
    pub note: String,
    /// The page's path.
    pub page: String,
    /// The last request ids, newest first; they lead into the traces.
    pub request_ids: Vec<String>,
    /// Bytes of the log.
    pub log_bytes: u64,
}

/// The kept reports; cheap to clone.
#[derive(Debug, Clone)]
pub struct Reports(Arc<Desk>);

#[derive(Debug)]
struct Desk {
    folder: PathBuf,
    retention: Retention,
    clock: SharedClock,
    entropy: SharedEntropy,
    /// Held while files come and go, so that what is counted is what is there.
    writing: Mutex<()>,
}

impl Reports {
    /// The reports in `folder`, which is made if it is not there. What a crash left half-written is removed.
    ///
    /// # Errors
    /// When the folder cannot be made, read or cleaned; the error names it.
    pub fn open(
        folder: impl Into<PathBuf>,
        retention: Retention,
        clock: SharedClock,
        entropy: SharedEntropy,
    ) -> io::Result<Self> {
        let folder = folder.into();
        files::prepare(&folder)?;
        let reports = Self(Arc::new(Desk { folder, retention, clock, entropy, writing: Mutex::new(()) }));
        reports.prune()?;
        Ok(reports)
    }

    /// Keeps a report, and lets the oldest go if there are too many now. The answer means that it is on disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub async fn keep(&self, report: ProblemReport, device: String) -> io::Result<KeptReport> {
        let reports = self.clone();
        tokio::task::spawn_blocking(move || reports.keep_now(report, device)).await.map_err(io::Error::other)?
    }

    /// All reports, newest first. One whose file is damaged is left out and logged.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> io::Result<Vec<KeptReport>> {
        let mut ids = files::ids(&self.0.folder)?;
        ids.sort_unstable_by(|one, other| other.cmp(one));
        Ok(ids.into_iter().filter_map(|id| self.read(id)).collect())
    }

    /// What stands beside the log of a report; nothing if there is no such report.
    pub fn kept(&self, id: &str) -> Option<KeptReport> {
        self.read(files::id_of(id)?)
    }

    /// The file of a report's log, as the replayer takes it; nothing if there is no such report.
    pub fn log_path(&self, id: &str) -> Option<PathBuf> {
        let id = files::id_of(id)?;
        self.facts_path(id).is_file().then(|| self.log_file(id))
    }

    /// Removes a report; whether there was one.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, id: &str) -> io::Result<bool> {
        let _writing = self.0.writing.lock();
        let Some(id) = files::id_of(id).filter(|&id| self.facts_path(id).is_file()) else { return Ok(false) };
        self.remove_files(id)?;
        Ok(true)
    }

    fn keep_now(&self, report: ProblemReport, device: String) -> io::Result<KeptReport> {
        let _writing = self.0.writing.lock();
        let id = self.0.entropy.uuid_v7(&*self.0.clock);
        let ProblemReport { note, page, log, request_ids } = report;
        let kept = KeptReport {
            id: id.to_string(),
            received_at: rfc3339(self.0.clock.now_ms()),
            device,
            note,
            page,
            request_ids,
            log_bytes: log.len() as u64,
        };
        files::write(&self.log_file(id), log.as_bytes())?;
        files::write(&self.facts_path(id), &serde_json::to_vec(&kept)?)?;
        self.prune_held()?;
        Ok(kept)
    }

    fn prune(&self) -> io::Result<()> {
        let _writing = self.0.writing.lock();
        self.prune_held()
    }

    /// Lets the oldest reports go until what stays is within the retention.
    fn prune_held(&self) -> io::Result<()> {
        let Retention { count, bytes, age_ms } = self.0.retention;
        let eldest = self.0.clock.now_ms().saturating_sub_unsigned(age_ms);
        let mut ids = files::ids(&self.0.folder)?;
        ids.sort_unstable_by(|one, other| other.cmp(one));
        let mut held = 0;
        for (place, id) in ids.into_iter().enumerate() {
            held += files::size(&self.log_file(id)) + files::size(&self.facts_path(id));
            let told = i64::try_from(files::made_at_ms(id)).unwrap_or(i64::MAX);
            if place >= count || held > bytes || told < eldest {
                self.remove_files(id)?;
            }
        }
        Ok(())
    }

    fn read(&self, id: Uuid) -> Option<KeptReport> {
        let path = self.facts_path(id);
        match std::fs::read(&path).map(|bytes| serde_json::from_slice(&bytes)) {
            Ok(Ok(kept)) => Some(kept),
            // Pruned meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => left_out(&path, &error),
            Ok(Err(error)) => left_out(&path, &error),
        }
    }

    /// The facts go first: a removal that is cut short leaves a log that is no report, which the next opening removes.
    fn remove_files(&self, id: Uuid) -> io::Result<()> {
        files::remove(&self.facts_path(id))?;
        files::remove(&self.log_file(id))
    }

    fn facts_path(&self, id: Uuid) -> PathBuf {
        self.0.folder.join(format!("{id}.{}", files::FACTS))
    }

    fn log_file(&self, id: Uuid) -> PathBuf {
        self.0.folder.join(format!("{id}.{}", files::LOG))
    }
}

fn left_out(path: &Path, error: &dyn std::fmt::Display) -> Option<KeptReport> {
    tracing::warn!(file = %path.display(), %error, "a problem report cannot be read");
    None
}

#[cfg(test)]
mod tests;
