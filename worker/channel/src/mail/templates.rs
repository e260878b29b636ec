//! Account emails, in the channel's language.

use touchline_protocol::ambient::Clock;
use touchline_protocol::isolated::isolated;
use touchline_protocol::limits::Limit;
use touchline_store::{IdempotencyClaim, Mail, MasterSecret, Store, StoreResult, User};
use url::Url;

use super::from_channel;
use crate::auth::email_tokens::{self, LinkPurpose};
use crate::background::Wakeups;
use crate::catalogue::ChannelSnapshot;

#[derive(Clone, Copy)]
pub(crate) struct MailQueue<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) clock: &'a dyn Clock,
    /// Key for signing links.
    pub(crate) secret: &'a MasterSecret,
    /// Signal for the delivery.
    pub(crate) wakeups: &'a Wakeups,
}

/// Queues an email with a signed link for `user`, together with the claimed idempotency key. Without a user it queues
/// an email without a recipient, so that both calls take the same time.
pub(crate) async fn queue(
    mails: &MailQueue<'_>,
    channel: &ChannelSnapshot,
    site: &Url,
    purpose: LinkPurpose,
    user: Option<&User>,
    claim: Option<IdempotencyClaim>,
) -> StoreResult<()> {
    let now = mails.clock.now_ms();
    let mail = match user {
        Some(user) => mail_with_link(mails, channel, site, purpose, user, &user.email),
        None => Mail::default(),
    };
    mails.store.queue_mail(mail, now, claim).await?;
    mails.wakeups.mail.notify_one();
    Ok(())
}

/// Queues the email to a new address, which the account gets once the link is opened.
pub(crate) async fn queue_address_change(
    mails: &MailQueue<'_>,
    channel: &ChannelSnapshot,
    site: &Url,
    user: &User,
    email: &str,
) -> StoreResult<()> {
    let mail = mail_with_link(mails, channel, site, LinkPurpose::ChangeEmail, user, email);
    mails.store.queue_mail(mail, mails.clock.now_ms(), None).await?;
    mails.wakeups.mail.notify_one();
    Ok(())
}

/// Returns the email with a signed link to an address.
pub(crate) fn mail_with_link(
    mails: &MailQueue<'_>,
    channel: &ChannelSnapshot,
    site: &Url,
    purpose: LinkPurpose,
    user: &User,
    to: &str,
) -> Mail {
    let link = email_tokens::link(mails.secret, mails.clock.now_s(), site, purpose, user, to);
    let name = &isolated(&channel.settings.name);
    let french = channel.settings.language == "fr";
    let (subject, before, after) = if french { french_text(purpose, name) } else { english_text(purpose, name) };
    let greeting = greeting(french, &user.first_name);
    let text = format!("{greeting},\n\n{before}\n\n{link}\n\n{after}\n\n{name}\n");
    let (user_id, recipient) = (Some(user.id), to.to_owned());
    Mail { user_id, recipient, subject, text, ..from_channel(channel) }
}

/// Returns the notice to an account's previous address. It contains no link, since its reader may not be the account's
/// owner.
pub(crate) fn address_changed(channel: &ChannelSnapshot, user: &User) -> Mail {
    let name = isolated(&channel.settings.name);
    let french = channel.settings.language == "fr";
    let greeting = greeting(french, &user.first_name);
    let (subject, body) = if french {
        (
            format!("L'adresse courriel de votre compte {name} a été modifiée"),
            "L'adresse courriel de votre compte vient d'être modifiée. Si ce n'était pas vous, écrivez-nous sans tarder : \
             quelqu'un connaît votre mot de passe.",
        )
    } else {
        (
            format!("The email address for your {name} account was changed"),
            "The email address for your account was just changed. If this wasn't you, contact us right away: \
             someone else knows your password.",
        )
    };
    let text = format!("{greeting},\n\n{body}\n\n{name}\n");
    let (user_id, recipient) = (Some(user.id), user.email.clone());
    Mail { user_id, recipient, subject, text, ..from_channel(channel) }
}

/// Maximum length of a name in a greeting, in characters.
const MAX_GREETING_NAME: usize = 40;
pub(crate) const LIMITS: &[Limit] = &[Limit::count(
    "mail.greeting",
    MAX_GREETING_NAME as u64,
    "characters",
    "Maximum length of a name in an email's greeting; longer names, and names that look like addresses, are left out.",
)];

/// Returns the greeting of an email. Anyone may register another person's address under any name, so the greeting omits
/// a name that email clients could show as an address or that is a message of its own (`AUTH-11`).
pub(super) fn greeting(french: bool, first_name: &str) -> String {
    let hello = if french { "Bonjour" } else { "Hello" };
    if is_plain_name(first_name) { format!("{hello} {}", isolated(first_name.trim())) } else { hello.to_owned() }
}

