//! A table's rate: the last minute beside what is usual.

use super::{DriftKind, Drifted, MINUTE};
use crate::table::Table;

/// What is usual is the mean of the last hour, in slots: younger history weighs more, and what was two hours ago hardly
/// counts. A night that falls quiet takes longer than that.
const HOUR: u32 = 60 * MINUTE as u32;
/// Slots of history before anything is judged: ten minutes.
const HISTORY: u32 = 10 * MINUTE as u32;
/// The larger one of both rates, events in a minute, for their difference to say anything.
const LEAST: f64 = 120.0;
/// How many times the usual rate, or which part of it, drifted.
const FACTOR: f64 = 10.0;

/// The rate of one table.
#[derive(Debug, Default)]
pub(super) struct Rate {
    /// Events of the last slots, the oldest at `next` once all are filled.
    slots: [u64; MINUTE],
    next: usize,
    filled: usize,
    /// The mean of the slots before the last minute, events.
    usual: f64,
    /// How many slots it is of, at most an hour's.
    history: u32,
    /// Slots of the last minute that do not become usual: the rate drifted in them.
    unusual: usize,
    /// For how many slots the rate has drifted.
    drifted: u32,
}

impl Rate {
    /// Takes up the events of so many slots that are over.
    pub(super) fn close(&mut self, events: u64, slots: u64) {
        if slots > MINUTE as u64 {
            // Nobody judged for over a minute, or the clock was set: who knows when these came. What is usual stays.
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

    /// A minute that drifted does not become usual, until it has for an hour: then it is.
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

    /// The last minute's events and the usual ones, where they are that far apart.
    fn rates(&self) -> Option<(f64, f64)> {
        if self.filled < MINUTE || self.history < HISTORY {
            return None;
        }
        let (minute, usual) = (self.minute(), self.usual * MINUTE as f64);
        let drifted = minute >= FACTOR * usual || minute * FACTOR <= usual;
        (drifted && minute.max(usual) >= LEAST).then_some((minute, usual))
    }

    pub(super) fn drift(&self, table: Table) -> Option<Drifted> {
        let (minute, usual) = self.rates()?;
        let detail = format!("{minute:.0} events in the last minute, usually {usual:.0}");
        Some(Drifted { table, kind: DriftKind::Rate, field: None, detail })
    }
}
