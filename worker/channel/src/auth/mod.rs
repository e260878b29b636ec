//! How the channel knows who asks.
//!
//! | module | what |
//! |---|---|
//! | [`keyring`] | API keys |
//! | [`passwords`] | argon2id, off the async threads |
//! | [`email_tokens`] | signed, expiring links in mails |
//! | [`limits`] | how often one may guess |
//! | [`recaptcha`] | the optional check for robots |
//! | [`social`] | logging in through another site |

pub mod email_tokens;
pub mod keyring;
pub mod limits;
pub mod passwords;
pub mod recaptcha;
pub mod social;
