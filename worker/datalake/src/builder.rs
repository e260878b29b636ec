//! Opening a datalake. Faults in its options are reported before anything starts.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use touchline_protocol::ambient::Entropy;
use uuid::Uuid;

use crate::budget::Budgets;
use crate::datalake::{Datalake, Inner};
use crate::drift::Drift;
use crate::lake::Lake;
use crate::options::{DatalakeOptions, SinkConfig};
use crate::queue::store::StoreError;
use crate::queue::{self, Opened};
use crate::sales::Claims;
use crate::shipper::Shipper;
use crate::sinks::Sink;
use crate::sinks::http::HttpSink;
use crate::table::Table;

/// Memory that requests may use while they wait for the disk, in KiB.
const WAITING_KIB: usize = 64 * 1024;
/// The longest sink name, in bytes. It is part of keys and chunks.
const SINK_NAME_BYTES: usize = 200;

/// A datalake cannot be opened. The message is one line for the operator.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No sink, a duplicate, a name that is too long, or one that cannot be used.
    #[error("datalake.sinks: {0}")]
    Sinks(String),
    /// The node name is not valid in a file name.
    #[error("node: {0}")]
    Node(String),
    /// Another process has the queue's folder open.
    #[error("data: {0}")]
    Locked(String),
    /// The disk failed, or permission is missing.
    #[error("data: {0}")]
    Folder(String),
}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Locked(_) => Self::Locked(error.to_string()),
            StoreError::Corrupt(_) | StoreError::Disk(_) | StoreError::Passing(_) | StoreError::Unsynced(_) => {
                Self::Folder(error.to_string())
            }
        }
    }
}

impl Datalake {
    /// Opens the queue and starts shipping. Must be called within a tokio runtime, which runs the tasks.
    pub async fn open(options: DatalakeOptions) -> Result<Self, OpenError> {
        let DatalakeOptions { folder, node, sinks, sink_secret, limits, clock, entropy } = options;
        let names = sink_names(&sinks)?;
        let (queue_limits, queue_clock, queue_entropy) = (limits.clone(), clock.clone(), entropy.clone());
        let opening = tokio::task::spawn_blocking(move || {
            queue::folder::make(&folder).map_err(|e| OpenError::Folder(format!("{}: {e}", folder.display())))?;
            let drawn = drawn_name(&folder, &*queue_entropy)?;
            let node = node.map_or_else(|| Ok(drawn.clone()), checked)?;
            let opened = queue::open((folder, &node), &names, queue_limits, queue_clock, queue_entropy)?;
            // Two workers may be configured with the same name.
            let worker = if node == drawn { drawn } else { format!("{node}/{drawn}") };
            Ok::<_, OpenError>((node, worker, opened))
        });
        let (node, worker, opened) = opening.await.map_err(|e| OpenError::Folder(e.to_string()))??;
        let Opened { queue, writer } = opened;

        let bytes_per_hour = limits.sender_bytes_per_hour;
        let mut lakes = Vec::new();
        let mut backends: Vec<Arc<dyn Sink>> = Vec::new();
        for config in &sinks {
            if let SinkConfig::Http(url) = config {
                let sink = HttpSink::new(config.to_string(), url, sink_secret.clone(), &limits, clock.clone());
                let sink = sink.map_err(OpenError::Sinks)?;
                backends.push(Arc::new(sink));
                continue;
            }
            let lake = Lake::open(config, (&node, &worker), &limits, &clock, &entropy).map_err(OpenError::Sinks)?;
            if let Some(lake) = lake {
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
            troubles: backends
                .iter()
                .flat_map(|sink| Table::ALL.map(|table| (sink.name().to_owned(), table, Arc::default())))
                .collect(),
            erasing: Arc::default(),
            budgets: Budgets::new(bytes_per_hour),
            drift: Drift::default(),
            sales: OnceLock::new(),
            claims: Claims::default(),
            compaction_failures: AtomicU64::new(0),
            waiting: Semaphore::new(WAITING_KIB),
            measuring: Mutex::new(()),
            closing: AtomicBool::new(false),
            draining: CancellationToken::new(),
            stopped: CancellationToken::new(),
            tasks: TaskTracker::new(),
            writer: Mutex::new(Some(writer)),
        });
        inner.start(&backends);
        Ok(Datalake(inner))
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
                    attempts: self.erasing.attempts(),
                    draining: self.draining.clone(),
                    stopped: self.stopped.clone(),
                };
                self.tasks.spawn(shipper.run());
            }
        }
        let inner = Arc::clone(self);
        self.tasks.spawn(async move {
            let stopped = inner.stopped.clone();
            stopped.run_until_cancelled(inner.run_maintenance()).await;
        });
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
            return Err(OpenError::Sinks(format!("{name} is configured twice")));
        }
        names.push(name);
    }
    if names.is_empty() { Err(OpenError::Sinks("at least one is required".to_owned())) } else { Ok(names) }
}

fn checked(node: String) -> Result<String, OpenError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    if node.is_empty() || node.len() > 64 || !node.chars().all(fits) {
        return Err(OpenError::Node(format!("{node:?} is not 1 to 64 letters, digits, `_` or `.`")));
    }
    Ok(node)
}

/// The name generated at the first start.
fn drawn_name(folder: &Path, entropy: &dyn Entropy) -> Result<String, OpenError> {
    let file = folder.join("node");
    let fault = |e: std::io::Error| OpenError::Folder(format!("{}: {e}", file.display()));
    if let Some(node) = std::fs::read_to_string(&file).ok().and_then(|node| checked(node.trim().to_owned()).ok()) {
        return Ok(node);
    }
    let mut bytes = [0; 16];
    entropy.fill(&mut bytes);
    let node = Uuid::from_bytes(bytes).simple().to_string()[..12].to_owned();
    // Even a link to nothing, or a folder. Batches in progress have the name they were closed with.
    if file.symlink_metadata().is_ok() {
        let aside = folder.join(format!("node.damaged-{node}"));
        std::fs::rename(&file, &aside).map_err(fault)?;
        tracing::error!(to = %aside.display(), "the file with the node's name was damaged and moved aside; a new name is generated");
    }
    std::fs::write(&file, &node).map_err(fault)?;
    std::fs::File::open(&file).and_then(|file| file.sync_all()).map_err(fault)?;
    Ok(node)
}
