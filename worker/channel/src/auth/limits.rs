//! How often one may try (`AUTH-7`): a bucket of tokens for each kind of call and each account or address.

use std::sync::Arc;
use std::time::Duration;

use touchline_domain::accounts::{EMAIL_MAX, folded_address};
use touchline_protocol::ambient::Clock;
use touchline_protocol::limits::Limit;
use touchline_protocol::rate::Buckets;
pub use touchline_protocol::rate::Rate;
use touchline_store::Store;

/// For how many subjects is counted at a time, 16 bytes each; who tried least is forgotten first.
const SUBJECTS: usize = 131_072;

/// What is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limited {
    /// Logging in to one account from one address, or from a device that the account knows.
    LoginByAccountAndAddress,
    /// Logging in to one account, from wherever, but for devices that it knows.
    LoginByAccount,
    /// Logging in from one address.
    LoginByAddress,
    /// Registering from one address.
    RegisterByAddress,
    /// Mail to one account that one address asks for, or a device that the account knows.
    MailByAccountAndAddress,
    /// Mail to one account, whoever asks, but for devices that it knows.
    MailByAccount,
    /// Mail asked for from one address.
    MailByAddress,
    /// Wrong links and codes of one account or address.
    Guess,
    /// Wrong promo codes of one account.
    PromoByAccount,
    /// Wrong promo codes from one address.
    PromoByAddress,
    /// Keys given to one address.
    KeysByAddress,
    /// Codes that devices of one address show.
    CodesByAddress,
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
    /// Forms of the channel sent from one address.
    FormByAddress,
    /// Refused webhooks from one address.
    WebhookByAddress,
}

impl Limited {
    /// Whether several workers count it together: what is guessed, mailed, bought. What only costs work is each
    /// worker's own.
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

/// What is limited, how often, and what the limits table says of it; in the order of [`Limited`].
const TABLE: [(Limited, Rate, &str, &str); 19] = [
    (
        Limited::LoginByAccountAndAddress,
        Rate::new(10, 60_000),
        "login.account_and_address",
        "Logging in to one account from one address, or from a device that it knows.",
    ),
    (Limited::LoginByAccount, Rate::new(100, 60_000), "login.account", "The same from all other places together."),
    (Limited::LoginByAddress, Rate::new(60, 5_000), "login.address", "Logging in from one address."),
    (Limited::RegisterByAddress, Rate::new(60, 5_000), "register.address", "Registering from one address."),
    (
        Limited::MailByAccountAndAddress,
        Rate::new(4, 600_000),
        "mail.account_and_address",
        "Letters to one account that one address asks for, or a device that it knows; beyond it nothing is sent.",
    ),
    (Limited::MailByAccount, Rate::new(12, 600_000), "mail.account", "The same from all other places together."),
    (Limited::MailByAddress, Rate::new(20, 60_000), "mail.address", "Letters asked for from one address."),
    (Limited::Guess, Rate::new(12, 60_000), "guess", "Wrong links and codes of one account or address."),
    (Limited::PromoByAccount, Rate::new(12, 60_000), "promo.account", "Wrong promo codes of one account."),
    (Limited::PromoByAddress, Rate::new(60, 10_000), "promo.address", "Wrong promo codes from one address."),
    (Limited::KeysByAddress, Rate::new(2_000, 2_000), "keys.address", "API keys given to one address."),
    (Limited::CodesByAddress, Rate::new(60, 5_000), "codes.address", "Codes that devices of one address show."),
    (Limited::CardsByAccount, Rate::new(20, 30_000), "cards.account", "Cards entered by one account."),
    (Limited::BuyByAccount, Rate::new(30, 10_000), "buy.account", "Purchases of one account."),
    (Limited::ClipByAccount, Rate::new(30, 20_000), "clips.rate", "Clips asked for by one account."),
    (Limited::ErrorLogByAddress, Rate::new(120, 1_000), "error_log.address", "Error log lines from one address."),
    (Limited::ReportByAddress, Rate::new(6, 60_000), "reports.address", "Problem reports from one address."),
    (Limited::FormByAddress, Rate::new(10, 300_000), "forms.address", "Forms of the channel sent from one address."),
    (Limited::WebhookByAddress, Rate::new(120, 1_000), "webhooks.address", "Refused webhooks from one address."),
];

/// The rows of the limits table.
pub(crate) fn limits() -> Vec<Limit> {
    let rates = TABLE.map(|(_, rate, name, what)| Limit::rate(name, rate.burst.into(), rate.every_us / 1000, what));
    let subjects = "Accounts and addresses for which all of these are counted; who tried least is forgotten first.";
    rates.into_iter().chain([Limit::count("rates.subjects", SUBJECTS as u64, "subjects", subjects)]).collect()
}

/// The rates of everything that is limited.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates([Rate; TABLE.len()]);

impl Default for Rates {
    fn default() -> Self {
        Self(TABLE.map(|(_, rate, ..)| rate))
    }
}

impl Rates {
    /// No limits to speak of: for load tests.
    pub fn unlimited() -> Self {
        Self([Rate::new(u32::MAX, 1); TABLE.len()])
    }

    /// These rates, but for one.
    #[must_use]
    pub fn with(mut self, limited: Limited, rate: Rate) -> Self {
        self.0[limited as usize] = rate;
        self
    }

