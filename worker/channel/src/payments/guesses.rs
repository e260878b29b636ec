//! Limits on guessing promo codes (`AUTH-7`).

use touchline_domain::prices::{Quote, WrongPromoCode, is_entered};
use touchline_domain::purchases::Refusal;
use touchline_protocol::ambient::Clock;

use super::CheckoutResult;
use crate::auth::limits::{LimitedAction, Limits};

/// A person who enters promo codes.
#[derive(Clone, Copy)]
pub(crate) struct Guesser<'a> {
    /// Attempt counters.
    pub(crate) limits: &'a Limits,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) user_id: i64,
    /// Network address by which attempts are counted.
    pub(crate) address: &'a str,
}

impl Guesser<'_> {
    /// Prices a product with a promo code. A wrong code costs the person and their address one attempt; a valid one
    /// costs nothing. Without remaining attempts every code is refused.
    ///
    /// # Errors
    /// For a wrong code, or after too many attempts.
    pub(crate) async fn guarded(
        &self,
        promo_code: Option<&str>,
        priced: impl FnOnce() -> Result<Quote, WrongPromoCode>,
    ) -> CheckoutResult<Quote> {
        if !promo_code.is_some_and(is_entered) {
            return Ok(priced().map_err(Refusal::from)?);
        }
        let person = self.user_id.to_string();
        let guesses = [(LimitedAction::PromoByAddress, self.address), (LimitedAction::PromoByAccount, &person)];
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
