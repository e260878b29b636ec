use std::sync::Arc;

use metrics_exporter_prometheus::PrometheusBuilder;
use parking_lot::Mutex;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use touchline_channel::MailOptions;
use touchline_channel::mail::delivery;

use crate::app::{App, ChannelFolder};

type Mailbox = Arc<Mutex<Vec<String>>>;

/// An SMTP server that rejects the first recipients with these codes and then accepts every mail.
async fn server(refusals: Vec<&'static str>) -> (String, Mailbox) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://{}", listener.local_addr().unwrap());
    let mails = Mailbox::default();
    let (received, refusals) = (Arc::clone(&mails), Arc::new(Mutex::new(refusals)));
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(serve(socket, Arc::clone(&received), Arc::clone(&refusals)));
        }
    });
    (url, mails)
}

async fn serve(mut socket: TcpStream, mails: Mailbox, refusals: Arc<Mutex<Vec<&'static str>>>) {
    let (read, mut write) = socket.split();
    let mut lines = BufReader::new(read).lines();
    write.write_all(b"220 ready\r\n").await.unwrap();
    while let Ok(Some(line)) = lines.next_line().await {
        let answer = match line.split_once(' ').map_or(line.as_str(), |(verb, _)| verb) {
            "RCPT" => {
                let mut refusals = refusals.lock();
                if refusals.is_empty() { "250 ok" } else { refusals.remove(0) }
            }
            "DATA" => {
                write.write_all(b"354 go on\r\n").await.unwrap();
                let mut message = String::new();
                while let Ok(Some(line)) = lines.next_line().await {
                    if line == "." {
                        break;
                    }
                    message += &(line + "\n");
                }
                mails.lock().push(message);
                "250 taken"
            }
            "QUIT" => "221 bye",
            _ => "250 ok",
        };
        write.write_all(format!("{answer}\r\n").as_bytes()).await.unwrap();
    }
}

async fn app(url: &str) -> App {
    let app = App::with(|options| options.mail = MailOptions::Smtp(url.to_owned())).await;
    app.person("ada").await;
    app
}

#[tokio::test]
async fn a_mail_is_sent_once() {
    let (url, mails) = server(Vec::new()).await;
    let app = app(&url).await;
    delivery::send_due(&app.state.delivery()).await.unwrap();
    delivery::send_due(&app.state.delivery()).await.unwrap();
    let mails = mails.lock();
    assert_eq!(mails.len(), 1);
    assert!(mails[0].contains("To: ada@example.com") && mails[0].contains("From: \"Meadow Sports\""), "{}", mails[0]);
    assert!(mails[0].contains("Date: Fri, 15 Jan 2027 08:00:00"), "{}", mails[0]);
}

/// A commit that fails after the email was sent sends no second one.
#[tokio::test]
async fn a_mail_is_sent_once_if_the_store_cannot_record_it() {
    let (url, mails) = server(Vec::new()).await;
    let app = app(&url).await;
    let delivery = app.state.delivery();
    app.fail_writes("DELETE ON mails").await;
    for _ in 0..2 {
        delivery::send_due(&delivery).await.unwrap_err();
    }
    app.allow_writes().await;
    delivery::send_due(&delivery).await.unwrap();
    assert_eq!(mails.lock().len(), 1);
    assert_eq!(app.count("SELECT COUNT(*) FROM mails").await, 0);
}

/// `EVENT-9`: names keep their direction in texts; the sender is a name alone.
#[tokio::test]
async fn a_hebrew_name_is_isolated_in_emails() {
    let folder = ChannelFolder::copied();
    folder.set("settings.json", "/name", json!("מכבי"));
    let app = App::of(&folder).await;
    let person = app.person("ada").await;
    let mail = app.state.store.due_mails(i64::MAX, 10).await.unwrap().remove(0);
    assert_eq!(mail.recipient, person.email);
    assert_eq!(mail.sender_name, "מכבי");
    assert_eq!(mail.subject, "Confirm your email address for \u{2068}מכבי\u{2069}");
    assert!(mail.text.ends_with("\n\u{2068}מכבי\u{2069}\n"), "{}", mail.text);
}

