//! Masks words of a search that look like an e-mail address, a phone number or a card, so that none enters the queue
//! (`ANA-15`).

use bytes::Bytes;
use serde_json::{Value, json};

/// The mark in place of a masked word.
const MASK: &str = "[private]";
/// Digits from which a number may be one of a phone or a card.
const MIN_DIGITS: usize = 7;
/// The longest query that is stored, in characters.
const MAX_QUERY: usize = 128;

/// A search's body, whose `extras` have nothing but the masked words and the number of results.
pub(crate) fn search(body: &Bytes) -> Bytes {
    let Ok(mut event) = serde_json::from_slice::<Value>(body) else { return Bytes::from_static(b"{}") };
    let extras = event["extras"].take();
    let query = extras["query"].as_str().map(masked);
    event["extras"] = json!({ "query": query, "results": extras["results"].as_u64() });
    event.to_string().into()
}

/// A query without words that may identify its viewer.
fn masked(query: &str) -> String {
    let query = query.split('@').map(str::trim).collect::<Vec<_>>().join("@");
    let tokens: Vec<&str> = query.split_whitespace().collect();
    let mut masked = Vec::new();
    let mut next = 0;
    while let Some(word) = tokens.get(next) {
        // The parts of a number may be separated: 514 555-0199.
        let parts = tokens[next..].iter().take_while(|part| part.chars().all(is_of_number)).count();
        let digits: usize =
            tokens[next..next + parts].iter().map(|part| if is_date(part) { 0 } else { digits_in(part) }).sum();
        let is_number = digits >= MIN_DIGITS;
        let is_hidden = is_number || is_address(word) || (digits_in(word) >= MIN_DIGITS && !is_date(word));
        masked.push(if is_hidden { MASK } else { word });
        next += if is_number { parts } else { 1 };
    }
    masked.join(" ").chars().take(MAX_QUERY).collect()
}

/// Whether phone numbers and cards consist of such characters: digits and what separates them.
fn is_of_number(c: char) -> bool {
    c.is_numeric() || "+-./(),\u{2010}\u{2011}\u{2013}".contains(c)
}

/// Whether a word is a day or a season, which viewers search for: `2026-10-14`, `14.10.2026`, `2026-2027`.
fn is_date(word: &str) -> bool {
    let groups: Vec<&str> = word.split(['-', '/', '.', '\u{2013}']).collect();
    let is_number = |group: &&str| group.bytes().all(|byte| byte.is_ascii_digit());
    let is_year = |group: &str| group.len() == 4 && (group.starts_with("19") || group.starts_with("20"));
    let is_short = |group: &str| (1..=2).contains(&group.len());
    groups.iter().all(is_number)
        && match groups[..] {
            [from, until] => is_year(from) && is_year(until),
            [year, month, day] if is_year(year) => is_short(month) && is_short(day),
            [day, month, year] => is_short(day) && is_short(month) && is_year(year),
            _ => false,
        }
}

fn digits_in(word: &str) -> usize {
    word.chars().filter(|c| c.is_numeric()).count()
}

fn is_address(word: &str) -> bool {
    word.contains(['@', '\u{ff20}', '\u{fe6b}'])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn addresses_phone_numbers_and_cards_are_masked_and_other_texts_unchanged() {
        for (sent, stored) in [
            ("Northfield  soccer", "Northfield soccer"),
            ("ada@example.com final", "[private] final"),
            ("mailto:ada@example.com", "[private]"),
            ("ada @ example.com", "[private]"),
            ("514-555-0199", "[private]"),
            ("call +1 (514) 555-0199 now", "call [private] now"),
            ("514 555 0199", "[private]"),
            ("4242 4242 4242 4242", "[private]"),
            ("4242424242424242", "[private]"),
            ("card:4242424242424242", "[private]"),
            ("514 - 555 - 0199", "[private]"),
            ("4242 , 4242, 4242,4242", "[private]"),
            ("final - 3 , 4", "final - 3 , 4"),
            ("\u{0664}\u{0662}\u{0664}\u{0662}\u{0664}\u{0662}\u{0664}", "[private]"),
            ("2026-27 final 3", "2026-27 final 3"),
            ("2026-2027 game of 2026-10-14", "2026-2027 game of 2026-10-14"),
            ("2026-2027 514 555-0199", "[private]"),
            ("14.10.2026", "14.10.2026"),
            ("u18 2026", "u18 2026"),
            ("", ""),
        ] {
            assert_eq!(masked(sent), stored, "{sent}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_masked_query_has_no_address_and_no_long_number(tokens in proptest::collection::vec("[a-z]{0,3}[@+0-9,-]{0,9}[a-z]{0,2}", 0..6)) {
            let stored = masked(&tokens.join(" "));
            prop_assert!(!stored.contains('@'));
            let runs = stored.split(|c: char| !(c.is_numeric() || " +-./(),".contains(c)));
            for run in runs {
                let digits: usize = run.split_whitespace().filter(|part| !is_date(part)).map(digits_in).sum();
                prop_assert!(digits < MIN_DIGITS, "{stored}");
            }
        }
    }

    #[test]
    fn extras_of_a_search_have_only_the_masked_query_and_the_number_of_results() {
        let body = br#"{"event":"searched","extras":{"query":"ada@example.com","results":3,"ada@example.com":["5145550199"]}}"#;
        let stored: Value = serde_json::from_slice(&search(&Bytes::from_static(body))).unwrap();
        assert_eq!(stored, json!({ "event": "searched", "extras": { "query": "[private]", "results": 3 } }));
    }
}
