//! Links in mails: `email`, `expires`, `signature` (`AUTH-4`). The signature begins with the id of its account: a link
//! belongs to that account alone, and does nothing to a later one of the same address. A stamp of the account's password
//! follows where the link ends with that.

use subtle::ConstantTimeEq;
use touchline_domain::accounts::folded_address;
use touchline_protocol::account::SignedLink;
use touchline_protocol::ambient::Clock;
use touchline_store::{MasterSecret, Store, StoreError, User};
use url::Url;

use crate::auth::limits::{Limited, Limits, TooMany, account_subject};

/// What a link is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPurpose {
    /// To verify an address.
    VerifyEmail,
    /// To make another address the account's.
    ChangeEmail,
    /// To set a new password.
    ResetPassword,
    /// To delete the account.
    DeleteAccount,
}

impl LinkPurpose {
    /// The page of the site that it leads to (`ROUTE-1`).
    fn path(self) -> &'static str {
        match self {
            Self::VerifyEmail | Self::ChangeEmail => "/verify-email",
            Self::ResetPassword => "/password-reset",
            Self::DeleteAccount => "/confirm-account-deletion",
        }
    }

    /// What its signature is bound to.
    fn name(self) -> &'static str {
        match self {
            Self::ChangeEmail => "/verify-email?change",
            other => other.path(),
        }
    }

    /// How long it works, seconds.
    pub fn lifetime_s(self) -> i64 {
        match self {
            Self::VerifyEmail => 7 * 24 * 3600,
            Self::ResetPassword => 3600,
            Self::DeleteAccount | Self::ChangeEmail => 24 * 3600,
        }
    }

    /// What else the link is bound to. One that resets a password or deletes the account stops working when the password
    /// changes: who takes an account back ends the links of whoever had it (`AUTH-4`). One that changes the address works
    /// once, too: the address is another one then.
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

    /// How many bytes of the signature are the stamp.
    fn stamp_bytes(self) -> usize {
        match self {
            Self::ResetPassword | Self::DeleteAccount | Self::ChangeEmail => STAMP_BYTES,
            Self::VerifyEmail => 0,
        }
    }
}

/// Bytes of a stamp: it only tells one password of an account from the next.
const STAMP_BYTES: usize = 16;

/// What links are judged with.
#[derive(Clone, Copy)]
pub struct Links<'a> {
    /// The records.
    pub store: &'a dyn Store,
    /// The time.
    pub clock: &'a dyn Clock,
    /// What links are signed with.
    pub secret: &'a MasterSecret,
    /// How often one may try.
    pub limits: &'a Limits,
}

/// Why a link is not followed.
#[derive(Debug)]
pub enum LinkFault {
    /// The signature is not ours.
    Wrong,
    /// It is too old, was used, or ended with the password that it was issued for.
    Expired,
    /// Its account is gone, or has another address by now.
    Gone,
    /// Too many were tried.
    TooMany(TooMany),
    /// The store does not answer.
    Unjudged(StoreError),
}

/// What a link to the page that verifies addresses is for: one that changes the address carries a stamp.
pub fn verification_purpose(link: &SignedLink) -> LinkPurpose {
    let plain = 2 * (size_of::<i64>() + size_of::<[u8; 32]>());
    if link.signature.len() > plain { LinkPurpose::ChangeEmail } else { LinkPurpose::VerifyEmail }
}

/// A link for a person, as it stands in a mail to `email`: their address, or the one that is to be theirs.
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

/// The account of a link that is ours and still works. Who tries others' links is held up, by their `place` and by the
/// account that they try them for (`AUTH-7`); who has the right one is held to no guesses,
/// neither to those of others nor to those of a whole school behind one address.
///
/// # Errors
/// [`LinkFault`]; the signature is looked at first, so that a forged link tells nothing.
pub async fn follow(
    links: &Links<'_>,
    purpose: LinkPurpose,
    channel_key: &str,
    place: &str,
    link: &SignedLink,
) -> Result<User, LinkFault> {
    let followed = judge(links, purpose, channel_key, link).await;
    if matches!(followed, Err(LinkFault::Wrong)) {
        guess(links, purpose, place).await?;
        guess(links, purpose, &account_subject(channel_key, &link.email)).await?;
    }
    followed
}

async fn guess(links: &Links<'_>, purpose: LinkPurpose, subject: &str) -> Result<(), LinkFault> {
    let subject = format!("{}:{subject}", purpose.name());
    links.limits.take(Limited::Guess, &subject, links.clock).await.map_err(LinkFault::TooMany)
}

async fn judge(
    links: &Links<'_>,
    purpose: LinkPurpose,
    channel_key: &str,
    link: &SignedLink,
) -> Result<User, LinkFault> {
    let given = hex::decode(&link.signature).unwrap_or_default();
    let Some((id, rest)) = given.split_first_chunk() else { return Err(LinkFault::Wrong) };
    let Some(stamp) = rest.get(..purpose.stamp_bytes()) else { return Err(LinkFault::Wrong) };
    let account = Account { id: i64::from_be_bytes(*id), channel_key, email: &link.email };
    let user = links.store.user(account.id).await.map_err(LinkFault::Unjudged)?;
    let is_of = |user: &User| match purpose {
        LinkPurpose::ChangeEmail => user.channel_key == channel_key,
        _ => account.is_of(user),
    };
    let user = user.filter(is_of);
    let expected = signature(links.secret, purpose, &account, link.expires, stamp);
    let is_ours = bool::from(expected[..].ct_eq(&given));
    let is_outdated = user.as_ref().is_some_and(|user| purpose.stamp(links.secret, user) != stamp);
    if !is_ours {
        return Err(LinkFault::Wrong);
    }
    if is_outdated || link.expires <= links.clock.now_s() {
        return Err(LinkFault::Expired);
    }
    user.ok_or(LinkFault::Gone)
}

/// What a link says of its account.
struct Account<'a> {
    id: i64,
    channel_key: &'a str,
    email: &'a str,
}

impl Account<'_> {
    fn is_of(&self, user: &User) -> bool {
        user.channel_key == self.channel_key && !user.has_other_address_than(self.email)
    }
}

/// The account's id, the stamp, and what only we can make of them.
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