/// Shows OPS-54.
#[tokio::test]
async fn emails_have_the_addresses_of_their_channel() {
    let folder = ChannelFolder::copied();
    folder.set("channel.json", "/mail", json!({ "from": "tickets@club.test", "reply_to": "help@club.test" }));
    let app = App::of(&folder).await;
    app.person("ada").await;
    let mail = app.state.store.due_mails(i64::MAX, 10).await.unwrap().remove(0);
    assert_eq!(mail.sender_address.as_deref(), Some("tickets@club.test"));
    assert_eq!(mail.reply_to.as_deref(), Some("help@club.test"));
}

/// An address that the server doesn't send from costs no email. Shows OPS-54.
#[tokio::test]
async fn a_mail_refused_from_its_channels_address_is_sent_from_the_deployments() {
    let (url, mails) = server(vec!["553 not your address"]).await;
    let app = App::with(|options| options.mail = MailOptions::Smtp(url)).await;
    app.person("ada").await;
    app.execute("UPDATE mails SET sender_address = 'tickets@club.test'").await;
    delivery::send_due(&app.state.delivery()).await.unwrap();
    let sent = mails.lock().remove(0);
    assert!(sent.contains("no-reply@meadow.test>") && sent.contains("Reply-To: tickets@club.test"), "{sent}");
}

#[tokio::test]
async fn a_deferred_mail_is_retried_with_growing_delays() {
    let (url, mails) = server(vec!["451 busy", "451 busy"]).await;
    let app = app(&url).await;
    for (wait_ms, sent) in [(0, 0), (29_999, 0), (1, 0), (59_999, 0), (1, 1)] {
        app.clock.advance_ms(wait_ms);
        delivery::send_due(&app.state.delivery()).await.unwrap();
        assert_eq!(mails.lock().len(), sent, "after {wait_ms} more ms");
    }
}

#[tokio::test]
async fn a_permanently_rejected_mail_is_dropped() {
    let (url, mails) = server(vec!["550 no such person"]).await;
    let app = app(&url).await;
    delivery::send_due(&app.state.delivery()).await.unwrap();
    assert_eq!(app.state.store.next_mail().await.unwrap(), None);
    assert!(mails.lock().is_empty());
}

#[tokio::test]
async fn each_attempt_to_send_a_mail_is_counted() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let _recording = metrics::set_default_local_recorder(&recorder);
    let (url, _mails) = server([&["550 no such person"], &["451 busy"; 11][..]].concat()).await;
    let app = app(&url).await;
    app.person("bob").await;
    for _ in 0..11 {
        delivery::send_due(&app.state.delivery()).await.unwrap();
        app.clock.advance_ms(86_400_000);
    }
    app.person("eve").await;
    delivery::send_due(&app.state.delivery()).await.unwrap();
    app.clock.advance_ms(86_400_000);
    delivery::send_due(&app.state.delivery()).await.unwrap();
    let counted = recorder.handle().render();
    for (outcome, count) in [("refused", 1), ("delayed", 10), ("given_up", 1), ("sent", 1)] {
        let line = format!("touchline_emails_total{{outcome=\"{outcome}\"}} {count}\n");
        assert!(counted.contains(&line), "{line}{counted}");
    }
}

#[tokio::test]
async fn an_unreachable_server_loses_no_mail() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://{}", listener.local_addr().unwrap());
    drop(listener);
    let app = app(&url).await;
    delivery::send_due(&app.state.delivery()).await.unwrap();
    assert!(app.state.store.next_mail().await.unwrap().is_some());
}

#[tokio::test]
async fn a_french_channel_sends_french_mail() {
    let folder = ChannelFolder::copied();
    folder.set("settings.json", "/language", "fr".into());
    let app = App::of(&folder).await;
    let ada = app.person("ada").await;
    app.post(&ada.key, "auth/password-reset-request", serde_json::json!({ "email": ada.email })).await.data();
    app.post(&ada.key, "delete-account", serde_json::json!({})).await.data();
    delivery::send_due(&app.state.delivery()).await.unwrap();
    let mails = app.mail().emails().unwrap();
    for text in ["confirmer votre adresse courriel", "choisir un nouveau mot de passe", "supprimer définitivement"] {
        let encoded: String = text
            .bytes()
            .map(|byte| if byte.is_ascii() { char::from(byte).to_string() } else { format!("={byte:02X}") })
            .collect();
        let is_mentioned = |raw: &str| raw.replace("=\r\n", "").contains(&encoded) && raw.contains("Bonjour Ada,");
        assert!(mails.iter().any(|message| is_mentioned(&message.raw)), "{text}: {mails:?}");
    }
}
