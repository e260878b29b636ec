//! What a failure is called, for a program.

use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

/// Every code that a call can answer, and when it does; in the order of the alphabet.
pub const CODES: &[(&str, &str)] = &[
    ("already_bought", "the viewer has it already"),
    ("already_logged_in", "the key belongs to somebody already"),
    ("already_verified", "the address was verified before"),
    ("api_key", "no API key, or one that is unknown, revoked or of another channel"),
    ("card_declined", "the card is no test card, and payments are a sandbox's"),
    ("card_in_use", "a subscription renews with the card; another one has to be chosen for it first"),
    ("card_not_selected", "neither a saved card nor a new one was named"),
    ("channel_key", "no such channel"),
    ("email_taken", "the address belongs to an account"),
    ("email_unverified", "the account's address must be verified first"),
    ("failed", "an operator's verb failed; the message says why"),
    ("forbidden", "not theirs to do"),
    ("geo_blocked", "closed to the viewer's region"),
    ("id_not_selected", "nothing was named to buy"),
    ("idempotency_conflict", "the Idempotency-Key was used with another body"),
    ("idempotency_key_required", "the Idempotency-Key is missing"),
    ("incorrect_number", "the card's number is none"),
    ("internal", "a fault of the worker's"),
    ("invalid", "a value is out of what the call takes"),
    ("invalid_cvc", "the card's security code is none"),
    ("invalid_expiry", "the card has expired, or its date is none"),
    ("malformed", "the request cannot be read; `errors` says where"),
    (
        "media_ended",
        "the session or the right that the address was given under has ended; whoever may still watch asks for another",
    ),
    ("media_expired", "the signed address is too old; whoever may watch asks for another"),
    ("media_shared", "too many networks use the signed address at once"),
    (
        "media_timed_out",
        "the host that the video is pulled from does not answer in time; worth trying again: `Retry-After`",
    ),
    ("media_unavailable", "the host that the video is pulled from fails; worth trying again: `Retry-After`"),
    ("media_unsigned", "the video is open to signed addresses alone"),
    ("method_not_allowed", "the path has no such method"),
    ("no_space", "the disk takes no write at the moment; worth trying again: `Retry-After`"),
    ("no_trial", "the subscription has no trial"),
    ("not_confirmed", "whether the purchase was made is not known, and it is not sent again; a new key buys anew"),
    ("not_found", "unknown, or another's"),
    ("not_paid", "the order was not paid"),
    ("not_public", "clips of this can be shared by link alone"),
    ("not_registered", "a social log-in of somebody without an account"),
    ("over_budget", "the address sent an hour's bytes of analytics: `Retry-After`"),
    ("price_changed", "the price is not the one that was shown; `price` is the one that is asked for now"),
    ("queue_full", "events are taken later: `Retry-After`"),
    ("recaptcha_invalid", "reCAPTCHA refuses the token"),
    ("recaptcha_required", "the channel asks for a reCAPTCHA token"),
    ("reset_expired", "the link is too old, or was used"),
    ("reset_failed", "the link's signature is wrong"),
    ("setup_intent_unusable", "the card's set-up is unknown, or was used"),
    ("switched_off", "the upstream has no such call, and this worker cannot stand for it"),
    ("team_not_selected", "the package is a team's, and none was named"),
    ("temporary_password", "the password must be changed first"),
    ("token", "an operator's verb without the data folder's token"),
    ("too_large", "the body is larger than the call takes"),
    ("too_many", "too often: `Retry-After`"),
    ("too_many_clips", "the account has as many clips as it may"),
    ("too_many_favorites", "the account has as many favourites as it may"),
    ("too_slow", "the body took longer to arrive than the worker waits"),
    ("trial_used", "the account had its trial"),
    ("unauthenticated", "a call for people, made without one"),
    ("unavailable", "something that the call needs does not answer; worth trying again"),
    ("unknown_host", "no channel is shown under this host"),
    ("user_not_found", "the account is gone"),
    ("validation", "a rule refuses a field; `errors` says which"),
    ("verification_failed", "the link's signature or time is wrong"),
    ("wrong_auth_data", "the social log-in was refused"),
    ("wrong_code", "the device code is none, or too old"),
    ("wrong_login", "the address or the password is wrong"),
    ("wrong_password", "the present password is wrong"),
    ("wrong_promo_code", "the promo code is none, or not for this"),
];

/// Whether a call can answer this code.
pub(crate) fn is_known(code: &str) -> bool {
    CODES.iter().any(|(known, _)| *known == code)
}

/// The schema of a code: a text, for codes are added; the description holds those that there are.
pub(crate) fn schema() -> Object {
    let known: Vec<_> = CODES.iter().map(|(code, meaning)| format!("`{code}` ({meaning})")).collect();
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(format!("What happened, for a program: `snake_case`, stable. {}.", known.join(", "))))
        .examples(["not_found"])
        .build()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn sources(folder: &Path, text: &mut String) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                sources(&path, text);
            } else if !path.ends_with("codes.rs") {
                text.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }

    /// The other way round, [`crate::envelope::Failure::new`] fails every test in which a code is answered that is not
    /// here.
    #[test]
    fn every_code_is_answered_somewhere() {
        let mut text = String::new();
        for room in ["channel", "datalake", "touchline", "upstream"] {
            sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../{room}/src")), &mut text);
        }
        let dead: Vec<_> = CODES.iter().filter(|(code, _)| !text.contains(&format!("\"{code}\""))).collect();
        assert!(dead.is_empty(), "{dead:?}");
        assert!(CODES.is_sorted(), "in the order of the alphabet");
    }
}
