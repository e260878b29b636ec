//! `POST /custom-forms/{alias}` (`FORM-1`, `FORM-2`).

use serde_json::json;
use touchline_channel::auth::limits::{LimitedAction, Rate, Rates};
use touchline_channel::routes::operator::forms;

use crate::app::{Answer, App, ChannelFolder};

async fn send(app: &App, key: &str, once: &str, values: serde_json::Value) -> Answer {
    app.post_with(key, "custom-forms/contact", &[("idempotency-key", once)], json!({ "answers": values })).await
}

#[tokio::test]
async fn a_form_is_stored_once_with_its_fields() {
    let app = App::new().await;
    let visitor = app.visitor().await;
    let entered = json!({ "email": " Robin@Example.com ", "topic": "Paying", "unknown": "left out" });
    send(&app, &visitor, "one", entered.clone()).await.data();
    send(&app, &visitor, "one", entered).await.data();
    let listed = forms::list(&app.state, "meadow", Some("contact"), 9).await.unwrap();
    assert_eq!(listed.len(), 1, "the repetition is the same submission");
    let answers: Vec<_> = listed[0].answers.iter().map(|one| (one.label.as_str(), one.value.as_str())).collect();
    assert_eq!(answers, [("Your address", "Robin@Example.com"), ("Topic", "Paying")]);
    assert!(forms::list(&app.state, "meadow", Some("none"), 9).await.is_err());
    assert!(forms::list(&app.state, "nowhere", None, 9).await.is_err());
}

/// `FORM-2`: the operator's reply reaches the sender.
#[tokio::test]
async fn a_reply_to_a_form_goes_to_its_sender() {
    let folder = ChannelFolder::copied();
    folder.set("forms.json", "/0/to", json!("desk@meadow.test"));
    let app = App::of(&folder).await;
    let entered = json!({ "email": " Robin@Example.com ", "topic": "Paying" });
    send(&app, &app.visitor().await, "one", entered).await.data();
    let mails = app.state.store.due_mails(i64::MAX, 9).await.unwrap();
    let addresses: Vec<_> = mails.iter().map(|mail| (mail.recipient.as_str(), mail.reply_to.as_deref())).collect();
    assert_eq!(addresses, [("desk@meadow.test", Some("Robin@Example.com"))]);
}

#[tokio::test]
async fn an_invalid_form_names_its_fields() {
    let app = App::new().await;
    let visitor = app.visitor().await;
    for (values, field, message) in [
        (json!({ "topic": "Paying" }), "email", "Field is required."),
        (json!({ "email": "robin", "topic": "Paying" }), "email", "A valid email address is required"),
        (json!({ "email": "a@b.co", "topic": " " }), "topic", "Field is required."),
        (
            json!({ "email": "a@b.co", "topic": "Other" }),
            "topic",
            "topic must be equal to one of the allowed values: Watching, Paying",
        ),
    ] {
        assert_eq!(send(&app, &visitor, "one", values).await.blames(field), message);
    }
    let long = json!({ "email": "a@b.co", "topic": "x".repeat(5_001) });
    send(&app, &visitor, "one", long).await.blames("topic");
    let unknown = app.post_with(&visitor, "custom-forms/none", &[("idempotency-key", "x")], json!({ "answers": {} }));
    unknown.await.fails(404, "not_found");
    app.post(&visitor, "custom-forms/contact", json!({ "answers": {} })).await.fails(400, "idempotency_key_required");
}

#[tokio::test]
async fn an_erased_persons_submissions_are_removed() {
    let app = App::new().await;
    let ada = app.person("ada").await;
    let visitor = app.visitor().await;
    send(&app, &ada.key, "one", json!({ "email": "other@example.com", "topic": "Paying" })).await.data();
    send(&app, &visitor, "two", json!({ "email": ada.email.to_uppercase(), "topic": "Paying" })).await.data();
    send(&app, &visitor, "three", json!({ "email": "eve@example.com", "topic": "Paying" })).await.data();
    app.state.store.erase_user(ada.id, 0).await.unwrap();
    let remaining = forms::list(&app.state, "meadow", None, 9).await.unwrap();
    assert_eq!(remaining.len(), 1);
    assert_eq!(remaining[0].answers[0].value, "eve@example.com");
}

#[tokio::test]
async fn forms_of_one_address_are_limited() {
    let rates = Rates::unlimited().with(LimitedAction::FormByAddress, Rate::new(1, 60_000));
    let app = App::with(|options| options.rates = rates).await;
    let visitor = app.visitor().await;
    let entered = json!({ "email": "a@b.co", "topic": "Paying" });
    send(&app, &visitor, "one", entered.clone()).await.data();
    send(&app, &visitor, "two", entered).await.fails(429, "too_many");
}
