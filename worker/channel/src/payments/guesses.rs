//! How often promo codes may be guessed (`AUTH-7`).

use touchline_domain::prices::{Quote, WrongPromoCode, is_entered};
use touchline_domain::purchases::Refusal;

use crate::auth::limits::Limited;
use crate::http::{ApiResult, Caller};
use crate::state::AppState;

/// Prices something by a promo code: each wrong one costs its person and their address a guess, a right one nothing, and
/// who has none left is told so whatever the code is.
///
/// # Errors
/// 400 for a wrong code; 429 for who guessed too often.
pub fn guarded(
    state: &AppState,
    caller: &Caller,
    user_id: i64,
    promo_code: Option<&str>,
    priced: impl FnOnce() -> Result<Quote, WrongPromoCode>,
) -> ApiResult<Quote> {
    if !promo_code.is_some_and(is_entered) {
        return Ok(priced().map_err(Refusal::from)?);
    }
    let guesses = [(Limited::PromoByAddress, caller.client.subject()), (Limited::PromoByAccount, user_id.to_string())];
    for (limited, subject) in &guesses {
        state.limits.take(*limited, subject, &*state.clock)?;
    }
    let result = priced();
    if result.is_ok() {
        for (limited, subject) in &guesses {
            state.limits.give_back(*limited, subject);
        }
    }
    Ok(result.map_err(Refusal::from)?)
}
