//! Failures of the upstream and the responses that the viewer's browser gets for them.

use std::time::Duration;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::Failure as ErrorBody;

const DIFFICULTIES: &str = "Apologies! Our service is currently experiencing technical difficulties.";
const NOT_CONFIRMED: &str =
    "We couldn't confirm your purchase, and we won't retry it. Check your orders before you buy again.";
/// Delay in `Retry-After`, in seconds.
const RETRY_S: u64 = 2;
/// Longest pause that an upstream can request with `Retry-After`.
pub(crate) const MAX_RETRY_AFTER: Duration = Duration::from_secs(60);

/// The reason there is no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    /// No connection was made, so nothing was sent.
    #[error("the upstream cannot be reached")]
    Unreachable,
    #[error("the upstream did not respond in time")]
    TimedOut,
    /// The connection closed before the response ended.
    #[error("the connection to the upstream broke")]
    Broken,
    /// The upstream returned a status of 500 or above.
    #[error("the upstream responded with status {0}")]
    Status(u16),
    /// The upstream returned 503 with a `Retry-After`, capped at [`MAX_RETRY_AFTER`].
    #[error("the upstream is unavailable (503), retry after {} s", .0.as_secs())]
    Unavailable(Duration),
    /// The response isn't one of this API, such as an HTML page.
    #[error("the response is not one of this API: {0}")]
    InvalidReply(&'static str),
    /// The upstream redirected the request.
    #[error("the upstream redirected the request")]
    Redirect,
    /// The response exceeds the size limit of a call.
    #[error("the response is too large")]
    TooLarge,
}

impl Failure {
    /// Whether the upstream can't have received the request.
    pub(crate) fn is_unsent(self) -> bool {
        self == Self::Unreachable
    }

    /// Label in `/metrics`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Unreachable => "unreached",
            Self::TimedOut => "timed_out",
            Self::Broken => "broken",
            Self::Status(_) | Self::Unavailable(_) => "status",
            Self::InvalidReply(_) => "foreign",
            Self::Redirect => "redirect",
            Self::TooLarge => "too_large",
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = match self {
            Self::TimedOut => StatusCode::GATEWAY_TIMEOUT,
            Self::Unreachable | Self::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::BAD_GATEWAY,
        };
        let mut response = with_retry_after(error_response(status, ErrorCode::Unavailable, DIFFICULTIES));
        if let Self::Unavailable(after) = self {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(after.as_secs().max(1)));
        }
        response
    }
}

/// An error response in Touchline's format.
pub(crate) fn error_response(status: StatusCode, code: ErrorCode, message: &str) -> Response {
    (status, Json(ErrorBody::new(code, message))).into_response()
}

/// Adds `Retry-After`.
pub(crate) fn with_retry_after(mut response: Response) -> Response {
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(RETRY_S));
    response
}

/// 503: it isn't known yet if an earlier request with this key arrived.
pub(crate) fn outcome_unknown() -> Response {
    with_retry_after(error_response(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Unavailable, DIFFICULTIES))
}

/// 409: a purchase got no response and no result of it was found. It isn't sent again.
pub(crate) fn not_confirmed() -> Response {
    error_response(StatusCode::CONFLICT, ErrorCode::NotConfirmed, NOT_CONFIRMED)
}

/// 404: the upstream doesn't have the call.
pub(crate) fn switched_off() -> Response {
    error_response(StatusCode::NOT_FOUND, ErrorCode::SwitchedOff, "This feature isn't available on this channel.")
}

/// 400: the request can't be forwarded.
pub(crate) fn malformed(location: &str, problem: &str) -> Response {
    let failure = ErrorBody::new(ErrorCode::Malformed, "The request is malformed.").field(location, problem);
    (StatusCode::BAD_REQUEST, Json(failure)).into_response()
}
