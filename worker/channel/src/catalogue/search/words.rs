//! Texts as words: lower case, without accents.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::MAX_WORDS;

/// The words of a text, folded (`SEARCH-2`): lower case, accents taken off, cut at whatever is no letter or digit.
pub(super) fn words(text: &str) -> Vec<String> {
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
                // Taking `İ` to lower case makes a mark of its dot.
                mark if is_combining_mark(mark) => {}
                other => folded.push(other),
            }
            folded
        });
    let is_in_word = |letter: char| letter.is_alphanumeric();
    folded.split(|letter| !is_in_word(letter)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The words of a query that count.
pub fn query_words(query: &str) -> Vec<String> {
    let mut words = words(query);
    words.truncate(MAX_WORDS);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `SEARCH-2`.
    #[test]
    fn case_accents_ligatures_and_apostrophes_make_no_difference() {
        assert_eq!(words("Élan d'Orford — CŒUR"), ["elan", "dorford", "coeur"]);
        assert_eq!(words("E\u{301}lan Straße Łódź"), ["elan", "strasse", "lodz"]);
        assert_eq!(words("فريق 2027"), ["فريق", "2027"]);
        assert_eq!(words(" -- "), Vec::<String>::new());
    }

    #[test]
    fn words_beyond_the_limit_do_not_count() {
        assert_eq!(query_words(&"a ".repeat(100)).len(), MAX_WORDS);
    }
}
