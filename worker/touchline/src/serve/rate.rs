//! Rate limits by address: a token bucket each, refilled by the minute.

use touchline_protocol::ambient::SharedClock;
#[cfg(test)]
use touchline_protocol::limits::Limit;
use touchline_protocol::rate::{Buckets, Rate};

/// The number of addresses tracked.
const ADDRESSES: usize = 65_536;
/// Part of the limits table.
#[cfg(test)]
pub(super) const LIMITS: &[Limit] = &[Limit::count(
    "calls.addresses",
    ADDRESSES as u64,
    "addresses",
    "Addresses tracked at once; those with the fewest calls are dropped first.",
)];

#[derive(Debug)]
pub(crate) struct Calls {
    rate: Rate,
    clock: SharedClock,
    buckets: Buckets,
}

impl Calls {
    pub(crate) fn new(per_minute: u32, clock: SharedClock) -> Self {
        Self { rate: Rate::per_minute(per_minute), clock, buckets: Buckets::new(ADDRESSES) }
    }

    /// Counts one call of `subject`, or returns the seconds until it is allowed.
    pub(crate) fn take(&self, subject: u128) -> Result<(), u64> {
        let result = self.buckets.take(subject, self.rate, 1, self.clock.steady_ms());
        result.map_err(|wait| wait.as_millis().div_ceil(1000) as u64)
    }
}

#[cfg(test)]
mod tests {
    use touchline_protocol::ambient::ManualClock;

    use super::*;

    #[test]
    fn only_the_address_that_calls_too_often_has_to_wait() {
        let clock = ManualClock::at_ms(0);
        let calls = Calls::new(6, clock.clone());
        for _ in 0..6 {
            assert_eq!(calls.take(1), Ok(()));
        }
        assert_eq!(calls.take(1), Err(10));
        assert_eq!(calls.take(2), Ok(()));
        clock.advance_ms(4_500);
        assert_eq!(calls.take(1), Err(6));
        clock.advance_ms(5_500);
        assert_eq!(calls.take(1), Ok(()));
    }
}
