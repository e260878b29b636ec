//! Accounts: validation of their fields (`VAL-1`, `VAL-2`, `VAL-5`) and effects of changes (`AUTH-4`, `AUTH-9`,
//! `USER-6`).

use std::fmt;

use touchline_protocol::limits::Limit;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Minimum length of a password, in characters.
pub const PASSWORD_MIN: usize = 8;
/// Maximum length of a password, in characters.
pub const PASSWORD_MAX: usize = 128;
/// Maximum length of a name, in characters.
pub const NAME_MAX: usize = 100;
/// Maximum length of an email address (RFC 5321 §4.5.3.1.3, without the brackets).
pub const EMAIL_MAX: usize = 254;
/// Rows of the limits table.
pub const LIMITS: &[Limit] = &[
    Limit::count("password.least", PASSWORD_MIN as u64, "characters", "Minimum length of a password."),
    Limit::count("password.most", PASSWORD_MAX as u64, "characters", "Maximum length of a password."),
    Limit::count("name", NAME_MAX as u64, "characters", "Maximum length of a person's or clip's name."),
    Limit::count("email", EMAIL_MAX as u64, "characters", "Maximum length of an email address."),
];

/// A user of one channel.
#[derive(Clone, PartialEq, Eq)]
pub struct User {
    /// The user's id.
    pub id: i64,
    /// The user's channel.
    pub channel_key: String,
    /// Email address, as entered.
    pub email: String,
    /// Whether the address is verified.
    pub email_verified: bool,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// Phone number, or empty.
    pub phone: String,
    /// argon2id hash in PHC format; `None` for an account created by a social login.
    pub password_hash: Option<String>,
    /// Whether the password must be changed before anything else.
    pub temporary_password: bool,
    /// Whether a trial was ever started.
    pub trial_period_used: bool,
    /// Whether the operator blocked the user.
    pub blocked: bool,
    /// Capabilities, lower case.
    pub capabilities: Vec<String>,
    /// Number of clips created.
    pub clips: i64,
    /// Number of files downloaded.
    pub downloads: i64,
    /// Registration time, in milliseconds since 1970.
    pub created_at: i64,
}

impl User {
    /// Returns whether this is a different address. Case and the encoding of the domain are ignored.
    pub fn has_different_address(&self, email: &str) -> bool {
        folded_address(&self.email) != folded_address(email)
    }
}

/// Omits names and addresses, which must not reach logs.
impl fmt::Debug for User {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("User").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A change to a user. Fields that are `None` stay unchanged.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct UserChange {
    /// New first name.
    pub first_name: Option<String>,
    /// New last name.
    pub last_name: Option<String>,
    /// New phone number; empty to remove it.
    pub phone: Option<String>,
    /// New address. It starts unverified.
    pub email: Option<String>,
    /// Hash of a new password. It is permanent unless `temporary_password` is set.
    pub password_hash: Option<String>,
    /// Whether the password must be changed before anything else.
    pub temporary_password: Option<bool>,
    /// Whether the address is verified.
    pub email_verified: Option<bool>,
    /// Whether the operator blocked the user.
    pub blocked: Option<bool>,
    /// New capabilities.
    pub capabilities: Option<Vec<String>>,
    /// Revokes every key except this one; `Some(None)` revokes every key.
    pub revoke_keys_but: Option<Option<i64>>,
    /// Password hash that must still be stored, otherwise nothing changes: an emailed link was issued for it.
    pub replaces_hash: Option<Option<String>>,
    /// Unlinks every social login (`AUTH-9`). A new address unlinks them in any case.
    pub drop_social: bool,
    /// Time of the change.
    pub at: i64,
}

impl UserChange {
    /// Blocks or unblocks a user on the operator's behalf. A blocked user is signed out everywhere.
    pub fn blocking(blocked: bool, at: i64) -> Self {
        Self { blocked: Some(blocked), revoke_keys_but: blocked.then_some(None), at, ..Self::default() }
    }

    /// Sets a user's capabilities, a temporary password, or both, on the operator's behalf. A temporary password signs
    /// the user out everywhere and unlinks social logins.
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

    /// Marks the address as verified on the operator's behalf, for sites that send no mail (`CLIP-5`).
    #[must_use]
    pub fn with_verified_address(self) -> Self {
        Self { email_verified: Some(true), ..self }
    }

