//! Errors raised outside the API crates, in the same envelope as theirs.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::Failure;

pub(crate) fn error_response(status: StatusCode, code: ErrorCode, message: &str) -> Response {
    (status, Json(Failure::new(code, message))).into_response()
}

pub(crate) fn not_found() -> Response {
    error_response(StatusCode::NOT_FOUND, ErrorCode::NotFound, "Not found.")
}

pub(crate) fn unknown_host() -> Response {
    error_response(StatusCode::MISDIRECTED_REQUEST, ErrorCode::UnknownHost, "This host serves no channel.")
}

pub(crate) fn method_not_allowed() -> Response {
    error_response(StatusCode::METHOD_NOT_ALLOWED, ErrorCode::MethodNotAllowed, "Method not allowed.")
}

pub(crate) fn internal() -> Response {
    let message = "Something went wrong. Please try again or contact technical support.";
    error_response(StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::Internal, message)
}

pub(crate) fn unavailable() -> Response {
    let message = "Apologies! Our service is currently experiencing technical difficulties.";
    error_response(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Unavailable, message)
}
