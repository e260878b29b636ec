//! Prices of products, and the check of the price that the buyer saw.

use touchline_protocol::catalogue::{Package, Subscription};
use touchline_protocol::money::{charge_step, is_chargeable};
use touchline_protocol::purchases::{Coupon, CurrentPrice, OrderType};

use crate::coupons::CouponRule;
use crate::entitlements::EventTerms;
use crate::subscriptions::NewSubscription;

/// Products of a channel.
pub trait Assortment {
    /// Returns the event with this id.
    fn event(&self, id: i64) -> Option<EventTerms<'_>>;
    /// Returns the package with this id.
    fn package(&self, id: i64) -> Option<&Package>;
    /// Returns the subscription with this id.
    fn subscription(&self, id: i64) -> Option<&Subscription>;
    /// Returns the channel's promo codes.
    fn coupons(&self) -> &[CouponRule];
    /// Returns the currency, an ISO 4217 code.
    fn currency(&self) -> &str;
}

/// Returns the offer of this kind and id, or `None` if the channel does not sell it. Prices are always the channel's,
/// never the buyer's.
pub fn offer(assortment: &impl Assortment, kind: OrderType, id: i64) -> Option<Offer> {
    let (name, base_price, service_fee) = match kind {
        OrderType::Event => assortment
            .event(id)
            .filter(|event| event.single_event_package_id.is_some())
            .map(|event| (event.name, event.base_price, event.service_fee)),
        OrderType::Package => {
            assortment.package(id).map(|package| (package.name.as_str(), package.base_price, package.service_fee))
        }
        OrderType::Subscription => assortment
            .subscription(id)
            .map(|subscription| (subscription.name.as_str(), subscription.base_price, subscription.service_fee)),
    }?;
    Some(Offer { kind, id, name: name.to_owned(), base_price, service_fee })
}

/// The promo code does not exist or does not apply to this product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the promo code does not exist or does not apply to this product")]
pub struct WrongPromoCode;

/// Returns whether a promo code was entered. Blank input counts as none.
pub fn is_entered(promo_code: &str) -> bool {
    !promo_code.trim().is_empty()
}

/// Returns the price of an offer at `at`, with a promo code (case-insensitive) or without. An `operator` code overrides
/// the channel's code of the same name.
///
/// # Errors
/// [`WrongPromoCode`].
pub fn quote(
    assortment: &impl Assortment,
    offer: &Offer,
    promo_code: Option<&str>,
    operator: Option<&CouponRule>,
    at: i64,
) -> Result<Quote, WrongPromoCode> {
    let rule = match promo_code.filter(|code| is_entered(code)) {
        None => None,
        Some(code) => Some(
            operator
                .into_iter()
                .chain(assortment.coupons())
                .find(|rule| rule.code.eq_ignore_ascii_case(code.trim()))
                .filter(|rule| rule.applies_to(offer.kind, offer.id) && rule.is_valid_at(at))
                .ok_or(WrongPromoCode)?,
        ),
    };
    Ok(offer.quote(assortment.currency(), rule))
}

/// A product for sale, with its price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Kind of product.
    pub kind: OrderType,
    /// The product's id.
    pub id: i64,
    /// The product's name.
    pub name: String,
    /// Base price, in minor units.
    pub base_price: i64,
    /// Service fee, in minor units.
    pub service_fee: i64,
}

impl Offer {
    /// Returns the offer as one of a single event, at the same price: a package of one event is bought as that event
    /// (`PKG-6`).
    #[must_use]
    pub fn of_event(self, id: i64) -> Self {
        Self { kind: OrderType::Event, id, ..self }
    }

    /// Returns the price, with a promo code that [applies](CouponRule::applies_to) to the product or without one. A
    /// remainder too small to charge to a card is waived together with the fee: the purchase is free (`PAY-17`).
    pub fn quote(&self, currency: &str, coupon: Option<&CouponRule>) -> Quote {
        let discount = coupon.map_or(0, |rule| self.discount(currency, rule));
        let is_waived = coupon.is_some_and(|rule| self.unchargeable_remainder(currency, rule).is_some());
        let (discount, service_fee) = if is_waived { (self.base_price, 0) } else { (discount, self.service_fee) };
        Quote {
            promo_code: coupon.map(|rule| rule.code.clone()),
            promo_limit: coupon.and_then(|rule| rule.max_uses),
            base_price: self.base_price,
            discount,
            service_fee,
            currency: currency.to_owned(),
        }
    }

    /// Returns the remainder, in minor units, if the promo code leaves too little to charge to a card.
    pub fn unchargeable_remainder(&self, currency: &str, rule: &CouponRule) -> Option<i64> {
        let remainder = self.base_price - self.discount(currency, rule) + self.service_fee;
        (!is_chargeable(remainder, currency)).then_some(remainder)
    }

    fn discount(&self, currency: &str, rule: &CouponRule) -> i64 {
        rule.discount.of(self.base_price, charge_step(currency))
    }
}

