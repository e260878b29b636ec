use axum::http::header;
use serde_json::{Value, json};
use touchline_channel::auth::limits::{LimitedAction, Rate, Rates};
use touchline_channel::clips::worker;
use touchline_channel::housekeeping;
use touchline_channel::mail::notices;
use touchline_channel::routes::operator::{accounts, clips, orders};
use touchline_domain::clips::ClipSource;
use touchline_protocol::clips::{ClipStatus, ClipVisibility};
use touchline_protocol::purchases::OrderType;
use touchline_store::{Change, CreateClipResult, NewClip, UserChange};

use crate::app::{Answer, App, ChannelFolder, DAY_MS, NOW, Person, VALID_CARD};

/// Four seconds within the second and third of three segments of four seconds.
fn clip_request() -> Value {
    json!({
        "event_id": 3, "event_media_id": 33, "name": " A fine save ", "start_time": 5.5, "duration": 4, "tags": ["save"],
    })
}

fn changed(field: &str, value: Value) -> Value {
    let mut body = clip_request();
    body[field] = value;
    body
}

async fn request_clip(app: &App, person: &Person, key: &str, body: Value) -> Answer {
    app.post_with(&person.key, "clip", &[("idempotency-key", key)], body).await
}

/// Queues a clip and cuts it.
pub(crate) async fn ready(app: &App, person: &Person, key: &str) -> Value {
    let id = request_clip(app, person, key, clip_request()).await.data()["id"].clone();
    worker::cut_waiting(&app.state.cutter()).await.unwrap();
    let clips = app.get(&person.key, "clips/user").await.data();
    let clip = clips.as_array().unwrap().iter().find(|clip| clip["id"] == id).unwrap().clone();
    assert_eq!(clip["status"], "ready", "{clip}");
    clip
}

fn beside(url: &Value, file: &str) -> String {
    format!("{}/{file}", url.as_str().unwrap().rsplit_once('/').unwrap().0)
}

async fn grant_rights(app: &App, person: &Person, capabilities: &[&str]) {
    let capabilities = Some(capabilities.iter().map(|&one| one.to_owned()).collect());
    app.state.store.change_user(person.id, UserChange { capabilities, ..UserChange::default() }, &[]).await.unwrap();
}

/// `CALL-12`
#[tokio::test]
async fn repeated_clip_requests_without_a_key_are_one_until_it_fails() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let press = async || app.post(&ada.key, "clip", clip_request()).await.data()["id"].as_i64().unwrap();
    let (one, two) = tokio::join!(press(), press());
    assert_eq!(one, two);
    app.state.store.advance_clip(one, ClipStatus::Processing, NOW * 1000).await.unwrap();
    app.state.store.advance_clip(one, ClipStatus::Failed, NOW * 1000).await.unwrap();
    assert_ne!(press().await, one);
}

/// `CALL-8`, `CLIP-1`, `CLIP-2`, `USER-3`.
#[tokio::test]
async fn a_clip_is_queued_cut_from_the_recording_and_counted() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let queued = request_clip(&app, &ada, "one", clip_request()).await.data();
    assert_eq!(
        (&queued["status"], &queued["version"], &queued["name"]),
        (&json!("queued"), &json!(1), &json!("A fine save"))
    );
    assert!(queued.get("url").is_none(), "{queued}");
    worker::cut_waiting(&app.state.cutter()).await.unwrap();

    let clip = app.get(&ada.key, "clips/user").await.data()[0].clone();
    assert_eq!((&clip["status"], &clip["version"]), (&json!("ready"), &json!(3)));
    assert_eq!((&clip["start_time"], &clip["duration"], &clip["event"]["id"]), (&json!(5.5), &json!(4.0), &json!(3)));
    let playlist = app.fetch(clip["url"].as_str().unwrap(), None).await;
    let text = String::from_utf8(playlist.body.to_vec()).unwrap();
    assert!(text.contains("TIME-OFFSET=1.5") && text.contains("#EXT-X-ENDLIST"), "{text}");
    let names: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let mut bytes = Vec::new();
    for name in &names {
        bytes.extend(app.fetch(&beside(&clip["url"], name), None).await.body);
    }
    assert_eq!(bytes, b"v0 segment 1;v0 segment 2;", "exactly its segments");
    assert_eq!(app.get(&ada.key, "profile").await.data()["featureCount"]["clips"], 1);
    let events = app.get(&ada.key, "events/with_clip").await.data();
    assert_eq!(events[0]["id"], 3);
}

