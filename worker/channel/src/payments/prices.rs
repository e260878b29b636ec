//! What a product costs: prices are the server's, never the request's.

use touchline_protocol::purchases::{Coupon, CurrentPrice, OrderType};

use crate::catalogue::ChannelSnapshot;
use crate::http::{ApiError, ApiResult, messages};
use crate::store::NewSubscription;

/// A product that is for sale, with its price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// What it is.
    pub kind: OrderType,
    /// Its id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Minor units.
    pub base_price: i64,
    /// Minor units.
    pub service_fee: i64,
}

/// What is to be paid for an offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// The code, as the channel keeps it.
    pub promo_code: Option<String>,
    /// Minor units.
    pub base_price: i64,
    /// Minor units.
    pub discount: i64,
    /// Minor units.
    pub service_fee: i64,
    /// ISO 4217.
    pub currency: String,
}

impl Quote {
    /// What is paid in all, minor units: the fee is added after the discount (`PAY-6`).
    pub fn total(&self) -> i64 {
        self.base_price - self.discount + self.service_fee
    }

    /// As `GET /apply_coupon` tells it.
    pub fn coupon(self) -> Coupon {
        let total = self.total();
        Coupon {
            code: self.promo_code.unwrap_or_default(),
            base_price: self.base_price,
            discount: self.discount,
            service_fee: self.service_fee,
            total,
            currency: self.currency,
        }
    }
}

/// What a buyer was shown before they pressed, as far as their site says. Prices change while pages are open: nobody
/// pays another price than the one that they saw (`PAY-10`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shown<'a> {
    /// What is paid at once, minor units.
    pub total: Option<i64>,
    /// The fee within it, minor units.
    pub service_fee: Option<i64>,
    /// What each renewal of a subscription costs in all, minor units.
    pub renewal_price: Option<i64>,
    /// Free days of a trial.
    pub trial_days: Option<i64>,
    /// ISO 4217.
    pub currency: Option<&'a str>,
}

impl Shown<'_> {
    /// Whether the order that is about to be placed is the one that was shown.
    ///
    /// # Errors
    /// 409 `price_changed`, with what is asked for now.
    pub fn holds_for(&self, quote: &Quote, subscription: Option<NewSubscription>) -> ApiResult<()> {
        let now = CurrentPrice {
            base_price: quote.base_price,
            discount: quote.discount,
            service_fee: quote.service_fee,
            total: quote.total(),
            currency: quote.currency.clone(),
            promo_code: quote.promo_code.clone(),
            renewal_price: subscription.map(|subscription| subscription.renewal_price),
            trial_days: subscription.map(|subscription| subscription.trial_days).filter(|&days| days > 0),
        };
        let is_same = |shown: Option<i64>, now: i64| shown.is_none_or(|shown| shown == now);
        let holds = is_same(self.total, now.total)
            && is_same(self.service_fee, now.service_fee)
            && is_same(self.renewal_price, now.renewal_price.unwrap_or(0))
            && is_same(self.trial_days, now.trial_days.unwrap_or(0))
            && self.currency.is_none_or(|currency| currency == now.currency);
        if holds { Ok(()) } else { Err(ApiError::PriceChanged(Box::new(now))) }
    }
}

/// The offer of this kind and id.
///
/// # Errors
/// 404 when the channel sells no such thing.
pub fn offer(channel: &ChannelSnapshot, kind: OrderType, id: i64) -> ApiResult<Offer> {
    let offer =
        |name: &str, base_price, service_fee| Offer { kind, id, name: name.to_owned(), base_price, service_fee };
    let found = match kind {
        OrderType::Event => channel
            .event(id)
            .filter(|event| event.single_event_package_id.is_some())
            .map(|event| offer(&event.name, event.base_price, event.service_fee)),
        OrderType::Package => {
            channel.package(id).map(|package| offer(&package.name, package.base_price, package.service_fee))
        }
        OrderType::Subscription => channel
            .subscription(id)
            .map(|subscription| offer(&subscription.name, subscription.base_price, subscription.service_fee)),
    };
    found.ok_or(ApiError::NotFound)
}

/// What is to be paid for an offer, with a promo code or without.
///
/// # Errors
/// 400 `wrong_promo_code` for a code that the channel does not have, or has not for this product.
pub fn quote(channel: &ChannelSnapshot, offer: &Offer, promo_code: Option<&str>) -> ApiResult<Quote> {
    let mut quote = Quote {
        promo_code: None,
        base_price: offer.base_price,
        discount: 0,
        service_fee: offer.service_fee,
        currency: channel.settings.currency.clone(),
    };
    if let Some(code) = promo_code.map(str::trim).filter(|code| !code.is_empty()) {
        let rule = channel
            .coupon(code)
            .filter(|rule| rule.products.is_empty() || rule.products.contains(&(offer.kind, offer.id)))
            .ok_or_else(|| ApiError::field("promo_code", "wrong_promo_code", messages::WRONG_PROMO_CODE))?;
        quote.discount = rule.discount.of(offer.base_price);
        quote.promo_code = Some(rule.code.clone());
    }
    Ok(quote)
}
