//! Devices on which a person has logged in before. Their attempts are counted separately, so that guesses from
//! elsewhere cannot lock the owner out (`AUTH-7`).
//!
//! Such a device has a cookie that only the worker can create and no script can read. The cookie grants no access; it
//! gives its holder a separate bucket for one account.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use subtle::ConstantTimeEq;
use touchline_protocol::limits::Limit;
use touchline_store::User;

use super::caller::Caller;
use super::error::ApiResult;
use super::state::AppState;
use crate::auth::keyring::random_token;
use crate::auth::limits::{LimitedAction, account_subject};

/// Seconds for which a device stays known after its last login.
const COOKIE_LIFETIME_S: i64 = 360 * 86_400;
pub(crate) const LIMITS: &[Limit] = &[Limit::millis(
    "devices.known_for",
    COOKIE_LIFETIME_S as u64 * 1000,
    "How long a device stays recognised after a login.",
)];

/// The header that makes the caller's device known to a person's account.
pub(crate) fn cookie(state: &AppState, caller: &Caller, user: &User) -> [(HeaderName, HeaderValue); 1] {
    let (name, token, since) = (cookie_name(user.id), random_token(&*state.entropy), state.clock.now_s());
    let mac = hex::encode(mac(state, user.id, &token, since));
    let secure = if state.site_url(&caller.channel).scheme() == "https" { "; Secure" } else { "" };
    let cookie = format!(
        "{name}={token}.{since}.{mac}; Path=/api; Max-Age={COOKIE_LIFETIME_S}; HttpOnly; SameSite=Strict{secure}"
    );
    // Letters, digits and dots are valid in a header.
    [(header::SET_COOKIE, HeaderValue::try_from(cookie).unwrap_or(HeaderValue::from_static("")))]
}

/// The device's name in its cookie, if this person has logged in on it.
pub(crate) fn device_from_cookie(state: &AppState, headers: &HeaderMap, user: Option<&User>) -> Option<String> {
    let user = user?;
    let name = cookie_name(user.id);
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let values = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    let value = values.filter(|(found, _)| *found == name).map(|(_, value)| value).next()?;
    let mut parts = value.splitn(3, '.');
    let (token, since, sent_mac) = (parts.next()?, parts.next()?.parse().ok()?, hex::decode(parts.next()?).ok()?);
    let genuine = bool::from(mac(state, user.id, token, since)[..].ct_eq(&sent_mac));
    (genuine && state.clock.now_s() - since < COOKIE_LIFETIME_S).then(|| token.to_owned())
}

/// Counters for attempts on an account.
pub(crate) struct Attempts {
    both: String,
    account: Option<String>,
}

impl Attempts {
    /// Counters for an address's account, by caller, and by device if it is a known one.
    pub(crate) fn of(caller: &Caller, email: &str, device: Option<&str>) -> Self {
        let account = account_subject(caller.channel_key(), email);
        match device {
            Some(device) => Self { both: format!("{account} device {device}"), account: None },
            None => Self { both: format!("{account} at {}", caller.client.subject()), account: Some(account) },
        }
    }

    /// Counts an attempt, by account and location first, so that one location cannot use up the shared limit.
    ///
    /// # Errors
    /// Fails with 429.
    pub(crate) async fn take(&self, state: &AppState, both: LimitedAction, account: LimitedAction) -> ApiResult<()> {
        state.limits.take(both, &self.both, &*state.clock).await?;
        if let Some(subject) = &self.account {
            state.limits.take(account, subject, &*state.clock).await?;
        }
        Ok(())
    }

    /// Resets this location's counter after a successful attempt.
    pub(crate) async fn forgive(&self, state: &AppState, both: LimitedAction, account: LimitedAction) {
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
