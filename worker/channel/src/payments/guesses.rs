//! How often promo codes may be guessed (`AUTH-7`).

use touchline_domain::prices::{Quote, WrongPromoCode, is_entered};
use touchline_domain::purchases::Refusal;
use touchline_protocol::ambient::Clock;

use super::CheckoutResult;
use crate::auth::limits::{Limited, Limits};

/// Who guesses, and how often they may.
#[derive(Clone, Copy)]
pub struct Guesser<'a> {
    /// How often one may try.
    pub limits: &'a Limits,
    /// The time.
    pub clock: &'a dyn Clock,
    /// The person.
    pub user_id: i64,
    /// What tries of their address are counted by.
    pub address: &'a str,
}

impl Guesser<'_> {
    /// Prices something by a promo code: each wrong one costs its person and their address a guess, a right one nothing,
    /// and who has none left is told so whatever the code is.
    ///
    /// # Errors
    /// For a wrong code, and for who guessed too often.
    pub async fn guarded(
        &self,
        promo_code: Option<&str>,
        priced: impl FnOnce() -> Result<Quote, WrongPromoCode>,
    ) -> CheckoutResult<Quote> {
        if !promo_code.is_some_and(is_entered) {
            return Ok(priced().map_err(Refusal::from)?);
        }
        let person = self.user_id.to_string();
        let guesses = [(Limited::PromoByAddress, self.address), (Limited::PromoByAccount, &person)];
        for (limited, subject) in guesses {
            self.limits.take(limited, subject, self.clock).await?;
        }
        let result = priced();
        if result.is_ok() {
            for (limited, subject) in guesses {
                self.limits.give_back(limited, subject).await;
            }
        }
        Ok(result.map_err(Refusal::from)?)
    }
}
