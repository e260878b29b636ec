//! Notices of a changed or reset password (`AUTH-15`). They contain no link, since a link that logs in would help a thief.

use touchline_protocol::isolated::isolated;
use touchline_store::{Mail, User};

use super::device_names::device_name;
use super::from_channel;
use super::moments::moment;
use super::templates::greeting;
use crate::catalogue::ChannelSnapshot;

/// The way in which a password was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replaced {
    /// In the profile, by somebody who knew the former one.
    InProfile,
    /// By a mailed link.
    ByLink,
}

/// Returns the notice to the account's address, or `None` if nobody has confirmed that the address is theirs: anyone
/// may register another person's address. `user_agent` is the device's, `at_ms` Unix milliseconds.
pub(crate) fn password_replaced(
    channel: &ChannelSnapshot,
    user: &User,
    replaced: Replaced,
    user_agent: &str,
    at_ms: i64,
) -> Option<Mail> {
    if !user.email_verified && replaced == Replaced::InProfile {
        return None;
    }
    let name = isolated(&channel.settings.name);
    let french = channel.settings.language == "fr";
    let greeting = greeting(french, &user.first_name);
    let moment = moment(channel, at_ms);
    let device = device_name(user_agent);
    let (subject, intro, facts, advice) = if french {
        (
            format!("Le mot de passe de votre compte {name} a été modifié"),
            "Le mot de passe de votre compte vient d'être modifié.",
            format!("Date : {moment}\nAppareil : {}", device.unwrap_or_else(|| "inconnu".to_owned())),
            match replaced {
                Replaced::InProfile => {
                    "Tous les autres appareils sont déconnectés. Si ce n'était pas vous, quelqu'un connaît votre mot de \
                     passe : choisissez « Mot de passe oublié ? » sur la page de connexion pour en définir un nouveau."
                }
                Replaced::ByLink => {
                    "Tous les appareils sont déconnectés. Si ce n'était pas vous, quelqu'un lit vos courriels : changez \
                     le mot de passe de votre messagerie, puis choisissez « Mot de passe oublié ? » sur la page de \
                     connexion."
                }
            },
        )
    } else {
        (
            format!("Your {name} password was changed"),
            "The password for your account was just changed.",
            format!("Time: {moment}\nDevice: {}", device.unwrap_or_else(|| "unknown".to_owned())),
            match replaced {
                Replaced::InProfile => {
                    "All other devices are logged out. If this wasn't you, someone else knows your password: choose \
                     \u{201c}Forgot your password?\u{201d} on the login page to set a new one."
                }
                Replaced::ByLink => {
                    "All devices are logged out. If this wasn't you, someone else can read your email: change \
                     your email password, then choose \u{201c}Forgot your password?\u{201d} on the login page."
                }
            },
        )
    };
    let text = format!("{greeting},\n\n{intro}\n\n{facts}\n\n{advice}\n\n{name}\n");
    let (user_id, recipient) = (Some(user.id), user.email.clone());
    Some(Mail { user_id, recipient, subject, text, ..from_channel(channel) })
}
