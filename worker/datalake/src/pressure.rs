//! Admission when space is short: heartbeats are refused first, other events later, and purchases last, which may use
//! reserved space. The start and the end of refusing are logged, not every refusal (`ANA-13`).

use touchline_disk::{Change, Purpose, Refusals};

use crate::table::Priority;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Bytes waiting in the queue.
    pub(crate) pending: u64,
    /// Bytes that may wait.
    pub(crate) limit: u64,
    /// Bytes free on the volume.
    pub(crate) free: u64,
    /// Bytes reserved for the channel's store.
    pub(crate) reserve: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shortage {
    Queue,
    Disk,
}

impl Room {
    /// Whether an event of that priority and size is accepted.
    pub(crate) fn admit(&self, priority: Priority, bytes: u64) -> Result<(), Shortage> {
        if !self.has_space(priority, bytes) {
            return Err(Shortage::Disk);
        }
        if self.pending.saturating_add(bytes) > self.limit / 10 * tenths(priority) {
            return Err(Shortage::Queue);
        }
        Ok(())
    }

    /// Whether refusing is over: the queue has drained far enough that the next event does not fill it again.
    fn is_relieved(&self, priority: Priority) -> bool {
        self.pending <= self.limit / 20 * (2 * tenths(priority) - 1)
    }

    /// Counts an event that the full queue refuses.
    pub(crate) fn note_refusal(&self, refusals: &Refusals, priority: Priority) {
        let (refused, Self { pending, limit, .. }) = (purpose(priority), self);
        if refusals.refuse(refused).is_some() {
            tracing::error!(
                purpose = refused.name(),
                pending,
                limit,
                "the analytics queue is full; events are refused until its sinks accept some"
            );
        }
    }

    /// Notes for which priorities the queue accepts events again.
    pub(crate) fn note_relief(&self, refusals: &Refusals) {
        for priority in PRIORITIES.into_iter().filter(|priority| self.is_relieved(*priority)) {
            let (accepted, Self { pending, limit, .. }) = (purpose(priority), self);
            if let Some(Change::Ended(refused)) = refusals.admit(accepted) {
                tracing::info!(
                    purpose = accepted.name(),
                    refused,
                    pending,
                    limit,
                    "the analytics queue accepts events again"
                );
            }
        }
    }

    pub(crate) fn has_space(&self, priority: Priority, bytes: u64) -> bool {
        self.free >= purpose(priority).leaves(self.reserve).saturating_add(bytes)
    }
}

pub(crate) const PRIORITIES: [Priority; 3] = [Priority::Heartbeat, Priority::Ordinary, Priority::Purchase];

/// Tenths of the queue that a priority may fill.
fn tenths(priority: Priority) -> u64 {
    match priority {
        Priority::Heartbeat => 8,
        Priority::Ordinary => 9,
        Priority::Purchase => 10,
    }
}

pub(crate) fn purpose(priority: Priority) -> Purpose {
    match priority {
        Priority::Heartbeat => Purpose::Heartbeats,
        Priority::Ordinary => Purpose::Analytics,
        Priority::Purchase => Purpose::Sales,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(pending: u64, free: u64) -> [bool; 3] {
        let room = Room { pending, limit: 1000, free, reserve: 80 };
        PRIORITIES.map(|priority| room.admit(priority, 10).is_ok())
    }

    #[test]
    fn a_filling_queue_refuses_heartbeats_first_and_purchases_last() {
        assert_eq!(admitted(700, 10_000), [true, true, true]);
        assert_eq!(admitted(795, 10_000), [false, true, true]);
        assert_eq!(admitted(895, 10_000), [false, false, true]);
        assert_eq!(admitted(995, 10_000), [false, false, false]);
    }

    #[test]
    fn a_filling_disk_does_the_same() {
        assert_eq!(admitted(0, 110), [true, true, true]);
        assert_eq!(admitted(0, 109), [false, true, true]);
        assert_eq!(admitted(0, 99), [false, false, true]);
        assert_eq!(admitted(0, 89), [false, false, false]);
    }

    #[test]
    fn refusing_ends_once_a_twentieth_of_the_queue_is_free_again() {
        let refusals = Refusals::default();
        let room = |pending| Room { pending, limit: 1000, free: 10_000, reserve: 80 };
        room(795).note_refusal(&refusals, Priority::Heartbeat);
        let is_refusing = |pending| {
            room(pending).note_relief(&refusals);
            refusals.list()[0].now
        };
        assert_eq!([799, 751, 750, 799].map(is_refusing), [true, true, false, false]);
    }
}
