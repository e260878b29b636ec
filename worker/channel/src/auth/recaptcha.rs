//! The optional check for robots, by Google's `siteverify` or a service that answers like it.

use std::time::Duration;

use anyhow::Context;
use serde::Deserialize;
use url::Url;

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

/// Below this score the service holds a visitor for a robot: the threshold that Google names to begin with.
const LEAST_SCORE: f64 = 0.5;

/// Why somebody is not let through.
#[derive(Debug, thiserror::Error)]
pub enum RecaptchaFault {
    /// There is no token.
    #[error("there is no reCAPTCHA token")]
    Required,
    /// The token is a robot's, or of another form.
    #[error("the reCAPTCHA token is refused")]
    Invalid,
    /// The service does not answer.
    #[error("{0:#}")]
    Unavailable(anyhow::Error),
}

/// The form that a token was drawn for: what a page names as its action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuardedForm {
    /// Logging in.
    Login,
    /// Registering.
    Register,
    /// Asking for a link that resets the password.
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

/// What the service says of a token. Keys that judge by score (v3) tell score and action; others tell neither.
#[derive(Deserialize)]
struct Verdict {
    success: bool,
    score: Option<f64>,
    action: Option<String>,
}

impl Verdict {
    fn clears(&self, form: GuardedForm) -> bool {
        self.success
            && self.score.is_none_or(|score| score >= LEAST_SCORE)
            && self.action.as_deref().is_none_or(|action| action == form.action())
    }
}

impl Recaptcha {
    /// Checks by these options; nothing without them.
    pub fn new(options: Option<RecaptchaOptions>, http: reqwest::Client) -> Self {
        Self { options, http }
    }

    /// Lets through who is no robot, with a token that was drawn for this form.
    ///
    /// # Errors
    /// [`RecaptchaFault`].
    pub async fn check(&self, form: GuardedForm, token: Option<&str>) -> Result<(), RecaptchaFault> {
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
        answer.json().await.map_err(reqwest::Error::without_url).context("reCAPTCHA's answer cannot be read")
    }
}
