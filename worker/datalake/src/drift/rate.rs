//! A table's rate: the last minute compared with the usual rate.

use super::{DriftKind, Drifted, MINUTE};
use crate::table::Table;

/// Slots of the moving average, an hour. Younger slots weigh more, and those older than two hours hardly count. A quiet
/// evening takes longer than that.
const HOUR: u32 = 60 * MINUTE as u32;
/// Slots of history before a verdict: ten minutes.
const MIN_HISTORY: u32 = 10 * MINUTE as u32;
/// Events per minute that the larger rate must reach.
const MIN_EVENTS: f64 = 120.0;
/// Factor between the rates that counts as drift.
const FACTOR: f64 = 10.0;

#[derive(Debug, Default)]
pub(super) struct Rate {
    /// Events of the last slots. Once all are filled, the oldest is at `next`.
    slots: [u64; MINUTE],
    next: usize,
    filled: usize,
    /// Mean of the slots before the last minute, in events.
    usual: f64,
    /// Slots in the mean, at most an hour's.
    history: u32,
    /// Slots of the last minute that are left out of the mean, because the rate drifted.
    unusual: usize,
    /// Slots for which the rate has drifted.
    drifted: u32,
}

impl Rate {
    /// Adds the events of finished slots.
    pub(super) fn close(&mut self, events: u64, slots: u64) {
        if slots > MINUTE as u64 {
            // No evaluation for over a minute, or the clock was set: the time of these events is unknown. The mean
            // stays.
            self.filled = 0;
            self.next = 0;
            self.drifted = 0;
            return;
        }
        for slot in 0..slots {
            self.push(events / slots + u64::from(slot < events % slots));
            self.settle();
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a mean; counts of five seconds stay far below 2^53")]
    fn push(&mut self, events: u64) {
        let oldest = std::mem::replace(&mut self.slots[self.next], events);
        self.next = (self.next + 1) % MINUTE;
        if self.filled < MINUTE {
            self.filled += 1;
        } else if self.unusual > 0 {
            self.unusual -= 1;
        } else {
            self.history = (self.history + 1).min(HOUR);
            self.usual += (oldest as f64 - self.usual) / f64::from(self.history);
        }
    }

    /// Leaves a drifted minute out of the mean, until the rate has drifted for an hour and becomes the usual one.
    fn settle(&mut self) {
        if self.rates().is_none() {
            self.drifted = 0;
            return;
        }
        self.unusual = MINUTE;
        self.drifted += 1;
        if self.drifted > HOUR {
            self.usual = self.minute() / MINUTE as f64;
            self.drifted = 0;
            self.unusual = 0;
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of a minute stay far below 2^53")]
    fn minute(&self) -> f64 {
        self.slots.iter().sum::<u64>() as f64
    }

    /// The last minute's events and the usual number, if they drifted.
    fn rates(&self) -> Option<(f64, f64)> {
        if self.filled < MINUTE || self.history < MIN_HISTORY {
            return None;
        }
        let (minute, usual) = (self.minute(), self.usual * MINUTE as f64);
        let drifted = minute >= FACTOR * usual || minute * FACTOR <= usual;
        (drifted && minute.max(usual) >= MIN_EVENTS).then_some((minute, usual))
    }

    pub(super) fn drift(&self, table: Table) -> Option<Drifted> {
        let (minute, usual) = self.rates()?;
        let detail = format!("{minute:.0} events in the last minute, usually {usual:.0}");
        Some(Drifted { table, kind: DriftKind::Rate, field: None, detail })
    }
}
