//! Emails: queued in the store and sent in the background.
//!
//! | module | contents |
//! |---|---|
//! | [`templates`] | account emails, in the channel's language |
//! | [`money`] | emails about payments; [`notices`] writes them after order events |
//! | [`passwords`] | notices of a changed password |
//! | [`forms`] | the notification about a submitted form |
//! | [`delivery`] | the queue, with retries |
//! | [`folder`], [`smtp`] | mailers |

pub mod delivery;
mod device_names;
pub mod folder;
pub(crate) mod forms;
mod moments;
pub(crate) mod money;
pub mod notices;
pub(crate) mod passwords;
pub mod smtp;
pub(crate) mod templates;

use std::fmt::Debug;
use std::path::Path;

use async_trait::async_trait;
use lettre::address::Envelope;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::{Address, Message};
use sha2::{Digest, Sha256};
use touchline_domain::accounts::deliverable_address;
use touchline_store::Mail;

use crate::catalogue::ChannelSnapshot;
use crate::catalogue::records::MailAddresses;

pub use folder::FolderMailer;
pub use smtp::SmtpMailer;

/// Reasons why an email was not sent.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// Permanent: the address was rejected or the message is invalid.
    #[error("the email was rejected: {0}")]
    Refused(String),
    /// The disk has no space for it now.
    #[error("there is no space for the email: {0}")]
    NoSpace(String),
    /// Temporary: the email is retried.
    #[error("the email cannot be sent now: {0}")]
    Unsent(String),
}

/// A transport for emails.
#[async_trait]
pub trait Mailer: Debug + Send + Sync + 'static {
    /// Sends an email written at `at`, milliseconds since 1970.
    async fn send(&self, mail: &Mail, at: i64) -> Result<(), MailError>;

    /// Returns the folder of a mailer that writes files.
    fn folder(&self) -> Option<&Path> {
        None
    }

    /// Deletes the emails to a person. Emails sent by SMTP cannot be recalled.
    async fn forget(&self, _user_id: i64) -> std::io::Result<()> {
        Ok(())
    }
}

/// Identical for every attempt, so that clients show an email that was sent twice only once.
fn message_id(mail: &Mail, from: &Address) -> String {
    let digest = Sha256::digest(format!("{}\n{}\n{}", mail.id, mail.recipient, mail.text));
    format!("<{}.{}@{}>", mail.id, hex::encode(&digest[..12]), from.domain())
}

/// Converts the text to HTML: one element per paragraph, with URLs as links.
fn html(text: &str) -> String {
    let escape =
        |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let paragraphs = text.trim().split("\n\n").map(|paragraph| {
        let content = escape(paragraph);
        let is_link = paragraph.starts_with("https://") || paragraph.starts_with("http://");
        if is_link && !paragraph.contains(char::is_whitespace) {
            format!("<p><a href=\"{content}\">{content}</a></p>\n")
        } else {
            format!("<p>{}</p>\n", content.replace('\n', "<br>"))
        }
    });
    format!("<!doctype html>\n<html><body>\n{}</body></html>\n", paragraphs.collect::<String>())
}

/// The sender of a channel's emails, and the address for replies.
pub(crate) fn from_channel(channel: &ChannelSnapshot) -> Mail {
    let MailAddresses { from, reply_to } = channel.config.mail.clone();
    Mail { sender_name: channel.settings.name.clone(), sender_address: from, reply_to, ..Mail::default() }
}

