//! Requests to Stripe's API.

use std::fmt;
use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use touchline_protocol::limits::Limit;
use url::Url;

use crate::payments::PaymentError;

/// API version of requests and responses: the one of npm `stripe` 23.1.
pub const VERSION: &str = "2026-10-28.endive";
const TIMEOUT: Duration = Duration::from_secs(20);
/// Delays between attempts while another request with the same key is in progress, since two tasks may make the same
/// refund or payment.
const KEY_DELAYS: [Duration; 4] =
    [Duration::from_millis(100), Duration::from_millis(300), Duration::from_millis(600), Duration::from_secs(1)];
const MAX_RESPONSE_BYTES: usize = 4 << 20;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::time("payments.request", TIMEOUT, "Timeout for a request to Stripe."),
    Limit::bytes("payments.answer", MAX_RESPONSE_BYTES as u64, "Maximum size of a response from Stripe."),
];

pub(super) type Form = Vec<(String, String)>;

pub(super) fn form<const N: usize>(fields: [(&str, String); N]) -> Form {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[derive(Clone)]
pub(super) struct Client {
    http: reqwest::Client,
    base: Url,
    secret_key: String,
}

/// Reasons why a request returned no object.
#[derive(Debug)]
pub(super) enum Fault {
    /// No response or a failure of Stripe. The request may have taken effect.
    Silent(anyhow::Error),
    /// Another request with this idempotency key is in progress.
    KeyInUse,
    /// The card was declined, with a message for the cardholder.
    Declined(String),
    /// Stripe rejected the request: its error code and a message for the operator.
    Refused(StatusCode, Option<String>, String),
}

impl From<Fault> for PaymentError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Silent(error) => Self::Retryable(error),
            Fault::KeyInUse => Self::Retryable(anyhow::anyhow!("another request with this key is in progress")),
            Fault::Declined(message) => Self::Fatal(message),
            Fault::Refused(status, code, message) => {
                Self::Fatal(format!("{status} {}: {message}", code.unwrap_or_default()))
            }
        }
    }
}

#[derive(Deserialize)]
struct Failure {
    error: ErrorBody,
}

#[derive(Deserialize)]
struct ErrorBody {
    #[serde(rename = "type")]
    kind: String,
    code: Option<String>,
    message: Option<String>,
}

impl Client {
    pub(super) fn new(http: reqwest::Client, base: Url, secret_key: String) -> Self {
        Self { http, base, secret_key }
    }

    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str, query: Form) -> Result<T, Fault> {
        let request = self.request(Method::GET, path)?.query(&query);
        read(request).await
    }

    /// Sends a request with an idempotency key, or without one if the object's state makes a repetition harmless. While
    /// another request with this key is in progress, it waits for that request's response.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: Form,
        key: Option<&str>,
    ) -> Result<T, Fault> {
        let mut waits = KEY_DELAYS.into_iter();
        loop {
            let mut request = self.request(Method::POST, path)?.form(&body);
            if let Some(key) = key {
                request = request.header("Idempotency-Key", key);
            }
            match (read(request).await, waits.next()) {
                (Err(Fault::KeyInUse), Some(wait)) => tokio::time::sleep(wait).await,
                (answer, _) => return answer,
            }
        }
    }

    pub(super) async fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, Fault> {
        read(self.request(Method::DELETE, path)?).await
    }

    fn request(&self, method: Method, path: &str) -> Result<reqwest::RequestBuilder, Fault> {
        let url = self.base.join(path).map_err(|error| Fault::Silent(error.into()))?;
        Ok(self
            .http
            .request(method, url)
            .timeout(TIMEOUT)
            .bearer_auth(&self.secret_key)
            .header("Stripe-Version", VERSION))
    }
}

async fn read<T: DeserializeOwned>(request: reqwest::RequestBuilder) -> Result<T, Fault> {
    let silent = |error: reqwest::Error| Fault::Silent(error.without_url().into());
    let mut response = request.send().await.map_err(silent)?;
    let status = response.status();
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(silent)? {
        if body.len() + piece.len() > MAX_RESPONSE_BYTES {
            return Err(Fault::Silent(anyhow::anyhow!("a response of more than {MAX_RESPONSE_BYTES} bytes")));
        }
        body.extend_from_slice(&piece);
    }
    if status.is_success() {
        return serde_json::from_slice(&body).map_err(|error| Fault::Silent(error.into()));
    }
    // 401 and 403 concern the API key rather than the request; 409, 424 and 429 are temporary.
    let is_later = status.is_server_error() || matches!(status.as_u16(), 401 | 403 | 409 | 424 | 429);
    let failure = serde_json::from_slice::<Failure>(&body).ok().map(|failure| failure.error);
    match failure {
        Some(error) if error.code.as_deref() == Some("idempotency_key_in_use") => Err(Fault::KeyInUse),
        Some(error) if error.kind == "card_error" => Err(Fault::Declined(error.message.unwrap_or_default())),
        Some(error) if !is_later => Err(Fault::Refused(status, error.code, error.message.unwrap_or_default())),
        _ => Err(Fault::Silent(anyhow::anyhow!("a response with status {status}"))),
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Client").field("base", &self.base.as_str()).finish_non_exhaustive()
    }
}
