//! The operator's promo codes beside those of a channel's folder: one list (`PAY-13`).

use touchline_domain::coupons::CouponRule;
use touchline_domain::prices::is_entered;
use touchline_store::{Store, StoreResult};

use crate::catalogue::ChannelSnapshot;

/// What the operator made of the code that was entered; nothing for one that only the channel's folder may have.
///
/// # Errors
/// When the store does not answer.
pub async fn of_operator(
    store: &dyn Store,
    channel: &ChannelSnapshot,
    entered: Option<&str>,
) -> StoreResult<Option<CouponRule>> {
    match entered.filter(|code| is_entered(code)) {
        Some(code) => store.promo_code(channel.key(), code.trim()).await,
        None => Ok(None),
    }
}

/// Whether as many orders carry a code as may. The order that is placed is counted within its own transaction; this tells
/// a viewer beforehand.
///
/// # Errors
/// When the store does not answer.
pub async fn is_used_up(
    store: &dyn Store,
    channel: &ChannelSnapshot,
    code: Option<&str>,
    limit: Option<i64>,
) -> StoreResult<bool> {
    match code.zip(limit) {
        Some((code, limit)) => Ok(store.promo_code_uses(channel.key(), code).await? >= limit),
        None => Ok(false),
    }
}
