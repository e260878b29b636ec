//! All failures of a call, and their responses.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use touchline_disk::NoSpace;
use touchline_domain::prices::PriceChanged;
use touchline_domain::purchases::Refusal;
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::Failure;
use touchline_protocol::purchases::{CurrentPrice, OrderType};
use touchline_store::StoreError;

use crate::auth::email_tokens::LinkFault;
use crate::auth::limits::TooMany;
use crate::auth::recaptcha::RecaptchaFault;
use crate::auth::social::SocialFault;
use crate::messages;
use crate::payments::{CheckoutError, PaymentError};

/// Seconds after which to retry a call that the disk or the database could not take.
const STORE_RETRY_S: u64 = 5;

pub(crate) type ApiResult<T> = Result<T, ApiError>;

/// All failures of a call.
#[derive(Debug)]
pub enum ApiError {
    /// 400: invalid fields, or a violated rule.
    Invalid(Failure),
    /// 400 with `errors.api_key`: the key is missing, unknown, revoked or of another channel.
    ApiKey,
    /// 400 with `errors.channel_key`: there is no such channel.
    ChannelKey,
    /// 401: the call requires a logged-in person.
    LoggedOut,
    /// 403.
    Forbidden {
        /// Error code.
        code: ErrorCode,
        /// Text from the catalogue of messages.
        message: &'static str,
    },
    /// 404: unknown, or somebody else's.
    NotFound,
    /// 409.
    Conflict {
        /// Error code.
        code: ErrorCode,
        /// Text from the catalogue of messages.
        message: &'static str,
    },
    /// 409: the price differs from the one the buyer saw (`PAY-10`).
    PriceChanged(Box<CurrentPrice>),
    /// 413.
    TooLarge,
    /// 429.
    TooMany {
        /// Seconds to wait before the next attempt.
        retry_after_s: u64,
    },
    /// 500: a fault of the worker. Only the log has the cause.
    Internal(anyhow::Error),
    /// 503: a service that the call depends on does not answer. Only the log has the cause.
    Unavailable(anyhow::Error),
    /// 503: the database does not answer. Not logged here, since a line per call would fill the log.
    StoreUnavailable,
    /// 502 or 504: the host of a pulled medium failed. The cause is logged at intervals.
    Upstream {
        /// Whether the host timed out.
        timed_out: bool,
    },
    /// 503: the disk is full or fails. The disk monitor logs it once; a line per call would fill the disk.
    NoSpace,
}

impl ApiError {
    /// 400 for one faulty field.
    pub fn field(field: &str, code: ErrorCode, message: impl Into<String>) -> Self {
        let message = message.into();
        Self::Invalid(Failure::new(code, message.clone()).field(field, message))
    }

    /// 400 for an operator's reference to something that does not exist.
    pub fn unknown(what: &str) -> Self {
        Self::rule(ErrorCode::NotFound, format!("There is no {what}."))
    }

    /// 400 for a violated rule, without a field.
    pub fn rule(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Invalid(Failure::new(code, message))
    }

    /// 400 for a request that cannot be parsed; `fault` describes the problem.
    pub fn malformed(field: &str, fault: impl Into<String>) -> Self {
        Self::Invalid(Failure::new(ErrorCode::Malformed, messages::MALFORMED).field(field, fault))
    }

    /// 503 for a lack of disk space.
    pub(crate) fn from_no_space(error: NoSpace) -> Self {
        tracing::debug!(%error, "a call ran out of disk space");
        Self::NoSpace
    }

    /// 503 for a lack of disk space or file descriptors, otherwise 500.
    pub(crate) fn from_io(error: std::io::Error) -> Self {
        if touchline_disk::is_passing(&error) {
            tracing::debug!(%error, "cannot store the effect of a call");
            return Self::NoSpace;
        }
        Self::Internal(error.into())
    }

