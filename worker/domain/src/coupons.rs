//! Promo codes: their discounts and the products they apply to (`PAY-6`).

use touchline_protocol::purchases::OrderType;

/// A promo code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CouponRule {
    /// The code, in the operator's spelling. Viewers may enter it in any case.
    pub code: String,
    /// The discount.
    pub discount: Discount,
    /// Products the code applies to; empty for all.
    pub products: Vec<(OrderType, i64)>,
    /// Maximum number of orders with the code; `None` for unlimited. A failed order frees its use.
    pub max_uses: Option<i64>,
    /// Start of validity, in milliseconds since 1970; `None` for always.
    pub starts_at: Option<i64>,
    /// End of validity, in milliseconds since 1970; `None` for unlimited.
    pub ends_at: Option<i64>,
}

impl CouponRule {
    /// Returns whether the code applies to this product.
    pub fn applies_to(&self, kind: OrderType, id: i64) -> bool {
        self.products.is_empty() || self.products.contains(&(kind, id))
    }

    /// Returns whether the code is valid at this moment.
    pub fn is_valid_at(&self, at: i64) -> bool {
        self.starts_at.is_none_or(|from| from <= at) && self.ends_at.is_none_or(|until| at < until)
    }
}

/// Discount on the base price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discount {
    /// Percentage, 1 to 100.
    Percent(i64),
    /// Amount, in minor units.
    Amount(i64),
}

impl Discount {
    /// Returns the discount on this price, in minor units: rounded half up to a multiple of `step`, once, and at most
    /// the price.
    pub fn of(self, base_price: i64, step: i64) -> i64 {
        let hundredths = match self {
            Self::Percent(percent) => base_price.saturating_mul(percent),
            Self::Amount(amount) => amount.saturating_mul(100),
        };
        let scale = 100 * step;
        (hundredths.saturating_add(scale / 2) / scale * step).clamp(0, base_price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ten() -> CouponRule {
        let (max_uses, starts_at, ends_at) = (None, None, None);
        CouponRule {
            code: "TEN".to_owned(),
            discount: Discount::Percent(10),
            products: Vec::new(),
            max_uses,
            starts_at,
            ends_at,
        }
    }

    #[test]
    fn a_code_is_valid_from_its_start_until_before_its_end() {
        let rule = CouponRule { starts_at: Some(10), ends_at: Some(20), ..ten() };
        assert_eq!([9, 10, 19, 20].map(|at| rule.is_valid_at(at)), [false, true, true, false]);
        assert!(ten().is_valid_at(0));
    }

    #[test]
    fn a_percentage_rounds_half_up_and_no_discount_exceeds_the_price() {
        for (discount, price, off) in [
            (Discount::Percent(10), 995, 100),
            (Discount::Percent(10), 994, 99),
            (Discount::Percent(33), 799, 264),
            (Discount::Percent(100), 799, 799),
            (Discount::Amount(500), 799, 500),
            (Discount::Amount(500), 300, 300),
            (Discount::Amount(500), 0, 0),
        ] {
            assert_eq!(discount.of(price, 1), off, "{discount:?} of {price}");
        }
        for (discount, price, off) in [
            (Discount::Percent(10), 1_250, 130),
            (Discount::Percent(10), 1_240, 120),
            (Discount::Amount(504), 1_250, 500),
            (Discount::Amount(505), 1_250, 510),
        ] {
            assert_eq!(discount.of(price, 10), off, "{discount:?} of {price} in steps of ten");
        }
    }

    #[test]
    fn a_code_without_products_applies_to_everything() {
        let rule = |products| CouponRule { products, ..ten() };
        assert!(rule(Vec::new()).applies_to(OrderType::Event, 1));
        let package = rule(vec![(OrderType::Package, 1)]);
        assert!(package.applies_to(OrderType::Package, 1));
        assert!(!package.applies_to(OrderType::Package, 2));
        assert!(!package.applies_to(OrderType::Event, 1));
    }
}