fn is_plain_name(name: &str) -> bool {
    // Letters of any script with their combining accents; no lookalikes and no invisible characters.
    let plain = |c: char| c.is_alphabetic() || " '’-.".contains(c) || ('\u{300}'..='\u{36f}').contains(&c);
    let letters: Vec<char> = name.trim().chars().collect();
    // `J.R.` is a name, `a.example` is an address.
    let is_host = letters.windows(3).any(|w| w[0] == '.' && w[1].is_alphanumeric() && w[2].is_alphanumeric());
    !letters.is_empty() && letters.len() <= MAX_GREETING_NAME && letters.iter().all(|&c| plain(c)) && !is_host
}

fn english_text(purpose: LinkPurpose, name: &str) -> (String, &'static str, &'static str) {
    match purpose {
        LinkPurpose::VerifyEmail => (
            format!("Confirm your email address for {name}"),
            "Please open this link to confirm your email address:",
            "The link is valid for 7 days. If you didn't create an account, you can ignore this email.",
        ),
        LinkPurpose::ChangeEmail => (
            format!("Confirm your new email address for {name}"),
            "Please open this link to confirm your new email address:",
            "The link works once and is valid for 24 hours. Until you open it, your account keeps its current address. If you didn't request this, you can ignore this email.",
        ),
        LinkPurpose::ResetPassword => (
            format!("Reset your {name} password"),
            "Please open this link to choose a new password:",
            "The link works once and is valid for one hour. If you didn't request this, you can ignore this email.",
        ),
        LinkPurpose::DeleteAccount => (
            format!("Delete your {name} account"),
            "Please open this link to permanently delete your account:",
            "The link is valid for 24 hours. If you didn't request this, change your password.",
        ),
    }
}

fn french_text(purpose: LinkPurpose, name: &str) -> (String, &'static str, &'static str) {
    match purpose {
        LinkPurpose::VerifyEmail => (
            format!("Confirmez votre adresse courriel pour {name}"),
            "Veuillez ouvrir ce lien pour confirmer votre adresse courriel :",
            "Ce lien est valide pendant 7 jours. Si vous n'avez pas créé de compte, ignorez ce courriel.",
        ),
        LinkPurpose::ChangeEmail => (
            format!("Confirmez votre nouvelle adresse courriel pour {name}"),
            "Veuillez ouvrir ce lien pour confirmer votre nouvelle adresse courriel :",
            "Ce lien ne fonctionne qu'une fois et expire dans 24 heures. D'ici là, votre compte conserve son adresse actuelle. Si vous n'êtes pas à l'origine de cette demande, ignorez ce courriel.",
        ),
        LinkPurpose::ResetPassword => (
            format!("Réinitialisez votre mot de passe {name}"),
            "Veuillez ouvrir ce lien pour choisir un nouveau mot de passe :",
            "Ce lien ne fonctionne qu'une fois et expire dans une heure. Si vous n'êtes pas à l'origine de cette demande, ignorez ce courriel.",
        ),
        LinkPurpose::DeleteAccount => (
            format!("Supprimez votre compte {name}"),
            "Veuillez ouvrir ce lien pour supprimer définitivement votre compte :",
            "Ce lien est valide pendant 24 heures. Si vous n'êtes pas à l'origine de cette demande, changez votre mot de passe.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_contains_names_but_no_addresses() {
        for name in [
            "Ada",
            " Zoë ",
            "Jean-Luc",
            "O'Neil",
            "J.R.",
            "J. R. R.",
            "Anne Marie",
            "李",
            "Łukasz",
            "İrem",
            "Zoe\u{308}",
            "O’Neil",
        ] {
            assert_eq!(greeting(false, name), format!("Hello {}", name.trim()), "{name}");
        }
        // A right-to-left name keeps its direction (`EVENT-9`).
        assert_eq!(greeting(false, "דנה"), "Hello \u{2068}דנה\u{2069}");
        for name in [
            "http://evil.example",
            "evil.example",
            "Ada, visit evil.example now",
            "www.evil",
            "a@b",
            "you won: t.co/x",
            "evil。example",
            "evil．example",
            "evil\u{2024}example",
            "evil.\u{200b}example",
            "evil.\u{2060}example",
            "evil.\u{ad}example",
            "evil\u{b7}com",
            "\u{202e}moc.live",
            "",
            &"a".repeat(41),
        ] {
            assert_eq!(greeting(false, name), "Hello", "{name}");
            assert_eq!(greeting(true, name), "Bonjour", "{name}");
        }
    }
}
