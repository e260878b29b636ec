//! What a product of the catalogue costs: prices are the server's, never the request's.

use touchline_domain::prices::{Offer, Quote};
use touchline_protocol::purchases::OrderType;

use crate::catalogue::ChannelSnapshot;
use crate::http::{ApiError, ApiResult, messages};

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
    let code = promo_code.map(str::trim).filter(|code| !code.is_empty());
    let rule = code.map(|code| {
        channel
            .coupon(code)
            .filter(|rule| rule.applies_to(offer.kind, offer.id))
            .ok_or_else(|| ApiError::field("promo_code", "wrong_promo_code", messages::WRONG_PROMO_CODE))
    });
    Ok(offer.quote(&channel.settings.currency, rule.transpose()?))
}
