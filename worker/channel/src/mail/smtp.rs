//! Emails through an SMTP server.

use std::time::Duration;

use async_trait::async_trait;
use lettre::transport::smtp::AsyncSmtpTransport;
use lettre::{Address, AsyncTransport, Tokio1Executor};
use touchline_store::Mail;

use super::{MailError, Mailer, message};

/// Sends through one SMTP server.
pub struct SmtpMailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Address,
}

impl SmtpMailer {
    /// Creates a mailer for this URL: `smtp://host:25`, `smtp://user:password@host:587?tls=required` or
    /// `smtps://user:password@host`.
    ///
    /// # Errors
    /// If the URL is invalid. The error omits the URL, which may contain a password.
    pub fn new(url: &str, from: Address) -> anyhow::Result<Self> {
        let transport =
            AsyncSmtpTransport::<Tokio1Executor>::from_url(url)?.timeout(Some(Duration::from_secs(20))).build();
        Ok(Self { transport, from })
    }
}

impl std::fmt::Debug for SmtpMailer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SmtpMailer").finish_non_exhaustive()
    }
}

#[async_trait]
impl Mailer for SmtpMailer {
    async fn send(&self, mail: &Mail, at: i64) -> Result<(), MailError> {
        let message = message(mail, &self.from, at)?;
        // The server's reply may contain the address, which must not reach logs.
        self.transport.send(message).await.map(drop).map_err(|error| {
            let cause = error.status().map_or_else(|| "no response".to_owned(), |code| format!("status {code}"));
            if error.is_permanent() { MailError::Refused(cause) } else { MailError::Unsent(cause) }
        })
    }
}
