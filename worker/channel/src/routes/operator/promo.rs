//! Operator commands for promo codes: `touchline promo add|list|end`.

use serde::{Deserialize, Serialize};
use touchline_domain::coupons::{CouponRule, Discount};
use touchline_domain::prices::{Assortment, offer};
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::purchases::OrderType;

use crate::catalogue::ChannelSnapshot;
use crate::http::{ApiError, ApiResult, AppState};

/// Longest promo code, in characters.
const CODE_MAX: usize = 64;

/// A promo code for an operator. Times are Unix milliseconds, amounts minor units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromoCode {
    /// The code as created. Viewers may use upper or lower case.
    pub code: String,
    /// Discount in percent.
    pub percent: Option<i64>,
    /// Discount in money.
    pub amount: Option<i64>,
    /// Products that it applies to; empty for all.
    pub products: Vec<(OrderType, i64)>,
    /// Maximum number of orders.
    pub max_uses: Option<i64>,
    /// Start of validity.
    pub starts_at: Option<i64>,
    /// End of validity.
    pub ends_at: Option<i64>,
}

/// A promo code in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedPromoCode {
    /// The code.
    #[serde(flatten)]
    pub promo: PromoCode,
    /// `folder` or `operator`.
    pub from: String,
    /// Number of orders with the code that did not fail.
    pub uses: i64,
    /// Whether it is currently valid.
    pub is_open: bool,
}

impl PromoCode {
    fn of(rule: CouponRule) -> Self {
        let (percent, amount) = match rule.discount {
            Discount::Percent(percent) => (Some(percent), None),
            Discount::Amount(amount) => (None, Some(amount)),
        };
        let CouponRule { code, products, max_uses, starts_at, ends_at, .. } = rule;
        Self { code, percent, amount, products, max_uses, starts_at, ends_at }
    }

    fn rule(self) -> Option<CouponRule> {
        let discount = match (self.percent, self.amount) {
            (Some(percent @ 1..=100), None) => Discount::Percent(percent),
            (None, Some(amount @ 1..)) => Discount::Amount(amount),
            _ => return None,
        };
        let Self { code, products, max_uses, starts_at, ends_at, .. } = self;
        Some(CouponRule { code, discount, products, max_uses, starts_at, ends_at })
    }
}

/// Adds a promo code to a channel.
///
/// # Errors
/// Fails with 400 for an unknown channel or product, an existing code, and invalid values.
pub async fn add(state: &AppState, channel_key: &str, promo: PromoCode) -> ApiResult<PromoCode> {
    let channel = channel_of(state, channel_key)?;
    let invalid = |why: &str| ApiError::rule(ErrorCode::Invalid, why);
    if promo.code.is_empty() || promo.code.trim() != promo.code || promo.code.chars().count() > CODE_MAX {
        return Err(invalid("A code has 1 to 64 characters and no surrounding space."));
    }
    if promo.max_uses.is_some_and(|uses| uses < 1) {
        return Err(invalid("A code can be used at least once."));
    }
    if promo.starts_at.zip(promo.ends_at).is_some_and(|(from, until)| until <= from) {
        return Err(invalid("A code must end after it starts."));
    }
    if let Some((_, id)) = promo.products.iter().find(|(kind, id)| offer(&*channel, *kind, *id).is_none()) {
        return Err(ApiError::unknown(&format!("product {id} of this type in {channel_key}")));
    }
    let rule = promo.rule().ok_or_else(|| invalid("A code takes off 1 to 100 percent or an amount."))?;
    if let Some(problem) = channel.coupon_problem(&rule) {
        return Err(invalid(&format!("The code {problem}.")));
    }
    let in_folder = channel.coupons().iter().any(|other| other.code.eq_ignore_ascii_case(&rule.code));
    if in_folder || !state.store.add_promo_code(channel_key, &rule, state.clock.now_ms()).await? {
        return Err(invalid(&format!("The code {} already exists.", rule.code)));
    }
    Ok(PromoCode::of(rule))
}

/// Ends a code at once, whether from the folder or the operator. Its orders stay unchanged.
///
/// # Errors
/// Fails with 400 for an unknown channel or code.
pub async fn end(state: &AppState, channel_key: &str, code: &str) -> ApiResult<PromoCode> {
    let channel = channel_of(state, channel_key)?;
    let operator_codes = state.store.promo_code(channel_key, code).await?;
    let in_folder = || channel.coupons().iter().find(|rule| rule.code.eq_ignore_ascii_case(code)).cloned();
    let unknown = || ApiError::unknown(&format!("promo code {code} in {channel_key}"));
    let rule = operator_codes.or_else(in_folder).ok_or_else(unknown)?;
    state.store.end_promo_code(channel_key, &rule, state.clock.now_ms()).await?;
    let ended = state.store.promo_code(channel_key, code).await?;
    Ok(PromoCode::of(ended.ok_or_else(unknown)?))
}

/// All promo codes of a channel, by name, from the folder and from the operator.
///
/// # Errors
/// Fails with 400 for an unknown channel.
pub async fn list(state: &AppState, channel_key: &str) -> ApiResult<Vec<ListedPromoCode>> {
    let channel = channel_of(state, channel_key)?;
    let operator_codes = state.store.promo_codes(channel_key).await?;
    let is_operators =
        |rule: &CouponRule| operator_codes.iter().any(|other| other.code.eq_ignore_ascii_case(&rule.code));
    let folder = channel.coupons().iter().filter(|rule| !is_operators(rule)).cloned().map(|rule| (rule, "folder"));
    let mut rules: Vec<_> = folder.chain(operator_codes.iter().cloned().map(|rule| (rule, "operator"))).collect();
    rules.sort_by_key(|(rule, _)| rule.code.to_ascii_lowercase());
    let now = state.clock.now_ms();
    let mut listed = Vec::with_capacity(rules.len());
    for (rule, from) in rules {
        let uses = state.store.promo_code_uses(channel_key, &rule.code).await?;
        let is_open = rule.is_valid_at(now) && rule.max_uses.is_none_or(|most| uses < most);
        listed.push(ListedPromoCode { promo: PromoCode::of(rule), from: from.to_owned(), uses, is_open });
    }
    Ok(listed)
}

fn channel_of(state: &AppState, channel_key: &str) -> ApiResult<std::sync::Arc<ChannelSnapshot>> {
    state.channels.by_key(channel_key).ok_or_else(|| ApiError::unknown(&format!("channel {channel_key}")))
}
