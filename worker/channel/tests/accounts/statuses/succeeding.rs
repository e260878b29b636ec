//! What each call needs to succeed.

use serde_json::{Value, json};
use touchline_channel::clips::worker;

use super::asking::{Asked, Call};
use crate::app::{App, PAYS, Person};

/// Who asks.
pub(crate) struct People {
    pub(crate) visitor: String,
    pub(crate) person: Person,
    /// Someone who must change their password.
    pub(crate) temporary: String,
    /// Someone who may do everything.
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

/// Has a call succeed, again where the answer did not change, and under a key that another request has.
pub(crate) async fn success(asked: &mut Asked, app: &App, people: &People, call: &Call) {
    let Some((key, with)) = needs(app, people, call).await else { return };
    let answer = asked.ask_under(app, call, &key, &with, &call.name).await;
    assert_eq!(answer.status, 200, "{}: {:?}", call.name, answer.body);
    if call.promises("304") {
        asked.ask_for_news(app, call, &key, &answer).await;
    }
    if call.promises("409") {
        let mut other = with;
        other["extra"] = json!(true);
        asked.ask_under(app, call, &key, &other, &call.name).await;
    }
}

/// Whose key a call wants, and what its examples cannot know. Nothing for a call that the demo channel does not offer.
async fn needs(app: &App, people: &People, call: &Call) -> Option<(String, Value)> {
    let person = &people.person;
    let own = |with: Value| Some((person.key.clone(), with));
    match call.name.as_str() {
        "get /api/auth/social/{provider}/start" | "post /api/v2/auth/social/{provider}" => None,
        "get /api/download-event/{id}" => Some((people.able.clone(), json!({ "id": 25 }))),
        "post /api/auth/logout" => Some((app.visitor().await, json!({}))),
        "post /api/auth/email-verify" => {
            let unverified = app.person("dot").await;
            own(app.link_to(&unverified.email).await.unwrap())
        }
        "post /api/auth/email-verify-request" => Some((app.person("eva").await.key, json!({}))),
        "delete /api/auth/linked_logins/{provider}" => {
            app.state.store.link_social(person.id, "google", "subject", 0).await.unwrap();
            own(json!({ "provider": "google" }))
        }
        "post /api/auth/password-reset" => {
            own(link(app, &app.person("bob").await, "auth/password-reset-request").await)
        }
        "post /api/delete-account-confirm" => own(link(app, &app.person("cat").await, "delete-account").await),
        "post /api/v2/auth/register" | "post /api/v2/auth/login" => Some((app.visitor().await, json!({}))),
        "post /api/auth/add_session" => {
            let shown = app.post(&app.visitor().await, "auth/session_code", json!({})).await.data();
            own(json!({ "code": shown["code"] }))
        }
        "delete /api/auth/sessions/{id}" => {
            let other = app.login(&person.email, crate::app::PASSWORD).await.data();
            app.get(other["api_key"].as_str().unwrap(), "profile").await.data();
            own(json!({ "id": app.get(&person.key, "auth/sessions").await.data()[0]["id"] }))
        }
        "delete /api/favorite/{id}" => {
            let body = json!({ "favoritable_id": 1, "favoritable_type": "group" });
            own(json!({ "id": app.post(&person.key, "favorite", body).await.data()["id"] }))
        }
        "delete /api/clip/{id}" | "get /api/clip/download/{id}" | "get /api/shared-clip/{id}" => {
            let clip = clip(app, person, &call.name).await;
            own(json!({ "id": clip["id"], "uuid": clip["uuid"] }))
        }
        "get /api/orders/{id}" => own(json!({ "id": app.bought(person, PAYS, package(3)).await["id"] })),
        "post /api/stripe/buy" => own(json!({ "payment_method_id": app.card(person, PAYS).await })),
        "post /api/stripe/subscription/start_trial" => {
            own(json!({ "payment_method_id": app.card(person, PAYS).await }))
        }
        "post /api/stripe/unsubscribe" => {
            app.bought(person, PAYS, json!({ "type": "subscription", "id": 2 })).await;
            own(json!({ "subscription_id": 2 }))
        }
        "post /api/stripe/remove-card" | "post /api/stripe/save-card" => {
            own(json!({ "payment_method_id": app.card(person, PAYS).await }))
        }
        "post /api/stripe/subscription/resume" | "post /api/stripe/subscription/use_card" => {
            let name = if call.name.ends_with("resume") { "ida" } else { "uma" };
            let renewing = app.verified_person(name).await;
            app.bought(&renewing, PAYS, json!({ "type": "subscription", "id": 2 })).await;
            if name == "ida" {
                app.post(&renewing.key, "stripe/unsubscribe", json!({ "subscription_id": 2 })).await.data();
            }
            let card = app.card(&renewing, PAYS).await;
            Some((renewing.key, json!({ "subscription_id": 2, "payment_method_id": card })))
        }
        "post /api/stripe/sandbox-card" => {
            let intent = app.post(&person.key, "stripe/setup-intent", json!({})).await.data();
            own(json!({ "client_secret": intent["client_secret"] }))
        }
        "post /api/stripe/sandbox-confirm" => {
            let asked = app.bought(person, "4000 0025 0000 3155", package(4)).await;
            own(json!({ "client_secret": asked["next_action"]["client_secret"] }))
        }
        _ if call.promises("401") => own(json!({})),
        _ => Some((people.visitor.clone(), json!({}))),
    }
}

fn package(id: i64) -> Value {
    json!({ "type": "package", "id": id })
}

/// The link that a call has mailed.
async fn link(app: &App, person: &Person, call: &str) -> Value {
    // Letters are found by their time.
    app.clock.advance_ms(1);
    app.post(&person.key, call, json!({ "email": person.email })).await.data();
    app.link_to(&person.email).await.unwrap()
}

/// A clip that is cut.
async fn clip(app: &App, person: &Person, key: &str) -> Value {
    let wanted = json!({
        "event_id": 25, "event_media_id": 253, "name": "The winning goal", "start_time": 4, "duration": 8, "tags": ["goal"],
    });
    let clip = app.post_with(&person.key, "clip", &[("idempotency-key", key)], wanted).await.data();
    worker::cut_waiting(&app.state.cutter()).await.unwrap();
    clip
}
