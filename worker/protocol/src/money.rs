//! Amounts of money, in minor units except where people and search engines read them.

/// The smallest amount that can be charged, in minor units, from
/// <https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts>. A currency without a row has no minimum of
/// its own: Stripe converts the amount and compares it with the account's minimum.
pub fn minimum_charge(currency: &str) -> i64 {
    match currency {
        "AUD" | "BRL" | "CAD" | "CHF" | "EUR" | "INR" | "NZD" | "SGD" | "USD" => 50,
        "GBP" => 30,
        "JPY" => 50,
        "BGN" => 100,
        "AED" | "MYR" | "PLN" | "RON" => 200,
        "DKK" => 250,
        "NOK" | "SEK" => 300,
        "HKD" => 400,
        "MXN" | "THB" => 1_000,
        "CZK" => 1_500,
        "HUF" => 17_500,
        _ => 1,
    }
}

/// The decimals of a currency's minor unit, as Stripe counts them (<https://docs.stripe.com/currencies#minor-units>): MGA
/// has none, ISK and UGX have two.
fn decimals(currency: &str) -> u32 {
    match currency {
        "BIF" | "CLP" | "DJF" | "GNF" | "JPY" | "KMF" | "KRW" | "MGA" | "PYG" | "RWF" | "VND" | "VUV" | "XAF"
        | "XOF" | "XPF" => 0,
        "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
        _ => 2,
    }
}

/// The step of charged amounts, in minor units. Stripe requires the last digit of three-decimal currencies, and both
/// decimals of ISK and UGX, to be 0 (<https://docs.stripe.com/currencies#special-cases>).
pub fn charge_step(currency: &str) -> i64 {
    match (currency, decimals(currency)) {
        ("ISK" | "UGX", _) => 100,
        (_, 3) => 10,
        _ => 1,
    }
}

/// Whether the amount can be charged to a card, or is zero (`PAY-17`).
pub fn is_chargeable(minor: i64, currency: &str) -> bool {
    minor == 0 || (minor >= minimum_charge(currency) && minor % charge_step(currency) == 0)
}

/// Formats an amount of minor units in the currency's major unit, such as `-12.99`.
pub fn in_units(minor: i64, currency: &str, point: char) -> String {
    let digits = decimals(currency);
    if digits == 0 {
        return minor.to_string();
    }
    let scale = 10_u64.pow(digits);
    let (sign, minor, width) = (if minor < 0 { "-" } else { "" }, minor.unsigned_abs(), digits as usize);
    format!("{sign}{}{point}{:0width$}", minor / scale, minor % scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_digits_of_their_currency() {
        let dollars = [799, 900, 5, 0, -5, -1_250].map(|minor| in_units(minor, "USD", '.'));
        assert_eq!(dollars, ["7.99", "9.00", "0.05", "0.00", "-0.05", "-12.50"]);
        assert_eq!([in_units(1_074, "JPY", '.'), in_units(1_074, "KWD", ',')], ["1074", "1,074"]);
        assert_eq!(in_units(i64::MIN, "EUR", '.'), "-92233720368547758.08");
    }

    /// `PAY-17`
    #[test]
    fn worker_and_site_use_the_same_digits() {
        let contract: serde_json::Value =
            serde_json::from_str(include_str!("../../../fixtures/contracts/currencies.json")).unwrap();
        let cases = contract["cases"].as_array().unwrap();
        assert!(cases.len() > 10);
        for case in cases {
            let (currency, minor) = (case["currency"].as_str().unwrap(), case["minor"].as_i64().unwrap());
            assert_eq!(in_units(minor, currency, '.'), case["amount"].as_str().unwrap(), "{currency}");
            assert!(currency == "EUR" || is_chargeable(minor, currency), "{currency}");
        }
    }

    #[test]
    fn charges_are_zero_or_at_least_the_currencys_minimum() {
        for (currency, minimum) in [("USD", 50), ("EUR", 50), ("GBP", 30), ("JPY", 50), ("HUF", 17_500), ("KWD", 10)] {
            let charged = [0, minimum - 1, minimum, minimum + 10].map(|minor| is_chargeable(minor, currency));
            assert_eq!(charged, [true, false, true, true], "{currency}");
        }
        assert!(!is_chargeable(1_234, "KWD") && is_chargeable(1_230, "KWD") && is_chargeable(1_234, "USD"));
        assert!(!is_chargeable(150_050, "ISK") && is_chargeable(150_000, "ISK") && !is_chargeable(550, "UGX"));
    }
}
