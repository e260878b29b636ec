//! The datalake as the worker holds it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::RwLock;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use touchline_protocol::ambient::{Entropy, SharedClock, SharedEntropy};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::compact::{self, Compacted};
use crate::dead_letters::{DeadLetter, DeadLetterFilter, Requeued};
use crate::erase::{self, EraseError, Erased, Person};
use crate::event::date_of;
use crate::ledger::{self, LedgerRow};
use crate::options::{DatalakeOptions, Limits, SinkConfig};
use crate::queue::store::StoreError;
use crate::queue::{self, Candidate, Opened, Queue, Verdict};
use crate::shipper::{Shipper, Trouble};
use crate::sinks::Sink;
use crate::sinks::http::HttpSink;
use crate::sinks::lake::Lake;
use crate::table::Table;

/// How often the gauges are brought up to date.
const REPORT_EVERY: Duration = Duration::from_secs(5);
/// How often closed days are looked for.
const COMPACT_EVERY: Duration = Duration::from_secs(3600);
/// The longest name of a sink: it stands in keys and chunks.
const SINK_NAME_BYTES: usize = 200;
/// The most dead letters shown at once.
const LETTERS_SHOWN: usize = 1000;

/// Why a datalake cannot be opened. Its text is one line, fit for the operator.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No sink, two alike, one with too long a name, or one that cannot be used.
    #[error("datalake.sinks: {0}")]
    Sinks(String),
    /// The node's name cannot stand in a file name.
    #[error("node: {0}")]
    Node(String),
    /// Another process has the queue's folder.
    #[error("data: {0}")]
    Held(String),
    /// The disk, or the permission to use it.
    #[error("data: {0}")]
    Folder(String),
}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Held(_) => Self::Held(error.to_string()),
            StoreError::Corrupt(_) | StoreError::Disk(_) => Self::Folder(error.to_string()),
        }
    }
}

/// What an operator asks for failed.
#[derive(Debug, thiserror::Error)]
pub enum OperationError {
    /// The queue no longer writes.
    #[error("the queue no longer writes")]
    QueueStopped,
    /// The queue, or a lake, could not be read.
    #[error("{0}")]
    Unreadable(String),
}

/// How the datalake is.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Status {
    /// The node's name in the lake's file names.
    pub node: String,
    /// The queue folder's epoch.
    pub epoch: String,
    /// Bytes that wait.
    pub pending_bytes: u64,
    /// Bytes that may wait.
    pub pending_limit_bytes: u64,
    /// Bytes of the queue on disk.
    pub disk_bytes: u64,
    /// Ids by which what is sent again is recognised.
    pub remembered_ids: u64,
    /// How often, since the start, more ids came than could be remembered for seven days.
    pub shortened_windows: u64,
    /// Dead letters kept.
    pub dead_letters: u64,
    /// Why nothing is acknowledged any more.
    pub broken: Option<String>,
    /// Damaged queues that were moved aside at the start: where to, and why.
    pub quarantined: Vec<String>,
    /// One row for each sink and table.
    pub ledger: Vec<LedgerRow>,
    /// Sinks that fail at the moment.
    pub troubles: Vec<SinkTrouble>,
}

/// A sink that fails at the moment.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SinkTrouble {
    /// The sink.
    pub sink: String,
    /// The table.
    pub table: Table,
    /// What it failed with last.
    pub reason: String,
}

/// The datalake: cheap to clone, one behind all clones.
#[derive(Clone)]
pub struct Datalake(pub(crate) Arc<Inner>);

impl std::fmt::Debug for Datalake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Datalake").field("node", &self.0.node).finish_non_exhaustive()
    }
}

pub(crate) struct Inner {
    pub(crate) limits: Limits,
    pub(crate) clock: SharedClock,
    pub(crate) entropy: SharedEntropy,
    node: String,
    queue: Queue,
    lakes: Vec<Lake>,
    quarantined: Vec<String>,
    troubles: Vec<(String, Table, Arc<Trouble>)>,
    erasing: Arc<RwLock<()>>,
    closing: AtomicBool,
    draining: CancellationToken,
    stopped: CancellationToken,
    tasks: TaskTracker,
    writer: Mutex<Option<std::thread::JoinHandle<()>>>,
}

