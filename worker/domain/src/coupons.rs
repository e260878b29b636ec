//! Promo codes: what one takes off, and from which products (`PAY-6`).

use touchline_protocol::purchases::OrderType;

/// A promo code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CouponRule {
    /// As the operator wrote it; viewers may write it in either case.
    pub code: String,
    /// What it takes off.
    pub discount: Discount,
    /// What it is for; empty for everything.
    pub products: Vec<(OrderType, i64)>,
}

impl CouponRule {
    /// Whether it is for this product.
    pub fn applies_to(&self, kind: OrderType, id: i64) -> bool {
        self.products.is_empty() || self.products.contains(&(kind, id))
    }
}

/// What a promo code takes off the base price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discount {
    /// 1 to 100.
    Percent(i64),
    /// Minor units.
    Amount(i64),
}

impl Discount {
    /// What it takes off this price, minor units: rounded half up, once, and never more than the price.
    pub fn of(self, base_price: i64) -> i64 {
        match self {
            Self::Percent(percent) => ((base_price.saturating_mul(percent) + 50) / 100).clamp(0, base_price),
            Self::Amount(amount) => amount.clamp(0, base_price),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_rounds_half_up_once_and_nothing_takes_off_more_than_the_price() {
        for (discount, price, off) in [
            (Discount::Percent(10), 995, 100),
            (Discount::Percent(10), 994, 99),
            (Discount::Percent(33), 799, 264),
            (Discount::Percent(100), 799, 799),
            (Discount::Amount(500), 799, 500),
            (Discount::Amount(500), 300, 300),
            (Discount::Amount(500), 0, 0),
        ] {
            assert_eq!(discount.of(price), off, "{discount:?} of {price}");
        }
    }

    #[test]
    fn a_code_without_products_is_for_everything_and_another_for_its_own() {
        let rule = |products| CouponRule { code: "TEN".to_owned(), discount: Discount::Percent(10), products };
        assert!(rule(Vec::new()).applies_to(OrderType::Event, 1));
        let package = rule(vec![(OrderType::Package, 1)]);
        assert!(package.applies_to(OrderType::Package, 1));
        assert!(!package.applies_to(OrderType::Package, 2));
        assert!(!package.applies_to(OrderType::Event, 1));
    }
}
