//! People's accounts: the rules of their fields (`VAL-1`, `VAL-2`, `VAL-5`), and what a change of one brings about
//! (`AUTH-4`, `AUTH-9`, `USER-6`).

use std::fmt;

use touchline_protocol::limits::Limit;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The fewest characters of a password.
pub const PASSWORD_MIN: usize = 8;
/// The most characters of a password.
pub const PASSWORD_MAX: usize = 128;
/// The most characters of a name.
pub const NAME_MAX: usize = 100;
/// The most characters of an address (RFC 5321 §4.5.3.1.3, less its brackets).
pub const EMAIL_MAX: usize = 254;
/// The rows of the limits table.
pub const LIMITS: &[Limit] = &[
    Limit::count("password.least", PASSWORD_MIN as u64, "characters", "The shortest password."),
    Limit::count("password.most", PASSWORD_MAX as u64, "characters", "The longest password."),
    Limit::count("name", NAME_MAX as u64, "characters", "The longest name of a person or a clip."),
    Limit::count("email", EMAIL_MAX as u64, "characters", "The longest e-mail address."),
];

/// A person of one channel.
#[derive(Clone, PartialEq, Eq)]
pub struct User {
    /// Their id.
    pub id: i64,
    /// The channel that they belong to.
    pub channel_key: String,
    /// Their address, as they wrote it.
    pub email: String,
    /// Whether it was verified.
    pub email_verified: bool,
    /// Their first name.
    pub first_name: String,
    /// Their last name.
    pub last_name: String,
    /// Their phone number, or nothing.
    pub phone: String,
    /// argon2id, in PHC form; absent for one who came through a social login.
    pub password_hash: Option<String>,
    /// Whether the password must be changed before anything else.
    pub temporary_password: bool,
    /// Whether a trial was ever started.
    pub trial_period_used: bool,
    /// Whether the operator blocked them.
    pub blocked: bool,
    /// Their rights, lower case.
    pub capabilities: Vec<String>,
    /// Clips made.
    pub clips: i64,
    /// Files downloaded.
    pub downloads: i64,
    /// When they registered.
    pub created_at: i64,
}

impl User {
    /// Whether this address is another one than theirs; neither its case nor the form of its domain counts.
    pub fn has_other_address_than(&self, email: &str) -> bool {
        folded_address(&self.email) != folded_address(email)
    }
}

/// Names and addresses stay out of logs.
impl fmt::Debug for User {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("User").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What is to change of a person; what is absent stays.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct UserChange {
    /// A first name.
    pub first_name: Option<String>,
    /// A last name.
    pub last_name: Option<String>,
    /// A phone number, or nothing to remove it.
    pub phone: Option<String>,
    /// An address, which is then unverified.
    pub email: Option<String>,
    /// A password's hash; it is not temporary any more, unless `temporary_password` says so.
    pub password_hash: Option<String>,
    /// Whether the password must be changed before anything else.
    pub temporary_password: Option<bool>,
    /// Whether the address is verified.
    pub email_verified: Option<bool>,
    /// Whether the operator blocked them.
    pub blocked: Option<bool>,
    /// Their rights.
    pub capabilities: Option<Vec<String>>,
    /// Every key but this one stops working (`Some(None)`: every key).
    pub revoke_keys_but: Option<Option<i64>>,
    /// The password hash that must be stored still, or nothing changes: a mailed link was issued for it.
    pub replaces_hash: Option<Option<String>>,
    /// Every login through another site is dropped (`AUTH-9`). A new address drops them in any case.
    pub drop_social: bool,
    /// When.
    pub at: i64,
}

impl UserChange {
    /// The operator blocks a person, or lets them in again. A blocked one is logged out everywhere.
    pub fn blocking(blocked: bool, at: i64) -> Self {
        Self { blocked: Some(blocked), revoke_keys_but: blocked.then_some(None), at, ..Self::default() }
    }