/// Price of an offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// The promo code, in the channel's spelling.
    pub promo_code: Option<String>,
    /// Maximum number of orders with the code; `None` for unlimited.
    pub promo_limit: Option<i64>,
    /// Base price, in minor units.
    pub base_price: i64,
    /// Discount, in minor units.
    pub discount: i64,
    /// Service fee, in minor units.
    pub service_fee: i64,
    /// Currency, an ISO 4217 code.
    pub currency: String,
}

impl Quote {
    /// Returns the total, in minor units. The fee is added after the discount (`PAY-6`).
    pub fn total(&self) -> i64 {
        self.base_price - self.discount + self.service_fee
    }

    /// Returns the response of `GET /apply_coupon`.
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

/// Prices displayed to the buyer before they confirmed, as reported by their site. Prices change while pages are open,
/// and nobody pays a price other than the one they saw (`PAY-10`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DisplayedPrices<'a> {
    /// Amount charged immediately, in minor units.
    pub total: Option<i64>,
    /// Service fee included in it, in minor units.
    pub service_fee: Option<i64>,
    /// Total price of each subscription renewal, in minor units.
    pub renewal_price: Option<i64>,
    /// Free days of the trial.
    pub trial_days: Option<i64>,
    /// Currency, an ISO 4217 code.
    pub currency: Option<&'a str>,
}

/// The current price differs from the one displayed to the buyer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the price has changed to {} {}", .0.total, .0.currency)]
pub struct PriceChanged(pub Box<CurrentPrice>);