#[tokio::test]
async fn repeating_a_key_returns_the_same_clip_and_another_body_is_rejected() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let first = request_clip(&app, &ada, "one", clip_request()).await.data();
    assert_eq!(request_clip(&app, &ada, "one", clip_request()).await.data(), first);
    request_clip(&app, &ada, "one", changed("duration", json!(5))).await.fails(409, "idempotency_conflict");
    assert_eq!(app.get(&ada.key, "clips/user").await.data().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_invalid_clip_is_rejected_with_its_fields_message() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let too_long = "Your clip duration is longer than the end time.";
    for (field, value, message) in [
        ("name", json!(" "), "Please fill in the input field."),
        ("name", json!("x".repeat(101)), "Field length must be less than 101."),
        ("tags", json!([]), "Please select tag."),
        ("tags", json!(vec!["x"; 11]), "Field length must be less than 11."),
        ("tags", json!(["x".repeat(51)]), "Field length must be less than 51."),
        ("tags", json!([" "]), "Field length must be less than 51."),
        ("start_time", json!(-1), "The request is malformed."),
        ("duration", json!(0), too_long),
        ("duration", json!(601), too_long),
        ("duration", json!(7.1), too_long),
    ] {
        assert_eq!(request_clip(&app, &ada, "one", changed(field, value)).await.blames(field), message, "{field}");
    }
    request_clip(&app, &ada, "one", changed("duration", json!(6.5))).await.data();
}

#[tokio::test]
async fn viewers_with_access_can_clip_finished_events() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    app.post_with(&app.visitor().await, "clip", &[("idempotency-key", "x")], clip_request())
        .await
        .fails(401, "unauthenticated");
    for (change, status, code) in [
        (json!({ "event_id": 99 }), 404, "not_found"),
        (json!({ "event_media_id": 53 }), 404, "not_found"),
        // Live, and not over yet.
        (json!({ "event_id": 4, "event_media_id": 42 }), 404, "not_found"),
        // Paid, and not bought.
        (json!({ "event_id": 1, "event_media_id": 13 }), 403, "forbidden"),
        // Embedded from another site.
        (json!({ "event_id": 6, "event_media_id": 64 }), 404, "not_found"),
    ] {
        let mut body = clip_request();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        request_clip(&app, &ada, "one", body).await.fails(status, code);
    }
    grant_rights(&app, &ada, &["watch"]).await;
    request_clip(&app, &ada, "one", clip_request()).await.fails(403, "forbidden");
    grant_rights(&app, &ada, &["clipping"]).await;
    request_clip(&app, &ada, "one", clip_request()).await.fails(403, "forbidden");
    grant_rights(&app, &ada, &["clipping", "watch"]).await;
    request_clip(&app, &ada, "one", clip_request()).await.data();
}

#[tokio::test]
async fn a_finished_recording_can_be_clipped() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let body =
        json!({ "event_id": 4, "event_media_id": 42, "name": "x", "start_time": 0, "duration": 1, "tags": ["x"] });
    app.clock.advance_ms(6_000_000);
    request_clip(&app, &ada, "one", body).await.data();
}

#[tokio::test]
async fn clipping_requires_an_open_region_a_login_and_a_permanent_password() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    for country in ["CA", "KP"] {
        app.post_in(country, &ada.key, "clip", "one", clip_request()).await.fails(403, "geo_blocked");
    }
    let one = [("idempotency-key", "one")];
    app.post_with(&app.visitor().await, "clip", &one, clip_request()).await.fails(401, "unauthenticated");
    let temporary = app.temporary("temp").await;
    app.post_with(&temporary.key, "clip", &one, clip_request()).await.fails(403, "temporary_password");
    app.post_in("US", &ada.key, "clip", "one", clip_request()).await.data();
}

