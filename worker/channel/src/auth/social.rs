//! Logins through another site by the OAuth 2.0 code flow (RFC 6749 §4.1): Google, Facebook and compatible providers.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use touchline_protocol::ambient::Entropy;
use touchline_protocol::limits::Limit;
use touchline_store::{KeyId, Store, StoreError};
use url::Url;

use super::keyring::{digest, random_token};

/// Time limit for logging in at the provider, and then for accepting the terms, in milliseconds.
const LOGIN_TIMEOUT_MS: i64 = 15 * 60_000;
pub(crate) const LIMITS: &[Limit] = &[Limit::millis(
    "social.patience",
    LOGIN_TIMEOUT_MS as u64,
    "Timeout for logging in at the provider, and again for accepting the terms.",
)];

/// Endpoints and credentials of a provider.
#[derive(Clone)]
pub struct SocialProvider {
    /// Issued by the provider.
    pub client_id: String,
    /// Issued by the provider.
    pub client_secret: String,
    /// The provider's login page.
    pub authorize_url: Url,
    /// Exchanges a code for a token.
    pub token_url: Url,
    /// Returns the identity behind a token.
    pub userinfo_url: Url,
    /// Requested scope.
    pub scope: String,
}

impl SocialProvider {
    /// Google's endpoints.
    ///
    /// # Errors
    /// Never fails, since the URLs are fixed.
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

    /// Facebook's endpoints.
    ///
    /// # Errors
    /// Never fails, since the URLs are fixed.
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

/// Identity reported by a provider.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct SocialIdentity {
    /// The provider's id of the person.
    pub(crate) subject: String,
    /// The address, if the person shares it.
    pub(crate) email: Option<String>,
    /// Whether the provider has verified the address.
    pub(crate) email_verified: bool,
    pub(crate) first_name: String,
    pub(crate) last_name: String,
}

/// One viewer's login through another site.
#[derive(Debug, Clone, Copy)]
pub struct SocialLogin<'a> {
    /// The provider's name.
    pub provider: &'a str,
    /// Providers that the channel offers.
    pub offered: &'a [String],
    /// The viewer's session.
    pub key_id: KeyId,
    /// Address of the channel's site.
    pub site: &'a Url,
    /// Milliseconds since 1970.
    pub at: i64,
}

