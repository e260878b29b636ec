//! Every status in a call's API document occurs, and every status that occurs is in the document (`CALL`). Statuses
//! that any call can get before its handler runs are tested in `worker/touchline/tests/worker/statuses.rs`.

mod preconditions;
mod requests;

use serde_json::json;

use crate::app::{App, ChannelFolder};
use preconditions::{People, succeed};
use requests::{Call, GENERIC_STATUSES, Observed};

#[tokio::test]
async fn every_documented_status_and_code_occurs() {
    let calls = Call::all();
    assert!(calls.len() > 60, "{}", calls.len());
    let app = App::with_demo().await;
    let people = People::of(&app).await;
    let mut observed = Observed::default();
    for call in &calls {
        succeed(&mut observed, &app, &people, call).await;
        refusals(&mut observed, &app, &people, call).await;
    }
    other_channels(&mut observed, &calls).await;

    let missing: Vec<_> = calls.iter().flat_map(|call| observed.missing(call)).collect();
    assert!(missing.is_empty(), "promised and never met:\n{}", missing.join("\n"));
}

/// Refusals of invalid requests and of people without the right.
async fn refusals(observed: &mut Observed, app: &App, people: &People, call: &Call) {
    let nobody = json!({ "api_key": "a key of nobody's", "channel_key": "nowhere" });
    if call.takes_a_key() || call.name == "post /api/get_api_key" {
        observed.send_example(app, call, "", &nobody).await;
    } else {
        observed.send(app, call, "{").await;
    }
    if call.documents("401") {
        observed.send_example(app, call, &people.visitor, &json!({})).await;
    }
    if call.documents("403") {
        observed.send_example(app, call, &people.temporary, &json!({})).await;
    }
    if call.documents("404") {
        let nothing = json!({
            "id": 999_999, "alias": "nothing", "provider": "nobody", "uuid": "nothing", "favoritable_id": 999_999,
            "event_id": 999_999, "subscription_id": 999_999, "client_secret": "nothing",
        });
        let key = if call.documents("401") { &people.person.key } else { &people.visitor };
        observed.send_example(app, call, key, &nothing).await;
    }
}

/// Statuses that the unchanged demo channel does not produce.
async fn other_channels(observed: &mut Observed, calls: &[Call]) {
    let call = |name: &str| calls.iter().find(|call| call.name == name).unwrap();

    // A channel without device linking.
    let folder = ChannelFolder::copied();
    folder.set("settings.json", "/auth/remote_auth", json!(0));
    let app = App::of(&folder).await;
    let person = app.person("ada").await;
    observed.send_example(&app, call("post /api/auth/session_code"), &app.visitor().await, &json!({})).await;
    observed.send_example(&app, call("post /api/auth/add_session"), &person.key, &json!({})).await;

    // A card that a subscription renews with.
    let app = App::with_demo().await;
    let person = app.verified_person("ada").await;
    app.bought(&person, "4242 4242 4242 4242", json!({ "type": "subscription", "id": 2 })).await;
    let card = app.get(&person.key, "stripe/list-cards").await.data()[0]["id"].clone();
    let renewing = json!({ "payment_method_id": card.clone() });
    observed.send_example(&app, call("post /api/stripe/remove-card"), &person.key, &renewing).await;
    let (none, use_card) =
        (json!({ "subscription_id": 3, "payment_method_id": card }), call("post /api/stripe/subscription/use_card"));
    observed.send_example(&app, use_card, &person.key, &none).await;

    // A clip of an event that is blocked in some regions.
    let app = App::new().await;
    let person = app.verified_person("ada").await;
    let clip = super::clips::ready(&app, &person, "one").await;
    let path = format!("shared-clip/{}?uuid={}", clip["id"], clip["uuid"].as_str().unwrap());
    let answer = app.get_from(Some("CA"), &app.visitor().await, &path).await;
    observed.record(call("get /api/shared-clip/{id}"), &answer);

    // Video that is blocked in some regions.
    for (name, country, path) in [
        ("get /api/events/{id}/playback/{media_id}", "CA", "events/3/playback/33"),
        ("get /api/vod-media-items/{id}/playback", "KP", "vod-media-items/1/playback"),
    ] {
        observed.record(call(name), &app.get_from(Some(country), &person.key, path).await);
    }

    // A channel with social logins.
    let app = super::social::app().await;
    let key = app.visitor().await;
    observed.send_example(&app, call("get /api/auth/social/{provider}/start"), &key, &json!({})).await;
    let state = super::social::start_login(&app, &key).await;
    let login = json!({ "code": "c:ada@example.com:true", "state": state, "terms": true });
    observed.send_example(&app, call("post /api/v2/auth/social/{provider}"), &key, &login).await;
}

#[test]
fn a_documented_status_that_never_occurs_is_found() {
    let calls = Call::all();
    let call = calls.iter().find(|call| call.name == "get /api/events/{id}").unwrap();
    let missing = Observed::default().missing(call);
    assert_eq!(missing.len(), 4, "200, 304, 400 and 404 but none of {GENERIC_STATUSES:?}: {missing:?}");
}
