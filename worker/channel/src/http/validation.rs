//! The rules of fields: names, addresses, phone numbers, passwords (`VAL-1`, `VAL-2`, `VAL-5`). Faults are collected, not only the first.

use touchline_protocol::envelope::Failure;
use touchline_protocol::limits::Limit;

use super::error::{ApiError, ApiResult};
use super::messages;

/// The fewest characters of a password.
pub const PASSWORD_MIN: usize = 8;
/// The most characters of a password.
pub const PASSWORD_MAX: usize = 128;
/// The most characters of a name.
pub const NAME_MAX: usize = 100;
/// The most characters of an address (RFC 5321 §4.5.3.1.3, less its brackets).
pub const EMAIL_MAX: usize = 254;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("password.least", PASSWORD_MIN as u64, "characters", "The shortest password."),
    Limit::count("password.most", PASSWORD_MAX as u64, "characters", "The longest password."),
    Limit::count("name", NAME_MAX as u64, "characters", "The longest name of a person or a clip."),
    Limit::count("email", EMAIL_MAX as u64, "characters", "The longest e-mail address."),
];

/// The faults found so far.
#[derive(Debug, Default)]
pub struct Faults(Vec<(&'static str, String)>);

impl Faults {
    /// Adds a fault.
    pub fn add(&mut self, field: &'static str, message: impl Into<String>) {
        self.0.push((field, message.into()));
    }

    /// Adds a fault unless `holds`.
    pub fn unless(&mut self, holds: bool, field: &'static str, message: impl Into<String>) {
        if !holds {
            self.add(field, message);
        }
    }

    /// A name: 1 to [`NAME_MAX`] characters; `missing` is what an empty one is told.
    pub fn name(&mut self, field: &'static str, value: &str, missing: &str) {
        if value.trim().is_empty() {
            self.add(field, missing);
        } else if value.chars().count() > NAME_MAX {
            self.add(field, messages::shorter_than(NAME_MAX + 1));
        } else if value.chars().any(char::is_control) {
            self.add(field, messages::MALFORMED);
        }
    }

    /// An address of the standard shape.
    pub fn email(&mut self, field: &'static str, value: &str) {
        if value.trim().is_empty() {
            self.add(field, messages::EMAIL);
        } else if !is_email(value.trim()) {
            self.add(field, messages::EMAIL_INVALID);
        }
    }

    /// A new password and its confirmation.
    pub fn password(&mut self, password: &str, confirmation: &str, differ: &str) {
        let length = password.chars().count();
        if length < PASSWORD_MIN {
            self.add("password", messages::PASSWORD_TOO_SHORT);
        } else if length > PASSWORD_MAX {
            self.add("password", messages::shorter_than(PASSWORD_MAX + 1));
        }
        if password != confirmation {
            self.add("password_confirmation", differ);
        }
    }

    /// Nothing when nothing was found.
    ///
    /// # Errors
    /// 400 whose message is the first fault's and whose `errors` name them all.
    pub fn check(self) -> ApiResult<()> {
        let Some((_, first)) = self.0.first() else { return Ok(()) };
        let failure = Failure::new("validation", first.clone());
        Err(ApiError::Invalid(self.0.into_iter().fold(failure, |failure, (field, fault)| failure.field(field, fault))))
    }
}

/// Whether this is an address: a local part, `@`, and a domain whose top-level part has at least two letters, or a
/// bracketed IPv4 address. A local part of digits alone is fine.
pub fn is_email(value: &str) -> bool {
    if value.len() > EMAIL_MAX {
        return false;
    }
    let Some((local, domain)) = value.rsplit_once('@') else { return false };
    is_local_part(local) && (is_domain(domain) || is_bracketed_ipv4(domain))
}

fn is_local_part(local: &str) -> bool {
    (1..=64).contains(&local.len())
        && local.split('.').all(|atom| {
            !atom.is_empty() && atom.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+/=?^_`{|}~-".contains(c))
        })
}

fn is_domain(domain: &str) -> bool {
    let Some((_, top)) = domain.rsplit_once('.') else { return false };
    top.len() >= 2
        && top.chars().all(|c| c.is_ascii_alphabetic())
        && domain.split('.').all(|label| {
            (1..=63).contains(&label.len())
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        })
}

fn is_bracketed_ipv4(domain: &str) -> bool {
    domain
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .is_some_and(|address| address.parse::<std::net::Ipv4Addr>().is_ok())
}

/// Whether this is a phone number: an optional plus sign, then 10 to 14 digits with separators between them.
pub fn is_phone(value: &str) -> bool {
    let rest = value.strip_prefix('+').unwrap_or(value);
    let digits = rest.chars().filter(char::is_ascii_digit).count();
    (10..=14).contains(&digits)
        && rest.len() <= 40
        && rest.chars().all(|c| c.is_ascii_digit() || " .-()".contains(c))
        && rest.starts_with(|c: char| c.is_ascii_digit() || c == '(')
        && rest.ends_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases of both kinds, from the list that the site's forms are held to as well.
    fn cases(of: &str) -> [Vec<String>; 2] {
        let all = include_str!("../../../../fixtures/contracts/contact-details.json");
        let all: serde_json::Value = serde_json::from_str(all).unwrap();
        ["accepted", "refused"].map(|kind| serde_json::from_value(all[of][kind].clone()).unwrap())
    }

    #[test]
    fn addresses_have_the_standard_shape() {
        let [accepted, refused] = cases("email");
        for (addresses, fits) in [(accepted, true), (refused, false)] {
            for address in addresses {
                assert_eq!(is_email(address.trim()), fits, "{address}");
            }
        }
    }

    #[test]
    fn phones_have_ten_to_fourteen_digits() {
        let [accepted, refused] = cases("phone");
        for (numbers, fits) in [(accepted, true), (refused, false)] {
            for number in numbers {
                assert_eq!(is_phone(number.trim()), fits, "{number}");
            }
        }
    }

    #[test]
    fn every_fault_is_named_and_the_first_is_the_message() {
        let mut faults = Faults::default();
        faults.name("first_name", " ", messages::FIRST_NAME);
        faults.password("short", "other", messages::PASSWORDS_DIFFER);
        let Err(ApiError::Invalid(failure)) = faults.check() else { panic!("faults were found") };
        assert_eq!(failure.message, messages::FIRST_NAME);
        assert_eq!(failure.errors["first_name"], [messages::FIRST_NAME]);
        assert_eq!(failure.errors["password"], [messages::PASSWORD_TOO_SHORT]);
        assert_eq!(failure.errors["password_confirmation"], [messages::PASSWORDS_DIFFER]);
    }

    #[test]
    fn lengths_count_characters_at_both_ends() {
        let fits = |password: &str| {
            let mut faults = Faults::default();
            faults.password(password, password, messages::PASSWORDS_DIFFER);
            faults.check().is_ok()
        };
        assert!(!fits(&"é".repeat(7)));
        assert!(fits(&"é".repeat(8)));
        assert!(fits(&"é".repeat(128)));
        assert!(!fits(&"é".repeat(129)));
    }
}
