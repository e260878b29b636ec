//! `/demo/mail`: the demo mailbox, whose links work as they would in a mail client.

use std::io;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use mail_parser::{Addr, MessageParser};
use touchline_channel::http::Client;
use touchline_channel::http::client::host_of;
use touchline_channel::mail::FolderMailer;
use touchline_channel::mail::folder::StoredEmail;

use super::escaped;
use crate::error_response::{internal, not_found};
use crate::local_host::is_this_machine;

/// The page, for people at this machine only: not for other sites through DNS rebinding, nor for clients behind a
/// proxy.
pub(super) async fn page(mail: FolderMailer, request: Request) -> Response {
    let host = host_of(request.uri(), request.headers());
    let is_here = request.extensions().get::<Client>().is_some_and(|client| client.address.is_loopback());
    if !is_here || !is_this_machine(host) {
        return not_found();
    }
    match tokio::task::spawn_blocking(move || mail.emails()).await.unwrap_or_else(|error| Err(io::Error::other(error)))
    {
        Ok(emails) => super::page("Touchline: demo mailbox", &body(&emails), "no-store"),
        Err(error) => {
            tracing::error!(%error, "the demo mailbox cannot be read");
            internal().into_response()
        }
    }
}

fn body(emails: &[StoredEmail]) -> String {
    let articles: String = emails.iter().filter_map(|email| article(&email.raw)).collect();
    let none = if articles.is_empty() { "<p>No emails yet.</p>" } else { "" };
    format!("<h1>Demo mailbox</h1><p>Newest first. These emails are not sent anywhere else.</p>{none}{articles}")
}

fn article(raw: &str) -> Option<String> {
    let message = MessageParser::default().parse(raw)?;
    let to = message.to().and_then(|to| to.first()).and_then(Addr::address).unwrap_or_default();
    let date = message.date().map(mail_parser::DateTime::to_rfc3339).unwrap_or_default();
    let text = message.body_text(0).unwrap_or_default();
    Some(format!(
        "<article><h3>{}</h3><p>To {}, {}</p><pre>{}</pre></article>",
        escaped(message.subject().unwrap_or_default()),
        escaped(to),
        escaped(&date),
        linked(&text)
    ))
}

fn linked(text: &str) -> String {
    let link_or_text = |token: &str| {
        let trimmed = token.trim_end();
        if trimmed.starts_with("http://") || trimmed.starts_with("https://") {
            let address = escaped(trimmed);
            format!("<a href=\"{address}\">{address}</a>{}", &token[trimmed.len()..])
        } else {
            escaped(token)
        }
    };
    text.split_inclusive(char::is_whitespace).map(link_or_text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_become_links_and_everything_else_is_escaped() {
        let text = "Hi <b>, see\nhttps://a.example/x?email=a%40b.co&expires=1\nand javascript:alert(1)\n";
        assert_eq!(
            linked(text),
            "Hi &lt;b&gt;, see\n<a href=\"https://a.example/x?email=a%40b.co&amp;expires=1\">\
             https://a.example/x?email=a%40b.co&amp;expires=1</a>\nand javascript:alert(1)\n"
        );
    }

    #[test]
    fn emails_are_decoded_and_escaped() {
        let raw = "To: ada@example.com\r\nSubject: =?utf-8?q?V=C3=A9rifiez?= <x>\r\nMIME-Version: 1.0\r\n\
            Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
            Bonjour <i>Zo=C3=AB</i>,\r\nhttps://a.example/verify?x=3D1&y=3D2\r\n";
        let article = article(raw).unwrap();
        assert!(article.contains("<h3>Vérifiez &lt;x&gt;</h3>") && article.contains("To ada@example.com"), "{article}");
        assert!(article.contains("Bonjour &lt;i&gt;Zoë&lt;/i&gt;,"), "{article}");
        assert!(article.contains("href=\"https://a.example/verify?x=1&amp;y=2\""), "{article}");
    }
}
