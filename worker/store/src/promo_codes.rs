//! Promo codes that operators added, and those of a channel's folder that they ended.

use async_trait::async_trait;
use touchline_domain::coupons::CouponRule;

use super::StoreResult;

/// Promo codes beside those of a channel's folder. One that is here stands in the place of the folder's of the same name.
#[async_trait]
pub trait PromoCodes {
    /// Adds a code; whether there was none of that name.
    async fn add_promo_code(&self, channel_key: &str, rule: &CouponRule, at: i64) -> StoreResult<bool>;
    /// Ends a code from `at` on; of one that is not here, `rule` is kept as it stands in the folder.
    async fn end_promo_code(&self, channel_key: &str, rule: &CouponRule, at: i64) -> StoreResult<()>;
    /// The code of a name, in either case.
    async fn promo_code(&self, channel_key: &str, code: &str) -> StoreResult<Option<CouponRule>>;
    /// Every code of a channel, by name.
    async fn promo_codes(&self, channel_key: &str) -> StoreResult<Vec<CouponRule>>;
    /// How many orders of a channel carry a code and did not fail.
    async fn promo_code_uses(&self, channel_key: &str, code: &str) -> StoreResult<i64>;
}
