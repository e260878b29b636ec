//! Form validation that reports every fault, not only the first. The rules come from the domain crate.

use touchline_domain::accounts::{
    NAME_MAX, NameFault, PASSWORD_MAX, PasswordFault, is_email, name_fault, password_fault,
};
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::Failure;

use super::error::{ApiError, ApiResult};
use crate::messages;

/// The faults found so far.
#[derive(Debug, Default)]
pub(crate) struct Faults<'a>(Vec<(&'a str, String)>);

impl<'a> Faults<'a> {
    pub(crate) fn add(&mut self, field: &'a str, message: impl Into<String>) {
        self.0.push((field, message.into()));
    }

    pub(crate) fn unless(&mut self, is_valid: bool, field: &'a str, message: impl Into<String>) {
        if !is_valid {
            self.add(field, message);
        }
    }

    /// Checks a name; `missing` is the message for an empty one.
    pub(crate) fn name(&mut self, field: &'a str, value: &str, missing: &str) {
        if let Some(fault) = name_fault(value) {
            self.name_fault(field, fault, missing);
        }
    }

    /// Adds a fault of a name; `missing` is the message for an empty one.
    pub(crate) fn name_fault(&mut self, field: &'a str, fault: NameFault, missing: &str) {
        match fault {
            NameFault::Missing => self.add(field, missing),
            NameFault::TooLong => self.add(field, messages::shorter_than(NAME_MAX + 1)),
            NameFault::Malformed => self.add(field, messages::MALFORMED),
        }
    }

    /// Checks an email address.
    pub(crate) fn email(&mut self, field: &'a str, value: &str) {
        if value.trim().is_empty() {
            self.add(field, messages::EMAIL);
        } else if !is_email(value.trim()) {
            self.add(field, messages::EMAIL_INVALID);
        }
    }

    /// Checks a new password and its confirmation.
    pub(crate) fn password(&mut self, password: &str, confirmation: &str, differ: &str) {
        match password_fault(password) {
            Some(PasswordFault::TooShort) => self.add("password", messages::PASSWORD_TOO_SHORT),
            Some(PasswordFault::TooLong) => self.add("password", messages::shorter_than(PASSWORD_MAX + 1)),
            None => {}
        }
        if password != confirmation {
            self.add("password_confirmation", differ);
        }
    }

    /// Succeeds if there are no faults.
    ///
    /// # Errors
    /// Fails with 400. The message is the first fault's; `errors` lists them all.
    pub(crate) fn check(self) -> ApiResult<()> {
        let Some((_, first)) = self.0.first() else { return Ok(()) };
        let failure = Failure::new(ErrorCode::Validation, first.clone());
        Err(ApiError::Invalid(self.0.into_iter().fold(failure, |failure, (field, fault)| failure.field(field, fault))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_faults_are_reported_and_the_first_is_the_message() {
        let mut faults = Faults::default();
        faults.name("first_name", " ", messages::FIRST_NAME);
        faults.password("short", "other", messages::PASSWORDS_DIFFER);
        let Err(ApiError::Invalid(failure)) = faults.check() else { panic!("faults were found") };
        assert_eq!(failure.message, messages::FIRST_NAME);
        assert_eq!(failure.errors["first_name"], [messages::FIRST_NAME]);
        assert_eq!(failure.errors["password"], [messages::PASSWORD_TOO_SHORT]);
        assert_eq!(failure.errors["password_confirmation"], [messages::PASSWORDS_DIFFER]);
    }
}