impl Datalake {
    /// Opens the queue and starts shipping. Called within a tokio runtime, whose tasks do the work.
    pub async fn open(options: DatalakeOptions) -> Result<Self, OpenError> {
        let DatalakeOptions { folder, node, sinks, limits, clock, entropy } = options;
        let names = sink_names(&sinks)?;
        let (queue_limits, queue_clock, queue_entropy) = (limits.clone(), clock.clone(), entropy.clone());
        let opening = tokio::task::spawn_blocking(move || {
            std::fs::create_dir_all(&folder).map_err(|e| OpenError::Folder(format!("{}: {e}", folder.display())))?;
            let node = node_name(&folder, node, &*queue_entropy)?;
            let opened = queue::open(folder, &names, queue_limits, queue_clock, queue_entropy)?;
            Ok::<_, OpenError>((node, opened))
        });
        let (node, opened) = opening.await.map_err(|e| OpenError::Folder(e.to_string()))??;
        let Opened { queue, quarantined, writer } = opened;

        let mut lakes = Vec::new();
        let mut backends: Vec<Arc<dyn Sink>> = Vec::new();
        for config in &sinks {
            if let SinkConfig::Http(url) = config {
                let sink = HttpSink::new(config.to_string(), url, &limits, clock.clone()).map_err(OpenError::Sinks)?;
                backends.push(Arc::new(sink));
            } else if let Some(lake) = Lake::open(config, &node, &limits).map_err(OpenError::Sinks)? {
                lakes.push(lake.clone());
                backends.push(Arc::new(lake));
            }
        }
        let inner = Arc::new(Inner {
            limits,
            clock,
            entropy,
            node,
            queue,
            lakes,
            quarantined: quarantined.iter().map(|q| format!("{}: {}", q.to.display(), q.why)).collect(),
            troubles: backends
                .iter()
                .flat_map(|sink| Table::ALL.map(|table| (sink.name().to_owned(), table, Arc::default())))
                .collect(),
            erasing: Arc::default(),
            closing: AtomicBool::new(false),
            draining: CancellationToken::new(),
            stopped: CancellationToken::new(),
            tasks: TaskTracker::new(),
            writer: Mutex::new(Some(writer)),
        });
        inner.start(&backends);
        Ok(Self(inner))
    }

    /// Whether events are acknowledged; if not, why.
    pub fn ready(&self) -> Result<(), String> {
        if self.0.closing.load(Ordering::Relaxed) {
            return Err("the datalake is closing".to_owned());
        }
        self.0.queue.snapshot().broken.map_or(Ok(()), Err)
    }

    /// How the datalake is.
    pub fn status(&self) -> Status {
        self.0.status()
    }

    /// The ledger: one row for each sink and table.
    pub fn ledger(&self) -> Vec<LedgerRow> {
        self.0.ledger()
    }

    /// Dead letters, in the order of sink, table and id, at most 1,000 at once; and how many match in all.
    pub async fn dead_letters(
        &self,
        filter: DeadLetterFilter,
        limit: usize,
        offset: usize,
    ) -> Result<(u64, Vec<DeadLetter>), OperationError> {
        let queue = self.0.queue.clone();
        tokio::task::spawn_blocking(move || queue.dead_letters(&filter, limit.min(LETTERS_SHOWN), offset))
            .await
            .map_err(|e| OperationError::Unreadable(e.to_string()))?
            .map_err(|e| OperationError::Unreadable(e.to_string()))
    }

    /// Puts dead letters back into the queue of the sink that had refused them.
    pub async fn requeue(&self, filter: DeadLetterFilter) -> Result<Requeued, OperationError> {
        self.0.queue.requeue(filter).await.map_err(|_| OperationError::QueueStopped)
    }

    /// Removes a person from what waits, from dead letters and from the lakes. What already went to an HTTP sink is
    /// there. Doing it again is harmless.
    pub async fn erase_person(&self, person: Person) -> Result<Erased, EraseError> {
        let person = person.checked()?;
        let _alone = self.0.erasing.write().await;
        let queued = self.0.queue.redact(person.clone()).await.map_err(|_| EraseError::QueueStopped)?;
        let mut erased = Erased { queued, ..Erased::default() };
        for lake in &self.0.lakes {
            let from_lake = erase::from_lake(lake, &person).await?;
            erased.rows += from_lake.rows;
            erased.files += from_lake.files;
        }
        Ok(erased)
    }

