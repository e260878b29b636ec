//! Amounts of money in an upstream's responses. An unreadable amount isn't 0, and whatever it is the price of isn't
//! offered (`UP-8`).

use serde_json::{Map, Value};

/// The expectation in the log line about an amount.
pub(crate) const AMOUNT: &str = "an amount in whole minor units";

/// The kind of object that has a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offer {
    /// A package or subscription. Without a readable price it is omitted.
    Product,
    /// An event. Without a readable price it isn't sold individually.
    Event,
    /// The total after a promo code.
    Sum,
}

impl Offer {
    /// The kind of object with these fields.
    pub(crate) fn of(has: impl Fn(&str) -> bool) -> Option<Self> {
        match (has("base_price"), has("status"), has("price"), has("single_event_package_id"), has("code")) {
            (false, ..) | (_, true, ..) => None,
            (_, _, true, ..) => Some(Self::Product),
            (_, _, _, true, _) => Some(Self::Event),
            (_, _, _, _, true) => Some(Self::Sum),
            _ => None,
        }
    }

    /// The first unreadable amount of an object.
    pub(crate) fn unreadable(self, object: &Map<String, Value>) -> Option<&'static str> {
        // An event that isn't sold individually needs no price.
        if self == Self::Event && object.get("single_event_package_id").is_none_or(Value::is_null) {
            return None;
        }
        let amounts: &[_] = match self {
            Self::Product => &["price", "base_price", "service_fee"],
            Self::Event => &["base_price", "service_fee"],
            Self::Sum => &["base_price", "discount", "service_fee", "total"],
        };
        let is_unreadable = |name: &&str| match object.get(*name).filter(|value| !value.is_null()) {
            Some(value) => !is_amount(value),
            // A missing fee is zero.
            None => *name != "service_fee",
        };
        amounts.iter().copied().find(is_unreadable)
    }
}

/// Whether a value is an amount. One with a decimal point may be in major units.
fn is_amount(value: &Value) -> bool {
    let amount = value.as_i64().or_else(|| value.as_str()?.trim().parse().ok());
    amount.is_some_and(|amount| amount >= 0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn amounts_are_whole_numbers_or_strings_of_them() {
        for amount in [json!(0), json!(1250), json!("1250")] {
            assert!(is_amount(&amount), "{amount}");
        }
        for invalid in
            [json!(12.0), json!(12.5), json!("12.50"), json!("$12"), json!(""), json!(-1), json!(true), json!([1])]
        {
            assert!(!is_amount(&invalid), "{invalid}");
        }
    }

    #[test]
    fn a_missing_fee_is_allowed_but_a_missing_price_is_not() {
        let unreadable = |object: Value| Offer::Product.unreadable(object.as_object().unwrap());
        assert_eq!(unreadable(json!({ "price": 9, "base_price": 9 })), None);
        assert_eq!(unreadable(json!({ "price": 9, "base_price": 9, "service_fee": "none" })), Some("service_fee"));
        assert_eq!(unreadable(json!({ "base_price": 9 })), Some("price"));
        assert_eq!(Offer::Event.unreadable(&Map::new()), None, "it isn't sold individually");
    }
}