impl DisplayedPrices<'_> {
    /// Checks that the order about to be placed has the displayed prices.
    ///
    /// # Errors
    /// The current price, if it differs.
    pub fn check(&self, quote: &Quote, subscription: Option<NewSubscription>) -> Result<(), PriceChanged> {
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
        let is_same = |displayed: Option<i64>, now: i64| displayed.is_none_or(|displayed| displayed == now);
        let is_same_price = is_same(self.total, now.total)
            && is_same(self.service_fee, now.service_fee)
            && is_same(self.renewal_price, now.renewal_price.unwrap_or(0))
            && is_same(self.trial_days, now.trial_days.unwrap_or(0))
            && self.currency.is_none_or(|currency| currency == now.currency);
        if is_same_price { Ok(()) } else { Err(PriceChanged(Box::new(now))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupons::Discount;
    use crate::periods::BillingPeriod;

    fn monthly() -> Offer {
        Offer { kind: OrderType::Subscription, id: 1, name: "Monthly".to_owned(), base_price: 995, service_fee: 50 }
    }

    struct Shop {
        event: crate::entitlements::tests::TestEvent,
        is_event_sold: bool,
        package: Package,
        coupons: Vec<CouponRule>,
    }

    impl Assortment for Shop {
        fn event(&self, id: i64) -> Option<EventTerms<'_>> {
            let single_event_package_id = self.is_event_sold.then_some(9);
            let terms = EventTerms { name: "Final", base_price: 799, single_event_package_id, ..self.event.terms() };
            Some(terms).filter(|terms| terms.id == id)
        }

        fn package(&self, id: i64) -> Option<&Package> {
            Some(&self.package).filter(|package| package.id == id)
        }

        fn subscription(&self, _: i64) -> Option<&Subscription> {
            None
        }

        fn coupons(&self) -> &[CouponRule] {
            &self.coupons
        }

        fn currency(&self) -> &str {
            "USD"
        }
    }

    fn tenth(code: &str) -> CouponRule {
        let (max_uses, starts_at, ends_at) = (None, None, None);
        let (code, discount, products) = (code.to_owned(), Discount::Percent(10), Vec::new());
        CouponRule { code, discount, products, max_uses, starts_at, ends_at }
    }

    fn shop() -> Shop {
        let package = serde_json::json!({
            "id": 3, "name": "Pass", "price": 950, "base_price": 900, "service_fee": 50, "currency": "USD",
            "type": "pass", "is_team_pass": false, "event_categories": [], "participants": [], "weight": 0
        });
        let rule = |code: &str, products| CouponRule { products, ..tenth(code) };
        Shop {
            event: crate::entitlements::tests::event(touchline_protocol::catalogue::AccessType::Ppv),
            is_event_sold: true,
            package: serde_json::from_value(package).unwrap(),
            coupons: vec![rule("TEN", vec![]), rule("PASS", vec![(OrderType::Package, 3)])],
        }
    }

    #[test]
    fn offers_have_a_name_and_price_and_events_must_be_sold_individually() {
        let found = offer(&shop(), OrderType::Package, 3).unwrap();
        assert_eq!((found.name.as_str(), found.base_price, found.service_fee), ("Pass", 900, 50));
        assert_eq!(offer(&shop(), OrderType::Package, 4), None);
        assert_eq!(offer(&shop(), OrderType::Subscription, 3), None);
        assert_eq!(offer(&shop(), OrderType::Event, 1).unwrap().base_price, 799);
        assert_eq!(offer(&Shop { is_event_sold: false, ..shop() }, OrderType::Event, 1), None);
    }

    #[test]
    fn a_promo_code_is_case_insensitive_and_limited_to_its_products() {
        let quote = |kind, id, code| quote(&shop(), &offer(&shop(), kind, id).unwrap(), code, None, 0);
        let pass = |code| quote(OrderType::Package, 3, Some(code));
        assert_eq!(pass(" ten ").unwrap().promo_code.as_deref(), Some("TEN"));
        assert_eq!((pass("PASS").unwrap().discount, pass("PASS").unwrap().currency.as_str()), (90, "USD"));
        assert_eq!(pass("  ").unwrap().promo_code, None);
        assert_eq!(quote(OrderType::Package, 3, None).unwrap().total(), 950);
        assert_eq!(pass("NONE"), Err(WrongPromoCode));
        assert_eq!(quote(OrderType::Event, 1, Some("PASS")), Err(WrongPromoCode));
    }

    #[test]
    fn an_operator_code_overrides_the_channels_within_its_validity() {
        let pass = offer(&shop(), OrderType::Package, 3).unwrap();
        let half = CouponRule { discount: Discount::Percent(50), ends_at: Some(20), max_uses: Some(9), ..tenth("ten") };
        let at = |at| quote(&shop(), &pass, Some("TEN"), Some(&half), at);
        assert_eq!((at(19).unwrap().discount, at(19).unwrap().promo_limit), (450, Some(9)));
        assert_eq!(at(20), Err(WrongPromoCode), "an ended code does not fall back to the channel's");
    }

    #[test]
    fn the_fee_is_added_after_the_discount() {
        let quote = monthly().quote("USD", Some(&tenth("TEN")));
        assert_eq!((quote.discount, quote.total(), quote.promo_code.as_deref()), (100, 945, Some("TEN")));
        let plain = monthly().quote("USD", None);
        assert_eq!((plain.discount, plain.total(), plain.promo_code), (0, 1045, None));
    }

    /// `PAY-17`: a code that leaves less than the minimum card charge makes the purchase free.
    #[test]
    fn a_remainder_below_the_minimum_of_the_currency_is_waived() {
        let off = |amount| CouponRule { discount: Discount::Amount(amount), ..tenth("OFF") };
        let figures = |currency: &str, amount| {
            let quote = monthly().quote(currency, Some(&off(amount)));
            (quote.discount, quote.service_fee, quote.total())
        };
        let fee_less = Offer { service_fee: 0, ..monthly() };
        assert_eq!(figures("USD", 995), (995, 50, 50), "a fee equal to the minimum is charged");
        assert_eq!(fee_less.quote("USD", Some(&off(945))).total(), 50);
        assert_eq!(fee_less.quote("USD", Some(&off(946))).total(), 0);
        assert_eq!(fee_less.quote("GBP", Some(&off(965))).total(), 30);
        let small_fee = Offer { service_fee: 20, ..monthly() };
        let quote = small_fee.quote("USD", Some(&off(985)));
        assert_eq!((quote.discount, quote.service_fee, quote.total()), (995, 0, 0), "30 cents are not charged");
        assert_eq!(small_fee.unchargeable_remainder("USD", &off(985)), Some(30));
        assert_eq!(
            Offer { base_price: 30, ..fee_less }.quote("USD", None).total(),
            30,
            "without a code nothing is waived"
        );
    }

    #[test]
    fn a_discount_of_a_three_decimal_currency_leaves_a_multiple_of_ten() {
        let pass = Offer { base_price: 1_250, service_fee: 100, ..monthly() };
        let quote = pass.quote("KWD", Some(&tenth("TEN")));
        assert_eq!((quote.discount, quote.total()), (130, 1_220));
    }

    #[test]
    fn any_price_that_differs_from_the_displayed_one_is_refused() {
        let quote = monthly().quote("USD", None);
        let subscription = Some(NewSubscription {
            period: BillingPeriod::Monthly,
            trial_days: 7,
            renewal_price: 1045,
            renewal_fee: 50,
        });
        let displayed = DisplayedPrices {
            total: Some(1045),
            service_fee: Some(50),
            renewal_price: Some(1045),
            trial_days: Some(7),
            currency: Some("USD"),
        };
        assert_eq!(displayed.check(&quote, subscription), Ok(()));
        assert_eq!(DisplayedPrices::default().check(&quote, subscription), Ok(()), "a site that reports no prices");
        for other in [
            DisplayedPrices { total: Some(1044), ..displayed },
            DisplayedPrices { service_fee: Some(51), ..displayed },
            DisplayedPrices { renewal_price: Some(1044), ..displayed },
            DisplayedPrices { trial_days: Some(8), ..displayed },
            DisplayedPrices { currency: Some("EUR"), ..displayed },
        ] {
            let PriceChanged(now) = other.check(&quote, subscription).unwrap_err();
            assert_eq!((now.total, now.renewal_price, now.trial_days), (1045, Some(1045), Some(7)), "{other:?}");
        }
        assert!(displayed.check(&quote, None).is_err(), "a renewal was displayed, but nothing renews");
    }
}
