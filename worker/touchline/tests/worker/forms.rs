//! Submissions of a channel's forms (`FORM-2`).

use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};

use crate::demo_channel::{demo_channel, edit};
use crate::operator::json_output;
use crate::support::{Worker, done, eventually, folder, fresh, sent_emails};

const DAY_S: u64 = 24 * 3_600;

/// The recipients and texts of the emails about submissions.
fn notices(data: &Path) -> Vec<(String, String)> {
    let messages = sent_emails(data).into_iter().filter_map(|file| {
        let message = std::fs::read(file).ok()?;
        let message = mail_parser::MessageParser::new().parse(&message)?;
        Some((message.to()?.first()?.address()?.to_owned(), message.body_text(0)?.into_owned()))
    });
    messages.filter(|(_, text)| text.contains("A question")).collect()
}

/// The addresses in the submissions that the operator reads, newest first.
fn senders(data: &Path) -> Vec<String> {
    let listed = json_output(data, &["forms", "--channel", "northfield"]);
    let address = |one: &Value| {
        let answers = one["answers"].as_array().unwrap().iter();
        answers.filter_map(|answer| answer["value"].as_str()).find(|value| value.contains('@')).unwrap().to_owned()
    };
    listed.as_array().unwrap().iter().map(address).collect()
}

/// Shows FORM-2a, FORM-2b, FORM-2c, FORM-2d.
#[tokio::test]
async fn submissions_reach_the_operator_and_go_with_their_sender_or_after_180_days() {
    let (root, data) = folder();
    let channels = root.path().join("channels");
    demo_channel(&channels);
    edit(&channels.join("northfield/forms.json"), |forms| {
        let mut press = forms[0].clone();
        press["id"] = json!(2);
        press["alias"] = json!("press");
        press["to"] = json!("desk@northfieldsports.example");
        forms.as_array_mut().unwrap().push(press);
    });
    let start = |offset_days: u64| {
        let offset = (offset_days * DAY_S).to_string();
        Worker::start(&data, &["--channels", channels.to_str().unwrap(), "--clock-offset", &offset])
    };
    let worker = start(0);
    let (ada, eve) = (format!("{}@viewers.example", fresh("ada")), format!("{}@viewers.example", fresh("eve")));
    let (key, visitor) = (worker.register_as(&ada).await, worker.key().await);
    for (form, key, email) in
        [("contact", &key, "other@viewers.example"), ("press", &visitor, &*ada), ("contact", &visitor, &*eve)]
    {
        let answers = json!({ "name": "Robin", "email": email, "topic": "Paying", "message": "A question" });
        let body = json!({ "api_key": key, "answers": answers });
        worker.data(Method::POST, &format!("custom-forms/{form}"), &body).await;
    }
    let emails = eventually("three emails", async || Some(notices(&data)).filter(|all| all.len() == 3)).await;
    for (email, recipient) in [
        ("other@viewers.example", "help@northfieldsports.example"),
        (ada.as_str(), "desk@northfieldsports.example"),
        (eve.as_str(), "help@northfieldsports.example"),
    ] {
        assert!(emails.iter().any(|(to, text)| to == recipient && text.contains(email)), "{email}: {emails:?}");
    }

    assert_eq!(senders(&data), [eve.as_str(), ada.as_str(), "other@viewers.example"]);
    let log = json_output(&data, &["audit-log"]);
    assert_eq!((&log[0]["act"], &log[0]["outcome"]), (&json!("forms"), &json!("done")));

    done(&data, &["user", "erase", "--channel", "northfield", "--email", &ada]);
    assert_eq!(senders(&data), [eve.as_str()], "her own submission and the one with her address are erased");

    drop(worker);
    let worker = start(179);
    assert_eq!(senders(&data), [eve.as_str()], "after 179 days");
    assert!(worker.end().0.success());
    let _worker = start(181);
    eventually("the submission is deleted", async || senders(&data).is_empty().then_some(())).await;
}
