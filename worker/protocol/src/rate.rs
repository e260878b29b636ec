//! Rate limits: one token bucket per subject, in a table of fixed size (`LIM-6`).
//!
//! A bucket is one number, the time at which it is full again (the generic cell rate algorithm). The table has a fixed
//! number of slots. Each subject has eight possible slots, guarded by the lock of one shard. If all eight are in use,
//! the fullest bucket is evicted. A client that sends from many addresses therefore evicts its own buckets first, and
//! never refills the bucket of a subject that was refused.

use std::hash::{BuildHasher, Hash};
use std::time::Duration;

use foldhash::fast::RandomState;
use parking_lot::Mutex;

/// A rate: `burst` times at once, then once every `every_us` microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Size of the burst.
    pub burst: u32,
    /// Microseconds between two tokens.
    pub every_us: u64,
}

impl Rate {
    /// A rate of `burst` times at once, then once every `every_ms` milliseconds.
    pub const fn new(burst: u32, every_ms: u64) -> Self {
        Self { burst, every_us: every_ms.saturating_mul(1000) }
    }

    /// A rate of `count` per minute, with a burst of `count`.
    pub const fn per_minute(count: u32) -> Self {
        Self { burst: count, every_us: 60_000_000 / if count == 0 { 1 } else { count as u64 } }
    }

    fn cost_us(self, count: u32) -> i64 {
        i64::try_from(u64::from(count).saturating_mul(self.every_us)).unwrap_or(i64::MAX / 4).min(i64::MAX / 4)
    }
}

/// Possible slots of a subject.
const SLOTS: usize = 8;
const SHARDS: usize = 16;

/// The buckets of all subjects.
#[derive(Debug)]
pub struct Buckets {
    shards: Box<[Mutex<Box<[Set]>>]>,
    hasher: RandomState,
}

/// The possible slots of a subject.
type Set = [Bucket; SLOTS];

#[derive(Debug, Clone, Copy, Default)]
struct Bucket {
    /// Hash of the subject, with a secret seed.
    subject: u64,
    /// Time at which the bucket is full again, in microseconds.
    full_at: i64,
}

impl Buckets {
    /// Allocates buckets for at least `subjects` subjects, 16 bytes each. The table never grows.
    pub fn new(subjects: usize) -> Self {
        let sets = subjects.div_ceil(SHARDS * SLOTS).max(1);
        let shard = || Mutex::new(vec![[Bucket::default(); SLOTS]; sets].into_boxed_slice());
        Self { shards: (0..SHARDS).map(|_| shard()).collect(), hasher: RandomState::default() }
    }

    /// Takes `count` tokens from the subject's bucket at [`Clock::steady_ms`](crate::ambient::Clock::steady_ms).
    ///
    /// # Errors
    /// Returns the time until enough tokens are available. No token is taken.
    pub fn take(&self, subject: impl Hash, rate: Rate, count: u32, steady_ms: i64) -> Result<(), Duration> {
        let now = steady_ms.saturating_mul(1000);
        let (span, cost) = (rate.cost_us(rate.burst), rate.cost_us(count));
        self.with(subject, |bucket| {
            // After the clock moves back or the rate is lowered, no subject waits longer than for an empty bucket.
            let full_at = bucket.full_at.clamp(now, now.saturating_add(span));
            let after = full_at.saturating_add(cost);
            let excess = after.saturating_sub(now).saturating_sub(span);
            bucket.full_at = if excess > 0 { full_at } else { after };
            if excess > 0 { Err(Duration::from_micros(excess.unsigned_abs())) } else { Ok(()) }
        })
    }

    /// Returns `count` tokens to the subject's bucket.
    pub fn give_back(&self, subject: impl Hash, rate: Rate, count: u32) {
        self.with(subject, |bucket| bucket.full_at = bucket.full_at.saturating_sub(rate.cost_us(count)));
    }

    /// Fills the subject's bucket.
    pub fn fill(&self, subject: impl Hash) {
        self.with(subject, |bucket| bucket.full_at = i64::MIN);
    }

    fn with<T>(&self, subject: impl Hash, change: impl FnOnce(&mut Bucket) -> T) -> T {
        let hash = self.hasher.hash_one(subject);
        // The top bits choose the shard, the bottom bits the set within it.
        let mut sets = self.shards[(hash >> 60) as usize % SHARDS].lock();
        let set = hash as usize % sets.len();
        let set = &mut sets[set];
        let slot = set.iter().position(|bucket| bucket.subject == hash).unwrap_or_else(|| {
            let fullest = set.iter().enumerate().min_by_key(|(_, bucket)| bucket.full_at).map_or(0, |(slot, _)| slot);
            set[fullest] = Bucket { subject: hash, full_at: i64::MIN };
            fullest
        });
        change(&mut set[slot])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate::new(2, 10_000);

    #[test]
    fn a_bucket_empties_reports_the_wait_and_refills_over_time() {
        let buckets = Buckets::new(100);
        let take = |subject: &str, now| buckets.take(subject, RATE, 1, now);
        assert_eq!((take("a", 0), take("a", 0)), (Ok(()), Ok(())));
        assert_eq!(take("a", 1_500), Err(Duration::from_millis(8_500)));
        assert_eq!(take("b", 1_500), Ok(()), "other subjects' buckets are full");
        assert_eq!((take("a", 10_000), take("a", 10_000)), (Ok(()), Err(Duration::from_secs(10))));
        buckets.give_back("a", RATE, 1);
        assert_eq!((take("a", 10_000), take("a", 10_000).is_err()), (Ok(()), true));
        buckets.fill("a");
        assert_eq!(buckets.take("a", RATE, 3, 10_000), Err(Duration::from_secs(10)), "more than its capacity");
        assert_eq!(buckets.take("a", RATE, 2, 10_000), Ok(()));
        assert_eq!(
            take("a", -3_600_000),
            Err(Duration::from_secs(10)),
            "a clock that moves back neither adds nor removes tokens"
        );
    }

    #[test]
    fn per_minute_allows_exactly_its_count() {
        let buckets = Buckets::new(100);
        let rate = Rate::per_minute(6);
        for _ in 0..6 {
            assert_eq!(buckets.take(1, rate, 1, 0), Ok(()));
        }
        assert_eq!(buckets.take(1, rate, 1, 4_000), Err(Duration::from_secs(6)));
    }

    /// `LIM-6`: the table stays as large as it was, and no number of subjects refills an empty bucket.
    #[test]
    fn a_million_subjects_use_no_more_memory_and_refill_no_empty_bucket() {
        let buckets = Buckets::new(1_000);
        let slot_count =
            |buckets: &Buckets| buckets.shards.iter().map(|shard| shard.lock().len() * SLOTS).sum::<usize>();
        let before = slot_count(&buckets);
        assert!((1_000..=1_200).contains(&before), "{before}");
        assert!(buckets.take("guesser", RATE, 2, 0).is_ok());
        for subject in 0..1_000_000 {
            assert!(buckets.take(subject, RATE, 1, 1).is_ok(), "{subject} is new");
        }
        assert_eq!(slot_count(&buckets), before);
        assert!(buckets.take("guesser", RATE, 1, 2).is_err(), "the emptiest bucket is not evicted");
    }
}
