//! Rate limits (`AUTH-7`): a token bucket per kind of call and per account or address.

use std::sync::Arc;
use std::time::Duration;

use touchline_domain::accounts::{EMAIL_MAX, folded_address};
use touchline_protocol::ambient::Clock;
use touchline_protocol::limits::Limit;
use touchline_protocol::rate::Buckets;
pub use touchline_protocol::rate::Rate;
use touchline_store::Store;

/// Limit of tracked subjects, 16 bytes each. The least active is dropped first.
const MAX_SUBJECTS: usize = 131_072;

/// Limited actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LimitedAction {
    /// Logins to one account from one address, or from a device known to the account.
    LoginByAccountAndAddress,
    /// Logins to one account from anywhere except known devices.
    LoginByAccount,
    /// Logins from one address.
    LoginByAddress,
    /// Registrations from one address.
    RegisterByAddress,
    /// Mails to one account requested by one address or by a device known to the account.
    MailByAccountAndAddress,
    /// Mails to one account requested by anyone except known devices.
    MailByAccount,
    /// Mails requested from one address.
    MailByAddress,
    /// Wrong links and codes for one account.
    Guess,
    /// Wrong codes from one address, which a school or stadium shares.
    GuessByAddress,
    /// Wrong promo codes of one account.
    PromoByAccount,
    /// Wrong promo codes from one address.
    PromoByAddress,
    /// Keys issued to one address.
    KeysByAddress,
    /// Codes issued to devices at one address.
    CodesByAddress,
    /// Cards entered by one account.
    CardsByAccount,
    /// Purchases of one account.
    BuyByAccount,
    /// Clips requested by one account.
    ClipByAccount,
    /// Error log lines from one address.
    ErrorLogByAddress,
    /// Problem reports from one address.
    ReportByAddress,
    /// Form submissions from one address.
    FormByAddress,
    /// Rejected webhooks from one address.
    WebhookByAddress,
}

impl LimitedAction {
    /// Whether several workers share the count: guesses, mails and purchases. Each worker counts alone what only costs
    /// work.
    fn is_counted_together(self) -> bool {
        !matches!(
            self,
            Self::KeysByAddress
                | Self::CodesByAddress
                | Self::ErrorLogByAddress
                | Self::ReportByAddress
                | Self::WebhookByAddress
                | Self::ClipByAccount
        )
    }
}

/// Rates and limits table texts, in the order of [`LimitedAction`].
const TABLE: [(LimitedAction, Rate, &str, &str); 20] = [
    (
        LimitedAction::LoginByAccountAndAddress,
        Rate::new(10, 60_000),
        "login.account_and_address",
        "Logins to one account from one address, or from a recognised device.",
    ),
    (
        LimitedAction::LoginByAccount,
        Rate::new(100, 60_000),
        "login.account",
        "The same from all other addresses together.",
    ),
    (LimitedAction::LoginByAddress, Rate::new(60, 5_000), "login.address", "Logins from one address."),
    (LimitedAction::RegisterByAddress, Rate::new(60, 5_000), "register.address", "Registrations from one address."),
    (
        LimitedAction::MailByAccountAndAddress,
        Rate::new(4, 600_000),
        "mail.account_and_address",
        "Emails to one account requested by one address or a recognised device. Above the limit, none is sent.",
    ),
    (
        LimitedAction::MailByAccount,
        Rate::new(12, 600_000),
        "mail.account",
        "The same from all other addresses together.",
    ),
    (LimitedAction::MailByAddress, Rate::new(20, 60_000), "mail.address", "Emails requested from one address."),
    (LimitedAction::Guess, Rate::new(12, 60_000), "guess", "Wrong links and codes for one account."),
    (LimitedAction::GuessByAddress, Rate::new(120, 5_000), "guess.address", "Wrong codes from one address."),
    (LimitedAction::PromoByAccount, Rate::new(12, 60_000), "promo.account", "Wrong promo codes of one account."),
    (LimitedAction::PromoByAddress, Rate::new(60, 10_000), "promo.address", "Wrong promo codes from one address."),
    (LimitedAction::KeysByAddress, Rate::new(2_000, 2_000), "keys.address", "API keys issued to one address."),
    (LimitedAction::CodesByAddress, Rate::new(60, 5_000), "codes.address", "Codes issued to devices at one address."),
    (LimitedAction::CardsByAccount, Rate::new(20, 30_000), "cards.account", "Cards entered by one account."),
    (LimitedAction::BuyByAccount, Rate::new(30, 10_000), "buy.account", "Purchases of one account."),
    (LimitedAction::ClipByAccount, Rate::new(30, 20_000), "clips.rate", "Clips requested by one account."),
    (LimitedAction::ErrorLogByAddress, Rate::new(120, 1_000), "error_log.address", "Error log lines from one address."),
    (LimitedAction::ReportByAddress, Rate::new(6, 60_000), "reports.address", "Problem reports from one address."),
    (LimitedAction::FormByAddress, Rate::new(10, 300_000), "forms.address", "Form submissions from one address."),
    (LimitedAction::WebhookByAddress, Rate::new(120, 1_000), "webhooks.address", "Rejected webhooks from one address."),
];

