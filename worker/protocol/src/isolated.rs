//! Names within texts of another direction.

use std::borrow::Cow;

/// Whether a character is written from right to left, or makes others so.
const fn is_rtl(c: char) -> bool {
    matches!(c,
        '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}'
        | '\u{1e800}'..='\u{1efff}' | '\u{200f}' | '\u{202b}' | '\u{202e}' | '\u{2067}')
}

/// Isolates a name from the text around it, so that neither changes the other's direction (`EVENT-9`). A name without
/// right-to-left characters is unchanged. Markup has `<bdi>` instead.
#[must_use]
pub fn isolated(name: &str) -> Cow<'_, str> {
    if name.chars().any(is_rtl) { Cow::Owned(format!("\u{2068}{name}\u{2069}")) } else { Cow::Borrowed(name) }
}

#[cfg(test)]
mod tests {
    use super::isolated;

    #[test]
    fn only_rtl_names_are_isolated() {
        for name in ["Northfield", "Zoë’s 1st XI", "東京", ""] {
            assert_eq!(isolated(name), name);
        }
        for name in ["מכבי תל אביב", "النصر", "FC אשדוד", "a\u{202e}b"] {
            assert_eq!(isolated(name), format!("\u{2068}{name}\u{2069}"));
        }
    }
}
