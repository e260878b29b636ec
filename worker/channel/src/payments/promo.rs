//! The operator's promo codes in addition to those of a channel's folder (`PAY-13`).

use touchline_domain::coupons::CouponRule;
use touchline_domain::prices::is_entered;
use touchline_store::{Store, StoreResult};

use crate::catalogue::ChannelSnapshot;

/// Returns the operator's rule for the entered code.
pub(crate) async fn operator_rule(
    store: &dyn Store,
    channel: &ChannelSnapshot,
    entered: Option<&str>,
) -> StoreResult<Option<CouponRule>> {
    match entered.filter(|code| is_entered(code)) {
        Some(code) => store.promo_code(channel.key(), code.trim()).await,
        None => Ok(None),
    }
}

/// Returns whether a code has reached its limit of orders, to warn the viewer early. Placing an order checks again
/// within its transaction.
pub(crate) async fn is_used_up(
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
