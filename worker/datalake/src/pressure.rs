//! Admission when space is short: heartbeats are refused first, other events later, and purchases last, which may use
//! reserved space.

use touchline_disk::Purpose;

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
pub(crate) enum Short {
    Queue,
    Disk,
}

impl Room {
    /// Whether an event of that priority and size is accepted.
    pub(crate) fn admit(&self, priority: Priority, bytes: u64) -> Result<(), Short> {
        let tenths = match priority {
            Priority::Heartbeat => 8,
            Priority::Ordinary => 9,
            Priority::Purchase => 10,
        };
        if !self.has_space(priority, bytes) {
            return Err(Short::Disk);
        }
        if self.pending.saturating_add(bytes) > self.limit / 10 * tenths {
            return Err(Short::Queue);
        }
        Ok(())
    }

    pub(crate) fn has_space(&self, priority: Priority, bytes: u64) -> bool {
        self.free >= purpose(priority).leaves(self.reserve).saturating_add(bytes)
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
        [Priority::Heartbeat, Priority::Ordinary, Priority::Purchase].map(|priority| room.admit(priority, 10).is_ok())
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
}
