//! The error catalogue: every message a viewer can be shown, in one place (`ERR-8`, `VAL-6`).

/// The address belongs to an account (`AUTH`).
pub const EMAIL_TAKEN: &str = "The email address you have entered is already registered.";
/// A social login that the provider refused, or whose state is not ours.
pub const WRONG_AUTH_DATA: &str = "Wrong auth data.";
/// A login with a key that is logged in.
pub const ALREADY_LOGGED_IN: &str = "You are already logged in.";
/// A link whose signature or time is wrong.
pub const VERIFICATION_FAILED: &str = "Verification failed.";
/// A verification of a verified address.
pub const ALREADY_VERIFIED: &str = "Email already verified.";
/// A link for an account that is gone.
pub const USER_NOT_FOUND: &str = "User not found.";
/// A reset link that is too old or was used.
pub const RESET_EXPIRED: &str = "Reset password key expired.";
/// A reset link whose signature is wrong.
pub const RESET_FAILED: &str = "Reset password failed.";
/// A promo code that the channel does not have, or not for this product or person.
pub const WRONG_PROMO_CODE: &str = "Wrong promo code.";
/// No reCAPTCHA token where one is asked for.
pub const RECAPTCHA_REQUIRED: &str = "recaptcha token required.";
/// A token that reCAPTCHA refuses.
pub const RECAPTCHA_INVALID: &str = "recaptcha token invalid or robot.";
/// An address of another shape.
pub const EMAIL_INVALID: &str = "A valid email address is required";
/// A password under the least length.
pub const PASSWORD_TOO_SHORT: &str = "The password is too short.";
/// Two passwords that differ, in a password reset.
pub const PASSWORDS_DIFFER_RESET: &str = "PASSWORDS DON'T MATCH.";
/// Two passwords that differ.
pub const PASSWORDS_DIFFER: &str = "The password and password confirmation do not match.";
/// A wrong address or password; the same for both, so that it does not tell whether an account exists.
pub const WRONG_LOGIN: &str = "Invalid email or password. Please try again.";
/// A call without a key.
pub const NO_KEY: &str = "No channel or api key found.";
/// Anything of ours that went wrong.
pub const SOMETHING_WRONG: &str = "Something went wrong. Please try again or contact technical support.";
/// The worker cannot answer now.
pub const DIFFICULTIES: &str = "Apologies! Our service is currently experiencing technical difficulties.";
/// A social login of someone who has no account yet.
pub const NOT_REGISTERED: &str =
    "You are not registered yet. Please accept terms and conditions and click Register to continue.";
/// Video that is closed to the viewer's region.
pub const GEO_BLOCKED: &str = "Content not available in the region.";
/// A price that is not the one that the buyer was shown.
pub const PRICE_CHANGED: &str = "The price has changed. Nothing was paid.";
/// No first name.
pub const FIRST_NAME: &str = "Enter your first name.";
/// No last name.
pub const LAST_NAME: &str = "Enter your last name.";
/// No address.
pub const EMAIL: &str = "Enter your Email.";
/// Terms that were not accepted.
pub const TERMS: &str = "Please accept terms & conditions.";
/// A field without a value.
pub const REQUIRED: &str = "Field is required.";
/// No card.
pub const CARD: &str = "Please select one of your saved cards or enter new one.";
/// A favourites call without a person.
pub const MUST_BE_LOGGED_IN: &str = "user must be logged in";
/// A purchase that names nothing.
pub const ID_NOT_SELECTED: &str = "id not selected";
/// A team pass without a team.
pub const TEAM_NOT_SELECTED: &str = "Package is TeamPass but team not selected";
/// The trial was used before.
pub const TRIAL_USED: &str = "The trial period was already used.";
/// A phone number of another shape.
pub const PHONE: &str = "A valid phone number is required";
/// More favourites than one person may have.
pub const TOO_MANY_FAVORITES: &str = "You have too many favourites.";
/// A trial of a subscription that offers none.
pub const NO_TRIAL: &str = "This subscription has no trial period.";
/// A clip without a name.
pub const CLIP_NAME: &str = "Please fill in the input field.";
/// A clip without a tag.
pub const CLIP_TAG: &str = "Please select tag.";
/// A clip that goes past the end of what it is cut from.
pub const CLIP_TOO_LONG: &str = "Your clip duration is longer than the end time.";
/// A public clip of what the channel lets be shared by link alone.
pub const CLIP_NOT_PUBLIC: &str = "Clips of this video can be shared by link alone.";
/// More clips than one person may have.
pub const TOO_MANY_CLIPS: &str = "You have too many clips.";
/// A bank's question that nobody answered.
pub const NOT_CONFIRMED: &str = "The payment was not confirmed.";
/// A key that is not known, was revoked, or is of another channel.
pub const WRONG_API_KEY: &str = "The api key is not valid.";
/// A channel that does not exist.
pub const WRONG_CHANNEL_KEY: &str = "The channel key is not valid.";
/// Nothing of that name or id, or another's.
pub const NOT_FOUND: &str = "Not found.";
/// The call exists with another method.
pub const METHOD_NOT_ALLOWED: &str = "This call does not exist with this method.";
/// Not theirs to do.
pub const FORBIDDEN: &str = "You have no access to this.";
/// Everything but the profile, as long as the password is temporary.
pub const TEMPORARY_PASSWORD: &str = "Please change your temporary password first.";
/// What needs a verified address, asked by somebody whose is not (`CLIP-5`).
pub const EMAIL_UNVERIFIED: &str = "Please verify your email address first.";
/// Too many requests.
pub const TOO_MANY: &str = "Too many requests. Please try again later.";
/// A body over the limit.
pub const TOO_LARGE: &str = "The request is too large.";
/// A body or query of another shape.
pub const MALFORMED: &str = "The request is malformed.";
/// An `Idempotency-Key` that was used with another body.
pub const IDEMPOTENCY_CONFLICT: &str = "This Idempotency-Key was used for another request.";
/// No `Idempotency-Key` where one is asked for.
pub const IDEMPOTENCY_REQUIRED: &str = "An Idempotency-Key header is required.";

/// A product that the viewer already has.
pub fn already_bought(kind: &str) -> String {
    format!("You already bought this {kind}.")
}

/// A text under the least length.
pub fn longer_than(number: usize) -> String {
    format!("Field length must be greater than {number}.")
}

/// A text over the greatest length.
pub fn shorter_than(number: usize) -> String {
    format!("Field length must be less than {number}.")
}

/// A number out of its bounds.
pub fn between(field: &str, least: i64, most: i64) -> String {
    format!("The {field} field must be between {least} and {most}")
}

/// A value that is none of those allowed.
pub fn one_of(field: &str, allowed: &[&str]) -> String {
    format!("{field} must be equal to one of the allowed values: {}", allowed.join(", "))
}
