//! A media address works only as long as its session and the access that it was issued for (`MEDIA-1`, `MEDIA-2`).

use serde_json::{Value, json};
use touchline_channel::routes::operator::accounts::Setting;
use touchline_channel::routes::operator::{accounts, orders as operator, visitors};

use super::clips::ready;
use crate::app::{App, PASSWORD, Person, VALID_CARD};

/// The live medium of the paid event 1, and the medium of event 3, which is for registered people.
const PAID: &str = "events/1/playback/12";
const REGISTERED: &str = "events/3/playback/33";

async fn address(app: &App, key: &str, call: &str) -> String {
    app.get(key, call).await.data()["playback_url"].as_str().unwrap().to_owned()
}

/// A playlist and one of its segments, as a player requests them.
fn files(url: &str) -> [String; 2] {
    [url.to_owned(), url.replace("master.m3u8", "v0/seg_1.m4s")]
}

async fn plays(app: &App, url: &str) {
    for file in files(url) {
        assert_eq!(app.fetch(&file, None).await.status, 200, "{file}");
    }
}

async fn is_over(app: &App, url: &str) {
    for file in files(url) {
        app.fetch(&file, None).await.fails(403, "media_ended");
    }
}

async fn buys(app: &App, person: &Person) -> i64 {
    let event = json!({ "type": "event", "id": 1, "single_event_package_id": 1001 });
    app.bought(person, VALID_CARD, event).await["id"].as_i64().unwrap()
}

#[tokio::test]
async fn a_refund_ends_only_the_buyers_playback() {
    let app = App::new().await;
    let (ada, bob) = (app.verified_person("ada").await, app.verified_person("bob").await);
    let order = buys(&app, &ada).await;
    buys(&app, &bob).await;
    app.clock.advance_ms(1);
    let (paid, registered) = (address(&app, &ada.key, PAID).await, address(&app, &ada.key, REGISTERED).await);
    let others = address(&app, &bob.key, PAID).await;
    plays(&app, &paid).await;
    app.clock.advance_ms(1);
    operator::refund(&app.state, order, None).await.unwrap();
    is_over(&app, &paid).await;
    app.get(&ada.key, PAID).await.fails(403, "forbidden");
    plays(&app, &others).await;
    // She gets a new address for the event that she may still watch.
    is_over(&app, &registered).await;
    app.clock.advance_ms(1);
    plays(&app, &address(&app, &ada.key, REGISTERED).await).await;
}

#[tokio::test]
async fn playback_ends_when_access_expires() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    buys(&app, &ada).await;
    let order = app.bought(&ada, VALID_CARD, json!({ "type": "subscription", "id": 1 })).await;
    app.clock.advance_ms(1);
    let url = address(&app, &ada.key, REGISTERED).await;
    app.clock.advance_ms(1);
    app.execute("UPDATE orders SET active_until = 1 WHERE kind = 'subscription'").await;
    app.settle().await;
    app.state.store.expire_orders(crate::app::NOW * 1000).await.unwrap();
    assert_eq!(app.order(&ada, &order["id"]).await["activity_status"], "inactive");
    is_over(&app, &url).await;
}

#[tokio::test]
async fn blocking_a_person_ends_their_addresses_and_hides_their_clips() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let url = address(&app, &ada.key, REGISTERED).await;
    let clip = ready(&app, &ada, "one").await;
    let (playlist, shared) = (clip["url"].as_str().unwrap(), clip_link(&clip));
    let visitor = app.visitor().await;
    assert_eq!(app.fetch(playlist, None).await.status, 200);
    app.get(&visitor, &shared).await.data();
    accounts::block(&app.state, ada.id, true).await.unwrap();
    is_over(&app, &url).await;
    app.fetch(playlist, None).await.fails(404, "not_found");
    app.get(&visitor, &shared).await.fails(404, "not_found");
    accounts::block(&app.state, ada.id, false).await.unwrap();
    assert_eq!(app.fetch(playlist, None).await.status, 200);
    is_over(&app, &url).await;
}

fn clip_link(clip: &Value) -> String {
    format!("shared-clip/{}?uuid={}", clip["id"], clip["uuid"].as_str().unwrap())
}

#[tokio::test]
async fn a_logout_ends_only_its_sessions_addresses() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let other = app.login(&ada.email, PASSWORD).await.data()["api_key"].as_str().unwrap().to_owned();
    let (here, there) = (address(&app, &ada.key, REGISTERED).await, address(&app, &other, REGISTERED).await);
    let clip = ready(&app, &ada, "one").await;
    let download = app.get(&ada.key, &format!("clip/download/{}", clip["id"])).await.data();
    let download = download["download_url"].as_str().unwrap();
    assert_eq!(app.fetch(download, None).await.status, 200);
    app.post(&ada.key, "auth/logout", json!({})).await.data();
    is_over(&app, &here).await;
    app.fetch(download, None).await.fails(403, "media_ended");
    plays(&app, &there).await;
}

