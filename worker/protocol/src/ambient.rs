//! Traits for time, randomness and ids, so that tests can choose the clock and the seed.

use std::fmt::Debug;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use uuid::Uuid;

/// A source of time.
pub trait Clock: Debug + Send + Sync + 'static {
    /// The current time, UTC.
    fn now(&self) -> Timestamp;

    /// The current time in Unix milliseconds.
    fn now_ms(&self) -> i64 {
        self.now().as_millisecond()
    }

    /// Milliseconds from an arbitrary origin, unaffected by steps of the system clock. For intervals and rates.
    fn steady_ms(&self) -> i64 {
        self.now_ms()
    }

    /// The current time in Unix seconds.
    fn now_s(&self) -> i64 {
        self.now().as_second()
    }
}

/// A source of random bytes.
pub trait Entropy: Debug + Send + Sync + 'static {
    /// Fills `bytes` with random bytes.
    fn fill(&self, bytes: &mut [u8]);

    /// A random 64-bit number.
    fn next_u64(&self) -> u64 {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// A random number, uniform in `[0, 1)`.
    fn next_f64(&self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A UUIDv7 at the clock's current time.
    fn uuid_v7(&self, clock: &dyn Clock) -> Uuid {
        let mut bytes = [0; 10];
        self.fill(&mut bytes);
        uuid::Builder::from_unix_timestamp_millis(clock.now_ms().max(0).unsigned_abs(), &bytes).into_uuid()
    }
}

/// A shared clock.
pub type SharedClock = Arc<dyn Clock>;
/// A shared source of randomness.
pub type SharedEntropy = Arc<dyn Entropy>;

/// The system clock, shifted by a fixed offset (`--clock-offset`, zero in production).
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock {
    offset: Duration,
    is_behind: bool,
}

impl SystemClock {
    /// A system clock that is `offset_s` seconds ahead, or behind if negative.
    pub fn with_offset(offset_s: i64) -> Self {
        Self { offset: Duration::from_secs(offset_s.unsigned_abs()), is_behind: offset_s < 0 }
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the only reader of the system clock")]
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        if self.offset.is_zero() {
            return now;
        }
        let shifted = if self.is_behind { now.checked_sub(self.offset) } else { now.checked_add(self.offset) };
        shifted.unwrap_or(now)
    }

    #[expect(clippy::disallowed_methods, reason = "the only reader of the steady clock")]
    fn steady_ms(&self) -> i64 {
        static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
        i64::try_from(STARTED.elapsed().as_millis()).unwrap_or(i64::MAX)
    }
}

/// The operating system's randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    #[expect(clippy::disallowed_methods, reason = "the only reader of the system's randomness")]
    #[expect(clippy::expect_used, reason = "keys would be unsafe without randomness")]
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system provides random bytes");
    }

    /// Uses a thread-local generator seeded by the operating system. Every request needs an id, and a system call for
    /// each would cost more than the rest of the id.
    #[expect(clippy::disallowed_methods, reason = "the only reader of the system's randomness")]
    fn uuid_v7(&self, clock: &dyn Clock) -> Uuid {
        let mut bytes = [0; 10];
        rand::Rng::fill(&mut rand::rng(), &mut bytes);
        uuid::Builder::from_unix_timestamp_millis(clock.now_ms().max(0).unsigned_abs(), &bytes).into_uuid()
    }
}

/// A clock that moves only when a test moves it.
#[derive(Debug)]
pub struct ManualClock {
    steady_ms: AtomicI64,
    /// Steps of the wall clock, which the steady clock ignores.
    stepped_ms: AtomicI64,
}

impl ManualClock {
    /// A clock set to `ms` Unix milliseconds.
    pub fn at_ms(ms: i64) -> Arc<Self> {
        Arc::new(Self { steady_ms: AtomicI64::new(ms), stepped_ms: AtomicI64::new(0) })
    }

    /// Advances the clock by `ms` milliseconds, or moves it back if negative.
    pub fn advance_ms(&self, ms: i64) {
        self.steady_ms.fetch_add(ms, Ordering::SeqCst);
    }

    /// Steps the wall clock by `ms` milliseconds, or back if negative, as NTP or an operator does.
    pub fn step_ms(&self, ms: i64) {
        self.stepped_ms.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        let ms = self.steady_ms() + self.stepped_ms.load(Ordering::SeqCst);
        Timestamp::from_millisecond(ms).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    fn steady_ms(&self) -> i64 {
        self.steady_ms.load(Ordering::SeqCst)
    }
}

/// Deterministic randomness from a seed (splitmix64), for tests.
#[derive(Debug)]
pub struct SeededEntropy(AtomicU64);

impl SeededEntropy {
    /// A generator with the given seed. Equal seeds give equal bytes.
    pub fn new(seed: u64) -> Arc<Self> {
        Arc::new(Self(AtomicU64::new(seed)))
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let mut z = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::SeqCst).wrapping_add(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^= z >> 31;
            chunk.copy_from_slice(&z.to_le_bytes()[..chunk.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_ids_and_different_seeds_different_ones() {
        let clock = ManualClock::at_ms(1_700_000_000_000);
        let id = |seed| SeededEntropy::new(seed).uuid_v7(&*clock);
        assert_eq!(id(7), id(7));
        assert_ne!(id(7), id(8));
        assert_eq!(id(7).get_version_num(), 7);
    }

    #[test]
    fn an_offset_moves_the_system_clock_in_both_directions() {
        let ahead = SystemClock::with_offset(3600).now_ms() - SystemClock::default().now_ms();
        let behind = SystemClock::with_offset(-3600).now_ms() - SystemClock::default().now_ms();
        assert!((3_599_000..3_601_000).contains(&ahead), "{ahead}");
        assert!((-3_601_000..-3_599_000).contains(&behind), "{behind}");
    }
}
