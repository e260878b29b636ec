//! Receipts by email (`ORDER-5`).

use mail_parser::MessageParser;
use serde_json::json;

use crate::demo_channel::{demo_channel, edit};
use crate::restores::sale;
use crate::support::{Worker, eventually, folder, sent_emails};

/// Shows ORDER-5d.
#[tokio::test]
async fn a_receipt_is_emailed_in_the_channels_language_with_the_sellers_address() {
    let (folder, data) = folder();
    let channels = folder.path().join("channels");
    demo_channel(&channels);
    for language in ["en", "fr"] {
        edit(&channels.join("northfield/settings.json"), |settings| settings["language"] = json!(language));
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