#[tokio::test]
async fn other_peoples_clips_are_not_found() {
    let app = App::new().await;
    let (ada, bob) = (app.verified_person("ada").await, app.verified_person("bob").await);
    let clip = ready(&app, &ada, "one").await;
    for path in ["clips/user", "clips/event/3"] {
        assert_eq!(app.get(&bob.key, path).await.data(), json!([]), "{path}");
        assert_eq!(app.get(&ada.key, path).await.data()[0]["id"], clip["id"], "{path}");
    }
    app.get(&app.visitor().await, "clips/user").await.fails(401, "unauthenticated");
    assert_eq!(app.get(&app.visitor().await, "clips/event/3").await.data(), json!([]));
    assert_eq!(app.get(&ada.key, "clips/event/4").await.data(), json!([]));
    app.get(&ada.key, "clips/event/99").await.fails(404, "not_found");
    app.get(&bob.key, &format!("clip/download/{}", clip["id"])).await.fails(404, "not_found");
    app.delete(&bob.key, &format!("clip/{}", clip["id"])).await.fails(404, "not_found");
    assert_eq!(app.fetch(clip["url"].as_str().unwrap(), None).await.status, 200);
}

#[tokio::test]
async fn a_shared_link_works_for_anyone_but_its_id_alone_does_not() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let clip = ready(&app, &ada, "one").await;
    let (id, uuid) = (&clip["id"], clip["uuid"].as_str().unwrap());
    let visitor = app.visitor().await;
    let shared = app.get(&visitor, &format!("shared-clip/{id}?uuid={uuid}")).await.data();
    assert_eq!((&shared["url"], &shared["event"]["id"]), (&clip["url"], &json!(3)));
    assert_eq!(shared["event"]["has_access"], false, "the event stays blocked for them");
    for other in ["", "9f6a3c1e-2f4b-4a57-8a3e-0d3c5b7e9f10", &uuid.to_uppercase()] {
        app.get(&visitor, &format!("shared-clip/{id}?uuid={other}")).await.fails(404, "not_found");
    }
    app.get(&visitor, &format!("shared-clip/{id}")).await.blames("query");
    let answer = app.get_from(Some("CA"), &visitor, &format!("shared-clip/{id}?uuid={uuid}")).await;
    assert_eq!(answer.fails(403, "geo_blocked"), "Content not available in the region.");
    let url = clip["url"].as_str().unwrap();
    for (file, country) in [(url, "KP"), (url, "CA"), (&beside(&clip["url"], "init.mp4"), "CA")] {
        app.fetch(file, Some(country)).await.fails(403, "geo_blocked");
    }
    assert_eq!(app.fetch(url, Some("US")).await.status, 200);
}

#[tokio::test]
async fn people_with_the_right_can_download_a_clip_as_one_file() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let path = format!("clip/download/{}", request_clip(&app, &ada, "one", clip_request()).await.data()["id"]);
    app.get(&ada.key, &path).await.fails(404, "not_found");
    worker::cut_waiting(&app.state.cutter()).await.unwrap();
    let url = app.get(&ada.key, &path).await.data()["download_url"].as_str().unwrap().to_owned();
    for country in ["KP", "CA"] {
        app.fetch(&url, Some(country)).await.fails(403, "geo_blocked");
    }
    let file = app.fetch(&url, None).await;
    assert_eq!(file.body, "v0 init;v0 segment 1;v0 segment 2;");
    assert_eq!(file.header(header::CONTENT_DISPOSITION), "attachment; filename=\"meadow-clip.mp4\"");
    assert_eq!(app.get(&ada.key, "profile").await.data()["featureCount"]["downloads"], 1);
    let pass = url.split('/').nth(5).unwrap();
    app.fetch(&url.replace(pass, "1900000000000-1-1-AAAA"), None).await.fails(403, "media_unsigned");
    app.clock.advance_ms(7 * 3_600_000);
    app.fetch(&url, None).await.fails(403, "media_expired");
    grant_rights(&app, &ada, &["watch", "clipping"]).await;
    app.get(&ada.key, &path).await.fails(403, "forbidden");
}

#[tokio::test]
async fn deleting_a_clip_or_its_owner_removes_its_files() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let (first, second) = (ready(&app, &ada, "one").await, ready(&app, &ada, "two").await);
    let path = format!("clip/{}", first["id"]);
    app.delete(&ada.key, &path).await.data();
    app.delete(&ada.key, &path).await.fails(404, "not_found");
    app.fetch(first["url"].as_str().unwrap(), None).await.fails(404, "not_found");
    assert_eq!(app.fetch(second["url"].as_str().unwrap(), None).await.status, 200);
    let user = app.state.store.user(ada.id).await.unwrap().unwrap();
    accounts::erase(&app.state, &user).await.unwrap();
    app.fetch(second["url"].as_str().unwrap(), None).await.fails(404, "not_found");
}

