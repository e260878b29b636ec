//! Identification of callers.
//!
//! | module | content |
//! |---|---|
//! | [`keyring`] | API keys |
//! | [`passwords`] | argon2id, off the async threads |
//! | [`email_tokens`] | signed, expiring links in mails |
//! | [`limits`] | rate limits |
//! | [`recaptcha`] | the optional reCAPTCHA check |
//! | [`social`] | logins through other sites |
//! | [`visitor_tokens`] | signed keys of visitors |

pub mod email_tokens;
pub(crate) mod keyring;
pub mod limits;
pub mod passwords;
pub mod recaptcha;
pub mod social;
pub(crate) mod visitor_tokens;