/// Builds the MIME message. It comes from the channel's own address, or from the deployment's.
fn message(mail: &Mail, deployment: &Address, at: i64) -> Result<Message, MailError> {
    let refused = |error: &dyn std::error::Error| MailError::Refused(error.to_string());
    let of_channel = mail.sender_address.as_deref().map(|address| deliverable_address(address).parse());
    let from = of_channel.transpose().map_err(|error| refused(&error))?.unwrap_or_else(|| deployment.clone());
    let to: Address = deliverable_address(&mail.recipient).parse().map_err(|error| refused(&error))?;
    let envelope = Envelope::new(Some(from.clone()), vec![to.clone()]).map_err(|error| refused(&error))?;
    // An address that lettre rejects is in the text.
    let reply_to = mail.reply_to.as_deref().and_then(|address| deliverable_address(address).parse().ok());
    let date = std::time::UNIX_EPOCH + std::time::Duration::from_millis(at.max(0).unsigned_abs());
    let mut builder = Message::builder();
    if let Some(address) = reply_to {
        builder = builder.reply_to(Mailbox::new(None, address));
    }
    builder
        .from(Mailbox::new(Some(mail.sender_name.clone()), from.clone()))
        .to(Mailbox::new(None, to))
        // lettre would read them from the headers, where it knows no bracketed IPv4 address (`VAL-1`).
        .envelope(envelope)
        .subject(&mail.subject)
        .date(date)
        .message_id(Some(message_id(mail, &from)))
        // Out-of-office replies leave automatic emails out (RFC 3834).
        .raw_header(HeaderValue::new(HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated".to_owned()))
        // lettre sets MIME-Version for multipart messages.
        .multipart(MultiPart::alternative_plain_html(mail.text.clone(), html(&mail.text)))
        .map_err(|error| refused(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_email_has_headers_text_and_html() {
        let mail = Mail {
            id: 7,
            user_id: Some(1),
            sender_name: "Meadow".into(),
            recipient: "ada@example.com".into(),
            subject: "Verify".into(),
            text: "Hello <b>Ada</b>,\n\nplease open this:\n\nhttps://meadow.test/verify?a=1&b=2\n\nMeadow\n".into(),
            ..Mail::default()
        };
        let raw = |mail: &Mail| {
            let message = message(mail, &"no-reply@meadow.test".parse().unwrap(), 0).unwrap();
            String::from_utf8(message.formatted()).unwrap()
        };
        let raw_email = raw(&mail);
        for part in [
            "MIME-Version: 1.0\r\n",
            "Auto-Submitted: auto-generated\r\n",
            "Message-ID: <7.",
            "@meadow.test>\r\n",
            "Content-Type: multipart/alternative;",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Type: text/html; charset=utf-8",
            "<p>Hello &lt;b&gt;Ada&lt;/b&gt;,</p>",
        ] {
            assert!(raw_email.contains(part), "{part}: {raw_email}");
        }
        let unwrapped = raw_email.replace("=\r\n", "").replace("=3D", "=");
        assert!(unwrapped.contains("<a href=\"https://meadow.test/verify?a=1&amp;b=2\">"), "{unwrapped}");
        let id = |raw_email: &str| raw_email.lines().find(|line| line.starts_with("Message-ID")).unwrap().to_owned();
        assert_eq!(id(&raw_email), id(&raw(&mail)), "a second attempt has the same id");
        assert_ne!(id(&raw_email), id(&raw(&Mail { id: 8, ..mail.clone() })));
        assert!(!raw_email.contains("Reply-To"), "{raw_email}");
        for (address, replies) in [("eve@example.com", true), ("not an address\r\nBcc: x@example.com", false)] {
            let with_reply = raw(&Mail { reply_to: Some(address.into()), ..mail.clone() });
            assert_eq!(with_reply.contains("Reply-To: eve@example.com\r\n"), replies, "{with_reply}");
            assert!(!with_reply.contains("Bcc"), "{with_reply}");
        }
        let from_club = raw(&Mail { sender_address: Some("tickets@club.test".into()), ..mail.clone() });
        assert!(from_club.contains("From: Meadow <tickets@club.test>\r\n"), "{from_club}");
        assert!(!from_club.contains("no-reply@meadow.test"), "{from_club}");
        let international = raw(&Mail { recipient: "jörg@bücher.example".into(), ..mail });
        assert!(international.contains("jörg@xn--bcher-kva.example"), "{international}");
    }

    /// Every address that may register gets its emails (`VAL-1`).
    #[test]
    fn each_valid_address_is_a_recipient() {
        let cases = include_str!("../../../../fixtures/contracts/contact-details.json");
        let cases: serde_json::Value = serde_json::from_str(cases).unwrap();
        for address in cases["email"]["accepted"].as_array().unwrap() {
            let recipient = address.as_str().unwrap().trim().to_owned();
            let (sender_name, subject, text) = ("Meadow".into(), "Verify".into(), "Hello".into());
            let mail = Mail { id: 7, sender_name, recipient, subject, text, ..Mail::default() };
            let message = message(&mail, &"no-reply@meadow.test".parse().unwrap(), 0).unwrap();
            let to = message.envelope().to()[0].to_string();
            assert_eq!(to, deliverable_address(&mail.recipient));
            assert!(String::from_utf8_lossy(&message.formatted()).contains(&to), "{to}");
        }
    }
}