    fn of(&self, limited: Limited) -> Rate {
        self.0[limited as usize]
    }
}

/// Too many tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many tries; the next one is let through in {retry_after_s} s")]
pub struct TooMany {
    /// When it is worth trying again, seconds.
    pub retry_after_s: u64,
}

/// The buckets.
#[derive(Debug)]
pub struct Limits {
    rates: Rates,
    buckets: Buckets,
    /// Where several workers count together what is guessed, mailed and bought.
    together: Option<Arc<dyn Store>>,
}

impl Limits {
    /// Buckets of these rates, of this worker alone.
    pub fn new(rates: Rates) -> Self {
        Self { rates, buckets: Buckets::new(SUBJECTS), together: None }
    }

    /// The same; what several workers count together is in the store, if they share one.
    #[must_use]
    pub fn together(self, store: &Arc<dyn Store>) -> Self {
        Self { together: store.is_shared().then(|| Arc::clone(store)), ..self }
    }

    /// Takes a token. Without an answer of the store this worker counts alone.
    ///
    /// # Errors
    /// With the time until the next one.
    pub async fn take(&self, limited: Limited, subject: &str, clock: &dyn Clock) -> Result<(), TooMany> {
        let rate = self.rates.of(limited);
        if let Some(store) = self.shared(limited) {
            match store.take_token(&kept_as(limited, subject), rate, clock.now_ms()).await {
                Ok(None) => return Ok(()),
                Ok(Some(wait_ms)) => return Err(TooMany { retry_after_s: wait_ms.div_ceil(1000) }),
                Err(error) => tracing::debug!(%error, "tries are counted by this worker alone"),
            }
        }
        let taken = self.buckets.take((limited, subject), rate, 1, clock.steady_ms());
        taken.map_err(|wait| TooMany { retry_after_s: seconds(wait) })
    }

    /// Gives back a token that was taken for a try that guessed nothing.
    pub async fn give_back(&self, limited: Limited, subject: &str) {
        if let Some(store) = self.shared(limited)
            && let Err(error) = store.return_token(&kept_as(limited, subject), self.rates.of(limited)).await
        {
            tracing::debug!(%error, "a try is not given back");
        }
        self.buckets.give_back((limited, subject), self.rates.of(limited), 1);
    }

    /// Fills a bucket again, since what was tried succeeded.
    pub async fn forgive(&self, limited: Limited, subject: &str) {
        if let Some(store) = self.shared(limited)
            && let Err(error) = store.reset_limit(&kept_as(limited, subject)).await
        {
            tracing::debug!(%error, "tries are not forgiven");
        }
        self.buckets.fill((limited, subject));
    }

    /// Where this is counted by all workers together.
    fn shared(&self, limited: Limited) -> Option<&dyn Store> {
        self.together.as_deref().filter(|_| limited.is_counted_together())
    }
}

/// What a bucket is called in the store.
fn kept_as(limited: Limited, subject: &str) -> String {
    format!("{}/{subject}", TABLE[limited as usize].2)
}

fn seconds(wait: Duration) -> u64 {
    wait.as_millis().div_ceil(1000) as u64
}

/// What limits of one account count by, whether it exists or not.
pub fn account_subject(channel_key: &str, email: &str) -> String {
    let email: String = email.trim().chars().take(EMAIL_MAX).collect();
    let email = folded_address(&email);
    format!("{channel_key}:{email}")
}

#[cfg(test)]
mod tests {
    use touchline_protocol::ambient::ManualClock;

    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_what_is_limited() {
        for (place, (limited, ..)) in TABLE.into_iter().enumerate() {
            assert_eq!(limited as usize, place, "{limited:?}");
        }
    }

    #[tokio::test]
    async fn a_bucket_is_of_one_kind_and_one_subject_and_can_be_filled() {
        let clock = ManualClock::at_ms(0);
        let limits = Limits::new(Rates::default().with(Limited::Guess, Rate::new(2, 10_000)));
        let take = async |limited, subject: &str| limits.take(limited, subject, &*clock).await;
        assert!(take(Limited::Guess, "a").await.is_ok() && take(Limited::Guess, "a").await.is_ok());
        clock.advance_ms(1_500);
        let Err(TooMany { retry_after_s }) = take(Limited::Guess, "a").await else { panic!("the bucket is empty") };
        assert_eq!(retry_after_s, 9);
        assert!(take(Limited::Guess, "b").await.is_ok() && take(Limited::LoginByAddress, "a").await.is_ok());
        limits.give_back(Limited::Guess, "a").await;
        assert!(take(Limited::Guess, "a").await.is_ok() && take(Limited::Guess, "a").await.is_err());
        limits.forgive(Limited::Guess, "a").await;
        assert!(take(Limited::Guess, "a").await.is_ok() && take(Limited::Guess, "a").await.is_ok());
    }

    /// `OPS-51`
    #[tokio::test]
    async fn no_step_of_the_clock_refills_a_bucket_or_keeps_it_empty() {
        let clock = ManualClock::at_ms(1_800_000_000_000);
        let limits = Limits::new(Rates::default().with(Limited::Guess, Rate::new(2, 10_000)));
        let take = async || limits.take(Limited::Guess, "a", &*clock).await;
        assert!(take().await.is_ok() && take().await.is_ok());
        for days in [-400, 800, -400, -1, 1] {
            clock.step_ms(days * 86_400_000);
            assert_eq!(take().await, Err(TooMany { retry_after_s: 10 }), "{days}");
        }
        clock.advance_ms(10_000);
        assert!(take().await.is_ok());
    }
}
