//! Each status that the document promises of a call is met, and each that is met is promised (`CALL`). What any call can be
//! answered before it is asked is shown for all of them in `worker/touchline/tests/worker/statuses.rs`.

mod asking;
mod succeeding;

use serde_json::json;

use crate::app::{App, ChannelFolder};
use asking::{Asked, Call, OF_THE_DOOR};
use succeeding::{People, success};

#[tokio::test]
async fn every_status_that_the_document_promises_is_met_and_with_the_code_of_its_example() {
    let calls = Call::all();
    assert!(calls.len() > 60, "{}", calls.len());
    let app = App::of_the_demo().await;
    let people = People::of(&app).await;
    let mut asked = Asked::default();
    for call in &calls {
        success(&mut asked, &app, &people, call).await;
        refusals(&mut asked, &app, &people, call).await;
    }
    elsewhere(&mut asked, &calls).await;

    let unmet: Vec<_> = calls.iter().flat_map(|call| asked.unmet(call)).collect();
    assert!(unmet.is_empty(), "promised and never met:\n{}", unmet.join("\n"));
}

/// What is refused to whoever asks wrongly, and to those who may not ask.
async fn refusals(asked: &mut Asked, app: &App, people: &People, call: &Call) {
    let nobody = json!({ "api_key": "a key of nobody's", "channel_key": "nowhere" });
    if call.takes_a_key() || call.name == "post /api/get_api_key" {
        asked.ask(app, call, "", &nobody).await;
    } else {
        asked.send(app, call, "{").await;
    }
    if call.promises("401") {
        asked.ask(app, call, &people.visitor, &json!({})).await;
    }
    if call.promises("403") {
        asked.ask(app, call, &people.temporary, &json!({})).await;
    }
    if call.promises("404") {
        let nothing = json!({
            "id": 999_999, "alias": "nothing", "provider": "nobody", "uuid": "nothing", "favoritable_id": 999_999,
            "event_id": 999_999, "subscription_id": 999_999, "client_secret": "nothing",
        });
        let key = if call.promises("401") { &people.person.key } else { &people.visitor };
        asked.ask(app, call, key, &nothing).await;
    }
}

/// What the demo channel as it is does not answer.
async fn elsewhere(asked: &mut Asked, calls: &[Call]) {
    let call = |name: &str| calls.iter().find(|call| call.name == name).unwrap();

    // A channel that links no devices.
    let folder = ChannelFolder::copied();
    folder.set("settings.json", "/auth/remote_auth", json!(0));
    let app = App::of(&folder).await;
    let person = app.person("ada").await;
    asked.ask(&app, call("post /api/auth/session_code"), &app.visitor().await, &json!({})).await;
    asked.ask(&app, call("post /api/auth/add_session"), &person.key, &json!({})).await;

    // A card that a subscription renews with.
    let app = App::of_the_demo().await;
    let person = app.verified_person("ada").await;
    app.bought(&person, "4242 4242 4242 4242", json!({ "type": "subscription", "id": 2 })).await;
    let card = app.get(&person.key, "stripe/list-cards").await.data()[0]["id"].clone();
    let renewing = json!({ "payment_method_id": card.clone() });
    asked.ask(&app, call("post /api/stripe/remove-card"), &person.key, &renewing).await;
    let (none, use_card) =
        (json!({ "subscription_id": 3, "payment_method_id": card }), call("post /api/stripe/subscription/use_card"));
    asked.ask(&app, use_card, &person.key, &none).await;

    // A clip of an event that is closed to some regions.
    let app = App::new().await;
    let person = app.verified_person("ada").await;
    let clip = super::clips::ready(&app, &person, "one").await;
    let path = format!("shared-clip/{}?uuid={}", clip["id"], clip["uuid"].as_str().unwrap());
    let answer = app.get_from(Some("CA"), &app.visitor().await, &path).await;
    asked.note(call("get /api/shared-clip/{id}"), &answer);

    // Video that is closed to some regions.
    for (name, country, path) in [
        ("get /api/events/{id}/playback/{media_id}", "CA", "events/3/playback/33"),
        ("get /api/vod-media-items/{id}/playback", "KP", "vod-media-items/1/playback"),
    ] {
        asked.note(call(name), &app.get_from(Some(country), &person.key, path).await);
    }

    // A channel that offers log-ins through another site.
    let app = super::social::app().await;
    let key = app.visitor().await;
    asked.ask(&app, call("get /api/auth/social/{provider}/start"), &key, &json!({})).await;
    let state = super::social::begin(&app, &key).await;
    let login = json!({ "code": "c:ada@example.com:true", "state": state, "terms": true });
    asked.ask(&app, call("post /api/v2/auth/social/{provider}"), &key, &login).await;
}

#[test]
fn a_promise_that_nothing_meets_is_found() {
    let calls = Call::all();
    let call = calls.iter().find(|call| call.name == "get /api/events/{id}").unwrap();
    let unmet = Asked::default().unmet(call);
    assert_eq!(unmet.len(), 4, "200, 304, 400 and 404 but none of {OF_THE_DOOR:?}: {unmet:?}");
}