    /// 403: the channel's video is blocked in the viewer's region.
    pub(crate) const GEO_BLOCKED: Self =
        Self::Forbidden { code: ErrorCode::GeoBlocked, message: messages::GEO_BLOCKED };
    /// 403: the password must be changed first.
    pub const TEMPORARY_PASSWORD: Self =
        Self::Forbidden { code: ErrorCode::TemporaryPassword, message: messages::TEMPORARY_PASSWORD };
    /// 403: the email address must be verified first (`CLIP-5`).
    pub(crate) const EMAIL_UNVERIFIED: Self =
        Self::Forbidden { code: ErrorCode::EmailUnverified, message: messages::EMAIL_UNVERIFIED };
    /// 409: the `Idempotency-Key` was used with another body.
    pub const IDEMPOTENCY_CONFLICT: Self =
        Self::Conflict { code: ErrorCode::IdempotencyConflict, message: messages::IDEMPOTENCY_CONFLICT };
    /// 403: the person lacks the right.
    pub const FORBIDDEN: Self = Self::Forbidden { code: ErrorCode::Forbidden, message: messages::FORBIDDEN };

    /// The status and the body's content.
    pub fn answer(&self) -> (StatusCode, Failure) {
        match self {
            Self::Invalid(failure) => (StatusCode::BAD_REQUEST, failure.clone()),
            Self::ApiKey => (
                StatusCode::BAD_REQUEST,
                Failure::new(ErrorCode::ApiKey, messages::NO_KEY).field("api_key", messages::WRONG_API_KEY),
            ),
            Self::ChannelKey => (
                StatusCode::BAD_REQUEST,
                Failure::new(ErrorCode::ChannelKey, messages::NO_KEY).field("channel_key", messages::WRONG_CHANNEL_KEY),
            ),
            Self::LoggedOut => {
                (StatusCode::UNAUTHORIZED, Failure::new(ErrorCode::Unauthenticated, messages::MUST_BE_LOGGED_IN))
            }
            Self::Forbidden { code, message } => (StatusCode::FORBIDDEN, Failure::new(*code, *message)),
            Self::NotFound => (StatusCode::NOT_FOUND, Failure::new(ErrorCode::NotFound, messages::NOT_FOUND)),
            Self::Conflict { code, message } => (StatusCode::CONFLICT, Failure::new(*code, *message)),
            Self::PriceChanged(price) => {
                let failure = Failure::new(ErrorCode::PriceChanged, messages::PRICE_CHANGED);
                (StatusCode::CONFLICT, Failure { price: Some(price.clone()), ..failure })
            }
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, Failure::new(ErrorCode::TooLarge, messages::TOO_LARGE)),
            Self::TooMany { .. } => {
                (StatusCode::TOO_MANY_REQUESTS, Failure::new(ErrorCode::TooMany, messages::TOO_MANY))
            }
            Self::Internal(_) => {
                (StatusCode::INTERNAL_SERVER_ERROR, Failure::new(ErrorCode::Internal, messages::SOMETHING_WRONG))
            }
            Self::Unavailable(_) | Self::StoreUnavailable => {
                (StatusCode::SERVICE_UNAVAILABLE, Failure::new(ErrorCode::Unavailable, messages::DIFFICULTIES))
            }
            Self::Upstream { timed_out: true } => {
                (StatusCode::GATEWAY_TIMEOUT, Failure::new(ErrorCode::MediaTimedOut, messages::DIFFICULTIES))
            }
            Self::Upstream { timed_out: false } => {
                (StatusCode::BAD_GATEWAY, Failure::new(ErrorCode::MediaUnavailable, messages::DIFFICULTIES))
            }
            Self::NoSpace => {
                (StatusCode::SERVICE_UNAVAILABLE, Failure::new(ErrorCode::NoSpace, messages::DIFFICULTIES))
            }
        }
    }
}

