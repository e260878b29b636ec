//! What is written to people: queued in the store, sent behind the calls.
//!
//! | module | what |
//! |---|---|
//! | [`letters`] | the texts, in the channel's language |
//! | [`post`] | takes letters off the queue and tries again what fails |
//! | [`folder`], [`smtp`] | where they go |

pub mod folder;
pub mod letters;
pub mod post;
pub mod smtp;

use std::fmt::Debug;

use async_trait::async_trait;
use lettre::message::{Mailbox, header::ContentType};
use lettre::{Address, Message};

use crate::store::Mail;

pub use folder::FolderMailer;
pub use smtp::SmtpMailer;

/// Why a letter was not sent.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// It never will be: a refused address, a letter that cannot be written.
    #[error("the letter is refused: {0}")]
    Refused(String),
    /// It may be later.
    #[error("the letter cannot be sent now: {0}")]
    Unsent(String),
}

/// Where letters go.
#[async_trait]
pub trait Mailer: Debug + Send + Sync + 'static {
    /// Sends a letter written at `at`, milliseconds since 1970.
    async fn send(&self, mail: &Mail, at: i64) -> Result<(), MailError>;

    /// Forgets the letters to a person. What has left for good, as by SMTP, is in nobody's hands.
    async fn forget(&self, _user_id: i64) -> std::io::Result<()> {
        Ok(())
    }
}

/// The letter as it travels.
fn message(mail: &Mail, from: &Address, at: i64) -> Result<Message, MailError> {
    let refused = |error: &dyn std::error::Error| MailError::Refused(error.to_string());
    let to: Address = mail.recipient.parse().map_err(|error| refused(&error))?;
    let date = std::time::UNIX_EPOCH + std::time::Duration::from_millis(at.max(0).unsigned_abs());
    Message::builder()
        .from(Mailbox::new(Some(mail.sender_name.clone()), from.clone()))
        .to(Mailbox::new(None, to))
        .subject(&mail.subject)
        .date(date)
        .header(ContentType::TEXT_PLAIN)
        .body(mail.text.clone())
        .map_err(|error| refused(&error))
}