/// A visitor's addresses open what any visitor may watch, so a login leaves them. They end with the visitors' keys.
#[tokio::test]
async fn a_visitors_addresses_end_with_the_keys_of_the_channels_visitors() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let visitor = app.visitor().await;
    let url = address(&app, &visitor, "events/4/playback/42").await;
    let session = app.post(&visitor, "v2/auth/login", json!({ "email": ada.email, "password": PASSWORD })).await.data();
    plays(&app, &url).await;
    let of_person = address(&app, session["api_key"].as_str().unwrap(), "events/4/playback/42").await;
    app.clock.advance_ms(1);
    visitors::end_keys(&app.state, "meadow").await.unwrap();
    is_over(&app, &url).await;
    plays(&app, &of_person).await;
    app.clock.advance_ms(1);
    plays(&app, &address(&app, &app.visitor().await, "events/4/playback/42").await).await;
}

#[tokio::test]
async fn a_password_change_ends_playback_in_all_other_sessions() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let other = app.login(&ada.email, PASSWORD).await.data()["api_key"].as_str().unwrap().to_owned();
    let (here, there) = (address(&app, &ada.key, REGISTERED).await, address(&app, &other, REGISTERED).await);
    app.clock.advance_ms(1);
    let change = json!({
        "_method": "patch", "current_password": PASSWORD, "password": "another horse", "password_confirmation": "another horse",
    });
    app.post(&ada.key, "profile", change).await.data();
    is_over(&app, &there).await;
    is_over(&app, &here).await;
    app.clock.advance_ms(1);
    plays(&app, &address(&app, &ada.key, REGISTERED).await).await;
}

#[tokio::test]
async fn a_temporary_password_a_revoked_right_and_an_erasure_end_playback() {
    for how in ["temporary password", "right", "erasure"] {
        let app = App::new().await;
        let ada = app.verified_person("ada").await;
        let url = address(&app, &ada.key, REGISTERED).await;
        plays(&app, &url).await;
        match how {
            "temporary password" => {
                let setting = Setting { temporary_password: true, ..Setting::default() };
                accounts::set(&app.state, ada.id, setting).await.unwrap();
            }
            "right" => {
                let setting = Setting { capabilities: Some(vec!["clipping".to_owned()]), ..Setting::default() };
                accounts::set(&app.state, ada.id, setting).await.unwrap();
                app.get(&ada.key, REGISTERED).await.fails(403, "forbidden");
            }
            _ => {
                let user = app.state.store.user(ada.id).await.unwrap().unwrap();
                accounts::erase(&app.state, &user).await.unwrap();
            }
        }
        is_over(&app, &url).await;
    }
}

#[tokio::test]
async fn revocations_survive_a_restart_and_other_playback_continues() {
    let app = App::new().await;
    let (ada, bob, cat, dan) = (
        app.verified_person("ada").await,
        app.verified_person("bob").await,
        app.verified_person("cat").await,
        app.verified_person("dan").await,
    );
    let mut urls = Vec::new();
    for person in [&ada, &bob, &cat, &dan] {
        urls.push(address(&app, &person.key, REGISTERED).await);
    }
    accounts::block(&app.state, ada.id, true).await.unwrap();
    app.post(&bob.key, "auth/logout", json!({})).await.data();
    let user = app.state.store.user(cat.id).await.unwrap().unwrap();
    accounts::erase(&app.state, &user).await.unwrap();
    let app = app.restarted().await;
    for url in &urls[..3] {
        is_over(&app, url).await;
    }
    plays(&app, &urls[3]).await;
}

#[tokio::test]
async fn a_fourth_concurrent_network_is_refused_until_one_leaves() {
    let app = App::new().await;
    let ada = app.verified_person("ada").await;
    let url = address(&app, &ada.key, REGISTERED).await;
    let [_, segment] = files(&url);
    let from = async |last: u8, file: &str| app.fetch_from([192, 0, 2, last], file).await;
    for last in 1..=3 {
        assert_eq!(from(last, &url).await.status, 200);
    }
    from(4, &url).await.fails(403, "media_shared");
    from(4, &segment).await.fails(403, "media_shared");
    assert_eq!(from(1, &segment).await.status, 200, "existing viewers continue");
    // Public media belong to nobody.
    let clip = ready(&app, &ada, "one").await;
    for last in 1..=9 {
        assert_eq!(from(last, clip["url"].as_str().unwrap()).await.status, 200);
    }
    app.clock.advance_ms(60_001);
    assert_eq!(from(4, &segment).await.status, 200);
}
