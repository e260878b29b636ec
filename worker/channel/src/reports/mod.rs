//! Problem reports that viewers chose to send, stored as files within limits of number, size and age (`OPS-5`).
//!
//! A report consists of two files with one name: `<id>.jsonl.gz` is the recorded action log for the replayer,
//! `<id>.json` is [`StoredReport`] with the facts about it. The facts are written last, and a report exists once they do.

mod erasure;
mod files;
mod filter;
mod packing;
mod stored;

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use touchline_protocol::ambient::{SharedClock, SharedEntropy};
use touchline_protocol::limits::Limit;
use touchline_protocol::reports::ProblemReport;
use touchline_protocol::time::rfc3339;
use uuid::Uuid;

pub use filter::{OutcomeFilter, ReportFilter};
pub use packing::{UNPACKED_LIMIT, read_log};
pub(crate) use packing::{UnpackError, unpack};
pub use stored::{ReportFolder, StoredReport};

/// The folder of the reports in the data folder.
pub const FOLDER: &str = "reports";

/// Limits of the stored reports.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Retention {
    pub(crate) count: usize,
    /// Total size.
    pub(crate) bytes: u64,
    pub(crate) age_ms: u64,
}

pub(crate) fn limits() -> Vec<Limit> {
    let Retention { count, bytes, age_ms } = Retention::default();
    vec![
        Limit::count(
            "reports.kept",
            count as u64,
            "reports",
            "Stored problem reports. The oldest of the network with the most is removed first.",
        ),
        Limit::bytes("reports.bytes", bytes, "Disk space of problem reports."),
        Limit::millis("reports.age", age_ms, "Retention of a problem report."),
    ]
}

impl Default for Retention {
    /// 500 reports, 256 MiB, 90 days.
    fn default() -> Self {
        Self { count: 500, bytes: 256 << 20, age_ms: 90 * 24 * 3_600_000 }
    }
}

/// The sender of a report.
#[derive(Debug, Clone, Default)]
pub struct Sender {
    /// Key of the channel.
    pub channel: String,
    /// The browser's user agent.
    pub device: String,
    /// Pseudonym of the network.
    pub network: String,
}

/// A report's entry in memory.
#[derive(Debug)]
struct Entry {
    id: Uuid,
    network: String,
    bytes: u64,
}

/// The stored reports; cheap to clone.
#[derive(Debug, Clone)]
pub struct Reports(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    folder: ReportFolder,
    retention: Retention,
    clock: SharedClock,
    entropy: SharedEntropy,
    /// Stored reports, oldest first; locked while files change.
    entries: Mutex<Vec<Entry>>,
}

impl Reports {
    /// Opens the reports in `folder`, which is created if necessary. Removes leftovers of a crash.
    ///
    /// # Errors
    /// Fails when the folder cannot be created, read or cleaned. The error names it.
    pub(crate) fn open(
        folder: impl Into<PathBuf>,
        retention: Retention,
        clock: SharedClock,
        entropy: SharedEntropy,
    ) -> io::Result<Self> {
        let folder = ReportFolder::new(folder);
        files::prepare(folder.path())?;
        let reports = Self(Arc::new(Inner { folder, retention, clock, entropy, entries: Mutex::default() }));
        let mut ids = files::ids(reports.0.folder.path())?;
        ids.sort_unstable();
        let mut entries = reports.0.entries.lock();
        *entries = ids.into_iter().map(|id| reports.entry_of(id)).collect();
        reports.prune(&mut entries)?;
        drop(entries);
        Ok(reports)
    }

    /// Stores a report. If a limit is exceeded, the oldest report of the largest network is removed, so that a flood
    /// displaces only itself. Returns once the report is on disk.
    ///
    /// # Errors
    /// Fails when the report cannot be written.
    pub async fn store(&self, report: ProblemReport, sender: Sender) -> io::Result<StoredReport> {
        let reports = self.clone();
        tokio::task::spawn_blocking(move || reports.store_blocking(report, sender)).await.map_err(io::Error::other)?
    }

    /// The reports on disk.
    pub fn stored(&self) -> &ReportFolder {
        &self.0.folder
    }

    /// Removes a report. Returns whether it existed.
    ///
    /// # Errors
    /// Fails when the report cannot be removed.
    pub fn remove(&self, id: &str) -> io::Result<bool> {
        let mut entries = self.0.entries.lock();
        let Some(id) = files::id_of(id).filter(|&id| self.0.folder.facts_path(id).is_file()) else { return Ok(false) };
        self.remove_files(id)?;
        entries.retain(|report| report.id != id);
        Ok(true)
    }

    fn store_blocking(&self, report: ProblemReport, sender: Sender) -> io::Result<StoredReport> {
        let id = self.0.entropy.uuid_v7(&*self.0.clock);
        let ProblemReport { note, page, log, request_ids, summary } = report;
        let Sender { channel, device, network } = sender;
        let stored = StoredReport {
            id: id.to_string(),
            received_at: rfc3339(self.0.clock.now_ms()),
            channel,
            device,
            note,
            page,
            request_ids,
            log_bytes: log.len() as u64,
            summary,
            network,
        };
        let packed = packing::pack(log.as_bytes())?;
        let mut entries = self.0.entries.lock();
        files::write(&self.0.folder.compressed_log(id), &packed)?;
        files::write(&self.0.folder.facts_path(id), &serde_json::to_vec(&stored)?)?;
        entries.push(self.entry_of(id));
        self.prune(&mut entries)?;
        Ok(stored)
    }

    fn entry_of(&self, id: Uuid) -> Entry {
        let bytes = files::size(&self.0.folder.log_file(id)) + files::size(&self.0.folder.facts_path(id));
        Entry { id, network: self.0.folder.read(id).map(|stored| stored.network).unwrap_or_default(), bytes }
    }

    /// Removes reports until the retention limits are met.
    fn prune(&self, entries: &mut Vec<Entry>) -> io::Result<()> {
        let oldest_allowed_ms = self.0.clock.now_ms().saturating_sub_unsigned(self.0.retention.age_ms);
        let too_old =
            |report: &Entry| i64::try_from(files::created_at_ms(report.id)).unwrap_or(i64::MAX) < oldest_allowed_ms;
        while let Some(index) = entries.iter().position(too_old).or_else(|| excess_index(entries, self.0.retention)) {
            self.remove_files(entries[index].id)?;
            entries.remove(index);
        }
        Ok(())
    }

    /// Removes the facts first: an interrupted removal leaves a log without facts, which the next start removes.
    fn remove_files(&self, id: Uuid) -> io::Result<()> {
        files::remove(&self.0.folder.facts_path(id))?;
        files::remove(&self.0.folder.compressed_log(id))?;
        files::remove(&self.0.folder.plain_log(id))
    }
}

/// The report to remove when a limit is exceeded: the oldest of the network that exceeds it most.
fn excess_index(entries: &[Entry], retention: Retention) -> Option<usize> {
    let too_large = entries.iter().map(|report| report.bytes).sum::<u64>() > retention.bytes;
    if !too_large && entries.len() <= retention.count {
        return None;
    }
    let mut shares: HashMap<&str, u64> = HashMap::new();
    for report in entries {
        *shares.entry(&report.network).or_default() += if too_large { report.bytes } else { 1 };
    }
    let largest = shares.values().max().copied()?;
    entries.iter().position(|report| shares[report.network.as_str()] == largest)
}

#[cfg(test)]
mod tests;