    /// Joins the files of closed days, as the hourly task does.
    pub async fn compact(&self) -> Result<Compacted, OperationError> {
        self.0.compact().await.map_err(OperationError::Unreadable)
    }

    /// Takes nothing more, ships what waits for at most `deadline`, and closes the queue; what still waits then waits
    /// for the next start.
    pub async fn shutdown(&self, deadline: Duration) {
        let inner = &self.0;
        inner.closing.store(true, Ordering::Relaxed);
        inner.draining.cancel();
        let mut commits = inner.queue.watch();
        let empty = commits.wait_for(|snapshot| ledger::rows(&snapshot.state).iter().all(|row| row.queued == 0));
        if timeout(deadline, empty).await.is_err() {
            tracing::info!("the datalake closes with events in its queue: they are shipped after the next start");
        }
        inner.stopped.cancel();
        inner.tasks.close();
        inner.tasks.wait().await;
        inner.queue.close().await;
        let writer = inner.writer.lock().take();
        if let Some(writer) = writer {
            // A writer that panicked has said so already.
            let _ = tokio::task::spawn_blocking(move || writer.join()).await;
        }
    }
}

impl Inner {
    fn start(self: &Arc<Self>, sinks: &[Arc<dyn Sink>]) {
        for sink in sinks {
            for table in Table::ALL {
                let trouble = self.troubles.iter().find(|(name, of, _)| name == sink.name() && *of == table);
                let shipper = Shipper {
                    queue: self.queue.clone(),
                    sink: Arc::clone(sink),
                    table,
                    limits: self.limits.clone(),
                    clock: self.clock.clone(),
                    entropy: self.entropy.clone(),
                    trouble: trouble.map(|(_, _, trouble)| Arc::clone(trouble)).unwrap_or_default(),
                    erasing: Arc::clone(&self.erasing),
                    draining: self.draining.clone(),
                    stopped: self.stopped.clone(),
                };
                self.tasks.spawn(shipper.run());
            }
        }
        let inner = Arc::clone(self);
        self.tasks.spawn(async move {
            let stopped = inner.stopped.clone();
            stopped.run_until_cancelled(inner.look_after()).await;
        });
    }

    /// Gauges and compaction.
    async fn look_after(&self) {
        let mut report = interval(REPORT_EVERY);
        let mut compact = interval(COMPACT_EVERY);
        for ticks in [&mut report, &mut compact] {
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        }
        loop {
            tokio::select! {
                _ = report.tick() => self.report(),
                _ = compact.tick() => match self.compact().await {
                    Ok(done) if done == Compacted::default() => {}
                    Ok(done) => tracing::info!(joined = done.joined, removed = done.removed, "closed days were compacted"),
                    Err(error) => tracing::warn!(%error, "closed days were not compacted: tried again in an hour"),
                },
            }
        }
    }

    /// Queues candidates, unless the worker is about to end.
    pub(crate) async fn accept(&self, candidates: Vec<Candidate>) -> Vec<Verdict> {
        let count = candidates.len();
        if count == 0 {
            return Vec::new();
        }
        if self.closing.load(Ordering::Relaxed) {
            return vec![Verdict::Unavailable; count];
        }
        timeout(self.limits.answer_within, self.queue.accept(candidates))
            .await
            .unwrap_or_else(|_| vec![Verdict::Unavailable; count])
    }

    fn ledger(&self) -> Vec<LedgerRow> {
        let now_us = self.clock.now().as_microsecond();
        let mut rows = ledger::rows(&self.queue.snapshot().state);
        for row in rows.iter_mut().filter(|row| row.queued > 0) {
            // A queue that cannot be read says so elsewhere.
            let oldest = self.queue.oldest_us(&row.sink, row.table).ok().flatten();
            row.oldest_age_s = oldest.map(|us| u64::try_from((now_us - us) / 1_000_000).unwrap_or(0));
        }
        rows
    }

