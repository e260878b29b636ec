use serde_json::json;

use crate::app::App;

#[tokio::test]
async fn settings_contain_the_channels_texts_and_the_workers_additions() {
    let app = App::new().await;
    let settings = app.get(&app.visitor().await, "settings").await.data();
    assert_eq!(settings["name"], "Meadow Sports");
    assert_eq!(settings["google-analytics"], "GTM-TEST");
    assert_eq!(settings["yare-analytics"], "meadow");
    assert_eq!(settings["logo"], "/media/meadow/logo.svg");
    assert_eq!(settings["sandbox_payments"], true);
    assert_eq!(
        settings["auth"],
        json!({ "remote_auth": 1, "providers": [] }),
        "google is not configured in this worker"
    );
    assert_eq!(settings["static_blocks"]["footer"], "All times are local.");
    assert_eq!(settings["preroll_skip_after_s"], 3);
    assert_eq!(
        settings["prerolls"],
        json!([
            {
                "id": 1, "url": "/media/meadow/s/p1/open/index.m3u8", "weight": 5.0, "event_categories": [],
                "for_vod": true, "for_live": true
            },
            {
                "id": 2, "url": "/media/meadow/s/p2/open/index.m3u8", "weight": 2.0, "location_id": 2,
                "event_categories": [20], "for_vod": false, "for_live": true
            },
        ])
    );
}

#[tokio::test]
async fn colours_use_the_channels_names() {
    let app = App::new().await;
    let colors = app.get(&app.visitor().await, "color-settings/web").await.data();
    assert_eq!(colors["body-background"], "#0c172a");
    assert_eq!(colors["scheme"], "dark");
}

#[tokio::test]
async fn the_menu_has_its_links_and_every_school_and_team() {
    let app = App::new().await;
    let menu = app.get(&app.visitor().await, "menu").await.data();
    assert_eq!(menu["header"], json!([{ "name": "Home", "url": "/" }]));
    assert_eq!(
        menu["groups"][0],
        json!({
            "id": 1, "name": "Meadow", "alias": "meadow", "images": ["/media/meadow/crests/meadow.svg"]
        })
    );
    assert_eq!(menu["participants"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn popups_have_a_component_and_attributes() {
    let app = App::new().await;
    let popups = app.get(&app.visitor().await, "popups").await.data();
    assert_eq!(popups, json!([{ "component": "welcome", "attributes": { "title": "Hello" } }]));
}

#[tokio::test]
async fn the_bootstrap_bundle_equals_the_single_calls() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let bundle = app.get(&viewer, "channel-bootstrap-data").await.data();
    for (part, call) in [
        ("color-settings", "color-settings/web"),
        ("events-categories", "events-categories"),
        ("events-locations", "events-locations"),
        ("faq", "faq"),
        ("menu", "menu"),
        ("packages", "packages"),
        ("pages", "pages"),
        ("participant-groups", "participant-groups"),
        ("settings", "settings"),
        ("slides", "slides/web"),
        ("subscriptions", "subscriptions"),
        ("participant-group-properties", "participant-group-properties"),
    ] {
        assert_eq!(bundle[part], app.get(&viewer, call).await.data(), "{part}");
    }
    assert_eq!(bundle.as_object().unwrap().len(), 12);
}

#[tokio::test]
async fn geo_returns_the_country_and_whether_the_channel_is_blocked_there() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let from = async |country| app.get_from(country, &viewer, "geo").await.data();
    let nowhere = json!({ "country": "", "country_code": "", "ip": "0.0.0.0", "is_geo_blocked": false });
    assert_eq!(from(None).await, nowhere);
    let canada = json!({ "country": "Canada", "country_code": "CA", "ip": "0.0.0.0", "is_geo_blocked": false });
    assert_eq!(from(Some("CA")).await, canada);
    assert_eq!(from(Some("KP")).await["is_geo_blocked"], true);
    assert_eq!(from(Some("ZZ")).await["country"], "");
}
