//! The optional check for robots, by Google's `siteverify` or a service that answers like it.

use std::time::Duration;

use anyhow::Context;
use serde::Deserialize;
use url::Url;

use crate::http::{ApiError, ApiResult, messages};

/// Where tokens are checked.
#[derive(Clone)]
pub struct RecaptchaOptions {
    /// The secret of the site.
    pub secret: String,
    /// E.g. `https://www.google.com/recaptcha/api/siteverify`.
    pub verify_url: Url,
}

/// Asks for tokens when it is configured.
pub struct Recaptcha {
    options: Option<RecaptchaOptions>,
    http: reqwest::Client,
}

#[derive(Deserialize)]
struct Verdict {
    success: bool,
}

impl Recaptcha {
    /// Checks by these options; nothing without them.
    pub fn new(options: Option<RecaptchaOptions>, http: reqwest::Client) -> Self {
        Self { options, http }
    }

    /// Lets through who is no robot.
    ///
    /// # Errors
    /// 400 with the catalogue's two messages; 503 when the service does not answer.
    pub async fn check(&self, token: Option<&str>) -> ApiResult<()> {
        let Some(options) = &self.options else { return Ok(()) };
        let Some(token) = token.filter(|token| !token.is_empty()) else {
            return Err(ApiError::field("recaptcha_token", "recaptcha_required", messages::RECAPTCHA_REQUIRED));
        };
        let verdict = self.verdict(options, token).await.map_err(ApiError::Unavailable)?;
        if !verdict.success {
            return Err(ApiError::field("recaptcha_token", "recaptcha_invalid", messages::RECAPTCHA_INVALID));
        }
        Ok(())
    }

    async fn verdict(&self, options: &RecaptchaOptions, token: &str) -> anyhow::Result<Verdict> {
        let answer = self
            .http
            .post(options.verify_url.clone())
            .timeout(Duration::from_secs(10))
            .form(&[("secret", options.secret.as_str()), ("response", token)])
            .send()
            .await
            .and_then(reqwest::Response::error_for_status)
            .map_err(reqwest::Error::without_url)
            .context("reCAPTCHA does not answer")?;
        answer.json().await.map_err(reqwest::Error::without_url).context("reCAPTCHA's answer cannot be read")
    }
}
