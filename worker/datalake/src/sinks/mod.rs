//! Where batches go. A sink is one backend; it says of a failure, once, whether trying again can help.

pub(crate) mod http;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::dead_letters::DeadReason;
use crate::event::QueuedEvent;
use crate::queue::state::OpenBatch;
use crate::table::Table;

/// A batch, unchanged from try to try.
#[derive(Debug)]
pub(crate) struct Batch<'a> {
    pub(crate) table: Table,
    pub(crate) bounds: &'a OpenBatch,
    /// The events with their offsets, ascending.
    pub(crate) events: Arc<Vec<(u64, QueuedEvent)>>,
}

/// What is done of a batch, kept from try to try as long as the process lives.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// Offsets that the sink took.
    pub(crate) taken: BTreeSet<u64>,
    /// Offsets that it refused for good, and why; never the events, which an erasure may change between two tries.
    pub(crate) refused: BTreeMap<u64, Refused>,
}

/// Why a sink will never take an event.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) reason: DeadReason,
    /// What the sink said.
    pub(crate) detail: String,
}

impl Progress {
    pub(crate) fn is_done(&self, offset: u64) -> bool {
        self.taken.contains(&offset) || self.refused.contains_key(&offset)
    }

    /// How many events are done.
    pub(crate) fn count(&self) -> usize {
        self.taken.len() + self.refused.len()
    }

    pub(crate) fn refuse(&mut self, offset: u64, reason: DeadReason, detail: String) {
        self.refused.entry(offset).or_insert(Refused { reason, detail });
    }

    /// Forgets what was said of the events that were refused: it may repeat what stood in them.
    pub(crate) fn forget_details(&mut self) {
        self.refused.values_mut().for_each(|refused| refused.detail.clear());
    }
}

/// Trying again may help.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{reason}")]
pub(crate) struct Unavailable {
    pub(crate) reason: String,
    /// How long the sink asked to be left alone.
    pub(crate) after: Option<Duration>,
    /// There is no space for it on this machine.
    pub(crate) no_space: bool,
}

impl Unavailable {
    pub(crate) fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), after: None, no_space: false }
    }
}

/// One place where events go.
#[async_trait]
pub(crate) trait Sink: Send + Sync {
    /// Its name in the ledger.
    fn name(&self) -> &str;

    /// Ships what `progress` does not have yet. Durable at the other side when it returns `Ok`; then every event is
    /// taken or refused.
    async fn ship(&self, batch: &Batch<'_>, progress: &mut Progress) -> Result<(), Unavailable>;
}
