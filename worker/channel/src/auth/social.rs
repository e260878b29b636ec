//! Logging in through another site: the OAuth 2.0 code flow (RFC 6749 §4.1), for Google and Facebook or whoever answers
//! like them.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use anyhow::Context;
use parking_lot::Mutex;
use serde::Deserialize;
use touchline_protocol::limits::Limit;
use url::Url;

use super::keyring::{digest, random_token};
use crate::http::{ApiError, ApiResult, Caller, messages};
use crate::state::AppState;

/// How long a viewer may take at the provider's, and then to accept the terms, milliseconds.
const PATIENCE_MS: i64 = 15 * 60_000;
/// How many people may be thinking about the terms at once.
const PENDING_CAPACITY: usize = 10_000;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::millis(
        "social.patience",
        PATIENCE_MS as u64,
        "How long a viewer may take at the provider's, and then over the terms.",
    ),
    Limit::count(
        "social.pending",
        PENDING_CAPACITY as u64,
        "people",
        "People who may be at the terms at once; the eldest goes first.",
    ),
];

/// Where a provider's pages and calls are.
#[derive(Clone)]
pub struct SocialProvider {
    /// Given by the provider.
    pub client_id: String,
    /// Given by the provider.
    pub client_secret: String,
    /// Where the viewer is sent.
    pub authorize_url: Url,
    /// Where the code becomes a token.
    pub token_url: Url,
    /// Who the token is of.
    pub userinfo_url: Url,
    /// What is asked for.
    pub scope: String,
}

impl SocialProvider {
    /// Google's own addresses.
    ///
    /// # Errors
    /// Never: the addresses are fixed.
    pub fn google(client_id: String, client_secret: String) -> Result<Self, url::ParseError> {
        Ok(Self {
            client_id,
            client_secret,
            authorize_url: Url::parse("https://accounts.google.com/o/oauth2/v2/auth")?,
            token_url: Url::parse("https://oauth2.googleapis.com/token")?,
            userinfo_url: Url::parse("https://openidconnect.googleapis.com/v1/userinfo")?,
            scope: "openid email profile".to_owned(),
        })
    }

    /// Facebook's own addresses.
    ///
    /// # Errors
    /// Never: the addresses are fixed.
    pub fn facebook(client_id: String, client_secret: String) -> Result<Self, url::ParseError> {
        Ok(Self {
            client_id,
            client_secret,
            authorize_url: Url::parse("https://www.facebook.com/v21.0/dialog/oauth")?,
            token_url: Url::parse("https://graph.facebook.com/v21.0/oauth/access_token")?,
            userinfo_url: Url::parse("https://graph.facebook.com/v21.0/me?fields=id,email,first_name,last_name")?,
            scope: "email public_profile".to_owned(),
        })
    }
}

/// Who the provider says someone is.
#[derive(Clone)]
pub struct SocialIdentity {
    /// The provider's own name of them.
    pub subject: String,
    /// Their address, when they share it.
    pub email: Option<String>,
    /// Whether the provider knows it to be theirs.
    pub email_verified: bool,
    /// Their first name.
    pub first_name: String,
    /// Their last name.
    pub last_name: String,
}

/// The providers, and those who are thinking about the terms.
pub struct Social {
    providers: BTreeMap<String, SocialProvider>,
    http: reqwest::Client,
    pending: Mutex<HashMap<String, (i64, SocialIdentity)>>,
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
}

/// What Google (`sub`, `given_name`, …) and Facebook (`id`, `first_name`, …) answer.
#[derive(Deserialize)]
struct UserInfo {
    #[serde(alias = "id")]
    sub: String,
    email: Option<String>,
    email_verified: Option<bool>,
    #[serde(alias = "first_name", default)]
    given_name: String,
    #[serde(alias = "last_name", default)]
    family_name: String,
}

impl Social {
    /// Logins through these, by name.
    pub fn new(providers: BTreeMap<String, SocialProvider>, http: reqwest::Client) -> Self {
        Self { providers, http, pending: Mutex::default() }
    }

    fn provider(&self, caller: &Caller, name: &str) -> ApiResult<&SocialProvider> {
        let offered = caller.channel.settings.auth.providers.iter().any(|offered| offered == name);
        self.providers.get(name).filter(|_| offered).ok_or(ApiError::NotFound)
    }

