//! Deduplication by id, with two windows of accepted ids. The older window is dropped when the newer one is seven days
//! old, so an id is remembered for seven to fourteen days.
//!
//! Memory is bounded: a full window ends early, which shortens the guarantee and is reported. The documented views
//! return one row per `event_id` in any case.

use foldhash::HashSet;
use touchline_protocol::analytics::REMEMBERED_MS;
use uuid::Uuid;

#[derive(Debug, Default)]
struct Window {
    started_ms: i64,
    ids: HashSet<Uuid>,
}

#[derive(Debug)]
pub(crate) struct Dedupe {
    current: Window,
    previous: Window,
    capacity: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rotation {
    /// Records of windows that started before this moment can be removed.
    pub(crate) forget_before_ms: i64,
    /// Whether the window ended early, because it was full.
    pub(crate) early: bool,
}

impl Dedupe {
    pub(crate) fn new(now_ms: i64, capacity: usize) -> Self {
        let empty = || Window { started_ms: now_ms, ids: HashSet::default() };
        Self { current: empty(), previous: empty(), capacity: capacity.max(1) }
    }

    /// Restores ids from the store. Windows must come in ascending order.
    pub(crate) fn reload(&mut self, window_ms: i64, ids: impl Iterator<Item = Uuid>) {
        if self.current.ids.is_empty() {
            self.current.started_ms = window_ms;
        } else if window_ms > self.current.started_ms {
            self.previous =
                std::mem::replace(&mut self.current, Window { started_ms: window_ms, ids: HashSet::default() });
        }
        self.current.ids.extend(ids);
    }

    /// Starts a new window if the current one is old or full.
    pub(crate) fn rotate(&mut self, now_ms: i64) -> Option<Rotation> {
        let early = self.current.ids.len() >= self.capacity;
        if !early && now_ms - self.current.started_ms < REMEMBERED_MS {
            return None;
        }
        // A window's start is its name in the store and must only grow, whatever the clock does.
        let started_ms = now_ms.max(self.current.started_ms + 1);
        self.previous = std::mem::replace(&mut self.current, Window { started_ms, ids: HashSet::default() });
        Some(Rotation { forget_before_ms: self.previous.started_ms, early })
    }

    pub(crate) fn contains(&self, id: &Uuid) -> bool {
        self.current.ids.contains(id) || self.previous.ids.contains(id)
    }

    /// Remembers an id. Returns false if it was known already.
    pub(crate) fn remember(&mut self, id: Uuid) -> bool {
        !self.previous.ids.contains(&id) && self.current.ids.insert(id)
    }

    /// Remembers an id that is not known yet.
    pub(crate) fn insert(&mut self, id: Uuid) {
        self.current.ids.insert(id);
    }

    /// The start of the current window, which names it in the store.
    pub(crate) fn window_ms(&self) -> i64 {
        self.current.started_ms
    }

    pub(crate) fn len(&self) -> usize {
        self.current.ids.len() + self.previous.ids.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    #[test]
    fn an_id_is_remembered_for_seven_to_fourteen_days() {
        for accepted_at in [0, 1, 3 * DAY, 7 * DAY - 1] {
            let mut dedupe = Dedupe::new(0, 100);
            assert!(dedupe.remember(Uuid::from_u128(1)));
            let id = Uuid::from_u128(2);
            assert!(dedupe.remember(id));
            let mut now = accepted_at;
            while now < accepted_at + 7 * DAY {
                dedupe.rotate(now);
                assert!(dedupe.contains(&id), "forgotten after {} of {}", now - accepted_at, 7 * DAY);
                now += DAY / 2;
            }
            for later in [now + 7 * DAY, now + 14 * DAY] {
                dedupe.rotate(later);
            }
            assert!(!dedupe.contains(&id));
        }
    }

    #[test]
    fn a_full_window_ends_early_and_reports_it() {
        let mut dedupe = Dedupe::new(0, 2);
        for id in 0..2 {
            assert_eq!(dedupe.rotate(5), None);
            dedupe.remember(Uuid::from_u128(id));
        }
        assert_eq!(dedupe.rotate(5), Some(Rotation { forget_before_ms: 0, early: true }));
        assert!(dedupe.contains(&Uuid::from_u128(0)) && dedupe.len() == 2);
    }

    #[test]
    fn remembered_ids_never_exceed_two_windows() {
        // 7/8 of a power of two, like the default: one more id would double the table.
        let capacity = 7 << 10;
        let mut dedupe = Dedupe::new(0, capacity);
        let mut largest = 0;
        for id in 0..10 * capacity as u128 {
            dedupe.rotate(5);
            dedupe.insert(Uuid::from_u128(id));
            largest = largest.max(dedupe.current.ids.capacity() + dedupe.previous.ids.capacity());
            assert!(dedupe.len() <= 2 * capacity);
        }
        assert_eq!(largest, 2 * capacity);
        let slots = |ids: usize| (ids * 8 / 7).next_power_of_two();
        assert_eq!(slots(crate::options::Limits::default().remembered_ids) * 17, 142_606_336, "the documented limit");
    }

    #[test]
    fn the_newest_two_windows_are_restored() {
        let mut dedupe = Dedupe::new(20 * DAY, 5000);
        for (window, id) in [(0, 1), (0, 2), (8 * DAY, 3), (16 * DAY, 4)] {
            dedupe.reload(window, [Uuid::from_u128(id)].into_iter());
        }
        let contains = |id| dedupe.contains(&Uuid::from_u128(id));
        assert_eq!([1, 2, 3, 4].map(contains), [false, false, true, true]);
        assert_eq!(dedupe.window_ms(), 16 * DAY);
    }
}
