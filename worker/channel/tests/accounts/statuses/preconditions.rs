//! Preconditions for each call to succeed.

use serde_json::{Value, json};
use touchline_channel::clips::worker;

use super::requests::{Call, Observed};
use crate::app::{App, Person, VALID_CARD};

pub(crate) struct People {
    pub(crate) visitor: String,
    pub(crate) person: Person,
    /// A person with a temporary password.
    pub(crate) temporary: String,
    /// A person with every right.
    able: String,
}

impl People {
    pub(crate) async fn of(app: &App) -> Self {
        let key = async |name: &str| {
            let session = app.login(&format!("{name}@northfield.example"), "touchline").await.data();
            session["api_key"].as_str().unwrap().to_owned()
        };
        let (visitor, person) = (app.visitor().await, app.verified_person("ada").await);
        Self { visitor, person, temporary: key("temporary").await, able: key("noads").await }
    }
}

/// Makes a call succeed, repeats it with its ETag, and repeats its key with another body.
pub(crate) async fn succeed(observed: &mut Observed, app: &App, people: &People, call: &Call) {
    let Some((key, with)) = preconditions(app, people, call).await else { return };
    let answer = observed.send_example_with_key(app, call, &key, &with, &call.name).await;
    assert_eq!(answer.status, 200, "{}: {:?}", call.name, answer.body);
    if call.documents("304") {
        observed.send_conditional(app, call, &key, &answer).await;
    }
    if call.documents("409") {
        let mut other = with;
        other["extra"] = json!(true);
        observed.send_example_with_key(app, call, &key, &other, &call.name).await;
    }
}

/// The caller's key and the changes to the examples; `None` for a call that the demo channel does not offer.
async fn preconditions(app: &App, people: &People, call: &Call) -> Option<(String, Value)> {
    let person = &people.person;
    let as_person = |with: Value| Some((person.key.clone(), with));
    match call.name.as_str() {
        "get /api/auth/social/{provider}/start" | "post /api/v2/auth/social/{provider}" => None,
        "get /api/download-event/{id}" => Some((people.able.clone(), json!({ "id": 25 }))),
        "post /api/auth/logout" => Some((app.visitor().await, json!({}))),
        "post /api/auth/email-verify" => {
            let unverified = app.person("dot").await;
            as_person(app.link_to(&unverified.email).await.unwrap())
        }
        "post /api/auth/email-verify-request" => Some((app.person("eva").await.key, json!({}))),
        "delete /api/auth/linked_logins/{provider}" => {
            app.state.store.link_social(person.id, "google", "subject", 0).await.unwrap();
            as_person(json!({ "provider": "google" }))
        }
        "post /api/auth/password-reset" => {
            as_person(link(app, &app.person("bob").await, "auth/password-reset-request").await)
        }
        "post /api/delete-account-confirm" => as_person(link(app, &app.person("cat").await, "delete-account").await),
        "post /api/v2/auth/register" | "post /api/v2/auth/login" => Some((app.visitor().await, json!({}))),
        "post /api/auth/add_session" => {
            let code = app.post(&app.visitor().await, "auth/session_code", json!({})).await.data();
            as_person(json!({ "code": code["code"] }))
        }
        "delete /api/auth/sessions/{id}" => {
            let other = app.login(&person.email, crate::app::PASSWORD).await.data();
            app.get(other["api_key"].as_str().unwrap(), "profile").await.data();
            as_person(json!({ "id": app.get(&person.key, "auth/sessions").await.data()[0]["id"] }))
        }
        "delete /api/favorite/{id}" => {
            let body = json!({ "favoritable_id": 1, "favoritable_type": "group" });
            as_person(json!({ "id": app.post(&person.key, "favorite", body).await.data()["id"] }))
        }
        "delete /api/clip/{id}" | "get /api/clip/download/{id}" | "get /api/shared-clip/{id}" => {
            let clip = clip(app, person, &call.name).await;
            as_person(json!({ "id": clip["id"], "uuid": clip["uuid"] }))
        }
        "get /api/orders/{id}" => as_person(json!({ "id": app.bought(person, VALID_CARD, package(3)).await["id"] })),
        "post /api/stripe/buy" => as_person(json!({ "payment_method_id": app.card(person, VALID_CARD).await })),
        "post /api/stripe/subscription/start_trial" => {
            as_person(json!({ "payment_method_id": app.card(person, VALID_CARD).await }))
        }
        "post /api/stripe/unsubscribe" => {
            app.bought(person, VALID_CARD, json!({ "type": "subscription", "id": 2 })).await;
            as_person(json!({ "subscription_id": 2 }))
        }
        "post /api/stripe/remove-card" | "post /api/stripe/save-card" => {
            as_person(json!({ "payment_method_id": app.card(person, VALID_CARD).await }))
        }
        "post /api/stripe/subscription/resume" | "post /api/stripe/subscription/use_card" => {
            let name = if call.name.ends_with("resume") { "ida" } else { "uma" };
            let renewing = app.verified_person(name).await;
            app.bought(&renewing, VALID_CARD, json!({ "type": "subscription", "id": 2 })).await;
            if name == "ida" {
                app.post(&renewing.key, "stripe/unsubscribe", json!({ "subscription_id": 2 })).await.data();
            }
            let card = app.card(&renewing, VALID_CARD).await;
            Some((renewing.key, json!({ "subscription_id": 2, "payment_method_id": card })))
        }
        "post /api/stripe/sandbox-card" => {
            let intent = app.post(&person.key, "stripe/setup-intent", json!({})).await.data();
            as_person(json!({ "client_secret": intent["client_secret"] }))
        }
        "post /api/stripe/sandbox-confirm" => {
            let observed = app.bought(person, "4000 0025 0000 3155", package(4)).await;
            as_person(json!({ "client_secret": observed["next_action"]["client_secret"] }))
        }
        _ if call.documents("401") => as_person(json!({})),
        _ => Some((people.visitor.clone(), json!({}))),
    }
}

fn package(id: i64) -> Value {
    json!({ "type": "package", "id": id })
}

/// The link mailed by a call.
async fn link(app: &App, person: &Person, call: &str) -> Value {
    // Mails are found by their time.
    app.clock.advance_ms(1);
    app.post(&person.key, call, json!({ "email": person.email })).await.data();
    app.link_to(&person.email).await.unwrap()
}

/// Queues a clip and cuts it.
async fn clip(app: &App, person: &Person, key: &str) -> Value {
    let wanted = json!({
        "event_id": 25, "event_media_id": 253, "name": "The winning goal", "start_time": 4, "duration": 8, "tags": ["goal"],
    });
    let clip = app.post_with(&person.key, "clip", &[("idempotency-key", key)], wanted).await.data();
    worker::cut_waiting(&app.state.cutter()).await.unwrap();
    clip
}