pub(crate) fn limits() -> Vec<Limit> {
    let rates = TABLE.map(|(_, rate, name, what)| Limit::rate(name, rate.burst.into(), rate.every_us / 1000, what));
    let subjects = "Accounts and addresses tracked at once. The least active is dropped first.";
    rates.into_iter().chain([Limit::count("rates.subjects", MAX_SUBJECTS as u64, "subjects", subjects)]).collect()
}

/// A rate for every limited action.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates([Rate; TABLE.len()]);

impl Default for Rates {
    fn default() -> Self {
        Self(TABLE.map(|(_, rate, ..)| rate))
    }
}

impl Rates {
    /// Rates that never apply, for load tests.
    pub fn unlimited() -> Self {
        Self([Rate::new(u32::MAX, 1); TABLE.len()])
    }

    /// Replaces one rate.
    #[must_use]
    pub fn with(mut self, limited: LimitedAction, rate: Rate) -> Self {
        self.0[limited as usize] = rate;
        self
    }

    fn of(&self, limited: LimitedAction) -> Rate {
        self.0[limited as usize]
    }
}

/// Too many attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many attempts; the next is allowed in {retry_after_s} s")]
pub struct TooMany {
    /// Seconds to wait before the next attempt.
    pub retry_after_s: u64,
}

/// Token buckets for all limited actions.
#[derive(Debug)]
pub struct Limits {
    rates: Rates,
    buckets: Buckets,
    /// The store of several workers that share counts.
    shared_store: Option<Arc<dyn Store>>,
}

impl Limits {
    /// Buckets of this worker alone.
    pub(crate) fn new(rates: Rates) -> Self {
        Self { rates, buckets: Buckets::new(MAX_SUBJECTS), shared_store: None }
    }

    /// Shares counts through `store` if several workers use it.
    #[must_use]
    pub(crate) fn with_shared_store(self, store: &Arc<dyn Store>) -> Self {
        Self { shared_store: store.is_shared().then(|| Arc::clone(store)), ..self }
    }

    /// Takes a token. If the store does not answer, this worker counts alone.
    ///
    /// # Errors
    /// Fails with the wait until the next token.
    pub(crate) async fn take(&self, limited: LimitedAction, subject: &str, clock: &dyn Clock) -> Result<(), TooMany> {
        let rate = self.rates.of(limited);
        if let Some(store) = self.shared(limited) {
            match store.take_token(&bucket_name(limited, subject), rate, clock.now_ms()).await {
                Ok(None) => return Ok(()),
                Ok(Some(wait_ms)) => return Err(TooMany { retry_after_s: wait_ms.div_ceil(1000) }),
                Err(error) => tracing::debug!(%error, "cannot share rate limits; this worker counts alone"),
            }
        }
        let result = self.buckets.take((limited, subject), rate, 1, clock.steady_ms());
        result.map_err(|wait| TooMany { retry_after_s: seconds(wait) })
    }

