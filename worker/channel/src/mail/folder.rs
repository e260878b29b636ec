//! Emails as files in a folder: the default, which sends nothing over the network.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use lettre::Address;
use touchline_protocol::limits::Limit;
use touchline_store::Mail;

use super::{MailError, Mailer, message};

const LIST_LIMIT: usize = 100;
const READ_LIMIT: u64 = 64 * 1024;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("mail.listed", LIST_LIMIT as u64, "emails", "Emails listed by `/demo/mail`."),
    Limit::bytes("mail.read", READ_LIMIT, "Bytes of each email that it reads."),
];

/// Writes each email to `<time>-<id>-<user id>.eml`.
#[derive(Debug, Clone)]
pub struct FolderMailer {
    folder: PathBuf,
    from: Address,
}

/// An email in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEmail {
    /// File name.
    pub name: String,
    /// The raw MIME message.
    pub raw: String,
}

impl FolderMailer {
    /// Creates a mailer that writes to this folder. A missing folder is created.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn new(folder: PathBuf, from: Address) -> std::io::Result<Self> {
        std::fs::create_dir_all(&folder)?;
        Ok(Self { folder, from })
    }

    /// Returns the latest emails, newest first.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn emails(&self) -> std::io::Result<Vec<StoredEmail>> {
        let mut names: Vec<_> = std::fs::read_dir(&self.folder)?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.ends_with(".eml"))
            .collect();
        names.sort_unstable_by(|one, other| other.cmp(one));
        names.truncate(LIST_LIMIT);
        names
            .into_iter()
            .map(|name| {
                let mut raw = String::new();
                let file = std::fs::File::open(self.folder.join(&name))?;
                std::io::Read::read_to_string(&mut std::io::Read::take(file, READ_LIMIT), &mut raw)?;
                Ok(StoredEmail { name, raw })
            })
            .collect()
    }
}

#[async_trait]
impl Mailer for FolderMailer {
    async fn send(&self, mail: &Mail, at: i64) -> Result<(), MailError> {
        let bytes = message(mail, &self.from, at)?.formatted();
        let path = self.folder.join(format!("{at:015}-{:09}-{}.eml", mail.id, mail.user_id.unwrap_or_default()));
        let unfinished = path.with_extension("begun");
        let written = match tokio::fs::write(&unfinished, bytes).await {
            Ok(()) => tokio::fs::rename(&unfinished, &path).await,
            Err(error) => Err(error),
        };
        if written.is_err() {
            // A partial file must not take up space on a disk that may be full.
            let _ = tokio::fs::remove_file(&unfinished).await;
        }
        written.map_err(|error| match touchline_disk::is_passing(&error) {
            true => MailError::NoSpace(error.to_string()),
            false => MailError::Unsent(error.to_string()),
        })
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.folder)
    }

    async fn forget(&self, user_id: i64) -> std::io::Result<()> {
        let person = user_id.to_string();
        let mut emails = tokio::fs::read_dir(&self.folder).await?;
        while let Some(email) = emails.next_entry().await? {
            if email.path().file_stem().is_some_and(|stem| stem.to_string_lossy().split('-').nth(2) == Some(&person)) {
                match tokio::fs::remove_file(email.path()).await {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}
