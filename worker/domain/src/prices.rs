//! What a product costs, and whether that is what the buyer saw.

use touchline_protocol::purchases::{Coupon, CurrentPrice, OrderType};

use crate::coupons::CouponRule;
use crate::subscriptions::NewSubscription;

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

impl Offer {
    /// What is to be paid, with a promo code that [applies](CouponRule::applies_to) to the product or without one.
    pub fn quote(&self, currency: &str, coupon: Option<&CouponRule>) -> Quote {
        Quote {
            promo_code: coupon.map(|rule| rule.code.clone()),
            base_price: self.base_price,
            discount: coupon.map_or(0, |rule| rule.discount.of(self.base_price)),
            service_fee: self.service_fee,
            currency: currency.to_owned(),
        }
    }
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

/// The buyer was shown another price than the present one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the price is another one now: {} {}", .0.total, .0.currency)]
pub struct PriceChanged(pub Box<CurrentPrice>);

impl Shown<'_> {
    /// Whether the order that is about to be placed is the one that was shown.
    ///
    /// # Errors
    /// With the present price, when it is another one.
    pub fn holds_for(&self, quote: &Quote, subscription: Option<NewSubscription>) -> Result<(), PriceChanged> {
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
        if holds { Ok(()) } else { Err(PriceChanged(Box::new(now))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupons::Discount;

    fn offer() -> Offer {
        Offer { kind: OrderType::Subscription, id: 1, name: "Monthly".to_owned(), base_price: 995, service_fee: 50 }
    }

    #[test]
    fn the_fee_is_added_after_the_discount() {
        let rule = CouponRule { code: "TEN".to_owned(), discount: Discount::Percent(10), products: Vec::new() };
        let quote = offer().quote("USD", Some(&rule));
        assert_eq!((quote.discount, quote.total(), quote.promo_code.as_deref()), (100, 945, Some("TEN")));
        let plain = offer().quote("USD", None);
        assert_eq!((plain.discount, plain.total(), plain.promo_code), (0, 1045, None));
    }

    #[test]
    fn any_figure_that_is_not_the_one_shown_is_refused() {
        let quote = offer().quote("USD", None);
        let subscription = Some(NewSubscription { annual: false, trial_days: 7, renewal_price: 1045 });
        let shown = Shown {
            total: Some(1045),
            service_fee: Some(50),
            renewal_price: Some(1045),
            trial_days: Some(7),
            currency: Some("USD"),
        };
        assert_eq!(shown.holds_for(&quote, subscription), Ok(()));
        assert_eq!(Shown::default().holds_for(&quote, subscription), Ok(()), "a site that says nothing");
        for other in [
            Shown { total: Some(1044), ..shown },
            Shown { service_fee: Some(51), ..shown },
            Shown { renewal_price: Some(1044), ..shown },
            Shown { trial_days: Some(8), ..shown },
            Shown { currency: Some("EUR"), ..shown },
        ] {
            let PriceChanged(now) = other.holds_for(&quote, subscription).unwrap_err();
            assert_eq!((now.total, now.renewal_price, now.trial_days), (1045, Some(1045), Some(7)), "{other:?}");
        }
        assert!(shown.holds_for(&quote, None).is_err(), "a renewal was shown, and nothing renews");
    }
}
