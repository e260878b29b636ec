//! JSON bodies: at most [`BODY_LIMIT`] bytes, read whole, with faults in the API's error format.

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::caller::Caller;
use super::error::ApiError;
use super::idempotency::fingerprint;
use super::state::AppState;
use crate::messages;

/// Largest body of any call, in bytes; most routes accept less (`LIM-8`).
pub const BODY_LIMIT: usize = 1 << 20;

/// Request body with an API key.
// For the API document. [`Keyed`] reads it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub(crate) struct WithKey<T> {
    /// The API key.
    #[schema(example = "3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa", max_length = 128)]
    pub(crate) api_key: String,
    /// Fields of the call.
    #[serde(flatten)]
    pub(crate) body: T,
}

/// Request body with only an API key.
// For the API document: generators of clients can't compose an object without fields.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = WithKey_Nothing)]
pub(crate) struct KeyOnly {
    /// The API key.
    #[schema(example = "3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa", max_length = 128)]
    pub(crate) api_key: String,
}

/// The rest of such a body.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Nothing {}

/// The body of a public call, which carries no key.
#[derive(Debug, Clone)]
pub struct Body<T>(pub T);

/// The body of a call with a key, and its caller.
#[derive(Debug, Clone)]
pub(crate) struct Keyed<T> {
    pub(crate) caller: Caller,
    pub(crate) body: T,
    /// SHA-256 of the body without its key, with sorted fields: the identity of a request under an `Idempotency-Key`.
    pub(crate) fingerprint: [u8; 32],
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        Ok(Self(typed(Value::Object(object(request.into_body()).await?))?))
    }
}

impl<T: DeserializeOwned> FromRequest<AppState> for Keyed<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let mut fields = object(body).await?;
        // `shift_remove` keeps the order of the other fields; the fingerprint sorts anyway.
        let api_key = match fields.remove("api_key") {
            Some(Value::String(api_key)) => api_key,
            _ => return Err(ApiError::ApiKey),
        };
        let caller = Caller::with_key(state, &api_key, &parts).await?;
        let value = Value::Object(fields);
        let fingerprint = fingerprint(&value);
        Ok(Self { caller, body: typed(value)?, fingerprint })
    }
}

/// Reads a body of at most `limit` bytes.
pub(crate) async fn bytes(body: axum::body::Body, limit: usize) -> Result<Bytes, ApiError> {
    match to_bytes(body, limit).await {
        Ok(bytes) => Ok(bytes),
        Err(error) if is_over_limit(&error) => Err(ApiError::TooLarge),
        Err(_) => Err(ApiError::malformed("body", "the body is incomplete")),
    }
}

/// Parses JSON directly into its type, so that unknown fields take no memory.
pub(crate) fn parsed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(field_fault)?;
    json.end().map_err(|error| ApiError::malformed("body", error.to_string()))?;
    Ok(value)
}

/// Parses the body as a JSON object.
async fn object(body: axum::body::Body) -> Result<Map<String, Value>, ApiError> {
    let bytes = bytes(body, BODY_LIMIT).await?;
    let value: Value =
        serde_json::from_slice(&bytes).map_err(|error| ApiError::malformed("body", error.to_string()))?;
    if contains_nul(&value) {
        return Err(ApiError::malformed("body", "a text contains a NUL character"));
    }
    match value {
        Value::Object(fields) => Ok(fields),
        _ => Err(ApiError::malformed("body", "the body is not a JSON object")),
    }
}

fn is_over_limit(error: &axum::Error) -> bool {
    std::error::Error::source(error).is_some_and(|source| source.is::<http_body_util::LengthLimitError>())
}

/// Databases truncate or reject texts with NUL, each in its own way.
fn contains_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(contains_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || contains_nul(value)),
        _ => false,
    }
}

fn typed<T: DeserializeOwned>(value: Value) -> Result<T, ApiError> {
    serde_path_to_error::deserialize(value).map_err(field_fault)
}

/// Names the faulty field.
fn field_fault(error: serde_path_to_error::Error<serde_json::Error>) -> ApiError {
    let path = error.path().to_string();
    let fault = error.into_inner().to_string();
    if let Some(field) = fault.strip_prefix("missing field `").and_then(|rest| rest.split('`').next()) {
        return ApiError::malformed(field, messages::REQUIRED);
    }
    let field = if path == "." { "body" } else { &path };
    ApiError::malformed(field, fault)
}
