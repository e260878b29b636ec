//! Error messages for viewers (`ERR-8`, `VAL-6`).

/// The address already has an account (`AUTH`).
pub(crate) const EMAIL_TAKEN: &str = "The email address you have entered is already registered.";
/// The provider rejected a social login, or its state is not from this site.
pub(crate) const WRONG_AUTH_DATA: &str = "Wrong auth data.";
/// A sign-in with a key that is already signed in.
pub(crate) const ALREADY_LOGGED_IN: &str = "You are already logged in.";
/// A link with a wrong signature or an expired time.
pub(crate) const VERIFICATION_FAILED: &str = "Verification failed.";
/// A verification of an address that is already verified.
pub(crate) const ALREADY_VERIFIED: &str = "Email already verified.";
/// A link for an account that no longer exists.
pub(crate) const USER_NOT_FOUND: &str = "User not found.";
/// A reset link that expired or was already used.
pub(crate) const RESET_EXPIRED: &str = "Reset password key expired.";
/// A reset link with a wrong signature.
pub(crate) const RESET_FAILED: &str = "Reset password failed.";
/// A promo code that does not exist or does not apply to this product or person.
pub(crate) const WRONG_PROMO_CODE: &str = "Wrong promo code.";
pub(crate) const RECAPTCHA_REQUIRED: &str = "recaptcha token required.";
pub(crate) const RECAPTCHA_INVALID: &str = "recaptcha token invalid or robot.";
pub(crate) const EMAIL_INVALID: &str = "A valid email address is required";
pub(crate) const PASSWORD_TOO_SHORT: &str = "The password is too short.";
/// Two different passwords in a password reset.
pub(crate) const PASSWORDS_DIFFER_RESET: &str = "PASSWORDS DON'T MATCH.";
pub(crate) const PASSWORDS_DIFFER: &str = "The password and password confirmation do not match.";
/// A wrong address or password. One message for both, so that it does not reveal whether an account exists.
pub(crate) const WRONG_LOGIN: &str = "Invalid email or password. Please try again.";
pub(crate) const NO_KEY: &str = "No channel or api key found.";
/// An internal error.
pub(crate) const SOMETHING_WRONG: &str = "Something went wrong. Please try again or contact technical support.";
/// The worker cannot respond now.
pub(crate) const DIFFICULTIES: &str = "Apologies! Our service is currently experiencing technical difficulties.";
/// A social login of a person without an account.
pub(crate) const NOT_REGISTERED: &str =
    "You are not registered yet. Please accept terms and conditions and click Register to continue.";
pub(crate) const GEO_BLOCKED: &str = "Content not available in the region.";
/// A price that differs from the one displayed to the buyer.
pub(crate) const PRICE_CHANGED: &str = "The price has changed. You have not been charged.";
pub(crate) const FIRST_NAME: &str = "Enter your first name.";
pub(crate) const LAST_NAME: &str = "Enter your last name.";
pub(crate) const EMAIL: &str = "Enter your Email.";
pub(crate) const TERMS: &str = "Please accept terms & conditions.";
pub(crate) const REQUIRED: &str = "Field is required.";
pub(crate) const CARD: &str = "Please select one of your saved cards or enter new one.";
/// A favourites call without a user.
pub(crate) const MUST_BE_LOGGED_IN: &str = "user must be logged in";
pub(crate) const ID_NOT_SELECTED: &str = "id not selected";
pub(crate) const TEAM_NOT_SELECTED: &str = "Package is TeamPass but team not selected";
/// A second trial.
pub(crate) const TRIAL_USED: &str = "You have already used your free trial.";
pub(crate) const PHONE: &str = "A valid phone number is required";
pub(crate) const TOO_MANY_FAVORITES: &str = "You have too many favourites.";
pub(crate) const NO_TRIAL: &str = "This subscription has no free trial.";
pub(crate) const CLIP_NAME: &str = "Please fill in the input field.";
pub(crate) const CLIP_TAG: &str = "Please select tag.";
/// A clip that ends after its source.
pub(crate) const CLIP_TOO_LONG: &str = "Your clip duration is longer than the end time.";
/// A public clip of content whose clips the channel shares only by link.
pub(crate) const CLIP_NOT_PUBLIC: &str = "Clips from this video can only be shared by link.";
pub(crate) const TOO_MANY_CLIPS: &str = "You have too many clips.";
pub(crate) const NOT_CONFIRMED: &str = "The payment was not confirmed.";
/// A key that is unknown, revoked or of another channel.
pub(crate) const WRONG_API_KEY: &str = "The API key is not valid.";
pub(crate) const WRONG_CHANNEL_KEY: &str = "The channel key is not valid.";
/// An id or name that does not exist or belongs to another user.
pub(crate) const NOT_FOUND: &str = "Not found.";
pub(crate) const FORBIDDEN: &str = "You do not have access to this.";
/// Any call except the profile while the password is temporary.
pub(crate) const TEMPORARY_PASSWORD: &str = "Please change your temporary password first.";
/// A call that requires a verified address (`CLIP-5`).
pub(crate) const EMAIL_UNVERIFIED: &str = "Please verify your email address first.";
pub(crate) const TOO_MANY: &str = "Too many requests. Please try again later.";
pub(crate) const TOO_LARGE: &str = "The request is too large.";
pub(crate) const MALFORMED: &str = "The request is malformed.";
/// An `Idempotency-Key` that was used with another body.
pub(crate) const IDEMPOTENCY_CONFLICT: &str = "This Idempotency-Key was used for another request.";
pub(crate) const IDEMPOTENCY_REQUIRED: &str = "An Idempotency-Key header is required.";

pub(crate) fn already_bought(kind: &str) -> String {
    format!("You already bought this {kind}.")
}

pub(crate) fn longer_than(number: usize) -> String {
    format!("Field length must be greater than {number}.")
}

pub(crate) fn shorter_than(number: usize) -> String {
    format!("Field length must be less than {number}.")
}

pub(crate) fn between(field: &str, least: i64, most: i64) -> String {
    format!("The {field} field must be between {least} and {most}")
}

pub(crate) fn one_of(field: &str, allowed: &[&str]) -> String {
    format!("{field} must be equal to one of the allowed values: {}", allowed.join(", "))
}