impl ApiError {
    /// Whether the fault is the server's, so that the attempt must not count against the caller.
    pub fn is_ours(&self) -> bool {
        self.answer().0.is_server_error()
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        match &self {
            Self::Internal(cause) => tracing::error!(error = format!("{cause:#}"), "a call failed"),
            Self::Unavailable(cause) => {
                tracing::warn!(error = format!("{cause:#}"), "a service that a call depends on does not answer");
            }
            _ => {}
        }
        let (status, failure) = self.answer();
        let mut response = (status, Json(failure)).into_response();
        let retry_after_s = match self {
            Self::TooMany { retry_after_s } => Some(retry_after_s.max(1)),
            Self::NoSpace | Self::StoreUnavailable => Some(STORE_RETRY_S),
            Self::Upstream { .. } => Some(1),
            _ => None,
        };
        if let Some(seconds) = retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        if error.is_server_unavailable() {
            tracing::debug!(%error, "the database did not answer a call");
            return Self::StoreUnavailable;
        }
        if error.is_storage_unavailable() {
            tracing::debug!(%error, "cannot store the effect of a call");
            return Self::NoSpace;
        }
        Self::Internal(error.into())
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotSold => Self::NotFound,
            Refusal::NoProduct => Self::field("id", ErrorCode::IdNotSelected, messages::ID_NOT_SELECTED),
            Refusal::OtherEvent => {
                Self::field("single_event_package_id", ErrorCode::IdNotSelected, messages::ID_NOT_SELECTED)
            }
            Refusal::NoTeam => Self::field("participant_id", ErrorCode::TeamNotSelected, messages::TEAM_NOT_SELECTED),
            Refusal::GeoBlocked => Self::GEO_BLOCKED,
            Refusal::AlreadyBought(kind) => {
                let label = match kind {
                    OrderType::Event => "event",
                    OrderType::Package => "package",
                    OrderType::Subscription => "subscription",
                };
                Self::field("id", ErrorCode::AlreadyBought, messages::already_bought(label))
            }
            Refusal::NoTrial => Self::field("subscription_id", ErrorCode::NoTrial, messages::NO_TRIAL),
            Refusal::TrialUsed => Self::field("subscription_id", ErrorCode::TrialUsed, messages::TRIAL_USED),
            Refusal::WrongPromoCode(_) => {
                Self::field("promo_code", ErrorCode::WrongPromoCode, messages::WRONG_PROMO_CODE)
            }
            Refusal::PriceChanged(PriceChanged(now)) => Self::PriceChanged(now),
        }
    }
}

impl From<TooMany> for ApiError {
    fn from(TooMany { retry_after_s }: TooMany) -> Self {
        Self::TooMany { retry_after_s }
    }
}

/// Conversion for calls without a more specific message.
impl From<LinkFault> for ApiError {
    fn from(fault: LinkFault) -> Self {
        match fault {
            LinkFault::Invalid | LinkFault::Expired => {
                Self::rule(ErrorCode::VerificationFailed, messages::VERIFICATION_FAILED)
            }
            LinkFault::Used => Self::rule(ErrorCode::AlreadyVerified, messages::ALREADY_VERIFIED),
            LinkFault::NoAccount => Self::rule(ErrorCode::UserNotFound, messages::USER_NOT_FOUND),
            LinkFault::TooMany(error) => error.into(),
            LinkFault::Store(error) => error.into(),
        }
    }
}

impl From<RecaptchaFault> for ApiError {
    fn from(fault: RecaptchaFault) -> Self {
        let field = |code, message: &str| Self::field("recaptcha_token", code, message);
        match fault {
            RecaptchaFault::Required => field(ErrorCode::RecaptchaRequired, messages::RECAPTCHA_REQUIRED),
            RecaptchaFault::Invalid => field(ErrorCode::RecaptchaInvalid, messages::RECAPTCHA_INVALID),
            RecaptchaFault::Unavailable(cause) => Self::Unavailable(cause),
        }
    }
}

impl From<SocialFault> for ApiError {
    fn from(fault: SocialFault) -> Self {
        match fault {
            SocialFault::NotOffered => Self::NotFound,
            SocialFault::Refused => Self::rule(ErrorCode::WrongAuthData, messages::WRONG_AUTH_DATA),
            SocialFault::Unavailable(cause) => Self::Unavailable(cause),
            SocialFault::Store(error) => error.into(),
        }
    }
}

impl From<PaymentError> for ApiError {
    fn from(error: PaymentError) -> Self {
        match error {
            PaymentError::Retryable(cause) => Self::Unavailable(cause),
            PaymentError::Fatal(cause) => Self::Internal(anyhow::anyhow!(cause)),
        }
    }
}

impl From<CheckoutError> for ApiError {
    fn from(error: CheckoutError) -> Self {
        match error {
            CheckoutError::Refused(refusal) => refusal.into(),
            CheckoutError::OtherCard => Self::field("payment_method_id", ErrorCode::CardNotSelected, messages::CARD),
            CheckoutError::TooMany(error) => error.into(),
            CheckoutError::Payment(error) => error.into(),
            CheckoutError::Store(error) => error.into(),
            behind @ CheckoutError::ClockBehind => Self::Unavailable(behind.into()),
        }
    }
}

impl From<anyhow::Error> for ApiError {
    fn from(error: anyhow::Error) -> Self {
        Self::Internal(error)
    }
}
