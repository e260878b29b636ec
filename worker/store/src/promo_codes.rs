//! Promo codes added by operators, and codes of a channel's folder that they ended.

use async_trait::async_trait;
use touchline_domain::coupons::CouponRule;

use super::StoreResult;

/// Promo codes that override those in a channel's folder.
#[async_trait]
pub trait PromoCodes {
    /// Adds a code. Returns `false` if the name exists.
    async fn add_promo_code(&self, channel_key: &str, rule: &CouponRule, at: i64) -> StoreResult<bool>;
    /// Ends a code at `at`. For a code of the folder, `rule` is its definition there.
    async fn end_promo_code(&self, channel_key: &str, rule: &CouponRule, at: i64) -> StoreResult<()>;
    /// Returns the code with a name, ignoring case.
    async fn promo_code(&self, channel_key: &str, code: &str) -> StoreResult<Option<CouponRule>>;
    /// Returns a channel's codes, by name.
    async fn promo_codes(&self, channel_key: &str) -> StoreResult<Vec<CouponRule>>;
    /// Returns the number of a channel's orders with a code, except failed ones.
    async fn promo_code_uses(&self, channel_key: &str, code: &str) -> StoreResult<i64>;
}
