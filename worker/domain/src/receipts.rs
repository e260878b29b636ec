//! Receipt numbers within their series (`ORDER-6`).

/// Returns a receipt's number with the name of its series: the letter after the given number of restores (`A` … `Z`,
/// then `BA`), and the channel's number from its second on (`A2-000001`). `seller` counts the channels that had a
/// receipt before this one. The first series has no name.
pub fn number(restores: i64, seller: i64, receipt: i64) -> String {
    let mut name = String::new();
    let mut rest = restores.max(0);
    while rest > 0 || name.is_empty() {
        let letter = u8::try_from(rest % 26).unwrap_or_default();
        name.insert(0, char::from(b'A' + letter));
        rest /= 26;
    }
    match (restores, seller) {
        (0, 0) => format!("{receipt:06}"),
        (_, 0) => format!("{name}-{receipt:06}"),
        _ => format!("{name}{}-{receipt:06}", seller + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ORDER-6`
    #[test]
    fn a_series_is_named_by_its_restores_and_its_channel() {
        let numbers = [(0, 0), (0, 1), (1, 0), (25, 11), (26, 0), (27, 299), (676, 0)];
        let numbers = numbers.map(|(restores, seller)| number(restores, seller, 7));
        let names = ["A2-", "B-", "Z12-", "BA-", "BB300-", "BAA-"].map(|name| format!("{name}000007"));
        assert_eq!(numbers[0], "000007");
        assert_eq!(numbers[1..], names);
        assert_eq!(number(0, 0, 1_234_567), "1234567");
    }
}
