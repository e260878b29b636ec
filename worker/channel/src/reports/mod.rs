//! Problem reports: what viewers chose to send, kept as files until they are too many, too large or too old (`OPS-5`).
//!
//! A report is two files of one name: `<id>.jsonl.gz` is the recorded action log, as the replayer takes it, and
//! `<id>.json` is [`KeptReport`], what stands beside it. The second one is written last and makes the report exist.

mod erasure;
mod files;
mod packing;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use touchline_protocol::ambient::{SharedClock, SharedEntropy};
use touchline_protocol::limits::Limit;
use touchline_protocol::reports::ProblemReport;
use touchline_protocol::time::rfc3339;
use uuid::Uuid;

pub use packing::{UNPACKED_LIMIT, Unpackable, read_log, unpack};

/// How much is kept.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    /// At most so many reports.
    pub count: usize,
    /// At most so many bytes in all.
    pub bytes: u64,
    /// At most so old, milliseconds.
    pub age_ms: u64,
}

/// The rows of the limits table.
pub(crate) fn limits() -> Vec<Limit> {
    let Retention { count, bytes, age_ms } = Retention::default();
    vec![
        Limit::count(
            "reports.kept",
            count as u64,
            "reports",
            "Problem reports that are kept; the oldest of the network that sent most goes first.",
        ),
        Limit::bytes("reports.bytes", bytes, "What they take on the disk."),
        Limit::millis("reports.age", age_ms, "How long one is kept."),
    ]
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
    /// Bytes of the log, unpacked.
    pub log_bytes: u64,
    /// Of which network it came, as a name that tells nothing else.
    #[serde(default)]
    pub network: String,
}

/// What is counted of a kept report.
#[derive(Debug)]
struct Held {
    id: Uuid,
    network: String,
    bytes: u64,
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
    /// What is there, the oldest first; locked while files come and go.
    held: Mutex<Vec<Held>>,
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
        let reports = Self(Arc::new(Desk { folder, retention, clock, entropy, held: Mutex::default() }));
        let mut ids = files::ids(&reports.0.folder)?;
        ids.sort_unstable();
        let mut held = reports.0.held.lock();
        *held = ids.into_iter().map(|id| reports.hold(id)).collect();
        reports.prune(&mut held)?;
        drop(held);
        Ok(reports)
    }

    /// Keeps a report that came from `network`. If there are too many now, the oldest of the network that sent most goes:
    /// who floods pushes out their own. The answer means that it is on disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub async fn keep(&self, report: ProblemReport, device: String, network: String) -> io::Result<KeptReport> {
        let reports = self.clone();
        tokio::task::spawn_blocking(move || reports.keep_now(report, device, network))
            .await
            .map_err(io::Error::other)?
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.0.folder
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
        let mut held = self.0.held.lock();
        let Some(id) = files::id_of(id).filter(|&id| self.facts_path(id).is_file()) else { return Ok(false) };
        self.remove_files(id)?;
        held.retain(|report| report.id != id);
        Ok(true)
    }

    fn keep_now(&self, report: ProblemReport, device: String, network: String) -> io::Result<KeptReport> {
        let id = self.0.entropy.uuid_v7(&*self.0.clock);
        let ProblemReport { note, page, log, request_ids } = report;
        let stored = KeptReport {
            id: id.to_string(),
            received_at: rfc3339(self.0.clock.now_ms()),
            device,
            note,
            page,
            request_ids,
            log_bytes: log.len() as u64,
            network,
        };
        let packed = packing::pack(log.as_bytes())?;
        let mut held = self.0.held.lock();
        files::write(&self.packed_log(id), &packed)?;
        files::write(&self.facts_path(id), &serde_json::to_vec(&stored)?)?;
        held.push(self.hold(id));
        self.prune(&mut held)?;
        Ok(stored)
    }

    /// What is counted of a report that is there.
    fn hold(&self, id: Uuid) -> Held {
        let bytes = files::size(&self.log_file(id)) + files::size(&self.facts_path(id));
        Held { id, network: self.read(id).map(|stored| stored.network).unwrap_or_default(), bytes }
    }

    /// Lets reports go until what stays is within the retention.
    fn prune(&self, held: &mut Vec<Held>) -> io::Result<()> {
        let eldest = self.0.clock.now_ms().saturating_sub_unsigned(self.0.retention.age_ms);
        let too_old = |report: &Held| i64::try_from(files::made_at_ms(report.id)).unwrap_or(i64::MAX) < eldest;
        while let Some(place) = held.iter().position(too_old).or_else(|| one_too_many(held, self.0.retention)) {
            self.remove_files(held[place].id)?;
            held.remove(place);
        }
        Ok(())
    }

    fn read(&self, id: Uuid) -> Option<KeptReport> {
        let path = self.facts_path(id);
        match std::fs::read(&path).map(|bytes| serde_json::from_slice(&bytes)) {
            Ok(Ok(stored)) => Some(stored),
            // Pruned meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => left_out(&path, &error),
            Ok(Err(error)) => left_out(&path, &error),
        }
    }

    /// The facts go first: a removal that is cut short leaves a log that is no report, which the next opening removes.
    fn remove_files(&self, id: Uuid) -> io::Result<()> {
        files::remove(&self.facts_path(id))?;
        files::remove(&self.packed_log(id))?;
        files::remove(&self.plain_log(id))
    }

    fn facts_path(&self, id: Uuid) -> PathBuf {
        self.0.folder.join(format!("{id}.{}", files::FACTS))
    }

    /// Where the log of a report is.
    fn log_file(&self, id: Uuid) -> PathBuf {
        let plain = self.plain_log(id);
        if plain.is_file() { plain } else { self.packed_log(id) }
    }

    fn packed_log(&self, id: Uuid) -> PathBuf {
        self.0.folder.join(format!("{id}.{}", files::LOG))
    }

    fn plain_log(&self, id: Uuid) -> PathBuf {
        self.0.folder.join(format!("{id}.{}", files::PLAIN_LOG))
    }
}

/// Which report goes first when they are too many or too large: the oldest of the network that has most of either.
fn one_too_many(held: &[Held], retention: Retention) -> Option<usize> {
    let too_large = held.iter().map(|report| report.bytes).sum::<u64>() > retention.bytes;
    if !too_large && held.len() <= retention.count {
        return None;
    }
    let mut shares: HashMap<&str, u64> = HashMap::new();
    for report in held {
        *shares.entry(&report.network).or_default() += if too_large { report.bytes } else { 1 };
    }
    let most = shares.values().max().copied()?;
    held.iter().position(|report| shares[report.network.as_str()] == most)
}

fn left_out(path: &Path, error: &dyn std::fmt::Display) -> Option<KeptReport> {
    tracing::warn!(file = %path.display(), %error, "a problem report cannot be read");
    None
}

#[cfg(test)]
mod tests;
