//! When room is short: heartbeats are refused first, the ordinary later, purchases last, from reserved space.

use crate::table::Priority;

/// What room there is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Bytes waiting in the queue.
    pub(crate) pending: u64,
    /// Bytes that may wait.
    pub(crate) limit: u64,
    /// Bytes free on the volume.
    pub(crate) free: u64,
    /// Bytes that must stay free.
    pub(crate) keep_free: u64,
}

impl Room {
    /// Whether an event of that priority and size may come in.
    pub(crate) fn admits(&self, priority: Priority, bytes: u64) -> bool {
        let tenths = match priority {
            Priority::Heartbeat => 8,
            Priority::Ordinary => 9,
            Priority::Purchase => 10,
        };
        self.pending.saturating_add(bytes) <= self.limit / 10 * tenths
            && self.free.saturating_sub(bytes) >= self.keep_free / 8 * (18 - tenths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(pending: u64, free: u64) -> [bool; 3] {
        let room = Room { pending, limit: 1000, free, keep_free: 80 };
        [Priority::Heartbeat, Priority::Ordinary, Priority::Purchase].map(|priority| room.admits(priority, 10))
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