    /// The operator sets a person's rights, gives them a temporary password, or both. With the password they are logged
    /// out everywhere, and no other site opens the account.
    pub fn setting(capabilities: Option<Vec<String>>, temporary_password_hash: Option<String>, at: i64) -> Self {
        let resets = temporary_password_hash.is_some();
        Self {
            capabilities,
            temporary_password: resets.then_some(true),
            password_hash: temporary_password_hash,
            revoke_keys_but: resets.then_some(None),
            drop_social: resets,
            at,
            ..Self::default()
        }
    }

    /// The operator vouches for a person's address, as where no letters are sent (`CLIP-5`).
    #[must_use]
    pub fn vouching_for_address(self) -> Self {
        Self { email_verified: Some(true), ..self }
    }

    /// A person follows the link that verifies their address. Who holds the address need not be who made the account:
    /// logins through other sites stay only where a page that is logged in to the account follows it.
    pub fn verifying_address(is_logged_in: bool, at: i64) -> Self {
        Self { email_verified: Some(true), drop_social: !is_logged_in, at, ..Self::default() }
    }

    /// Whoever holds the address takes the account: a link that came by mail sets the password, or a login through
    /// another site proves the address. Whoever was logged in is not any more.
    pub fn taking_over(password_hash: String, at: i64) -> Self {
        Self {
            password_hash: Some(password_hash),
            email_verified: Some(true),
            revoke_keys_but: Some(None),
            drop_social: true,
            at,
            ..Self::default()
        }
    }

    /// Whether addresses of media that the person was given before are to stop working: also with a new password, since
    /// it is changed where somebody else may know the old one.
    pub fn changes_rights(&self) -> bool {
        self.blocked.is_some()
            || self.capabilities.is_some()
            || self.password_hash.is_some()
            || self.temporary_password.is_some()
    }

    /// Whether the person gets another address.
    pub fn moves(&self, user: &User) -> bool {
        self.email.as_ref().is_some_and(|email| user.has_other_address_than(email))
    }

    /// Whether every login through another site is dropped.
    pub fn drops_social_logins(&self, user: &User) -> bool {
        self.drop_social || self.moves(user)
    }

    /// The person after the change.
    #[must_use]
    pub fn apply(self, user: User) -> User {
        let is_verified =
            user.email_verified && self.email.as_ref().is_none_or(|email| !user.has_other_address_than(email));
        let is_temporary = user.temporary_password && self.password_hash.is_none();
        User {
            email: self.email.unwrap_or(user.email),
            email_verified: self.email_verified.unwrap_or(is_verified),
            first_name: self.first_name.unwrap_or(user.first_name),
            last_name: self.last_name.unwrap_or(user.last_name),
            phone: self.phone.unwrap_or(user.phone),
            password_hash: self.password_hash.or(user.password_hash),
            temporary_password: self.temporary_password.unwrap_or(is_temporary),
            blocked: self.blocked.unwrap_or(user.blocked),
            capabilities: self.capabilities.unwrap_or(user.capabilities),
            ..user
        }
    }
}

/// What is wrong with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameFault {
    /// It is empty.
    Missing,
    /// It has more than [`NAME_MAX`] characters.
    TooLong,
    /// It holds a control character.
    Malformed,
}

/// What is wrong with a name of a person or a clip; nothing when it is one.
pub fn name_fault(name: &str) -> Option<NameFault> {
    if name.trim().is_empty() {
        Some(NameFault::Missing)
    } else if name.chars().count() > NAME_MAX {
        Some(NameFault::TooLong)
    } else {
        name.chars().any(char::is_control).then_some(NameFault::Malformed)
    }
}

/// What is wrong with a new password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordFault {
    /// It has less than [`PASSWORD_MIN`] characters.
    TooShort,
    /// It has more than [`PASSWORD_MAX`] characters.
    TooLong,
}

/// What is wrong with a new password; nothing when it can be one.
pub fn password_fault(password: &str) -> Option<PasswordFault> {
    match password.chars().count() {
        ..PASSWORD_MIN => Some(PasswordFault::TooShort),
        PASSWORD_MIN..=PASSWORD_MAX => None,
        _ => Some(PasswordFault::TooLong),
    }
}

