//! The destinations of batches. A sink is one backend. It alone decides whether a failure can be retried.

pub(crate) mod http;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::dead_letters::DeadReason;
use crate::event::QueuedEvent;
use crate::queue::state::OpenBatch;
use crate::table::Table;

/// A batch, unchanged between attempts.
#[derive(Debug)]
pub(crate) struct Batch<'a> {
    pub(crate) table: Table,
    pub(crate) bounds: &'a OpenBatch,
    /// The events with their offsets, ascending.
    pub(crate) events: Arc<Vec<(u64, QueuedEvent)>>,
}

/// Progress within a batch, retained between attempts while the process lives.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// Offsets that the sink accepted.
    pub(crate) accepted: BTreeSet<u64>,
    /// Offsets rejected permanently, with reasons. Not the events, which an erasure may change between attempts.
    pub(crate) refused: BTreeMap<u64, Refused>,
}

/// Reason why a sink rejected an event permanently.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) reason: DeadReason,
    /// The sink's answer.
    pub(crate) detail: String,
}

impl Progress {
    pub(crate) fn is_done(&self, offset: u64) -> bool {
        self.accepted.contains(&offset) || self.refused.contains_key(&offset)
    }

    /// Number of events that are done.
    pub(crate) fn count(&self) -> usize {
        self.accepted.len() + self.refused.len()
    }

    pub(crate) fn refuse(&mut self, offset: u64, reason: DeadReason, detail: String) {
        self.refused.entry(offset).or_insert(Refused { reason, detail });
    }

    /// Clears the details of refused events: they may repeat parts of their bodies.
    pub(crate) fn forget_details(&mut self) {
        self.refused.values_mut().for_each(|refused| refused.detail.clear());
    }
}

/// A failure that can be retried.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{reason}")]
pub(crate) struct Unavailable {
    pub(crate) reason: String,
    /// Pause requested by the sink.
    pub(crate) after: Option<Duration>,
    /// The local disk is full.
    pub(crate) no_space: bool,
}

impl Unavailable {
    pub(crate) fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), after: None, no_space: false }
    }
}

/// A destination of events.
#[async_trait]
pub(crate) trait Sink: Send + Sync {
    /// The name in the ledger.
    fn name(&self) -> &str;

    /// Ships the events that are not in `progress` yet. On `Ok` they are durable at the destination, and each is
    /// accepted or refused.
    async fn ship(&self, batch: &Batch<'_>, progress: &mut Progress) -> Result<(), Unavailable>;
}
