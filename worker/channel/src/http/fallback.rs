//! What calls that do not exist are told, in the house's shape.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::Failure;

use super::error::ApiError;
use crate::messages;

/// For an unknown path under `/api`.
pub async fn not_found() -> Response {
    ApiError::NotFound.into_response()
}

/// For a known path with another method. The router adds `Allow`.
pub async fn method_not_allowed() -> Response {
    (StatusCode::METHOD_NOT_ALLOWED, Json(Failure::new(ErrorCode::MethodNotAllowed, messages::METHOD_NOT_ALLOWED)))
        .into_response()
}