#[tokio::test]
async fn writing_a_clip_is_retried_for_an_hour() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    // A file blocks the path of the folder.
    let blocked = app.folder.path().join("clips");
    std::fs::write(&blocked, "").unwrap();
    let status = async || app.get(&ada.key, "clips/user").await.data()[0]["status"].clone();
    request_clip(&app, &ada, "one", clip_request()).await.data();
    worker::cut_waiting(&app.state.cutter()).await.unwrap();
    assert_eq!(status().await, "processing");
    std::fs::remove_file(&blocked).unwrap();
    worker::cut_waiting(&app.state.cutter()).await.unwrap();
    assert_eq!(status().await, "ready");

    std::fs::remove_dir_all(&blocked).unwrap();
    std::fs::write(&blocked, "").unwrap();
    request_clip(&app, &ada, "two", clip_request()).await.data();
    app.clock.advance_ms(3_600_000);
    worker::cut_waiting(&app.state.cutter()).await.unwrap();
    assert_eq!(status().await, "failed");
}

/// `OPS-54`: a faulty channel whose sound state is not known yet.
#[tokio::test]
async fn emails_and_clips_wait_for_a_channel_that_is_down() {
    let folder = ChannelFolder::copied();
    folder.double("orchard");
    folder.edit("orchard/channel.json", |channel| {
        (channel["key"], channel["hosts"], channel["fallback"]) =
            (json!("orchard"), json!(["orchard.test"]), json!(false));
    });
    let app = App::of(&folder).await;
    let ada = app.verified_person("ada").await;
    let card = app.card(&ada, VALID_CARD).await;
    let trial = json!({ "subscription_id": 1, "payment_method_id": card });
    app.post(&ada.key, "stripe/subscription/start_trial", trial).await.data();
    app.settle().await;
    ready(&app, &ada, "cut").await;
    request_clip(&app, &ada, "queued", changed("name", json!("Another save"))).await.data();
    app.clock.advance_ms(5 * DAY_MS);
    let mails = app.mail_count().await;

    std::fs::remove_dir_all(app.folder.path().join("channel-states")).unwrap();
    std::fs::remove_dir_all(app.folder.path().join("clips")).unwrap();
    let faq = folder.path().join("meadow/faq.json");
    let sound = std::fs::read_to_string(&faq).unwrap();
    std::fs::write(&faq, "[").unwrap();
    let app = app.restarted_unchanged().await;
    assert!(app.state.channels.is_channel_down("meadow"));
    let work = async || {
        notices::write_due(&app.state.notices()).await.unwrap();
        notices::remind(&app.state.notices()).await.unwrap();
        worker::cut_waiting(&app.state.cutter()).await.unwrap();
        worker::recreate_missing_clips(&app.state.cutter()).await.unwrap();
    };
    work().await;
    assert_eq!(app.mail_count().await, mails);
    assert_eq!(app.state.store.order_notices(9).await.unwrap().len(), 1);

    std::fs::write(&faq, sound + " ").unwrap();
    app.reload();
    work().await;
    assert_eq!(app.mail_count().await, mails + 2, "the start of the trial, and the reminder of its end");
    assert!(app.state.store.order_notices(9).await.unwrap().is_empty());
    let clips = app.get(&ada.key, "clips/user").await.data();
    let statuses: Vec<_> = clips.as_array().unwrap().iter().map(|clip| clip["status"].clone()).collect();
    assert_eq!(statuses, ["ready", "ready"]);
}

