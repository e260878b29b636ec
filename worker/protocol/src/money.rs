//! Amounts of money: minor units everywhere, and the currency's own unit where people and search engines read them.

/// An amount of minor units in its currency's own unit, such as `-12.99`. ISO 4217 gives most currencies two digits of
/// minor units, some three and some none.
pub fn in_units(minor: i64, currency: &str, point: char) -> String {
    let digits = match currency {
        "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF" | "UGX" | "VND" | "VUV"
        | "XAF" | "XOF" | "XPF" => return minor.to_string(),
        "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
        _ => 2,
    };
    let scale = 10_u64.pow(digits);
    let (sign, minor, width) = (if minor < 0 { "-" } else { "" }, minor.unsigned_abs(), digits as usize);
    format!("{sign}{}{point}{:0width$}", minor / scale, minor % scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_has_the_digits_of_its_currency() {
        let dollars = [799, 900, 5, 0, -5, -1_250].map(|minor| in_units(minor, "USD", '.'));
        assert_eq!(dollars, ["7.99", "9.00", "0.05", "0.00", "-0.05", "-12.50"]);
        assert_eq!([in_units(1_074, "JPY", '.'), in_units(1_074, "KWD", ',')], ["1074", "1,074"]);
        assert_eq!(in_units(i64::MIN, "EUR", '.'), "-92233720368547758.08");
    }
}
