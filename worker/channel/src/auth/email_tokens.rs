//! Links in mails: `email`, `expires`, `signature` (`AUTH-4`). The signature starts with the account's id, so that the
//! link never works for a later account with the same address. A stamp of the password follows if a password change
//! invalidates the link.

use subtle::ConstantTimeEq;
use touchline_domain::accounts::folded_address;
use touchline_protocol::account::SignedLink;
use touchline_protocol::ambient::Clock;
use touchline_store::{MasterSecret, Store, StoreError, User};
use url::Url;

use crate::auth::limits::{LimitedAction, Limits, TooMany, account_subject};

/// Purpose of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPurpose {
    /// Verifies an address.
    VerifyEmail,
    /// Changes the account's address.
    ChangeEmail,
    /// Sets a new password.
    ResetPassword,
    /// Deletes the account.
    DeleteAccount,
}

impl LinkPurpose {
    /// The site's page for this link (`ROUTE-1`).
    fn path(self) -> &'static str {
        match self {
            Self::VerifyEmail | Self::ChangeEmail => "/verify-email",
            Self::ResetPassword => "/password-reset",
            Self::DeleteAccount => "/confirm-account-deletion",
        }
    }

    /// Name that the signature is bound to.
    fn name(self) -> &'static str {
        match self {
            Self::ChangeEmail => "/verify-email?change",
            other => other.path(),
        }
    }

    /// Lifetime in seconds.
    pub(crate) fn lifetime_s(self) -> i64 {
        match self {
            Self::VerifyEmail => 7 * 24 * 3600,
            Self::ResetPassword => 3600,
            Self::DeleteAccount | Self::ChangeEmail => 24 * 3600,
        }
    }

    /// Stamp that the link is bound to besides the address. A password change invalidates links that reset the password
    /// or delete the account, so that recovering an account disables the links of an intruder (`AUTH-4`). A link that
    /// changes the address works once as well, since the address differs afterwards.
    fn stamp(self, secret: &MasterSecret, user: &User) -> Vec<u8> {
        match self {
            Self::ResetPassword | Self::DeleteAccount => {
                let password = user.password_hash.as_deref().unwrap_or_default();
                secret.sign(&[b"link-stamp", &user.id.to_be_bytes(), password.as_bytes()])[..STAMP_BYTES].to_vec()
            }
            Self::ChangeEmail => {
                let password = user.password_hash.as_deref().unwrap_or_default();
                let address = folded_address(&user.email);
                let parts =
                    [&b"link-stamp-address"[..], &user.id.to_be_bytes(), password.as_bytes(), address.as_bytes()];
                secret.sign(&parts)[..STAMP_BYTES].to_vec()
            }
            Self::VerifyEmail => Vec::new(),
        }
    }

    /// Length of the stamp within the signature.
    fn stamp_bytes(self) -> usize {
        match self {
            Self::ResetPassword | Self::DeleteAccount | Self::ChangeEmail => STAMP_BYTES,
            Self::VerifyEmail => 0,
        }
    }
}

/// Length of a stamp. It only has to distinguish the passwords of one account.
const STAMP_BYTES: usize = 16;

/// Dependencies for verifying links.
#[derive(Clone, Copy)]
pub(crate) struct Links<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) secret: &'a MasterSecret,
    pub(crate) limits: &'a Limits,
}

/// Reasons for rejecting a link.
#[derive(Debug)]
pub(crate) enum LinkFault {
    /// The signature is invalid.
    Invalid,
    /// The link is too old, was used, or was issued for a former password.
    Expired,
    /// The account has the address of this link already.
    Used,
    /// The account was deleted or has another address by now.
    NoAccount,
    /// Too many attempts.
    TooMany(TooMany),
    /// The store does not answer.
    Store(StoreError),
}

/// Purpose of a link to the verification page: a link that changes the address carries a stamp.
pub(crate) fn verification_purpose(link: &SignedLink) -> LinkPurpose {
    let plain = 2 * (size_of::<i64>() + size_of::<[u8; 32]>());
    if link.signature.len() > plain { LinkPurpose::ChangeEmail } else { LinkPurpose::VerifyEmail }
}

