//! The caller: the channel and, when logged in, the person that an API key identifies (`CALL-1`).

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use serde::Deserialize;
use touchline_domain::entitlements::Entitlements;
use touchline_store::{AnalyticsBrowser, ChangeContext, KeyId, OrderRecord, SignIn, StoreResult, User};

use super::client::{Client, host_of};
use super::error::{ApiError, ApiResult};
use super::query::Query;
use super::state::AppState;
use crate::auth::keyring::Identity;
use crate::catalogue::ChannelSnapshot;
use crate::media::signing::Grant;

/// The caller. `GET` and `DELETE` handlers take it as an argument; other calls find it in [`super::Keyed`].
#[derive(Debug, Clone)]
pub struct Caller {
    /// The channel's current snapshot.
    pub channel: Arc<ChannelSnapshot>,
    /// The session.
    pub key_id: KeyId,
    /// The id of a logged-in person without a temporary password. A person who must change their password acts as a
    /// visitor (`AUTH-10`).
    pub user_id: Option<i64>,
    /// The id of a logged-in person, even with a temporary password.
    pub person_id: Option<i64>,
    /// The request's client.
    pub client: Client,
    /// The browser, if its viewer allows analytics (`ANA-7`).
    pub browser: Option<AnalyticsBrowser>,
}

impl Caller {
    /// Identifies the caller by `api_key`, within the channel of the request's host.
    ///
    /// # Errors
    /// Fails with [`ApiError::ApiKey`] for a key that is unknown, revoked, of a removed channel, or of a channel other
    /// than the host's.
    pub async fn with_key(state: &AppState, api_key: &str, parts: &Parts) -> ApiResult<Self> {
        let identity = state.authenticate(api_key).await?.ok_or(ApiError::ApiKey)?;
        let host_channel = state.channels().by_host(host_of(&parts.uri, &parts.headers));
        let channel = match host_channel {
            Some(host_channel) => Some(host_channel).filter(|host_channel| host_channel.key() == identity.channel_key),
            // A host without a channel accepts any channel's key.
            None => state.channels().by_key(&identity.channel_key),
        };
        let channel = channel.ok_or(ApiError::ApiKey)?;
        let (client, browser) = (Client::of(&parts.extensions), analytics_browser(&parts.headers));
        let Identity { key_id, user_id, person_id, .. } = identity;
        Ok(Self { channel, key_id, user_id, person_id, client, browser })
    }

    /// The channel's key.
    pub fn channel_key(&self) -> &str {
        self.channel.key()
    }

    /// Whether the channel's video is blocked in the caller's country (`GEO`).
    pub fn is_geo_blocked(&self) -> bool {
        self.channel.is_geo_blocked(self.client.country.as_deref())
    }

    /// The grant for a media address. `requested_ms` is a time before the caller's rights were read.
    pub fn grant(&self, requested_ms: i64) -> Grant {
        Grant { issued_ms: requested_ms, key_id: self.key_id, user_id: self.user_id }
    }

    /// The person, even with a temporary password.
    ///
    /// # Errors
    /// Fails with [`ApiError::LoggedOut`] for a visitor.
    pub async fn person(&self, state: &AppState) -> ApiResult<User> {
        let id = self.person_id.ok_or(ApiError::LoggedOut)?;
        state.store().user(id).await?.filter(|user| !user.blocked).ok_or(ApiError::LoggedOut)
    }

    /// The person, unless they must change a temporary password first (`AUTH`).
    ///
    /// # Errors
    /// Fails with [`ApiError::LoggedOut`] for a visitor, and with 403 `temporary_password`.
    pub async fn user(&self, state: &AppState) -> ApiResult<User> {
        let user = self.person(state).await?;
        if user.temporary_password {
            return Err(ApiError::TEMPORARY_PASSWORD);
        }
        Ok(user)
    }
}

/// The header in which a browser whose viewer allows analytics names its profile and session: `PROFILE/SESSION`.
pub const ANALYTICS_HEADER: &str = "touchline-analytics";
/// The longest profile or session, in characters.
const MAX_ANALYTICS_ID: usize = 64;