/// Whether this is an address (`VAL-1`): a local part, `@`, and a domain whose top-level part has at least two letters, or
/// a bracketed IPv4 address. A local part of digits alone is fine, and so are letters of any script.
pub fn is_email(value: &str) -> bool {
    if value.len() > EMAIL_MAX {
        return false;
    }
    let Some((local, domain)) = value.rsplit_once('@') else { return false };
    is_local_part(local) && (is_domain(domain) || is_bracketed_ipv4(domain) || is_international_domain(domain))
}

/// An address as mail servers take it: its domain is written as in the DNS, `xn--…`.
pub fn deliverable_address(email: &str) -> String {
    let (local, domain) = email.rsplit_once('@').unwrap_or((email, ""));
    match idna::domain_to_ascii(domain) {
        Ok(ascii) if !domain.is_ascii() => format!("{local}@{ascii}"),
        _ => email.to_owned(),
    }
}

/// An address in the form that accounts are compared by: lower case, composed letters, its domain as in the DNS.
pub fn folded_address(email: &str) -> String {
    deliverable_address(&email.to_lowercase().nfc().collect::<String>())
}

fn is_local_part(local: &str) -> bool {
    (1..=64).contains(&local.len())
        && local
            .split('.')
            .all(|atom| !atom.is_empty() && atom.chars().all(|c| is_letter(c) || "!#$%&'*+/=?^_`{|}~-".contains(c)))
}

/// A letter, a digit, or a mark upon one, of any script.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

fn is_international_domain(domain: &str) -> bool {
    let has_letters = domain.chars().all(|c| is_letter(c) || ".-".contains(c));
    let top = domain.rsplit('.').next().unwrap_or_default();
    has_letters && top.chars().count() >= 2 && idna::domain_to_ascii_strict(domain).is_ok_and(|ascii| is_domain(&ascii))
}

