//! Failures that no room answers: in the house's shape, like those of the calls.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use touchline_protocol::envelope::Failure;

/// A failure in the house's shape.
pub(crate) fn error_response(status: StatusCode, code: &str, message: &str) -> Response {
    (status, Json(Failure::new(code, message))).into_response()
}

/// 404.
pub(crate) fn not_found() -> Response {
    error_response(StatusCode::NOT_FOUND, "not_found", "Not found.")
}

/// 421.
pub(crate) fn unknown_host() -> Response {
    error_response(StatusCode::MISDIRECTED_REQUEST, "unknown_host", "No channel is shown under this host.")
}

/// 405.
pub(crate) fn method_not_allowed() -> Response {
    error_response(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "Method not allowed.")
}

/// 500: ours.
pub(crate) fn internal() -> Response {
    let message = "Something went wrong. Please try again or contact technical support.";
    error_response(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
}

/// 503: not now.
pub(crate) fn unavailable() -> Response {
    let message = "Apologies! Our service is currently experiencing technical difficulties.";
    error_response(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
}
