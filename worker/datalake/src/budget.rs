//! Hourly budgets of event bytes for each sender, refilled every second (`OPS-13`).
//!
//! Events are anonymous: without a budget one address could fill everybody's disk.

use foldhash::HashMap;
use parking_lot::Mutex;

const HOUR_MS: f64 = 3_600_000.0;
/// Senders with a budget of their own. All others share one, so that memory is bounded and a flood of addresses buys
/// nobody more.
pub(crate) const SENDERS: usize = 50_000;

#[derive(Debug)]
pub(crate) struct Budgets {
    per_hour: f64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    senders: HashMap<u128, Usage>,
    /// Usage of all senders beyond [`SENDERS`].
    others: Usage,
    refused: u64,
}

/// Bytes that were sent and are not refilled yet.
#[derive(Debug, Clone, Copy, Default)]
struct Usage {
    bytes: f64,
    at_ms: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Admission {
    /// Number of admitted events, from the first on.
    pub(crate) events: usize,
    pub(crate) retry_after_s: u64,
}

impl Budgets {
    pub(crate) fn new(bytes_per_hour: u64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a budget is far below 2^53 bytes")]
        Self { per_hour: bytes_per_hour as f64, state: Mutex::default() }
    }

    /// Admits as many events of these sizes as `sender` has budget for.
    pub(crate) fn admit(&self, sender: u128, sizes: &[u64], steady_ms: i64) -> Admission {
        let mut state = self.state.lock();
        if !state.senders.contains_key(&sender) && state.senders.len() >= SENDERS {
            let per_hour = self.per_hour;
            state.senders.retain(|_, usage| usage.used_at(steady_ms, per_hour) > 0.0);
        }
        let State { senders, others, .. } = &mut *state;
        let is_tracked = senders.contains_key(&sender) || senders.len() < SENDERS;
        let usage = if is_tracked { senders.entry(sender).or_default() } else { others };
        let mut bytes = usage.used_at(steady_ms, self.per_hour);
        let mut admission = Admission { events: 0, retry_after_s: 0 };
        for size in sizes {
            #[expect(clippy::cast_precision_loss, reason = "an event is a few KiB")]
            let size = *size as f64;
            if bytes + size > self.per_hour {
                let back_ms = (bytes + size - self.per_hour) / self.per_hour * HOUR_MS;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "between a second and an hour"
                )]
                let seconds = (back_ms / 1000.0).ceil().clamp(1.0, 3600.0) as u64;
                admission.retry_after_s = seconds;
                break;
            }
            bytes += size;
            admission.events += 1;
        }
        *usage = Usage { bytes, at_ms: steady_ms };
        state.refused += (sizes.len() - admission.events) as u64;
        admission
    }

    /// Number of events deferred since the start.
    pub(crate) fn refused(&self) -> u64 {
        self.state.lock().refused
    }
}

impl Usage {
    /// The bytes still counted now. Uses the steady clock, which is never set.
    fn used_at(&self, steady_ms: i64, per_hour: f64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of some hours")]
        let hours = steady_ms.saturating_sub(self.at_ms).max(0) as f64 / HOUR_MS;
        (self.bytes - hours * per_hour).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sender_has_an_hourly_budget_that_refills_every_second() {
        let budgets = Budgets::new(3600);
        assert_eq!(budgets.admit(1, &[3000, 600, 10], 0), Admission { events: 2, retry_after_s: 10 });
        assert_eq!(budgets.admit(1, &[100], 0), Admission { events: 0, retry_after_s: 100 });
        assert_eq!(budgets.admit(2, &[3600], 0).events, 1);
        assert_eq!(budgets.admit(1, &[100], 99_000), Admission { events: 0, retry_after_s: 1 });
        assert_eq!(budgets.admit(1, &[100], 100_000).events, 1);
        assert_eq!(budgets.admit(1, &[1], 50_000).events, 0, "a clock set back refills nothing");
        assert_eq!(budgets.refused(), 4);
    }

    #[test]
    fn many_addresses_share_one_budget_and_memory_stays_bounded() {
        let budgets = Budgets::new(1000);
        for sender in 0..SENDERS as u128 {
            assert_eq!(budgets.admit(sender, &[1000], 0).events, 1);
        }
        assert_eq!(budgets.admit(u128::MAX, &[1000], 0).events, 1);
        assert_eq!(budgets.admit(u128::MAX - 1, &[1], 0).events, 0, "further senders share one budget");
        assert_eq!(budgets.admit(0, &[1], 0).events, 0, "a known sender is still counted");
        assert!(budgets.state.lock().senders.len() <= SENDERS);
        assert_eq!(budgets.admit(u128::MAX - 2, &[1000], 3_600_000).events, 1);
        assert_eq!(budgets.state.lock().senders.len(), 1, "an idle sender is forgotten");
    }
}
