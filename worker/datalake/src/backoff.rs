//! Backoff between attempts to reach a failing sink.

use std::time::Duration;

use touchline_protocol::ambient::Entropy;

const FIRST_WAIT: Duration = Duration::from_millis(500);
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Returns the wait after the `failures`-th failure in a row (from 1). It doubles up to a minute. The upper half is
/// random, so that many workers do not retry at once.
pub(crate) fn wait(failures: u32, entropy: &dyn Entropy) -> Duration {
    let ceiling = FIRST_WAIT.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(MAX_WAIT);
    ceiling.mul_f64(0.5 + entropy.next_f64() / 2.0)
}

#[cfg(test)]
mod tests {
    use touchline_protocol::ambient::SeededEntropy;

    use super::*;

    #[test]
    fn waits_double_up_to_a_minute_and_are_randomised() {
        let entropy = SeededEntropy::new(1);
        for (failures, ceiling_ms) in [(1, 500), (2, 1000), (7, 32_000), (8, 60_000), (u32::MAX, 60_000)] {
            let waits: Vec<_> = (0..50).map(|_| wait(failures, &*entropy)).collect();
            let ceiling = Duration::from_millis(ceiling_ms);
            assert!(waits.iter().all(|wait| (ceiling / 2..=ceiling).contains(wait)));
            assert!(waits.iter().any(|wait| *wait != waits[0]));
        }
    }
}
