//! Error codes.

use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

/// Declares [`ErrorCode`]. The comment of a variant is also its text in the API document.
macro_rules! error_codes {
    ($(#[doc = $meaning:literal] $variant:ident = $code:literal,)*) => {
        /// Stable code of an error, for programs.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum ErrorCode {
            $(#[doc = $meaning] #[serde(rename = $code)] $variant,)*
        }

        /// The codes on the wire, each with its meaning.
        const MEANINGS: &[(&str, &str)] = &[$(($code, $meaning)),*];
    };
}

error_codes! {
    /// The viewer already has the product.
    AlreadyBought = "already_bought",
    /// The API key already belongs to a signed-in viewer.
    AlreadyLoggedIn = "already_logged_in",
    /// The email address is already verified.
    AlreadyVerified = "already_verified",
    /// The API key is missing, unknown, revoked, or belongs to another channel.
    ApiKey = "api_key",
    /// The card isn't a test card, and payments use the sandbox.
    CardDeclined = "card_declined",
    /// A subscription renews with the card. Choose another card for it first.
    CardInUse = "card_in_use",
    /// The request names neither a saved card nor a new one.
    CardNotSelected = "card_not_selected",
    /// The channel doesn't exist.
    ChannelKey = "channel_key",
    /// The email address belongs to an account.
    EmailTaken = "email_taken",
    /// The account's email address must be verified first.
    EmailUnverified = "email_unverified",
    /// An operator's command failed. The message says why.
    Failed = "failed",
    /// The viewer isn't allowed to do this.
    Forbidden = "forbidden",
    /// The video is blocked in the viewer's country.
    GeoBlocked = "geo_blocked",
    /// The request names no product.
    IdNotSelected = "id_not_selected",
    /// The `Idempotency-Key` was used with another request body.
    IdempotencyConflict = "idempotency_conflict",
    /// The `Idempotency-Key` is missing.
    IdempotencyKeyRequired = "idempotency_key_required",
    /// The card number is invalid.
    IncorrectNumber = "incorrect_number",
    /// An error of the worker.
    Internal = "internal",
    /// A value isn't valid for the call.
    Invalid = "invalid",
    /// The card's security code is invalid.
    InvalidCvc = "invalid_cvc",
    /// The card has expired, or its expiry date is invalid.
    InvalidExpiry = "invalid_expiry",
    /// The request can't be parsed. `errors` says where.
    Malformed = "malformed",
    /// The session or access right behind the URL has ended. Viewers with access can request another URL.
    MediaEnded = "media_ended",
    /// The signed URL has expired. Viewers with access can request another one.
    MediaExpired = "media_expired",
    /// Too many networks use the signed URL at the same time.
    MediaShared = "media_shared",
    /// The host of the video didn't respond in time. Try again after `Retry-After`.
    MediaTimedOut = "media_timed_out",
    /// The host of the video failed. Try again after `Retry-After`.
    MediaUnavailable = "media_unavailable",
    /// The video requires a signed URL.
    MediaUnsigned = "media_unsigned",
    /// The path doesn't support the method.
    MethodNotAllowed = "method_not_allowed",
    /// The disk is full or failing. Try again after `Retry-After`.
    NoSpace = "no_space",
    /// The subscription has no free trial.
    NoTrial = "no_trial",
    /// The result of the purchase is unknown, and it isn't sent again. Use a new key to buy again.
    NotConfirmed = "not_confirmed",
    /// The resource doesn't exist, or belongs to another viewer.
    NotFound = "not_found",
    /// The order isn't paid.
    NotPaid = "not_paid",
    /// Clips of this video can't be public.
    NotPublic = "not_public",
    /// The social login belongs to a person without an account.
    NotRegistered = "not_registered",
    /// The IP address has used up its hourly analytics budget. Try again after `Retry-After`.
    OverBudget = "over_budget",
    /// The price differs from the displayed one. `price` is the current price.
    PriceChanged = "price_changed",
    /// The analytics queue is full. Try again after `Retry-After`.
    QueueFull = "queue_full",
    /// The reCAPTCHA token was rejected.
    RecaptchaInvalid = "recaptcha_invalid",
    /// The channel requires a reCAPTCHA token.
    RecaptchaRequired = "recaptcha_required",
    /// The link has expired or was used.
    ResetExpired = "reset_expired",
    /// The link's signature is invalid.
    ResetFailed = "reset_failed",
    /// The setup intent is unknown or was used.
    SetupIntentUnusable = "setup_intent_unusable",
    /// The upstream doesn't have the call, and this worker can't replace it.
    SwitchedOff = "switched_off",
    /// The package is a team pass, and the request names no team.
    TeamNotSelected = "team_not_selected",
    /// The temporary password must be changed first.
    TemporaryPassword = "temporary_password",
    /// An operator's command was sent without the data folder's token.
    Token = "token",
    /// The request body exceeds the limit.
    TooLarge = "too_large",
    /// Too many requests. Try again after `Retry-After`.
    TooMany = "too_many",
    /// The account has reached its limit of clips.
    TooManyClips = "too_many_clips",
    /// The account has reached its limit of favourites.
    TooManyFavorites = "too_many_favorites",
    /// The request body took too long to arrive.
    TooSlow = "too_slow",
    /// The account already had a free trial.
    TrialUsed = "trial_used",
    /// The call requires a signed-in viewer.
    Unauthenticated = "unauthenticated",
    /// A service that the call depends on is unavailable. Try again later.
    Unavailable = "unavailable",
    /// The host serves no channel.
    UnknownHost = "unknown_host",
    /// The account no longer exists.
    UserNotFound = "user_not_found",
    /// A field is invalid. `errors` says which.
    Validation = "validation",
    /// The link's signature is invalid, or the link has expired.
    VerificationFailed = "verification_failed",
    /// The social login was refused.
    WrongAuthData = "wrong_auth_data",
    /// The device code is invalid or has expired.
    WrongCode = "wrong_code",
    /// The email address or password is wrong.
    WrongLogin = "wrong_login",
    /// The current password is wrong.
    WrongPassword = "wrong_password",
    /// The promo code doesn't exist or doesn't apply.
    WrongPromoCode = "wrong_promo_code",
}

/// The schema of a code: a string rather than an enum, because codes are added over time. The description lists them.
pub(crate) fn schema() -> Object {
    let codes: Vec<_> = MEANINGS.iter().map(|(code, meaning)| format!("- `{code}`:{meaning}")).collect();
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(format!("Stable `snake_case` code for programs.\n\n{}", codes.join("\n"))))
        .examples(["not_found"])
        .build()
}
