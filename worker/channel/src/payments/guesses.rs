//! How often promo codes may be guessed (`AUTH-7`).

use crate::auth::limits::Limited;
use crate::http::{ApiError, ApiResult, Caller};
use crate::state::AppState;

/// Prices something by a promo code: each wrong one costs its person and their address a guess, a right one nothing, and
/// who has none left is told so whatever the code is.
///
/// # Errors
/// As `priced`; 429 for who guessed too often.
pub fn guarded<T>(
    state: &AppState,
    caller: &Caller,
    user_id: i64,
    promo_code: Option<&str>,
    priced: impl FnOnce() -> ApiResult<T>,
) -> ApiResult<T> {
    if promo_code.is_none_or(|code| code.trim().is_empty()) {
        return priced();
    }
    let guesses = [(Limited::PromoByAddress, caller.client.subject()), (Limited::PromoByAccount, user_id.to_string())];
    for (limited, subject) in &guesses {
        state.limits.take(*limited, subject, &*state.clock)?;
    }
    let result = priced();
    if !matches!(&result, Err(ApiError::Invalid(failure)) if failure.code == "wrong_promo_code") {
        for (limited, subject) in &guesses {
            state.limits.give_back(*limited, subject);
        }
    }
    result
}
