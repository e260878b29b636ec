//! Error messages for viewers (`ERR-8`, `VAL-6`).

/// The address already has an account (`AUTH`).
pub const EMAIL_TAKEN: &str = "The email address you have entered is already registered.";
/// The provider rejected a social login, or its state is not from this site.
pub const WRONG_AUTH_DATA: &str = "Wrong auth data.";
/// A sign-in with a key that is already signed in.
pub const ALREADY_LOGGED_IN: &str = "You are already logged in.";
/// A link with a wrong signature or an expired time.
pub const VERIFICATION_FAILED: &str = "Verification failed.";
/// A verification of an address that is already verified.
pub const ALREADY_VERIFIED: &str = "Email already verified.";
/// A link for an account that no longer exists.
pub const USER_NOT_FOUND: &str = "User not found.";
/// A reset link that expired or was already used.
pub const RESET_EXPIRED: &str = "Reset password key expired.";
/// A reset link with a wrong signature.
pub const RESET_FAILED: &str = "Reset password failed.";
/// A promo code that does not exist or does not apply to this product or person.
pub const WRONG_PROMO_CODE: &str = "Wrong promo code.";
/// A missing reCAPTCHA token.
pub const RECAPTCHA_REQUIRED: &str = "recaptcha token required.";
/// A token that reCAPTCHA rejects.
pub const RECAPTCHA_INVALID: &str = "recaptcha token invalid or robot.";
/// An invalid email address.
pub const EMAIL_INVALID: &str = "A valid email address is required";
/// A password below the minimum length.
pub const PASSWORD_TOO_SHORT: &str = "The password is too short.";
/// Two different passwords in a password reset.
pub const PASSWORDS_DIFFER_RESET: &str = "PASSWORDS DON'T MATCH.";
/// Two different passwords.
pub const PASSWORDS_DIFFER: &str = "The password and password confirmation do not match.";
/// A wrong address or password. One message for both, so that it does not reveal whether an account exists.
pub const WRONG_LOGIN: &str = "Invalid email or password. Please try again.";
/// A call without a key.
pub const NO_KEY: &str = "No channel or api key found.";
/// An internal error.
pub const SOMETHING_WRONG: &str = "Something went wrong. Please try again or contact technical support.";
/// The worker cannot respond now.
pub const DIFFICULTIES: &str = "Apologies! Our service is currently experiencing technical difficulties.";
/// A social login of a person without an account.
pub const NOT_REGISTERED: &str =
    "You are not registered yet. Please accept terms and conditions and click Register to continue.";
/// Video that is blocked in the viewer's region.
pub const GEO_BLOCKED: &str = "Content not available in the region.";
/// A price that differs from the one displayed to the buyer.
pub const PRICE_CHANGED: &str = "The price has changed. You have not been charged.";
/// A missing first name.
pub const FIRST_NAME: &str = "Enter your first name.";
/// A missing last name.
pub const LAST_NAME: &str = "Enter your last name.";
/// A missing email address.
pub const EMAIL: &str = "Enter your Email.";
/// Terms that were not accepted.
pub const TERMS: &str = "Please accept terms & conditions.";
/// A missing value.
pub const REQUIRED: &str = "Field is required.";
/// A missing card.
pub const CARD: &str = "Please select one of your saved cards or enter new one.";
/// A favourites call without a user.
pub const MUST_BE_LOGGED_IN: &str = "user must be logged in";
/// A purchase without a product.
pub const ID_NOT_SELECTED: &str = "id not selected";
/// A team pass without a team.
pub const TEAM_NOT_SELECTED: &str = "Package is TeamPass but team not selected";
/// A second trial.
pub const TRIAL_USED: &str = "You have already used your free trial.";
/// An invalid phone number.
pub const PHONE: &str = "A valid phone number is required";
/// More favourites than the limit.
pub const TOO_MANY_FAVORITES: &str = "You have too many favourites.";
/// A trial of a subscription that has none.
pub const NO_TRIAL: &str = "This subscription has no free trial.";
/// A clip without a name.
pub const CLIP_NAME: &str = "Please fill in the input field.";
/// A clip without a tag.
pub const CLIP_TAG: &str = "Please select tag.";
/// A clip that ends after its source.
pub const CLIP_TOO_LONG: &str = "Your clip duration is longer than the end time.";
/// A public clip of content whose clips the channel shares only by link.
pub const CLIP_NOT_PUBLIC: &str = "Clips of this video can only be shared by link.";
/// More clips than the limit.
pub const TOO_MANY_CLIPS: &str = "You have too many clips.";
/// A payment that the cardholder did not confirm.
pub const NOT_CONFIRMED: &str = "The payment was not confirmed.";
/// A key that is unknown, revoked or of another channel.
pub const WRONG_API_KEY: &str = "The api key is not valid.";
/// An unknown channel.
pub const WRONG_CHANNEL_KEY: &str = "The channel key is not valid.";
/// An id or name that does not exist or belongs to another user.
pub const NOT_FOUND: &str = "Not found.";
/// An existing path with another method.
pub const METHOD_NOT_ALLOWED: &str = "This method is not allowed for this call.";
/// A call that the user may not make.
pub const FORBIDDEN: &str = "You do not have access to this.";
/// Any call except the profile while the password is temporary.
pub const TEMPORARY_PASSWORD: &str = "Please change your temporary password first.";
/// A call that requires a verified address (`CLIP-5`).
pub const EMAIL_UNVERIFIED: &str = "Please verify your email address first.";
/// Too many requests.
pub const TOO_MANY: &str = "Too many requests. Please try again later.";
/// A body over the size limit.
pub const TOO_LARGE: &str = "The request is too large.";
/// A body or query that does not match the schema.
pub const MALFORMED: &str = "The request is malformed.";
/// An `Idempotency-Key` that was used with another body.
pub const IDEMPOTENCY_CONFLICT: &str = "This Idempotency-Key was used for another request.";
/// A missing `Idempotency-Key`.
pub const IDEMPOTENCY_REQUIRED: &str = "An Idempotency-Key header is required.";

/// A product that the viewer already owns.
pub fn already_bought(kind: &str) -> String {
    format!("You already bought this {kind}.")
}

/// A text below the minimum length.
pub fn longer_than(number: usize) -> String {
    format!("Field length must be greater than {number}.")
}

/// A text above the maximum length.
pub fn shorter_than(number: usize) -> String {
    format!("Field length must be less than {number}.")
}

/// A number out of range.
pub fn between(field: &str, least: i64, most: i64) -> String {
    format!("The {field} field must be between {least} and {most}")
}

/// A value that is not allowed.
pub fn one_of(field: &str, allowed: &[&str]) -> String {
    format!("{field} must be equal to one of the allowed values: {}", allowed.join(", "))
}