/// The browser that [`ANALYTICS_HEADER`] names. A malformed one counts as missing.
fn analytics_browser(headers: &HeaderMap) -> Option<AnalyticsBrowser> {
    let (profile, session) = headers.get(ANALYTICS_HEADER)?.to_str().ok()?.split_once('/')?;
    let is_id = |id: &str| {
        (1..=MAX_ANALYTICS_ID).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    (is_id(profile) && is_id(session))
        .then(|| AnalyticsBrowser { profile: profile.to_owned(), session: session.to_owned() })
}

impl AppState {
    /// The circumstances of a change by the caller. `None` if the channel has no analytics.
    pub(crate) fn change_context(&self, caller: &Caller) -> Option<ChangeContext> {
        let analytics_key = caller.channel.settings.yare_analytics.clone()?;
        let mut id = [0; 16];
        self.entropy.fill(&mut id);
        Some(ChangeContext {
            id: uuid::Builder::from_random_bytes(id).into_uuid().simple().to_string(),
            channel_key: caller.channel_key().to_owned(),
            analytics_key,
            country: caller.client.country.clone(),
            browser: caller.browser.clone(),
            at: self.clock.now_ms(),
        })
    }

    /// The sign-in of a caller by `method`.
    pub(crate) fn sign_in(&self, caller: &Caller, method: &str) -> Option<SignIn> {
        Some(SignIn { method: method.to_owned(), context: self.change_context(caller)? })
    }

    /// The caller's current entitlements. A visitor has none; neither has a blocked person or one who must change their
    /// password.
    ///
    /// # Errors
    /// Fails when the store does not answer.
    pub async fn entitlements(&self, caller: &Caller) -> StoreResult<Arc<Entitlements>> {
        let visitor = Entitlements {
            geo_blocked: caller.is_geo_blocked(),
            country: caller.client.country.clone(),
            ..Entitlements::default()
        };
        let Some(user_id) = caller.user_id else { return Ok(Arc::new(visitor)) };
        let Some(user) = self.store.user(user_id).await? else { return Ok(Arc::new(visitor)) };
        let owned = self.store.owned(user_id, self.clock.now_ms()).await?;
        Ok(Arc::new(visitor.with(&user, owned.iter().map(OrderRecord::as_owned))))
    }
}

#[derive(Deserialize)]
struct KeyInQuery {
    #[serde(default)]
    api_key: Option<String>,
}

/// The API key of a query without escapes, as clients send it: decoding each byte would cost more than looking the key
/// up. `None` if the query must be parsed in full.
fn plain_key(query: &str) -> Option<&str> {
    if query.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        return None;
    }
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let mut keys = pairs.filter(|(name, _)| *name == "api_key");
    let (_, key) = keys.next()?;
    keys.next().is_none().then_some(key)
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        if let Some(api_key) = plain_key(parts.uri.query().unwrap_or_default()) {
            return Self::with_key(state, api_key, parts).await;
        }
        let Query(KeyInQuery { api_key }) = Query::of(&parts.uri)?;
        Self::with_key(state, &api_key.ok_or(ApiError::ApiKey)?, parts).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_named_by_a_well_formed_header_only() {
        let read = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ANALYTICS_HEADER, value.parse().unwrap());
            analytics_browser(&headers).map(|browser| (browser.profile, browser.session))
        };
        assert_eq!(read("p-1/s-2"), Some(("p-1".to_owned(), "s-2".to_owned())));
        assert_eq!(analytics_browser(&HeaderMap::new()), None);
        let long = format!("{}/s", "p".repeat(65));
        for malformed in ["", "p-1", "/s", "p/", "p/s/t", "ada@example.com/s", "p\"/s", &long] {
            assert_eq!(read(malformed), None, "{malformed}");
        }
    }

    #[test]
    fn only_an_unescaped_key_takes_the_fast_path() {
        assert_eq!(plain_key("api_key=a-b_c"), Some("a-b_c"));
        assert_eq!(plain_key("limit=3&api_key=abc&offset"), Some("abc"));
        assert_eq!(plain_key("api_key"), Some(""));
        for other in ["", "api_keys=abc", "api_key=a%62c", "api_key=a+c", "api%5Fkey=abc", "api_key=a&api_key=b"] {
            assert_eq!(plain_key(other), None, "{other}");
        }
    }
}