#[tokio::test]
async fn clips_without_files_are_cut_again_or_fail() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let clip = ready(&app, &ada, "one").await;
    let url = clip["url"].as_str().unwrap();
    let before = app.fetch(&beside(&clip["url"], "1.m4s"), None).await;
    // The source is no longer a recording.
    let other = NewClip {
        uuid: "9f6a3c1e-2f4b-4a57-8a3e-0d3c5b7e9f10".to_owned(),
        channel_key: "meadow".to_owned(),
        user_id: ada.id,
        source: ClipSource::Event(4),
        event_media_id: 99,
        name: "A goal".to_owned(),
        start_ms: 0,
        duration_ms: 4000,
        tags: vec!["goal".to_owned()],
        visibility: ClipVisibility::Link,
        context: None,
        at: 0,
    };
    let CreateClipResult::Clip(lost) = app.state.store.create_clip(other, 200, None).await.unwrap() else {
        panic!("too many")
    };
    app.state.store.advance_clip(lost.id, ClipStatus::Ready, 0).await.unwrap();

    std::fs::remove_dir_all(app.folder.path().join("clips")).unwrap();
    let app = app.restarted().await;
    app.fetch(url, None).await.fails(404, "not_found");
    for _ in 0..2 {
        worker::recreate_missing_clips(&app.state.cutter()).await.unwrap();
    }
    assert_eq!(app.fetch(&beside(&clip["url"], "1.m4s"), None).await.body, before.body);
    let clips = app.get(&ada.key, "clips/user").await.data();
    let reported = |clip: &Value| (clip["status"].clone(), clip["version"].clone(), clip["url"].is_null());
    if app.state.store.is_shared() {
        // Another worker may have it.
        assert_eq!(clips[0]["status"], "ready");
    } else {
        assert_eq!(reported(&clips[0]), (json!("failed"), json!(3), true));
    }
    assert_eq!(reported(&clips[1]), (json!("ready"), clip["version"].clone(), false));
}

#[tokio::test]
async fn an_unwritable_clip_does_not_delay_others() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    std::fs::create_dir_all(app.folder.path().join("clips/meadow")).unwrap();
    for key in 0..16 {
        let stuck = request_clip(&app, &ada, &key.to_string(), clip_request()).await.data();
        // A file blocks the path of its folder.
        let blocked = format!("clips/meadow/{}.begun", stuck["uuid"].as_str().unwrap());
        std::fs::write(app.folder.path().join(blocked), "").unwrap();
    }
    ready(&app, &ada, "one more").await;
    let clips = app.get(&ada.key, "clips/user").await.data();
    let waiting = clips.as_array().unwrap().iter().filter(|clip| clip["status"] == "processing");
    assert_eq!(waiting.count(), 16, "{clips}");
}

#[tokio::test]
async fn stray_files_are_removed_and_no_name_escapes_the_folder() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let clip = ready(&app, &ada, "one").await;
    let folder = app.folder.path().join("clips/meadow");
    let stray = folder.join("9f6a3c1e-2f4b-4a57-8a3e-0d3c5b7e9f10.begun");
    std::fs::create_dir(&stray).unwrap();
    std::fs::create_dir(folder.join("the operator's")).unwrap();
    housekeeping::tidy(&app.state.housekeeping()).await.unwrap();
    assert!(!stray.exists() && folder.join("the operator's").exists());
    assert_eq!(app.fetch(clip["url"].as_str().unwrap(), None).await.status, 200);
    for name in ["..%2f..%2fchannel.sqlite", "index.m3u8%00", ".begun", "%2e%2e"] {
        app.fetch(&beside(&clip["url"], name), None).await.fails(404, "not_found");
    }
}

#[tokio::test]
async fn clips_of_one_account_are_limited() {
    let rates = Rates::unlimited().with(LimitedAction::ClipByAccount, Rate::new(2, 60_000));
    let app = App::with(|options| options.rates = rates).await;
    let ada = app.verified_person("ada").await;
    for key in ["one", "two"] {
        request_clip(&app, &ada, key, clip_request()).await.data();
    }
    request_clip(&app, &ada, "three", clip_request()).await.fails(429, "too_many");
    request_clip(&app, &ada, "one", clip_request()).await.data();
}

/// `CLIP-5`.
#[tokio::test]
async fn clipping_requires_a_verified_address() {
    let app = App::new().await;
    let ada = app.person("ada").await;
    let refused = request_clip(&app, &ada, "one", clip_request()).await;
    assert_eq!(refused.fails(403, "email_unverified"), "Please verify your email address first.");
    assert!(app.get(&ada.key, "clips/user").await.data().as_array().unwrap().is_empty());

    app.clock.advance_ms(1);
    app.post(&ada.key, "auth/email-verify-request", json!({})).await.data();
    let link = app.link_to(&ada.email).await.unwrap();
    app.post(&ada.key, "auth/email-verify", link).await.data();
    request_clip(&app, &ada, "one", clip_request()).await.data();
    app.post(&ada.key, "auth/email-verify-request", json!({})).await.fails(400, "already_verified");
    app.post(&app.visitor().await, "auth/email-verify-request", json!({})).await.fails(401, "unauthenticated");
}

