//! Links in mails: `email`, `expires`, `signature` (`AUTH-4`).

use subtle::ConstantTimeEq;
use touchline_protocol::account::SignedLink;
use url::Url;

use crate::state::{AppState, MasterSecret};
use crate::store::User;

/// What a link is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPurpose {
    /// To verify an address.
    VerifyEmail,
    /// To set a new password.
    ResetPassword,
    /// To delete the account.
    DeleteAccount,
}

impl LinkPurpose {
    /// The page of the site that it leads to (`ROUTE-1`).
    fn path(self) -> &'static str {
        match self {
            Self::VerifyEmail => "/verify-email",
            Self::ResetPassword => "/password-reset",
            Self::DeleteAccount => "/confirm-account-deletion",
        }
    }

    /// How long it works, seconds.
    pub fn lifetime_s(self) -> i64 {
        match self {
            Self::VerifyEmail => 7 * 24 * 3600,
            Self::ResetPassword => 3600,
            Self::DeleteAccount => 24 * 3600,
        }
    }

    /// What else the link is bound to: one that resets a password stops working when the password changes, and so works
    /// once.
    fn binding(self, user: Option<&User>) -> &str {
        match self {
            Self::ResetPassword => user.and_then(|user| user.password_hash.as_deref()).unwrap_or_default(),
            Self::VerifyEmail | Self::DeleteAccount => "",
        }
    }
}

/// What is wrong with a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkFault {
    /// The signature is not ours, or was used.
    Wrong,
    /// It is too old.
    Expired,
}

/// A link for a person, as it stands in a mail.
pub fn link(state: &AppState, site: &Url, purpose: LinkPurpose, user: &User) -> String {
    let expires = state.clock.now_s() + purpose.lifetime_s();
    let signature = signature(&state.master_secret, purpose, &user.channel_key, &user.email, expires, Some(user));
    let mut url = site.clone();
    url.set_path(purpose.path());
    url.query_pairs_mut()
        .clear()
        .append_pair("email", &user.email)
        .append_pair("expires", &expires.to_string())
        .append_pair("signature", &hex::encode(signature));
    url.into()
}

/// Whether a link is ours and still works. `user` is the account of its address, when there is one.
///
/// # Errors
/// [`LinkFault`]; the signature is looked at first, so that a forged link tells nothing.
pub fn check(
    state: &AppState,
    purpose: LinkPurpose,
    channel_key: &str,
    link: &SignedLink,
    user: Option<&User>,
) -> Result<(), LinkFault> {
    let expected = signature(&state.master_secret, purpose, channel_key, &link.email, link.expires, user);
    let given = hex::decode(&link.signature).unwrap_or_default();
    if !bool::from(expected[..].ct_eq(&given)) {
        return Err(LinkFault::Wrong);
    }
    if link.expires <= state.clock.now_s() {
        return Err(LinkFault::Expired);
    }
    Ok(())
}

fn signature(
    secret: &MasterSecret,
    purpose: LinkPurpose,
    channel_key: &str,
    email: &str,
    expires: i64,
    user: Option<&User>,
) -> [u8; 32] {
    secret.sign(&[
        b"link",
        purpose.path().as_bytes(),
        channel_key.as_bytes(),
        email.to_lowercase().as_bytes(),
        &expires.to_le_bytes(),
        purpose.binding(user).as_bytes(),
    ])
}
