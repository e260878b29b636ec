//! Receipts by email (`ORDER-5`).

use std::path::Path;

use mail_parser::MessageParser;
use serde_json::{Value, json};

use crate::restores::sale;
use crate::support::{Worker, eventually, folder, sent_emails};

/// Shows ORDER-5d.
#[tokio::test]
async fn a_receipt_is_emailed_in_the_channels_language_with_the_sellers_address() {
    let (folder, data) = folder();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/channels/northfield");
    let channels = folder.path().join("channels");
    std::fs::create_dir_all(&channels).unwrap();
    assert!(std::process::Command::new("cp").arg("-r").arg(from).arg(&channels).status().unwrap().success());
    for language in ["en", "fr"] {
        let file = channels.join("northfield/settings.json");
        let mut settings: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        settings["language"] = json!(language);
        std::fs::write(&file, settings.to_string()).unwrap();
        let worker = Worker::start(&data, &["--channels", channels.to_str().unwrap(), "--sandbox-delay-ms", "0"]);
        let (_, receipt) = sale(&worker, &worker.register().await).await;
        let body = eventually("the receipt", async || {
            sent_emails(&data).iter().find_map(|file| {
                let bytes = std::fs::read(file).ok()?;
                let mail = MessageParser::new().parse(&bytes)?;
                let is_it = mail.subject()?.contains(&receipt);
                is_it.then(|| mail.body_text(0).unwrap_or_default().into_owned())
            })
        })
        .await;
        let (paid, fee) =
            if language == "en" { ("You paid", "Service fee") } else { ("Vous avez payé", "Frais de service") };
        for part in [paid, fee, "Northfield Sports Network LLC", "400 Kestrel Way, Northfield, MN 55057"] {
            assert!(body.contains(part), "{part}: {body}");
        }
        assert!(worker.end().0.success());
    }
}
