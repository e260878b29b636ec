//! Recovery from a failed write. The queue is reopened within the process, and acknowledged events are read again.
//! Senders repeat unacknowledged events, which are recognised by their ids if they were stored after all (`OPS-12`).
//!
//! A write that failed for lack of space or file descriptors is retried indefinitely. After a failed sync, the file's
//! content may not be on disk: everything is copied to a fresh folder, and nothing is synced twice.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc;

use super::folder::{self, QueueFolder};
use super::store::StoreError;
use super::writer::Writer;
use super::{Command, open, rotate};

/// Attempts to reopen the queue after a permanent failure.
const MAX_ATTEMPTS: u32 = 5;
/// Checks of waiting commands between two attempts, with a pause after each: one second in all.
const CHECKS: u32 = 50;
const CHECK_PAUSE: Duration = Duration::from_millis(20);

impl Writer {
    /// Reopens the queue after `error`. Returns `Break` if it was closed in the meantime, or cannot be reopened.
    pub(super) fn reopen(&mut self, error: &StoreError, commands: &mut mpsc::Receiver<Command>) -> ControlFlow<()> {
        tracing::error!(%error, "the analytics queue stopped and is being reopened; it accepts nothing until then");
        metrics::counter!("touchline_datalake_queue_reopened_total").increment(1);
        if matches!(error, StoreError::Corrupt(_)) {
            folder::mark(&self.folder.join(folder::name(&self.epoch)), &error.to_string());
        }
        let unsynced = matches!(error, StoreError::Unsynced(_));
        self.mark_broken(error);
        self.close_store();
        let mut failures = 0;
        loop {
            refuse_waiting(commands)?;
            match self.try_open(unsynced) {
                Ok(()) => {
                    tracing::info!(epoch = self.epoch, "the analytics queue accepts events again");
                    return ControlFlow::Continue(());
                }
                Err(error) if error.passes() => tracing::debug!(%error, "retrying to reopen the analytics queue"),
                Err(error) => {
                    failures += 1;
                    tracing::warn!(%error, failures, "could not reopen the analytics queue");
                    if failures == MAX_ATTEMPTS {
                        self.snapshot.send_modify(|snapshot| snapshot.ended = Some(error.to_string()));
                        return ControlFlow::Break(());
                    }
                }
            }
        }
    }

    /// Reads the queue from disk. With `fresh`, copies it to a folder without a failed sync.
    fn try_open(&mut self, fresh: bool) -> Result<(), StoreError> {
        let (found, loaded) = open::find(&self.folder, &self.limits, &self.clock, &self.entropy)?;
        let found = if fresh { self.copied(found)? } else { found };
        self.epoch = found.epoch;
        self.state = loaded.state;
        self.dedupe = loaded.dedupe;
        self.id_sequence = loaded.id_sequence;
        self.marks = loaded.marks;
        self.viewings = self.viewings.reloaded(loaded.viewings);
        self.counts = loaded.counts;
        self.holds_erased = loaded.holds_erased;
        *self.store.write() = Arc::new(found.store);
        self.attach()?;
        self.publish()
    }

    fn copied(&self, from: QueueFolder) -> Result<QueueFolder, StoreError> {
        let epoch = folder::new_epoch(&*self.clock, &*self.entropy, Some(&from.epoch));
        let fresh = folder::create(&self.folder, &epoch, |new| rotate::copy(&from.store, new))?;
        drop(from.store);
        folder::remove(&self.folder, &from.epoch)?;
        Ok(fresh)
    }
}

/// Drops waiting commands without an answer for a second. Returns `Break` if one of them closes the queue.
fn refuse_waiting(commands: &mut mpsc::Receiver<Command>) -> ControlFlow<()> {
    for _ in 0..CHECKS {
        loop {
            match commands.try_recv() {
                Ok(Command::Close) | Err(mpsc::error::TryRecvError::Disconnected) => return ControlFlow::Break(()),
                Ok(_) => {}
                Err(mpsc::error::TryRecvError::Empty) => break,
            }
        }
        thread::sleep(CHECK_PAUSE);
    }
    ControlFlow::Continue(())
}
