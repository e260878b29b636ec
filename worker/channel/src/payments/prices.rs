//! What a product costs: prices are the server's, never the request's.

use touchline_protocol::purchases::{Coupon, OrderType};

use crate::catalogue::ChannelSnapshot;
use crate::http::{ApiError, ApiResult, messages};

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