fn is_domain(domain: &str) -> bool {
    let Some((_, top)) = domain.rsplit_once('.') else { return false };
    top.len() >= 2
        && (top.chars().all(|c| c.is_ascii_alphabetic()) || top.to_ascii_lowercase().starts_with("xn--"))
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
        let all = include_str!("../../../fixtures/contracts/contact-details.json");
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

    /// `VAL-1`
    #[test]
    fn an_address_has_one_form_however_its_domain_is_written() {
        let folded = "j\u{f6}rg@xn--bcher-kva.example";
        for address in
            ["j\u{f6}rg@b\u{fc}cher.example", "Jo\u{308}rg@B\u{dc}CHER.example", "j\u{f6}rg@XN--BCHER-KVA.example"]
        {
            assert_eq!(folded_address(address), folded, "{address}");
        }
        assert_eq!(deliverable_address("J\u{f6}rg@b\u{fc}cher.example"), "J\u{f6}rg@xn--bcher-kva.example");
        for address in ["A.B+c@Example.com", "a@[127.0.0.1]", "no address", "a@xn--\u{e4}.de"] {
            assert_eq!(deliverable_address(address), address);
        }
        let moves = |email: &str| ada().has_other_address_than(email);
        assert!(!moves("ADA@example.COM") && moves("ada@b\u{fc}cher.example"));
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
    fn lengths_count_characters_at_both_ends() {
        assert_eq!(password_fault(&"é".repeat(7)), Some(PasswordFault::TooShort));
        assert_eq!(password_fault(&"é".repeat(8)), None);
        assert_eq!(password_fault(&"é".repeat(128)), None);
        assert_eq!(password_fault(&"é".repeat(129)), Some(PasswordFault::TooLong));
        assert_eq!(name_fault(" "), Some(NameFault::Missing));
        assert_eq!(name_fault(&"é".repeat(100)), None);
        assert_eq!(name_fault(&"é".repeat(101)), Some(NameFault::TooLong));
        assert_eq!(name_fault("Ada\u{7}"), Some(NameFault::Malformed));
    }

    fn ada() -> User {
        User {
            id: 7,
            channel_key: "meadow".to_owned(),
            email: "Ada@example.com".to_owned(),
            email_verified: true,
            first_name: "Ada".to_owned(),
            last_name: "Lovelace".to_owned(),
            phone: "+44 20 7946 0999".to_owned(),
            password_hash: Some("old".to_owned()),
            temporary_password: true,
            trial_period_used: false,
            blocked: false,
            capabilities: vec!["watch".to_owned()],
            clips: 1,
            downloads: 2,
            created_at: 3,
        }
    }

    #[test]
    fn a_change_of_nothing_changes_nothing() {
        let change = UserChange { at: 5, ..UserChange::default() };
        assert!(!change.changes_rights() && !change.moves(&ada()) && !change.drops_social_logins(&ada()));
        assert!(change.apply(ada()) == ada());
    }

    #[test]
    fn a_new_address_is_unverified_and_drops_logins_through_other_sites_and_one_of_another_case_is_none() {
        let change = |email: &str| UserChange { email: Some(email.to_owned()), ..UserChange::default() };
        let other = change("countess@example.com");
        assert!(other.moves(&ada()) && other.drops_social_logins(&ada()) && !other.changes_rights());
        let moved = other.apply(ada());
        assert_eq!((moved.email.as_str(), moved.email_verified), ("countess@example.com", false));
        let same = change("ADA@example.com");
        assert!(!same.moves(&ada()) && !same.drops_social_logins(&ada()));
        let spelled = same.apply(ada());
        assert_eq!((spelled.email.as_str(), spelled.email_verified), ("ADA@example.com", true));
    }

    #[test]
    fn a_password_that_the_person_chose_is_not_temporary_and_one_of_the_operator_is() {
        let chosen = UserChange { password_hash: Some("new".to_owned()), ..UserChange::default() };
        assert!(chosen.changes_rights());
        let user = chosen.apply(ada());
        assert_eq!((user.password_hash.as_deref(), user.temporary_password), (Some("new"), false));

        let given = UserChange::setting(None, Some("drawn".to_owned()), 5);
        assert!(given.changes_rights() && given.drop_social);
        assert_eq!(given.revoke_keys_but, Some(None));
        let user = given.apply(user);
        assert_eq!((user.password_hash.as_deref(), user.temporary_password), (Some("drawn"), true));
    }

    #[test]
    fn rights_alone_log_nobody_out_and_end_what_was_given_before() {
        let change = UserChange::setting(Some(vec!["download".to_owned()]), None, 5);
        assert!(change.changes_rights() && !change.drop_social);
        assert_eq!(change.revoke_keys_but, None);
        let user = change.apply(ada());
        assert_eq!((user.capabilities, user.temporary_password), (vec!["download".to_owned()], true));
    }

    #[test]
    fn who_is_blocked_is_logged_out_and_who_is_let_in_again_is_not() {
        assert_eq!(UserChange::blocking(true, 5).revoke_keys_but, Some(None));
        assert_eq!(UserChange::blocking(false, 5).revoke_keys_but, None);
        let blocked = UserChange::blocking(true, 5).apply(ada());
        assert!(blocked.blocked && !UserChange::blocking(false, 6).apply(blocked).blocked);
        assert!(UserChange::blocking(false, 5).changes_rights());
    }

    #[test]
    fn verifying_drops_other_logins_unless_the_page_is_logged_in() {
        assert!(UserChange::verifying_address(false, 5).drop_social);
        let change = UserChange::verifying_address(true, 5);
        assert!(!change.drop_social && !change.changes_rights());
        assert!(change.apply(User { email_verified: false, ..ada() }).email_verified);
    }

    #[test]
    fn who_takes_the_account_over_is_alone_in_it() {
        let change = UserChange::taking_over("new".to_owned(), 5);
        assert!(change.drop_social && change.changes_rights());
        assert_eq!(change.revoke_keys_but, Some(None));
        let user = change.apply(User { email_verified: false, ..ada() });
        assert_eq!((user.password_hash.as_deref(), user.email_verified), (Some("new"), true));
        assert!(!user.temporary_password);
    }
}
