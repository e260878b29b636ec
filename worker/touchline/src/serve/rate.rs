//! How many calls one address may make: a bucket each, refilled by the minute.

use foldhash::HashMap;
use parking_lot::Mutex;
use touchline_protocol::ambient::SharedClock;

/// More buckets than this are looked through for full ones, which say nothing.
const MANY: usize = 50_000;

/// A bucket for each address.
#[derive(Debug)]
pub(crate) struct Buckets {
    per_minute: f64,
    clock: SharedClock,
    buckets: Mutex<HashMap<u128, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    tokens: f64,
    at_ms: i64,
}

impl Buckets {
    pub(crate) fn new(per_minute: u32, clock: SharedClock) -> Self {
        Self { per_minute: f64::from(per_minute), clock, buckets: Mutex::default() }
    }

    /// Takes one call from `subject`'s bucket, or says after how many seconds there is one.
    pub(crate) fn take(&self, subject: u128) -> Result<(), u64> {
        let now = self.clock.now_ms();
        let mut buckets = self.buckets.lock();
        if buckets.len() >= MANY {
            buckets.retain(|_, bucket| self.filled(*bucket, now) < self.per_minute);
            if buckets.len() >= MANY {
                // So many addresses that call at once are an attack, or a shared limit that is far too low: what is
                // forgotten is let through, and memory stays bounded.
                buckets.clear();
            }
        }
        let bucket = buckets.entry(subject).or_insert(Bucket { tokens: self.per_minute, at_ms: now });
        let tokens = self.filled(*bucket, now);
        let taken = tokens >= 1.0;
        *bucket = Bucket { tokens: if taken { tokens - 1.0 } else { tokens }, at_ms: now };
        if taken { Ok(()) } else { Err(((1.0 - tokens) * 60.0 / self.per_minute).ceil() as u64) }
    }

    fn filled(&self, bucket: Bucket, now_ms: i64) -> f64 {
        let minutes = now_ms.saturating_sub(bucket.at_ms).max(0) as f64 / 60_000.0;
        (bucket.tokens + minutes * self.per_minute).min(self.per_minute)
    }
}

#[cfg(test)]
mod tests {
    use touchline_protocol::ambient::ManualClock;

    use super::*;

    #[test]
    fn a_bucket_empties_for_one_address_alone_and_fills_again() {
        let clock = ManualClock::at_ms(0);
        let buckets = Buckets::new(6, clock.clone());
        for _ in 0..6 {
            assert_eq!(buckets.take(1), Ok(()));
        }
        assert_eq!(buckets.take(1), Err(10));
        assert_eq!(buckets.take(2), Ok(()));
        clock.advance_ms(4_000);
        assert_eq!(buckets.take(1), Err(6));
        clock.advance_ms(6_000);
        assert_eq!(buckets.take(1), Ok(()));
        assert_eq!(buckets.take(1), Err(10));
        clock.advance_ms(-60_000);
        assert_eq!(buckets.take(1), Err(10), "a clock that goes back gives nothing");
    }

    #[test]
    fn memory_is_bounded_whoever_calls() {
        let buckets = Buckets::new(6, ManualClock::at_ms(0));
        for subject in 0..2 * MANY as u128 + 1 {
            assert_eq!(buckets.take(subject), Ok(()));
        }
        assert!(buckets.buckets.lock().len() <= MANY);
    }
}