/// Creates a link for a mail to `email`, the person's current or future address.
pub fn link(secret: &MasterSecret, now_s: i64, site: &Url, purpose: LinkPurpose, user: &User, email: &str) -> String {
    let expires = now_s + purpose.lifetime_s();
    let account = Account { id: user.id, channel_key: &user.channel_key, email };
    let stamp = purpose.stamp(secret, user);
    let signature = signature(secret, purpose, &account, expires, &stamp);
    let mut url = site.clone();
    url.set_path(purpose.path());
    url.query_pairs_mut()
        .clear()
        .append_pair("email", email)
        .append_pair("expires", &expires.to_string())
        .append_pair("signature", &hex::encode(signature));
    url.into()
}

/// Returns the account of a valid link. Attempts with wrong links are limited by location and by account (`AUTH-7`). A
/// valid link is never limited, neither by other people's guesses nor by a shared address such as a school's.
///
/// # Errors
/// Fails with [`LinkFault`]. The signature is checked first, so that a forged link reveals nothing.
pub(crate) async fn follow(
    links: &Links<'_>,
    purpose: LinkPurpose,
    channel_key: &str,
    location: &str,
    link: &SignedLink,
) -> Result<User, LinkFault> {
    let followed = verify(links, purpose, channel_key, link).await;
    if matches!(followed, Err(LinkFault::Invalid)) {
        guess(links, purpose, location).await?;
        guess(links, purpose, &account_subject(channel_key, &link.email)).await?;
    }
    followed
}

async fn guess(links: &Links<'_>, purpose: LinkPurpose, subject: &str) -> Result<(), LinkFault> {
    let subject = format!("{}:{subject}", purpose.name());
    links.limits.take(LimitedAction::Guess, &subject, links.clock).await.map_err(LinkFault::TooMany)
}

async fn verify(
    links: &Links<'_>,
    purpose: LinkPurpose,
    channel_key: &str,
    link: &SignedLink,
) -> Result<User, LinkFault> {
    let signature_bytes = hex::decode(&link.signature).unwrap_or_default();
    let Some((id, rest)) = signature_bytes.split_first_chunk() else { return Err(LinkFault::Invalid) };
    let Some(stamp) = rest.get(..purpose.stamp_bytes()) else { return Err(LinkFault::Invalid) };
    let account = Account { id: i64::from_be_bytes(*id), channel_key, email: &link.email };
    let user = links.store.user(account.id).await.map_err(LinkFault::Store)?;
    let is_of = |user: &User| match purpose {
        LinkPurpose::ChangeEmail => user.channel_key == channel_key,
        _ => account.is_of(user),
    };
    let user = user.filter(is_of);
    let expected = signature(links.secret, purpose, &account, link.expires, stamp);
    let is_valid = bool::from(expected[..].ct_eq(&signature_bytes));
    let is_outdated = user.as_ref().is_some_and(|user| purpose.stamp(links.secret, user) != stamp);
    if !is_valid {
        return Err(LinkFault::Invalid);
    }
    let has_address = |user: &User| user.email_verified && !user.has_different_address(&link.email);
    if is_outdated && purpose == LinkPurpose::ChangeEmail && user.as_ref().is_some_and(has_address) {
        return Err(LinkFault::Used);
    }
    if is_outdated || link.expires <= links.clock.now_s() {
        return Err(LinkFault::Expired);
    }
    user.ok_or(LinkFault::NoAccount)
}

/// The account of a link.
struct Account<'a> {
    id: i64,
    channel_key: &'a str,
    email: &'a str,
}

impl Account<'_> {
    fn is_of(&self, user: &User) -> bool {
        user.channel_key == self.channel_key && !user.has_different_address(self.email)
    }
}

/// Signs the account's id and the stamp.
fn signature(
    secret: &MasterSecret,
    purpose: LinkPurpose,
    account: &Account<'_>,
    expires: i64,
    stamp: &[u8],
) -> Vec<u8> {
    let id = account.id.to_be_bytes();
    let mac = secret.sign(&[
        b"link",
        purpose.name().as_bytes(),
        &id,
        account.channel_key.as_bytes(),
        folded_address(account.email).as_bytes(),
        &expires.to_le_bytes(),
        stamp,
    ]);
    [&id[..], stamp, &mac].concat()
}
