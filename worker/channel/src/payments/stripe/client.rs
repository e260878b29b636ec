//! One request to Stripe's API and its answer.

use std::fmt;
use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use touchline_protocol::limits::Limit;
use url::Url;

use crate::payments::PaymentError;

/// The version of the API that requests and answers are written for: the one of npm `stripe` 23.1.
pub const VERSION: &str = "2026-10-28.endive";
/// How long one request may take.
const WITHIN: Duration = Duration::from_secs(20);
/// How long a request waits, again and again, for another one of its key: two tasks may make one refund or payment.
const KEY_WAITS: [Duration; 4] =
    [Duration::from_millis(100), Duration::from_millis(300), Duration::from_millis(600), Duration::from_secs(1)];
/// The longest answer that is read.
const ANSWER_BYTES: usize = 4 << 20;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::time("payments.request", WITHIN, "How long a request to Stripe may take."),
    Limit::bytes("payments.answer", ANSWER_BYTES as u64, "The longest answer of Stripe that is read."),
];

/// Names and values of a request's body or query.
pub(super) type Form = Vec<(String, String)>;

/// A form of these names and values.
pub(super) fn form<const N: usize>(fields: [(&str, String); N]) -> Form {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Stripe's API with one secret key.
#[derive(Clone)]
pub(super) struct Client {
    http: reqwest::Client,
    base: Url,
    secret_key: String,
}

/// Why a request gave no object.
#[derive(Debug)]
pub(super) enum Fault {
    /// It may have been acted on: no answer, or a failure of Stripe's own.
    Silent(anyhow::Error),
    /// Another request of its idempotency key is under way.
    KeyInUse,
    /// A card was refused, with what its owner is told.
    Declined(String),
    /// The request is not one that Stripe takes: its code, and a message for the operator.
    Refused(StatusCode, Option<String>, String),
}

impl From<Fault> for PaymentError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Silent(error) => Self::Retryable(error),
            Fault::KeyInUse => Self::Retryable(anyhow::anyhow!("another request of this key is under way")),
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

    /// A request under an idempotency key; without one where the object's own state keeps a second one harmless. While
    /// another one of this key is under way, it waits and asks for the answer of that one.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: Form,
        key: Option<&str>,
    ) -> Result<T, Fault> {
        let mut waits = KEY_WAITS.into_iter();
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
            .timeout(WITHIN)
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
        if body.len() + piece.len() > ANSWER_BYTES {
            return Err(Fault::Silent(anyhow::anyhow!("an answer of more than {ANSWER_BYTES} bytes")));
        }
        body.extend_from_slice(&piece);
    }
    if status.is_success() {
        return serde_json::from_slice(&body).map_err(|error| Fault::Silent(error.into()));
    }
    // 401, 403: the account's key is refused, which says nothing of the request; 409, 424, 429: try later.
    let is_later = status.is_server_error() || matches!(status.as_u16(), 401 | 403 | 409 | 424 | 429);
    let failure = serde_json::from_slice::<Failure>(&body).ok().map(|failure| failure.error);
    match failure {
        Some(error) if error.code.as_deref() == Some("idempotency_key_in_use") => Err(Fault::KeyInUse),
        Some(error) if error.kind == "card_error" => Err(Fault::Declined(error.message.unwrap_or_default())),
        Some(error) if !is_later => Err(Fault::Refused(status, error.code, error.message.unwrap_or_default())),
        _ => Err(Fault::Silent(anyhow::anyhow!("an answer of status {status}"))),
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Client").field("base", &self.base.as_str()).finish_non_exhaustive()
    }
}