/// `CLIP-6`.
#[tokio::test]
async fn people_take_turns_in_the_clip_queue() {
    let app = App::new().await;
    let (ada, bob) = (app.verified_person("ada").await, app.verified_person("bob").await);
    for n in 0..8 {
        request_clip(&app, &ada, &n.to_string(), clip_request()).await.data();
    }
    let late = request_clip(&app, &bob, "late", clip_request()).await.data()["id"].clone();
    let mut changes = app.state.store.changes();
    worker::cut_waiting(&app.state.cutter()).await.unwrap();
    let mut ready = Vec::new();
    while let Ok(change) = changes.try_recv() {
        let Change::Status(line) = change else { continue };
        if line.status.state["status"] == "ready" {
            ready.push(json!(line.status.id));
        }
    }
    assert_eq!(ready.len(), 9);
    assert_eq!(ready[1], late, "eight clips of one person delay another's by one: {ready:?}");
}

/// `CLIP-7`, `CLIP-8`: everyone finds an event's public clips until the operator hides them.
#[tokio::test]
async fn visitors_find_public_clips_until_they_are_hidden() {
    let app = App::new().await;
    let (ada, bob) = (app.verified_person("ada").await, app.verified_person("bob").await);
    let visitor = app.visitor().await;
    ready(&app, &ada, "by-link").await;
    let public = request_clip(&app, &ada, "public", changed("visibility", json!("public"))).await.data();
    assert_eq!(app.get(&visitor, "clips/event/3").await.ids(), [0; 0], "not cut yet");
    worker::cut_waiting(&app.state.cutter()).await.unwrap();
    let id = public["id"].as_i64().unwrap();
    assert_eq!(app.get(&visitor, "clips/event/3").await.ids(), [id]);
    assert_eq!(app.get(&bob.key, "clips/event/3").await.ids(), [id]);
    assert_eq!(app.get(&ada.key, "clips/event/3").await.ids().len(), 2, "includes her clips, without duplicates");
    assert_eq!(app.get(&visitor, "events/with_clip").await.ids(), [3]);
    let found = &app.get(&visitor, "clips/event/3").await.data()[0];
    assert_eq!((&found["event"]["id"], &found["visibility"]), (&json!(3), &json!("public")));
    let page = format!("shared-clip/{id}?uuid={}", found["uuid"].as_str().unwrap());
    app.fetch(found["url"].as_str().unwrap(), None).await;

    clips::hide(&app.state, id, true).await.unwrap();
    assert_eq!(app.get(&visitor, "clips/event/3").await.ids(), [0; 0]);
    assert_eq!(app.get(&visitor, "events/with_clip").await.ids(), [0; 0]);
    app.get(&visitor, &page).await.fails(404, "not_found");
    app.fetch(found["url"].as_str().unwrap(), None).await.fails(404, "not_found");
    let segments_of = app.get(&ada.key, "clips/user").await.data();
    assert_eq!(
        (&segments_of[0]["is_hidden"], &segments_of[0]["url"]),
        (&json!(true), &Value::Null),
        "its owner is notified"
    );
    app.get(&ada.key, &format!("clip/download/{id}")).await.fails(404, "not_found");
    let listed = clips::list(&app.state, "meadow", true, 9).await.unwrap();
    assert_eq!((listed.len(), listed[0].id, listed[0].is_hidden, listed[0].of.as_str()), (1, id, true, "event:3"));
    assert!(clips::list(&app.state, "moor", true, 9).await.is_err());
    clips::hide(&app.state, id, false).await.unwrap();
    app.get(&visitor, &page).await.data();
}

/// `CLIP-7`: clips of paid content can be public only where the channel allows it.
#[tokio::test]
async fn clips_of_paid_content_can_only_be_shared_by_link() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    orders::grant(&app.state, "meadow", &ada.email, OrderType::Subscription, 2, None).await.unwrap();
    let paid = json!({
        "event_id": 5, "event_media_id": 53, "name": "x", "start_time": 0, "duration": 1, "tags": ["x"],
        "visibility": "public",
    });
    let refused = app.post_in("US", &ada.key, "clip", "one", paid.clone()).await.blames("visibility");
    assert_eq!(refused, "Clips from this video can only be shared by link.");
    let mut by_link = paid;
    by_link["visibility"] = json!("link");
    app.post_in("US", &ada.key, "clip", "one", by_link).await.data();
}

