//! The optional reCAPTCHA check, by Google's `siteverify` or a compatible service.

use std::time::Duration;

use anyhow::Context;
use serde::Deserialize;
use url::Url;

/// Options of the reCAPTCHA check.
#[derive(Clone)]
pub struct RecaptchaOptions {
    /// The site's secret.
    pub secret: String,
    /// For example `https://www.google.com/recaptcha/api/siteverify`.
    pub verify_url: Url,
}

/// Requires tokens when it is configured.
pub(crate) struct Recaptcha {
    options: Option<RecaptchaOptions>,
    http: reqwest::Client,
}

/// Google's recommended threshold. A visitor with a lower score counts as a robot.
const MIN_SCORE: f64 = 0.5;

#[derive(Debug, thiserror::Error)]
pub(crate) enum RecaptchaFault {
    #[error("the reCAPTCHA token is missing")]
    Required,
    /// The token is a robot's, or was issued for another form.
    #[error("the reCAPTCHA token was rejected")]
    Invalid,
    #[error("{0:#}")]
    Unavailable(anyhow::Error),
}

/// Form that a token was issued for: the page's `action`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GuardedForm {
    Login,
    Register,
    PasswordReset,
}

impl GuardedForm {
    fn action(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::Register => "register",
            Self::PasswordReset => "password_reset",
        }
    }
}

/// The service's verdict on a token. Keys that judge by score (v3) return score and action; others return neither.
#[derive(Deserialize)]
struct Verdict {
    success: bool,
    score: Option<f64>,
    action: Option<String>,
}

impl Verdict {
    fn clears(&self, form: GuardedForm) -> bool {
        self.success
            && self.score.is_none_or(|score| score >= MIN_SCORE)
            && self.action.as_deref().is_none_or(|action| action == form.action())
    }
}

impl Recaptcha {
    /// Creates a check; `None` accepts everyone.
    pub(crate) fn new(options: Option<RecaptchaOptions>, http: reqwest::Client) -> Self {
        Self { options, http }
    }

    /// Accepts a visitor with a token for this form who is not a robot.
    ///
    /// # Errors
    /// Fails with [`RecaptchaFault`].
    pub(crate) async fn check(&self, form: GuardedForm, token: Option<&str>) -> Result<(), RecaptchaFault> {
        let Some(options) = &self.options else { return Ok(()) };
        let Some(token) = token.filter(|token| !token.is_empty()) else {
            return Err(RecaptchaFault::Required);
        };
        let verdict = self.verdict(options, token).await.map_err(RecaptchaFault::Unavailable)?;
        if !verdict.clears(form) {
            return Err(RecaptchaFault::Invalid);
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
        answer.json().await.map_err(reqwest::Error::without_url).context("reCAPTCHA's response is invalid")
    }
}