    fn status(&self) -> Status {
        let snapshot = self.queue.snapshot();
        let trouble = |(sink, table, trouble): &(String, Table, Arc<Trouble>)| {
            Some(SinkTrouble { sink: sink.clone(), table: *table, reason: trouble.last()? })
        };
        Status {
            node: self.node.clone(),
            epoch: snapshot.epoch,
            pending_bytes: snapshot.state.pending_bytes(),
            pending_limit_bytes: self.limits.queue_bytes,
            disk_bytes: snapshot.disk_bytes,
            remembered_ids: snapshot.remembered_ids,
            shortened_windows: snapshot.shortened_windows,
            dead_letters: snapshot.state.dead_letters,
            broken: snapshot.broken,
            quarantined: self.quarantined.clone(),
            ledger: self.ledger(),
            troubles: self.troubles.iter().filter_map(trouble).collect(),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a gauge is a float; counts stay far below 2^53")]
    fn report(&self) {
        let status = self.status();
        for row in &status.ledger {
            let labels = [("sink", row.sink.clone()), ("table", row.table.name().to_owned())];
            metrics::gauge!("touchline_datalake_accepted", &labels).set(row.accepted as f64);
            metrics::gauge!("touchline_datalake_shipped", &labels).set(row.shipped as f64);
            metrics::gauge!("touchline_datalake_queued", &labels).set(row.queued as f64);
            metrics::gauge!("touchline_datalake_dead_lettered", &labels).set(row.dead_lettered as f64);
            metrics::gauge!("touchline_datalake_oldest_age_seconds", &labels).set(row.oldest_age_s.unwrap_or(0) as f64);
            if !row.balances() {
                tracing::error!(?row, "the datalake's ledger does not balance");
                metrics::counter!("touchline_datalake_imbalances_total", &labels).increment(1);
            }
        }
        metrics::gauge!("touchline_datalake_pending_bytes").set(status.pending_bytes as f64);
        metrics::gauge!("touchline_datalake_disk_bytes").set(status.disk_bytes as f64);
        metrics::gauge!("touchline_datalake_remembered_ids").set(status.remembered_ids as f64);
        metrics::gauge!("touchline_datalake_dead_letters").set(status.dead_letters as f64);
        metrics::gauge!("touchline_datalake_broken").set(f64::from(u8::from(status.broken.is_some())));
    }

    async fn compact(&self) -> Result<Compacted, String> {
        let _shipping = self.erasing.read().await;
        let now = self.clock.now();
        let mut done = Compacted::default();
        for lake in &self.lakes {
            for table in Table::ALL {
                let oldest = self.queue.oldest_us(lake.name(), table).map_err(|e| e.to_string())?;
                let waiting = oldest.map_or(now.as_microsecond(), |us| us.min(now.as_microsecond()));
                let compacted = compact::compact(lake, table, date_of(waiting), now.as_millisecond()).await?;
                done.joined += compacted.joined;
                done.removed += compacted.removed;
            }
        }
        Ok(done)
    }
}

fn sink_names(sinks: &[SinkConfig]) -> Result<Vec<String>, OpenError> {
    let mut names: Vec<String> = Vec::new();
    for sink in sinks {
        let name = sink.to_string();
        if name.len() > SINK_NAME_BYTES {
            return Err(OpenError::Sinks(format!("{name} is longer than {SINK_NAME_BYTES} bytes")));
        }
        if names.contains(&name) {
            return Err(OpenError::Sinks(format!("{name} is named twice")));
        }
        names.push(name);
    }
    if names.is_empty() { Err(OpenError::Sinks("at least one is needed".to_owned())) } else { Ok(names) }
}

/// The configured name, or the one drawn at the first start.
fn node_name(folder: &Path, node: Option<String>, entropy: &dyn Entropy) -> Result<String, OpenError> {
    if let Some(node) = node {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        if node.is_empty() || node.len() > 64 || !node.chars().all(fits) {
            return Err(OpenError::Node(format!("{node:?} is not 1 to 64 letters, digits, `_` or `.`")));
        }
        return Ok(node);
    }
    let file = folder.join("node");
    let fault = |e: std::io::Error| OpenError::Folder(format!("{}: {e}", file.display()));
    match std::fs::read_to_string(&file) {
        Ok(node) => node_name(folder, Some(node.trim().to_owned()), entropy),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            let mut bytes = [0; 16];
            entropy.fill(&mut bytes);
            let node = Uuid::from_bytes(bytes).simple().to_string()[..12].to_owned();
            std::fs::write(&file, &node).map_err(fault)?;
            std::fs::File::open(&file).and_then(|file| file.sync_all()).map_err(fault)?;
            Ok(node)
        }
        Err(e) => Err(fault(e)),
    }
}
