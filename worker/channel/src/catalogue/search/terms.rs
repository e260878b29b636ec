//! Splits texts into words: lower case, without accents.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::MAX_TERMS;

/// The folded words of a text (`SEARCH-2`): lower case, without accents, split at anything but letters and digits.
pub(super) fn terms(text: &str) -> Vec<String> {
    let folded: String = text
        .nfkd()
        .filter(|letter| !is_combining_mark(*letter) && !matches!(letter, '\'' | '’'))
        .flat_map(char::to_lowercase)
        .fold(String::with_capacity(text.len()), |mut folded, letter| {
            match letter {
                'œ' => folded.push_str("oe"),
                'æ' => folded.push_str("ae"),
                'ß' => folded.push_str("ss"),
                'ø' => folded.push('o'),
                'ł' => folded.push('l'),
                // The lower case of `İ` has its dot as a combining mark.
                mark if is_combining_mark(mark) => {}
                other => folded.push(other),
            }
            folded
        });
    let is_in_term = |letter: char| letter.is_alphanumeric();
    folded.split(|letter| !is_in_term(letter)).filter(|term| !term.is_empty()).map(str::to_owned).collect()
}

/// The words of a query that the search uses.
pub(crate) fn query_terms(query: &str) -> Vec<String> {
    let mut terms = terms(query);
    terms.truncate(MAX_TERMS);
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `SEARCH-2`.
    #[test]
    fn case_accents_ligatures_and_apostrophes_are_ignored() {
        assert_eq!(terms("Élan d'Orford — CŒUR"), ["elan", "dorford", "coeur"]);
        assert_eq!(terms("E\u{301}lan Straße Łódź"), ["elan", "strasse", "lodz"]);
        assert_eq!(terms("فريق 2027"), ["فريق", "2027"]);
        assert_eq!(terms(" -- "), Vec::<String>::new());
    }

    #[test]
    fn terms_above_the_limit_are_ignored() {
        assert_eq!(query_terms(&"a ".repeat(100)).len(), MAX_TERMS);
    }
}