    /// Verifies the address by an emailed link. The owner of the address may not be the creator of the account, so
    /// social logins stay linked only if the page that follows the link is signed in to the account.
    pub fn verifying_address(is_logged_in: bool, at: i64) -> Self {
        Self { email_verified: Some(true), drop_social: !is_logged_in, at, ..Self::default() }
    }

    /// Transfers the account to the owner of the address, who set a password by an emailed link or proved the address
    /// by a social login. Everybody else is signed out.
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

    /// Returns whether media URLs issued earlier must stop working. A new password revokes them too, since somebody
    /// else may know the old one.
    pub fn changes_rights(&self) -> bool {
        self.blocked.is_some()
            || self.capabilities.is_some()
            || self.password_hash.is_some()
            || self.temporary_password.is_some()
    }

    /// Returns whether the address changes.
    pub fn changes_address(&self, user: &User) -> bool {
        self.email.as_ref().is_some_and(|email| user.has_different_address(email))
    }

    /// Returns whether every social login is unlinked.
    pub fn drops_social_logins(&self, user: &User) -> bool {
        self.drop_social || self.changes_address(user)
    }

    /// Applies the change.
    #[must_use]
    pub fn apply(self, user: User) -> User {
        let is_verified =
            user.email_verified && self.email.as_ref().is_none_or(|email| !user.has_different_address(email));
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

/// Validation errors of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameFault {
    /// The name is empty.
    Missing,
    /// The name has more than [`NAME_MAX`] characters.
    TooLong,
    /// The name contains a control character.
    Malformed,
}

/// Validates the name of a person or a clip.
pub fn name_fault(name: &str) -> Option<NameFault> {
    if name.trim().is_empty() {
        Some(NameFault::Missing)
    } else if name.chars().count() > NAME_MAX {
        Some(NameFault::TooLong)
    } else {
        name.chars().any(char::is_control).then_some(NameFault::Malformed)
    }
}

/// Validation errors of a new password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordFault {
    /// The password has fewer than [`PASSWORD_MIN`] characters.
    TooShort,
    /// The password has more than [`PASSWORD_MAX`] characters.
    TooLong,
}

/// Validates a new password.
pub fn password_fault(password: &str) -> Option<PasswordFault> {
    match password.chars().count() {
        ..PASSWORD_MIN => Some(PasswordFault::TooShort),
        PASSWORD_MIN..=PASSWORD_MAX => None,
        _ => Some(PasswordFault::TooLong),
    }
}

/// Returns whether this is an email address (`VAL-1`): a local part, `@`, and a domain whose top-level label has at
/// least two letters, or a bracketed IPv4 address. The local part may be digits alone. Letters of any script are
/// allowed.
pub fn is_email(value: &str) -> bool {
    if value.len() > EMAIL_MAX {
        return false;
    }
    let Some((local, domain)) = value.rsplit_once('@') else { return false };
    is_local_part(local) && (is_domain(domain) || is_bracketed_ipv4(domain) || is_international_domain(domain))
}

/// Returns the address for delivery, with composed letters and its domain in DNS form, `xn--…`. Email libraries and
/// servers refuse combining marks.
pub fn deliverable_address(email: &str) -> String {
    let composed: String = email.nfc().collect();
    let (local, domain) = composed.rsplit_once('@').unwrap_or((composed.as_str(), ""));
    match idna::domain_to_ascii(domain) {
        Ok(ascii) if !domain.is_ascii() => format!("{local}@{ascii}"),
        _ => composed.clone(),
    }
}

/// Returns the form in which addresses are compared: lower case, composed letters, domain in DNS form.
pub fn folded_address(email: &str) -> String {
    deliverable_address(&email.to_lowercase())
}

/// Returns the folded address without its `+tag`, which most providers deliver to the same mailbox (`SUB-4`).
pub fn untagged_address(email: &str) -> String {
    let folded = folded_address(email);
    let Some((local, domain)) = folded.rsplit_once('@') else { return folded };
    match local.split_once('+') {
        Some((name, _)) if !name.is_empty() => format!("{name}@{domain}"),
        _ => folded,
    }
}

fn is_local_part(local: &str) -> bool {
    (1..=64).contains(&local.len())
        && local
            .split('.')
            .all(|atom| !atom.is_empty() && atom.chars().all(|c| is_letter(c) || "!#$%&'*+/=?^_`{|}~-".contains(c)))
}

/// Returns whether this is a letter, a digit or a combining mark of any script.
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

/// Returns whether this is a phone number: an optional plus sign, then 10 to 14 digits with separators between them.
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

