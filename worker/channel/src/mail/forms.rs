//! Notification of the operator about a submitted form (`FORM-2`).

use touchline_protocol::catalogue::CustomForm;
use touchline_protocol::isolated::isolated;
use touchline_store::{FormAnswer, Mail};

use super::from_channel;
use crate::catalogue::ChannelSnapshot;

/// Returns the email to `to`, in the channel's language. A reply goes to `sender`. It belongs to no account, so it is
/// deleted once sent.
pub(crate) fn submission_email(
    channel: &ChannelSnapshot,
    form: &CustomForm,
    (to, sender): (&str, Option<&str>),
    answers: &[FormAnswer],
) -> Mail {
    let name = isolated(&channel.settings.name);
    let intro = if channel.settings.language == "fr" {
        format!("Quelqu'un a soumis le formulaire « {} ».", isolated(&form.name))
    } else {
        format!("Someone submitted the form \u{201c}{}\u{201d}.", isolated(&form.name))
    };
    let lines: Vec<String> = answers.iter().map(|FormAnswer { label, value }| format!("{label}:\n{value}")).collect();
    let text = format!("{intro}\n\n{}\n\n{name}\n", lines.join("\n\n"));
    let separator = if channel.settings.language == "fr" { " : " } else { ": " };
    let subject = format!("{name}{separator}{}", isolated(&form.name));
    // A reply goes to the submitter, or to the sender if the submitter is unknown.
    let reply_to = sender.map(str::to_owned);
    Mail { recipient: to.to_owned(), reply_to, subject, text, ..from_channel(channel) }
}
