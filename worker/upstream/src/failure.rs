//! Why the upstream gave no answer that can be passed on, and what the viewer's browser is told of it.

use std::time::Duration;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use touchline_protocol::envelope::Failure as Told;

const DIFFICULTIES: &str = "Apologies! Our service is currently experiencing technical difficulties.";
const NOT_CONFIRMED: &str =
    "We could not confirm your purchase, and did not try it again. Look at your orders before you buy once more.";
/// When a call is worth trying again, seconds.
const RETRY_S: u64 = 2;
/// The longest that an upstream is not asked again because its `Retry-After` says so.
pub(crate) const RETRY_LONGEST: Duration = Duration::from_secs(60);

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    /// No connection was made: nothing was sent.
    #[error("it cannot be reached")]
    Unreached,
    /// Nothing came in time.
    #[error("it does not answer in time")]
    TimedOut,
    /// The connection ended before the answer did.
    #[error("its connection broke")]
    Broken,
    /// It answered with a failure of its own.
    #[error("it answers {0}")]
    Status(u16),
    /// It answers 503, and says after what time it is to be asked again: no longer than [`RETRY_LONGEST`].
    #[error("it answers 503, and is to be asked again after {} s", .0.as_secs())]
    Unavailable(Duration),
    /// It answered something that is none of the call's answers, such as a page.
    #[error("its answer is not of this API: {0}")]
    Foreign(&'static str),
    /// It wants the request sent elsewhere.
    #[error("it redirects, which is not followed")]
    Redirect,
    /// The answer is larger than a call's may be.
    #[error("its answer is too large")]
    TooLarge,
}

impl Failure {
    /// Whether the upstream cannot have seen the request.
    pub(crate) fn is_unsent(self) -> bool {
        self == Self::Unreached
    }

    /// A word for `/metrics`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Unreached => "unreached",
            Self::TimedOut => "timed_out",
            Self::Broken => "broken",
            Self::Status(_) | Self::Unavailable(_) => "status",
            Self::Foreign(_) => "foreign",
            Self::Redirect => "redirect",
            Self::TooLarge => "too_large",
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = match self {
            Self::TimedOut => StatusCode::GATEWAY_TIMEOUT,
            Self::Unreached | Self::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::BAD_GATEWAY,
        };
        let mut response = again(told(status, "unavailable", DIFFICULTIES));
        if let Self::Unavailable(after) = self {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(after.as_secs().max(1)));
        }
        response
    }
}

/// A failure in the house's shape.
pub(crate) fn told(status: StatusCode, code: &str, message: &str) -> Response {
    (status, Json(Told::new(code, message))).into_response()
}

/// The same, with the time after which it is worth trying again.
pub(crate) fn again(mut response: Response) -> Response {
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(RETRY_S));
    response
}

/// 503: whether an earlier request of this key arrived is not known yet.
pub(crate) fn not_known_yet() -> Response {
    again(told(StatusCode::SERVICE_UNAVAILABLE, "unavailable", DIFFICULTIES))
}

/// 409: a purchase got no answer, and nothing that came of it is found. It is not sent again.
pub(crate) fn not_confirmed() -> Response {
    told(StatusCode::CONFLICT, "not_confirmed", NOT_CONFIRMED)
}

/// 404 for a call that the upstream lacks.
pub(crate) fn switched_off() -> Response {
    told(StatusCode::NOT_FOUND, "switched_off", "This channel does not offer that.")
}

/// 400 for a request that cannot be passed on.
pub(crate) fn malformed(place: &str, fault: &str) -> Response {
    let failure = Told::new("malformed", "The request is malformed.").field(place, fault);
    (StatusCode::BAD_REQUEST, Json(failure)).into_response()
}