    /// Valid and invalid examples, shared with the site's forms.
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

    /// `SUB-4`
    #[test]
    fn an_address_without_its_tag_is_its_mailbox() {
        for address in ["ada@x.example", "Ada+1@x.example", "ada+a+b@X.example", "ada+@x.example"] {
            assert_eq!(untagged_address(address), "ada@x.example", "{address}");
        }
        for address in ["+1@x.example", "ada@x+1.example", "no+address"] {
            assert_eq!(untagged_address(address), address);
        }
    }

    /// `VAL-1`
    #[test]
    fn an_address_has_one_form_for_every_spelling_of_its_domain() {
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
        let changes_address = |email: &str| ada().has_different_address(email);
        assert!(!changes_address("ADA@example.COM") && changes_address("ada@b\u{fc}cher.example"));
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
    fn length_limits_count_characters() {
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
    fn an_empty_change_changes_nothing() {
        let change = UserChange { at: 5, ..UserChange::default() };
        assert!(!change.changes_rights() && !change.changes_address(&ada()) && !change.drops_social_logins(&ada()));
        assert!(change.apply(ada()) == ada());
    }

    #[test]
    fn a_new_address_is_unverified_and_unlinks_social_logins_unless_only_its_case_changed() {
        let change = |email: &str| UserChange { email: Some(email.to_owned()), ..UserChange::default() };
        let other = change("countess@example.com");
        assert!(other.changes_address(&ada()) && other.drops_social_logins(&ada()) && !other.changes_rights());
        let moved = other.apply(ada());
        assert_eq!((moved.email.as_str(), moved.email_verified), ("countess@example.com", false));
        let same = change("ADA@example.com");
        assert!(!same.changes_address(&ada()) && !same.drops_social_logins(&ada()));
        let spelled = same.apply(ada());
        assert_eq!((spelled.email.as_str(), spelled.email_verified), ("ADA@example.com", true));
    }

    #[test]
    fn an_operators_password_is_temporary_and_a_chosen_one_is_not() {
        let chosen = UserChange { password_hash: Some("new".to_owned()), ..UserChange::default() };
        assert!(chosen.changes_rights());
        let user = chosen.apply(ada());
        assert_eq!((user.password_hash.as_deref(), user.temporary_password), (Some("new"), false));

        let operator_change = UserChange::setting(None, Some("drawn".to_owned()), 5);
        assert!(operator_change.changes_rights() && operator_change.drop_social);
        assert_eq!(operator_change.revoke_keys_but, Some(None));
        let user = operator_change.apply(user);
        assert_eq!((user.password_hash.as_deref(), user.temporary_password), (Some("drawn"), true));
    }

    #[test]
    fn new_capabilities_revoke_media_addresses_but_no_sessions() {
        let change = UserChange::setting(Some(vec!["download".to_owned()]), None, 5);
        assert!(change.changes_rights() && !change.drop_social);
        assert_eq!(change.revoke_keys_but, None);
        let user = change.apply(ada());
        assert_eq!((user.capabilities, user.temporary_password), (vec!["download".to_owned()], true));
    }

    #[test]
    fn blocking_signs_out_and_unblocking_does_not() {
        assert_eq!(UserChange::blocking(true, 5).revoke_keys_but, Some(None));
        assert_eq!(UserChange::blocking(false, 5).revoke_keys_but, None);
        let blocked = UserChange::blocking(true, 5).apply(ada());
        assert!(blocked.blocked && !UserChange::blocking(false, 6).apply(blocked).blocked);
        assert!(UserChange::blocking(false, 5).changes_rights());
    }

    #[test]
    fn verifying_unlinks_social_logins_unless_the_page_is_signed_in() {
        assert!(UserChange::verifying_address(false, 5).drop_social);
        let change = UserChange::verifying_address(true, 5);
        assert!(!change.drop_social && !change.changes_rights());
        assert!(change.apply(User { email_verified: false, ..ada() }).email_verified);
    }

    #[test]
    fn a_takeover_signs_out_everybody_else() {
        let change = UserChange::taking_over("new".to_owned(), 5);
        assert!(change.drop_social && change.changes_rights());
        assert_eq!(change.revoke_keys_but, Some(None));
        let user = change.apply(User { email_verified: false, ..ada() });
        assert_eq!((user.password_hash.as_deref(), user.email_verified), (Some("new"), true));
        assert!(!user.temporary_password);
    }
}
