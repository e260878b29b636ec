//! The texts of letters, in the channel's language.

use url::Url;

use crate::auth::links::{self, LinkPurpose};
use crate::catalogue::ChannelSnapshot;
use crate::http::ApiResult;
use crate::state::AppState;
use crate::store::{IdempotencyClaim, Mail, User};

/// Queues the letter that carries a link for `user`, with its answer when it was claimed. Without a user, a letter to
/// nobody: it costs the caller as much time.
///
/// # Errors
/// When the store does not answer.
pub async fn queue(
    state: &AppState,
    channel: &ChannelSnapshot,
    purpose: LinkPurpose,
    user: Option<&User>,
    claim: Option<IdempotencyClaim>,
) -> ApiResult<()> {
    let now = state.clock.now_ms();
    let mail = match user {
        Some(user) => letter(state, channel, &state.site_url(channel), purpose, user),
        None => Mail {
            id: 0,
            user_id: None,
            sender_name: String::new(),
            recipient: String::new(),
            subject: String::new(),
            text: String::new(),
            attempts: 0,
        },
    };
    state.store.queue_mail(mail, now, claim).await?;
    state.wakeups.mail.notify_one();
    Ok(())
}

fn letter(state: &AppState, channel: &ChannelSnapshot, site: &Url, purpose: LinkPurpose, user: &User) -> Mail {
    let link = links::link(state, site, purpose, user);
    let name = &channel.settings.name;
    let french = channel.settings.language == "fr";
    let (subject, before, after) = if french { french_text(purpose, name) } else { english_text(purpose, name) };
    let greeting = if french { "Bonjour" } else { "Hello" };
    let text = format!("{greeting} {},\n\n{before}\n\n{link}\n\n{after}\n\n{name}\n", user.first_name);
    let (user_id, recipient) = (Some(user.id), user.email.clone());
    Mail { id: 0, user_id, sender_name: name.clone(), recipient, subject, text, attempts: 0 }
}

fn english_text(purpose: LinkPurpose, name: &str) -> (String, &'static str, &'static str) {
    match purpose {
        LinkPurpose::VerifyEmail => (
            format!("Verify your email address for {name}"),
            "please open this link to verify your email address:",
            "It works for 7 days. If you did not register, you can ignore this message.",
        ),
        LinkPurpose::ResetPassword => (
            format!("Reset your password for {name}"),
            "please open this link to choose a new password:",
            "It works once, for one hour. If you did not ask for it, you can ignore this message.",
        ),
        LinkPurpose::DeleteAccount => (
            format!("Delete your account at {name}"),
            "please open this link to delete your account for good:",
            "It works for 24 hours. If you did not ask for it, change your password.",
        ),
    }
}

fn french_text(purpose: LinkPurpose, name: &str) -> (String, &'static str, &'static str) {
    match purpose {
        LinkPurpose::VerifyEmail => (
            format!("Vérifiez votre adresse courriel pour {name}"),
            "veuillez ouvrir ce lien pour vérifier votre adresse courriel :",
            "Il est valable 7 jours. Si vous ne vous êtes pas inscrit, ignorez ce message.",
        ),
        LinkPurpose::ResetPassword => (
            format!("Réinitialisez votre mot de passe pour {name}"),
            "veuillez ouvrir ce lien pour choisir un nouveau mot de passe :",
            "Il fonctionne une fois, pendant une heure. Si vous ne l'avez pas demandé, ignorez ce message.",
        ),
        LinkPurpose::DeleteAccount => (
            format!("Supprimez votre compte chez {name}"),
            "veuillez ouvrir ce lien pour supprimer définitivement votre compte :",
            "Il est valable 24 heures. Si vous ne l'avez pas demandé, changez votre mot de passe.",
        ),
    }
}
