//! Problem reports that viewers chose to send, stored as files within limits of number, size and age (`OPS-5`).
//!
//! A report consists of two files with one name: `<id>.jsonl.gz` is the recorded action log for the replayer,
//! `<id>.json` is [`StoredReport`] with the facts about it. The facts are written last, and a report exists once they do.

mod erasure;
mod files;
mod filter;
mod packing;
mod stored;

use std::collections::{BTreeSet, HashMap};
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

/// Limits of a channel's stored reports.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Retention {
    pub(crate) count: usize,
    /// Total size, unless the channel has its own limit.
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
            "Stored problem reports of a channel. The oldest of the network with the most is removed first.",
        ),
        Limit::bytes(
            "reports.bytes",
            bytes,
            "Disk space of a channel's problem reports, unless it has its own limit (`disk.reports_bytes`).",
        ),
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
    /// The channel's own limit on the size of its reports, in bytes.
    pub limit_bytes: Option<u64>,
}

/// A report's entry in memory.
#[derive(Debug)]
struct Entry {
    id: Uuid,
    channel: String,
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
        // The size a channel may use is known with its next report.
        let channels: BTreeSet<String> = entries.iter().map(|report| report.channel.clone()).collect();
        for channel in channels {
            reports.prune(&mut entries, &channel, Some(u64::MAX))?;
        }
        drop(entries);
        Ok(reports)
    }

    /// Stores a report. If the channel exceeds a limit, the oldest report of its largest network is removed, so that a
    /// flood displaces only itself. Returns once the report is on disk.
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
        let Sender { channel, device, network, limit_bytes } = sender;
        let stored = StoredReport {
            id: id.to_string(),
            received_at: rfc3339(self.0.clock.now_ms()),
            channel: channel.clone(),
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
        self.prune(&mut entries, &channel, limit_bytes)?;
        Ok(stored)
    }

    fn entry_of(&self, id: Uuid) -> Entry {
        let bytes = files::size(&self.0.folder.log_file(id)) + files::size(&self.0.folder.facts_path(id));
        let stored = self.0.folder.read(id);
        let (channel, network) = stored.map(|stored| (stored.channel, stored.network)).unwrap_or_default();
        Entry { id, channel, network, bytes }
    }

    /// Removes reports that are too old, and those of a channel until its limits are met.
    fn prune(&self, entries: &mut Vec<Entry>, channel: &str, limit_bytes: Option<u64>) -> io::Result<()> {
        let retention = self.0.retention;
        let limits = Retention { bytes: limit_bytes.unwrap_or(retention.bytes), ..retention };
        let oldest_allowed_ms = self.0.clock.now_ms().saturating_sub_unsigned(retention.age_ms);
        let too_old =
            |report: &Entry| i64::try_from(files::created_at_ms(report.id)).unwrap_or(i64::MAX) < oldest_allowed_ms;
        while let Some(index) = entries.iter().position(too_old).or_else(|| excess_index(entries, channel, limits)) {
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

/// The report to remove when a channel exceeds a limit: the oldest of its network that exceeds it most.
fn excess_index(entries: &[Entry], channel: &str, limits: Retention) -> Option<usize> {
    let of_channel = || entries.iter().enumerate().filter(|(_, report)| report.channel == channel);
    let too_large = of_channel().map(|(_, report)| report.bytes).sum::<u64>() > limits.bytes;
    if !too_large && of_channel().count() <= limits.count {
        return None;
    }
    let mut shares: HashMap<&str, u64> = HashMap::new();
    for (_, report) in of_channel() {
        *shares.entry(&report.network).or_default() += if too_large { report.bytes } else { 1 };
    }
    let largest = shares.values().max().copied()?;
    of_channel().find(|(_, report)| shares[report.network.as_str()] == largest).map(|(index, _)| index)
}

#[cfg(test)]
mod tests;
