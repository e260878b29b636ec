//! How often one may try (`AUTH-7`): a bucket of tokens for each kind of call and each account or address.

use std::collections::HashMap;

use parking_lot::Mutex;
use touchline_protocol::ambient::Clock;

use crate::http::validation::EMAIL_MAX;
use crate::http::{ApiError, ApiResult};

/// How many buckets are kept at most. When there are more, full ones are forgotten, which changes nothing.
const CAPACITY: usize = 200_000;

/// How often something may be done: `burst` times at once, then once each `every_ms`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// So many times at once.
    pub burst: u32,
    /// Then once in so many milliseconds.
    pub every_ms: u32,
}

/// What is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limited {
    /// Logging in to one account.
    LoginByAccount,
    /// Logging in from one address.
    LoginByAddress,
    /// Registering from one address.
    RegisterByAddress,
    /// Mail to one account.
    MailByAccount,
    /// Mail asked for from one address.
    MailByAddress,
    /// Links and codes tried by one account or address.
    Guess,
    /// Keys given to one address.
    KeysByAddress,
    /// Cards entered by one account.
    CardsByAccount,
    /// Purchases of one account.
    BuyByAccount,
    /// Clips asked for by one account.
    ClipByAccount,
    /// Error log lines from one address.
    ErrorLogByAddress,
    /// Problem reports from one address.
    ReportByAddress,
}

/// The rates of everything that is limited.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// See [`Limited::LoginByAccount`].
    pub login_by_account: Rate,
    /// See [`Limited::LoginByAddress`].
    pub login_by_address: Rate,
    /// See [`Limited::RegisterByAddress`].
    pub register_by_address: Rate,
    /// See [`Limited::MailByAccount`].
    pub mail_by_account: Rate,
    /// See [`Limited::MailByAddress`].
    pub mail_by_address: Rate,
    /// See [`Limited::Guess`].
    pub guess: Rate,
    /// See [`Limited::KeysByAddress`].
    pub keys_by_address: Rate,
    /// See [`Limited::CardsByAccount`].
    pub cards_by_account: Rate,
    /// See [`Limited::BuyByAccount`].
    pub buy_by_account: Rate,
    /// See [`Limited::ClipByAccount`].
    pub clip_by_account: Rate,
    /// See [`Limited::ErrorLogByAddress`].
    pub error_log_by_address: Rate,
    /// See [`Limited::ReportByAddress`].
    pub report_by_address: Rate,
}

impl Default for Rates {
    fn default() -> Self {
        let rate = |burst, every_ms| Rate { burst, every_ms };
        Self {
            login_by_account: rate(10, 60_000),
            login_by_address: rate(60, 5_000),
            register_by_address: rate(60, 5_000),
            mail_by_account: rate(4, 10 * 60_000),
            mail_by_address: rate(20, 60_000),
            guess: rate(12, 60_000),
            keys_by_address: rate(600, 100),
            cards_by_account: rate(20, 30_000),
            buy_by_account: rate(30, 10_000),
            clip_by_account: rate(30, 20_000),
            error_log_by_address: rate(120, 1_000),
            report_by_address: rate(6, 60_000),
        }
    }
}

impl Rates {
    /// No limits to speak of: for load tests.
    pub fn unlimited() -> Self {
        let rate = Rate { burst: u32::MAX, every_ms: 1 };
        Self {
            login_by_account: rate,
            login_by_address: rate,
            register_by_address: rate,
            mail_by_account: rate,
            mail_by_address: rate,
            guess: rate,
            keys_by_address: rate,
            cards_by_account: rate,
            buy_by_account: rate,
            clip_by_account: rate,
            error_log_by_address: rate,
            report_by_address: rate,
        }
    }