    /// Returns the token of an attempt that was no guess.
    pub(crate) async fn give_back(&self, limited: LimitedAction, subject: &str) {
        if let Some(store) = self.shared(limited)
            && let Err(error) = store.return_token(&bucket_name(limited, subject), self.rates.of(limited)).await
        {
            tracing::debug!(%error, "cannot return an attempt to a rate limit");
        }
        self.buckets.give_back((limited, subject), self.rates.of(limited), 1);
    }

    /// Refills a bucket after a success.
    pub(crate) async fn forgive(&self, limited: LimitedAction, subject: &str) {
        if let Some(store) = self.shared(limited)
            && let Err(error) = store.reset_limit(&bucket_name(limited, subject)).await
        {
            tracing::debug!(%error, "cannot reset a rate limit");
        }
        self.buckets.fill((limited, subject));
    }

    /// The store, if all workers count this action together.
    fn shared(&self, limited: LimitedAction) -> Option<&dyn Store> {
        self.shared_store.as_deref().filter(|_| limited.is_counted_together())
    }
}

/// Name of a bucket in the store.
fn bucket_name(limited: LimitedAction, subject: &str) -> String {
    format!("{}/{subject}", TABLE[limited as usize].2)
}

fn seconds(wait: Duration) -> u64 {
    wait.as_millis().div_ceil(1000) as u64
}

/// Subject of an account's counts, whether or not the account exists.
pub(crate) fn account_subject(channel_key: &str, email: &str) -> String {
    let email: String = email.trim().chars().take(EMAIL_MAX).collect();
    let email = folded_address(&email);
    format!("{channel_key}:{email}")
}

#[cfg(test)]
mod tests {
    use touchline_protocol::ambient::ManualClock;

    use super::*;

    #[test]
    fn the_table_lists_actions_in_enum_order() {
        for (index, (limited, ..)) in TABLE.into_iter().enumerate() {
            assert_eq!(limited as usize, index, "{limited:?}");
        }
    }

    #[tokio::test]
    async fn each_action_and_subject_has_a_separate_bucket() {
        let clock = ManualClock::at_ms(0);
        let limits = Limits::new(Rates::default().with(LimitedAction::Guess, Rate::new(2, 10_000)));
        let take = async |limited, subject: &str| limits.take(limited, subject, &*clock).await;
        assert!(take(LimitedAction::Guess, "a").await.is_ok() && take(LimitedAction::Guess, "a").await.is_ok());
        clock.advance_ms(1_500);
        let Err(TooMany { retry_after_s }) = take(LimitedAction::Guess, "a").await else {
            panic!("the bucket is empty")
        };
        assert_eq!(retry_after_s, 9);
        assert!(
            take(LimitedAction::Guess, "b").await.is_ok() && take(LimitedAction::LoginByAddress, "a").await.is_ok()
        );
        limits.give_back(LimitedAction::Guess, "a").await;
        assert!(take(LimitedAction::Guess, "a").await.is_ok() && take(LimitedAction::Guess, "a").await.is_err());
        limits.forgive(LimitedAction::Guess, "a").await;
        assert!(take(LimitedAction::Guess, "a").await.is_ok() && take(LimitedAction::Guess, "a").await.is_ok());
    }

    /// `OPS-51`
    #[tokio::test]
    async fn a_clock_step_neither_refills_nor_blocks_a_bucket() {
        let clock = ManualClock::at_ms(1_800_000_000_000);
        let limits = Limits::new(Rates::default().with(LimitedAction::Guess, Rate::new(2, 10_000)));
        let take = async || limits.take(LimitedAction::Guess, "a", &*clock).await;
        assert!(take().await.is_ok() && take().await.is_ok());
        for days in [-400, 800, -400, -1, 1] {
            clock.step_ms(days * 86_400_000);
            assert_eq!(take().await, Err(TooMany { retry_after_s: 10 }), "{days}");
        }
        clock.advance_ms(10_000);
        assert!(take().await.is_ok());
    }
}
