//! Logging in through another site: the OAuth 2.0 code flow (RFC 6749 §4.1), for Google and Facebook or whoever answers
//! like them.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use touchline_protocol::ambient::Entropy;
use touchline_protocol::limits::Limit;
use touchline_store::{Store, StoreError};
use url::Url;

use super::keyring::{digest, random_token};

/// How long a viewer may take at the provider's, and then to accept the terms, milliseconds.
const PATIENCE_MS: i64 = 15 * 60_000;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[Limit::millis(
    "social.patience",
    PATIENCE_MS as u64,
    "How long a viewer may take at the provider's, and then over the terms.",
)];

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
#[derive(Clone, Serialize, Deserialize)]
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

/// A login through another site, as one viewer makes it.
#[derive(Debug, Clone, Copy)]
pub struct SocialLogin<'a> {
    /// The provider's name.
    pub provider: &'a str,
    /// The providers that the channel offers.
    pub offered: &'a [String],
    /// The viewer's key.
    pub key_id: i64,
    /// The address of the channel's site.
    pub site: &'a Url,
    /// When, milliseconds since 1970.
    pub at: i64,
}

impl SocialLogin<'_> {
    /// What a one-time value is bound to.
    fn subject(&self) -> String {
        format!("oauth:{}:{}", self.provider, self.key_id)
    }

    /// Under which hash it is kept who must still accept the terms.
    fn pending(&self, value: &str) -> String {
        hex::encode(digest(&format!("terms:{}:{value}", self.subject())))
    }

    /// The page of the site that a provider sends the viewer back to (`ROUTE-11`).
    fn callback(&self) -> Url {
        let mut url = self.site.clone();
        url.set_path(&format!("/auth/login/{}/callback", self.provider));
        url
    }
}

/// Why a login through another site does not go on.
#[derive(Debug, thiserror::Error)]
pub enum SocialFault {
    /// The channel does not offer it.
    #[error("the channel does not offer this provider")]
    NotOffered,
    /// The login is refused.
    #[error("the login is refused")]
    Refused,
    /// The provider does not answer.
    #[error("{0:#}")]
    Unavailable(anyhow::Error),
    /// The store does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The providers.
pub struct Social {
    providers: BTreeMap<String, SocialProvider>,
    http: reqwest::Client,
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
        Self { providers, http }
    }

    fn provider(&self, login: &SocialLogin<'_>) -> Result<&SocialProvider, SocialFault> {
        let is_offered = login.offered.iter().any(|offered| offered == login.provider);
        self.providers.get(login.provider).filter(|_| is_offered).ok_or(SocialFault::NotOffered)
    }

    /// Where the viewer is to go. The address carries a one-time value that is bound to the caller's key.
    ///
    /// # Errors
    /// [`SocialFault`].
    pub async fn start(
        &self,
        store: &dyn Store,
        entropy: &dyn Entropy,
        login: &SocialLogin<'_>,
    ) -> Result<Url, SocialFault> {
        let provider = self.provider(login)?;
        let value = random_token(entropy);
        let expires = login.at + PATIENCE_MS;
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

    /// Who comes back with this code and value. A code works once at the provider's, so who must still accept the terms
    /// is remembered under their value.
    ///
    /// # Errors
    /// [`SocialFault`]; the login is refused for a value that is not the caller's, or a code that the provider refuses.
    pub async fn finish(
        &self,
        store: &dyn Store,
        login: &SocialLogin<'_>,
        code: &str,
        value: &str,
    ) -> Result<SocialIdentity, SocialFault> {
        let provider = self.provider(login)?;
        let now = login.at;
        if let Some(who) = store.take_text(&login.pending(value), &login.subject(), now).await? {
            return serde_json::from_str(&who).map_err(|error| StoreError::encoding(error).into());
        }
        if !store.use_token(&hex::encode(digest(value)), &login.subject(), now).await? {
            return Err(SocialFault::Refused);
        }
        let token = self.token(provider, code, login.callback().as_str()).await?;
        self.identity(provider, &token).await
    }

    /// Keeps who must still accept the terms, for whichever worker they come to.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn wait_for_terms(
        &self,
        store: &dyn Store,
        login: &SocialLogin<'_>,
        value: &str,
        who: &SocialIdentity,
    ) -> Result<(), SocialFault> {
        let who = serde_json::to_string(who).map_err(StoreError::encoding)?;
        Ok(store.store_text(&login.pending(value), &login.subject(), login.at + PATIENCE_MS, &who).await?)
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
        Ok(ask::<TokenAnswer>(request).await?.access_token)
    }

    async fn identity(&self, provider: &SocialProvider, token: &str) -> Result<SocialIdentity, SocialFault> {
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
async fn ask<T: serde::de::DeserializeOwned>(request: reqwest::RequestBuilder) -> Result<T, SocialFault> {
    let silent = |error: reqwest::Error| {
        SocialFault::Unavailable(anyhow::Error::new(error.without_url()).context("a social login's provider"))
    };
    let answer =
        request.header("accept", "application/json").timeout(Duration::from_secs(10)).send().await.map_err(silent)?;
    if answer.status().is_client_error() {
        return Err(SocialFault::Refused);
    }
    let answer = answer.error_for_status().map_err(silent)?;
    let text = answer.text().await.map_err(silent)?;
    serde_json::from_str(&text)
        .context("a social login's provider answered something else")
        .map_err(SocialFault::Unavailable)
}