impl SocialLogin<'_> {
    /// Binds a one-time value to the viewer's session.
    fn subject(&self) -> String {
        format!("oauth:{}:{}", self.provider, self.key_id)
    }

    /// Hash under which an identity waits until the viewer accepts the terms.
    fn pending(&self, value: &str) -> String {
        hex::encode(digest(&format!("terms:{}:{value}", self.subject())))
    }

    /// The site's page that the provider redirects to (`ROUTE-11`).
    fn callback(&self) -> Url {
        let mut url = self.site.clone();
        url.set_path(&format!("/auth/login/{}/callback", self.provider));
        url
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum SocialFault {
    #[error("the channel does not offer this provider")]
    NotOffered,
    #[error("the login was rejected")]
    Refused,
    #[error("{0:#}")]
    Unavailable(anyhow::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

pub(crate) struct Social {
    providers: BTreeMap<String, SocialProvider>,
    http: reqwest::Client,
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
}

/// User info of Google (`sub`, `given_name`, …) or Facebook (`id`, `first_name`, …).
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
    pub(crate) fn new(providers: BTreeMap<String, SocialProvider>, http: reqwest::Client) -> Self {
        Self { providers, http }
    }

    fn provider(&self, login: &SocialLogin<'_>) -> Result<&SocialProvider, SocialFault> {
        let is_offered = login.offered.iter().any(|offered| offered == login.provider);
        self.providers.get(login.provider).filter(|_| is_offered).ok_or(SocialFault::NotOffered)
    }

    /// Returns the provider's URL for the viewer. It carries a one-time value that is bound to the caller's key.
    ///
    /// # Errors
    /// Fails with [`SocialFault`].
    pub(crate) async fn start(
        &self,
        store: &dyn Store,
        entropy: &dyn Entropy,
        login: &SocialLogin<'_>,
    ) -> Result<Url, SocialFault> {
        let provider = self.provider(login)?;
        let value = random_token(entropy);
        let expires = login.at + LOGIN_TIMEOUT_MS;
        store.store_token(&hex::encode(digest(&value)), &login.subject(), expires).await?;
        let mut url = provider.authorize_url.clone();
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &provider.client_id)
            .append_pair("redirect_uri", login.callback().as_str())
            .append_pair("scope", &provider.scope)
            .append_pair("state", &value);
        Ok(url)
    }

    /// Returns the identity behind a code and its one-time value. A code works only once at the provider, so an
    /// identity that must still accept the terms is stored under the value.
    ///
    /// # Errors
    /// Fails with [`SocialFault`]. A value of another caller and a code that the provider rejects are `Refused`.
    pub(crate) async fn finish(
        &self,
        store: &dyn Store,
        login: &SocialLogin<'_>,
        code: &str,
        value: &str,
    ) -> Result<SocialIdentity, SocialFault> {
        let provider = self.provider(login)?;
        let now = login.at;
        if let Some(identity) = store.take_text(&login.pending(value), &login.subject(), now).await? {
            return serde_json::from_str(&identity).map_err(|error| StoreError::encoding(error).into());
        }
        if !store.use_token(&hex::encode(digest(value)), &login.subject(), now).await? {
            return Err(SocialFault::Refused);
        }
        let token = self.token(provider, code, login.callback().as_str()).await?;
        self.identity(provider, &token).await
    }

    /// Stores an identity until the viewer accepts the terms, at whichever worker.
    ///
    /// # Errors
    /// Fails when the store does not answer.
    pub(crate) async fn wait_for_terms(
        &self,
        store: &dyn Store,
        login: &SocialLogin<'_>,
        value: &str,
        identity: &SocialIdentity,
    ) -> Result<(), SocialFault> {
        let identity = serde_json::to_string(identity).map_err(StoreError::encoding)?;
        Ok(store.store_text(&login.pending(value), &login.subject(), login.at + LOGIN_TIMEOUT_MS, &identity).await?)
    }

    async fn token(&self, provider: &SocialProvider, code: &str, redirect_uri: &str) -> Result<String, SocialFault> {
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("client_id", &provider.client_id),
            ("client_secret", &provider.client_secret),
        ];
        let request = self.http.post(provider.token_url.clone()).form(&form);
        Ok(fetch_json::<TokenAnswer>(request).await?.access_token)
    }

    async fn identity(&self, provider: &SocialProvider, token: &str) -> Result<SocialIdentity, SocialFault> {
        let info: UserInfo = fetch_json(self.http.get(provider.userinfo_url.clone()).bearer_auth(token)).await?;
        Ok(SocialIdentity {
            subject: info.sub,
            // An address counts as verified only if the provider says so.
            email_verified: info.email.is_some() && info.email_verified.unwrap_or(false),
            email: info.email,
            first_name: info.given_name,
            last_name: info.family_name,
        })
    }
}

/// A 4xx status is the viewer's fault, any other failure the provider's.
async fn fetch_json<T: serde::de::DeserializeOwned>(request: reqwest::RequestBuilder) -> Result<T, SocialFault> {
    let silent = |error: reqwest::Error| {
        SocialFault::Unavailable(
            anyhow::Error::new(error.without_url()).context("cannot reach a social login provider"),
        )
    };
    let answer =
        request.header("accept", "application/json").timeout(Duration::from_secs(10)).send().await.map_err(silent)?;
    if answer.status().is_client_error() {
        return Err(SocialFault::Refused);
    }
    let answer = answer.error_for_status().map_err(silent)?;
    let text = answer.text().await.map_err(silent)?;
    serde_json::from_str(&text)
        .context("a social login provider sent an invalid response")
        .map_err(SocialFault::Unavailable)
}