    /// Where the viewer is to go. The address carries a one-time value that is bound to the caller's key.
    ///
    /// # Errors
    /// 404 for a provider that the channel does not offer.
    pub async fn start(&self, state: &AppState, caller: &Caller, name: &str) -> ApiResult<Url> {
        let provider = self.provider(caller, name)?;
        let value = random_token(&*state.entropy);
        let expires = state.clock.now_ms() + PATIENCE_MS;
        state.store.give_token(&hex::encode(digest(&value)), &subject(caller, name), expires).await?;
        let mut url = provider.authorize_url.clone();
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &provider.client_id)
            .append_pair("redirect_uri", callback(state, caller, name).as_str())
            .append_pair("scope", &provider.scope)
            .append_pair("state", &value);
        Ok(url)
    }

    /// Who comes back with this code and value. A code works once at the provider's, so who must still accept the terms
    /// is remembered under their value.
    ///
    /// # Errors
    /// 400 `wrong_auth_data` for a value that is not the caller's, or a code that the provider refuses; 503 when the
    /// provider does not answer.
    pub async fn finish(
        &self,
        state: &AppState,
        caller: &Caller,
        name: &str,
        code: &str,
        value: &str,
    ) -> ApiResult<SocialIdentity> {
        let provider = self.provider(caller, name)?;
        let now = state.clock.now_ms();
        let slot = pending_slot(caller, name, value);
        if let Some((until, identity)) = self.pending.lock().remove(&slot)
            && now < until
        {
            return Ok(identity);
        }
        if !state.store.use_token(&hex::encode(digest(value)), &subject(caller, name), now).await? {
            return Err(wrong_auth_data());
        }
        let token = self.token(provider, code, callback(state, caller, name).as_str()).await?;
        self.identity(provider, &token).await
    }

    /// Remembers who must still accept the terms.
    pub fn wait_for_terms(&self, state: &AppState, caller: &Caller, name: &str, value: &str, who: SocialIdentity) {
        let now = state.clock.now_ms();
        let mut pending = self.pending.lock();
        if pending.len() >= PENDING_CAPACITY {
            pending.retain(|_, (until, _)| now < *until);
        }
        if pending.len() < PENDING_CAPACITY {
            pending.insert(pending_slot(caller, name, value), (now + PATIENCE_MS, who));
        }
    }

    async fn token(&self, provider: &SocialProvider, code: &str, redirect_uri: &str) -> ApiResult<String> {
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("client_id", &provider.client_id),
            ("client_secret", &provider.client_secret),
        ];
        let request = self.http.post(provider.token_url.clone()).form(&form);
        Ok(ask::<TokenAnswer>(request).await?.access_token)
    }

    async fn identity(&self, provider: &SocialProvider, token: &str) -> ApiResult<SocialIdentity> {
        let info: UserInfo = ask(self.http.get(provider.userinfo_url.clone()).bearer_auth(token)).await?;
        Ok(SocialIdentity {
            subject: info.sub,
            // A provider that does not say so is not taken to know.
            email_verified: info.email.is_some() && info.email_verified.unwrap_or(false),
            email: info.email,
            first_name: info.given_name,
            last_name: info.family_name,
        })
    }
}

/// A refusal is the viewer's, anything else the provider's.
async fn ask<T: serde::de::DeserializeOwned>(request: reqwest::RequestBuilder) -> ApiResult<T> {
    let silent = |error: reqwest::Error| {
        ApiError::Unavailable(anyhow::Error::new(error.without_url()).context("a social login's provider"))
    };
    let answer =
        request.header("accept", "application/json").timeout(Duration::from_secs(10)).send().await.map_err(silent)?;
    if answer.status().is_client_error() {
        return Err(wrong_auth_data());
    }
    let answer = answer.error_for_status().map_err(silent)?;
    let text = answer.text().await.map_err(silent)?;
    serde_json::from_str(&text)
        .context("a social login's provider answered something else")
        .map_err(ApiError::Unavailable)
}

/// 400: the login was refused.
pub fn wrong_auth_data() -> ApiError {
    ApiError::rule("wrong_auth_data", messages::WRONG_AUTH_DATA)
}

/// What a one-time value is bound to.
fn subject(caller: &Caller, name: &str) -> String {
    format!("oauth:{name}:{}", caller.key_id)
}

fn pending_slot(caller: &Caller, name: &str, value: &str) -> String {
    format!("{}:{}", subject(caller, name), hex::encode(digest(value)))
}

/// The page of the site that a provider sends the viewer back to (`ROUTE-11`).
fn callback(state: &AppState, caller: &Caller, name: &str) -> Url {
    let mut url = state.site_url(&caller.channel);
    url.set_path(&format!("/auth/login/{name}/callback"));
    url
}
