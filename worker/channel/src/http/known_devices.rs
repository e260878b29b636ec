//! Devices on which a person logged in before: their tries are counted by themselves, so that nobody's guesses from
//! elsewhere lock the owner out (`AUTH-7`).
//!
//! Such a device has a cookie that only the worker can make and no script can read. It opens nothing: it gives its
//! holder a bucket of their own for one account.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use subtle::ConstantTimeEq;
use touchline_protocol::limits::Limit;
use touchline_store::User;

use super::caller::Caller;
use super::error::ApiResult;
use super::state::AppState;
use crate::auth::keyring::random_token;
use crate::auth::limits::{Limited, account_subject};

/// For how long a device is known after its last log-in, seconds.
const KNOWN_FOR_S: i64 = 360 * 86_400;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] =
    &[Limit::millis("devices.known_for", KNOWN_FOR_S as u64 * 1000, "How long a device is known after a log-in.")];

/// The header that makes the caller's device known to a person's account.
pub fn cookie(state: &AppState, caller: &Caller, user: &User) -> [(HeaderName, HeaderValue); 1] {
    let (name, token, since) = (cookie_name(user.id), random_token(&*state.entropy), state.clock.now_s());
    let mac = hex::encode(mac(state, user.id, &token, since));
    let secure = if state.site_url(&caller.channel).scheme() == "https" { "; Secure" } else { "" };
    let cookie =
        format!("{name}={token}.{since}.{mac}; Path=/api; Max-Age={KNOWN_FOR_S}; HttpOnly; SameSite=Strict{secure}");
    // Letters, digits and dots may stand in a header.
    [(header::SET_COOKIE, HeaderValue::try_from(cookie).unwrap_or(HeaderValue::from_static("")))]
}

/// What the caller's device is called by its cookie, when it is one that this person logged in on.
pub fn known(state: &AppState, headers: &HeaderMap, user: Option<&User>) -> Option<String> {
    let user = user?;
    let name = cookie_name(user.id);
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let values = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    let value = values.filter(|(found, _)| *found == name).map(|(_, value)| value).next()?;
    let mut parts = value.splitn(3, '.');
    let (token, since, given) = (parts.next()?, parts.next()?.parse().ok()?, hex::decode(parts.next()?).ok()?);
    let genuine = bool::from(mac(state, user.id, token, since)[..].ct_eq(&given));
    (genuine && state.clock.now_s() - since < KNOWN_FOR_S).then(|| token.to_owned())
}

/// What tries for an account are counted by.
pub struct Tries {
    both: String,
    account: Option<String>,
}

impl Tries {
    /// Of the account of this address, by the caller, on this known device if it is one.
    pub fn of(caller: &Caller, email: &str, device: Option<&str>) -> Self {
        let account = account_subject(caller.channel_key(), email);
        match device {
            Some(device) => Self { both: format!("{account} device {device}"), account: None },
            None => Self { both: format!("{account} at {}", caller.client.subject()), account: Some(account) },
        }
    }

    /// Counts a try: by account and place first, so that one place alone cannot use up what all have together.
    ///
    /// # Errors
    /// 429.
    pub async fn take(&self, state: &AppState, both: Limited, account: Limited) -> ApiResult<()> {
        state.limits.take(both, &self.both, &*state.clock).await?;
        if let Some(subject) = &self.account {
            state.limits.take(account, subject, &*state.clock).await?;
        }
        Ok(())
    }

    /// Forgets the tries of this place, since the right one was among them.
    pub async fn forgive(&self, state: &AppState, both: Limited, account: Limited) {
        state.limits.forgive(both, &self.both).await;
        if let Some(subject) = &self.account {
            state.limits.give_back(account, subject).await;
        }
    }
}

fn cookie_name(user_id: i64) -> String {
    format!("touchline-device-{user_id}")
}

fn mac(state: &AppState, user_id: i64, token: &str, since: i64) -> [u8; 32] {
    state.master_secret.sign(&[b"device", &user_id.to_be_bytes(), token.as_bytes(), &since.to_be_bytes()])
}