/// `CLIP-4`: library videos can be clipped by viewers with access.
#[tokio::test]
async fn a_library_video_can_be_clipped() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let body = json!({
        "vod_id": 1, "event_media_id": 90001, "name": "x", "start_time": 0, "duration": 4, "tags": ["x"],
        "visibility": "public",
    });
    let clip = request_clip(&app, &ada, "one", body.clone()).await.data();
    assert_eq!((&clip["vod_id"], &clip["event_id"]), (&json!(1), &Value::Null));
    worker::cut_waiting(&app.state.cutter()).await.unwrap();
    let found = app.get(&app.visitor().await, "clips/vod/1").await.data();
    assert_eq!((&found[0]["status"], &found[0]["video"]["id"]), (&json!("ready"), &json!(1)));
    app.fetch(found[0]["url"].as_str().unwrap(), None).await;
    app.get(&ada.key, "clips/vod/99").await.fails(404, "not_found");

    let with = |field: &str, value: Value| {
        let mut body = body.clone();
        body[field] = value;
        body
    };
    request_clip(&app, &ada, "two", with("vod_id", json!(99))).await.fails(404, "not_found");
    request_clip(&app, &ada, "two", with("event_id", json!(3))).await.fails(404, "not_found");
    request_clip(&app, &ada, "two", with("event_media_id", json!(90002))).await.fails(404, "not_found");
    let paid =
        json!({ "vod_id": 3, "event_media_id": 90003, "name": "x", "start_time": 0, "duration": 4, "tags": ["x"] });
    request_clip(&app, &ada, "two", paid).await.fails(403, "forbidden");
}

/// `CLIP-4`: a clip of a live stream is cut from its window, starting at a segment number.
#[tokio::test]
async fn a_live_stream_is_clipped_from_a_segment_number() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let live = |from: u64, duration: f64| {
        json!({
            "event_id": 4, "event_media_id": 42, "name": "x", "start_time": 1, "duration": duration, "tags": ["x"],
            "from_segment": from,
        })
    };
    let event = app.get(&ada.key, "events/4").await.data();
    assert_eq!(event["stream_status"], "live");
    let medium = event["media"].as_array().unwrap().iter().find(|medium| medium["id"] == 42).unwrap();
    assert_eq!(medium["is_clippable"], true);
    request_clip(&app, &ada, "one", live(1_000_000, 1.0)).await.fails(404, "not_found");
    let clip = request_clip(&app, &ada, "one", live(2, 6.0)).await.data();
    worker::cut_waiting(&app.state.cutter()).await.unwrap();
    let clips = app.get(&ada.key, "clips/user").await.data();
    assert_eq!((&clips[0]["id"], &clips[0]["status"]), (&clip["id"], &json!("ready")));
    // Three segments of four seconds loop: the first follows the third.
    let playlist = String::from_utf8(app.fetch(clips[0]["url"].as_str().unwrap(), None).await.body.to_vec()).unwrap();
    assert_eq!((playlist.matches("#EXTINF").count(), playlist.matches("DISCONTINUITY").count()), (2, 1), "{playlist}");
    assert_eq!(clips[0]["start_time"], json!(9.0), "from the start of the stream");
}

/// `SEARCH-1`, `CLIP-7`.
#[tokio::test]
async fn the_search_finds_public_clips_immediately_and_no_others() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let visitor = app.visitor().await;
    let found = async |query: &str| {
        let clips = app.get(&visitor, &format!("search?q={query}")).await.data()["clips"].clone();
        assert_eq!(clips["meta"]["total"], clips["data"].as_array().unwrap().len());
        clips["data"].as_array().unwrap().iter().map(|clip| clip["name"].clone()).collect::<Vec<_>>()
    };
    ready(&app, &ada, "by link").await;
    assert_eq!(found("fine").await, [] as [Value; 0], "by link");
    let mut body = changed("visibility", json!("public"));
    body["name"] = json!("Overtime stunner");
    let id = request_clip(&app, &ada, "public", body).await.data()["id"].as_i64().unwrap();
    worker::cut_waiting(&app.state.cutter()).await.unwrap();
    assert_eq!(found("stuner").await, [json!("Overtime stunner")], "a typo is tolerated");
    assert_eq!(found("save").await, [json!("Overtime stunner")], "by its tag");
    app.state.store.hide_clip(id, true, app.state.clock.now_ms()).await.unwrap();
    assert_eq!(found("stunner").await, [] as [Value; 0], "hidden");
}
