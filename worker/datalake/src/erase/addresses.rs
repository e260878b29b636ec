//! Finds the email addresses in a text, reduced to a form in which a given address can be recognised.
//!
//! An address may occur anywhere in a text, plain or percent-encoded, and the characters before it may look like part
//! of it. So it is reduced to the parts whose ends [`super::Person::is_named_in`] recognises: the run of letters,
//! digits and `._%+-` before the `@`, and the domain. Two addresses rarely have the same reduction, and none is missed.

use super::percent_decoded;

/// Whether a character continues the part before the `@`.
pub(super) fn is_local(c: char) -> bool {
    c.is_alphanumeric() || "._%+-".contains(c)
}

/// The reduction of an address in lower case, as [`each`] yields it; `None` if the text is not an address.
pub(crate) fn reduced(email: &str) -> Option<String> {
    let (local, domain) = email.rsplit_once('@')?;
    Some(format!("{}@{domain}", trailing_run(local)))
}

/// Calls `take` with the reduction of each address in a text, sometimes twice.
pub(crate) fn each(text: &str, take: &mut impl FnMut(&str)) {
    let lower = text.to_lowercase();
    each_plain(&lower, take);
    if lower.contains('%') {
        each_plain(&percent_decoded(&lower), take);
    }
}

fn each_plain(text: &str, take: &mut impl FnMut(&str)) {
    for (at, _) in text.match_indices('@') {
        let local = trailing_run(&text[..at]);
        let domain = domain(&text[at + 1..]);
        if !domain.is_empty() {
            take(&format!("{local}@{domain}"));
        }
    }
}

fn trailing_run(text: &str) -> &str {
    let run = text.char_indices().rev().take_while(|(_, c)| is_local(*c)).last();
    run.map_or("", |(from, _)| &text[from..])
}

/// The domain at the start of a text. It ends before a character that a domain cannot contain, or a final dot.
fn domain(text: &str) -> &str {
    if text.starts_with('[') {
        return text.find(']').map_or("", |end| &text[..=end]);
    }
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let continues = match c {
            '.' => rest.peek().is_some_and(|(_, next)| next.is_alphanumeric()),
            c => c.is_alphanumeric() || c == '-',
        };
        if !continues {
            return &text[..at];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Person;
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        each(text, &mut |address| found.push(address.to_owned()));
        found
    }

    #[test]
    fn addresses_are_found_anywhere_in_a_text() {
        assert_eq!(found("<Ann@Example.com>."), ["ann@example.com"]);
        assert_eq!(found("/verify?email=ann%40example.com&x"), ["ann@example.com"]);
        assert_eq!(found("a@b.c,d@[1.2.3.4]"), ["a@b.c", "d@[1.2.3.4]"]);
        assert_eq!(found("no address"), Vec::<String>::new());
        assert_eq!(reduced("o'neil@x.org").as_deref(), Some("neil@x.org"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

        /// Files are skipped because of this, so nothing may be missed.
        #[test]
        fn an_address_in_a_text_is_always_found(
            local in "[a-z0-9!#$&'*/=?^_`{|}~+.-]{1,6}",
            domain in "([a-z0-9](-?[a-z0-9])?\\.){1,2}[a-z]{2}|\\[1\\.2\\.3\\.4\\]",
            before in "[ a-zA-Z0-9._%+<=\"'@:-]{0,4}",
            after in "[ a-zA-Z0-9._>&\"@\\-]{0,4}",
            encoded in any::<bool>(),
        ) {
            let email = format!("{local}@{domain}");
            let encoded_email = if encoded { email.replace('@', "%40") } else { email.clone() };
            let text = format!("{before}{encoded_email}{after}");
            let person = Person { email: Some(email.clone()), ..Person::default() };
            if person.is_named_in(&text) {
                prop_assert!(found(&text).contains(&reduced(&email).unwrap()), "{text}: {:?}", found(&text));
            }
        }
    }
}