    fn of(&self, limited: Limited) -> Rate {
        match limited {
            Limited::LoginByAccount => self.login_by_account,
            Limited::LoginByAddress => self.login_by_address,
            Limited::RegisterByAddress => self.register_by_address,
            Limited::MailByAccount => self.mail_by_account,
            Limited::MailByAddress => self.mail_by_address,
            Limited::Guess => self.guess,
            Limited::KeysByAddress => self.keys_by_address,
            Limited::CardsByAccount => self.cards_by_account,
            Limited::BuyByAccount => self.buy_by_account,
            Limited::ClipByAccount => self.clip_by_account,
            Limited::ErrorLogByAddress => self.error_log_by_address,
            Limited::ReportByAddress => self.report_by_address,
        }
    }
}

/// The buckets.
#[derive(Debug, Default)]
pub struct Limits {
    rates: Rates,
    buckets: Mutex<HashMap<(Limited, String), Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    tokens: f64,
    at: i64,
}

impl Bucket {
    fn refilled(self, rate: Rate, now: i64) -> f64 {
        let passed = (now - self.at).max(0) as f64;
        (self.tokens + passed / f64::from(rate.every_ms.max(1))).min(f64::from(rate.burst))
    }
}

impl Limits {
    /// Buckets of these rates.
    pub fn new(rates: Rates) -> Self {
        Self { rates, buckets: Mutex::default() }
    }

    /// Takes a token.
    ///
    /// # Errors
    /// 429 with the time until the next one.
    pub fn take(&self, limited: Limited, subject: &str, clock: &dyn Clock) -> ApiResult<()> {
        let rate = self.rates.of(limited);
        let now = clock.now_ms();
        let mut buckets = self.buckets.lock();
        if buckets.len() >= CAPACITY {
            let rates = self.rates;
            buckets.retain(|(limited, _), bucket| {
                let rate = rates.of(*limited);
                bucket.refilled(rate, now) < f64::from(rate.burst)
            });
        }
        let full = Bucket { tokens: f64::from(rate.burst), at: now };
        let bucket = buckets.entry((limited, subject.to_owned())).or_insert(full);
        let tokens = bucket.refilled(rate, now);
        if tokens < 1.0 {
            *bucket = Bucket { tokens, at: now };
            let wait_ms = (1.0 - tokens) * f64::from(rate.every_ms);
            return Err(ApiError::TooMany { retry_after_s: (wait_ms / 1000.0).ceil() as u64 });
        }
        *bucket = Bucket { tokens: tokens - 1.0, at: now };
        Ok(())
    }

    /// Fills a bucket again, since what was tried succeeded.
    pub fn forgive(&self, limited: Limited, subject: &str) {
        self.buckets.lock().remove(&(limited, subject.to_owned()));
    }
}

/// What limits of one account count by, whether it exists or not.
pub fn account_subject(channel_key: &str, email: &str) -> String {
    let email: String = email.trim().to_lowercase().chars().take(EMAIL_MAX).collect();
    format!("{channel_key}:{email}")
}

#[cfg(test)]
mod tests {
    use touchline_protocol::ambient::ManualClock;

    use super::*;

    #[test]
    fn a_bucket_empties_says_when_to_come_back_and_fills_by_the_clock() {
        let clock = ManualClock::at_ms(0);
        let limits = Limits::new(Rates { guess: Rate { burst: 2, every_ms: 10_000 }, ..Rates::default() });
        let take = |subject: &str| limits.take(Limited::Guess, subject, &*clock);
        assert!(take("a").is_ok() && take("a").is_ok());
        clock.advance_ms(1_500);
        let Err(ApiError::TooMany { retry_after_s }) = take("a") else { panic!("the bucket is empty") };
        assert_eq!(retry_after_s, 9);
        assert!(take("b").is_ok(), "another's bucket is full");
        clock.advance_ms(8_500);
        assert!(take("a").is_ok());
        assert!(take("a").is_err());
        limits.forgive(Limited::Guess, "a");
        assert!(take("a").is_ok() && take("a").is_ok());
        assert!(take("a").is_err());
    }
}
