use serde_json::json;

use crate::app::App;

#[tokio::test]
async fn teams_are_paged_or_listed_in_full() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    assert_eq!(app.get(&viewer, "participants?no_limit=1").await.ids(), [101, 102, 103, 104]);
    let part = app.get(&viewer, "participants?limit=2&offset=1").await;
    assert_eq!(part.ids(), [102, 103]);
    assert_eq!(part.json()["meta"], json!({ "total": 4, "limit": 2, "offset": 1 }));
    assert_eq!(part.data()[0]["properties"], json!({ "gender": "female", "sport": "basketball" }));
}

#[tokio::test]
async fn an_out_of_range_page_is_rejected() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    for part in ["limit=0", "limit=101", "limit=-1", "limit=many", "offset=-1", "offset=1000001", "no_limit=2"] {
        let refused = app.get(&viewer, &format!("participants?{part}")).await;
        refused.fails(400, "malformed");
    }
}

#[tokio::test]
async fn schools_and_their_properties_are_lists() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let groups = app.get(&viewer, "participant-groups").await.data();
    assert_eq!(groups[0]["properties"]["state"], "MN");
    let properties = app.get(&viewer, "participant-group-properties").await.data();
    assert_eq!(properties, json!([{ "key": "league", "name": "Conference", "values": ["Prairie"] }]));
}

#[tokio::test]
async fn a_missing_or_wrong_key_is_rejected() {
    let app = App::new().await;
    for call in [
        "settings",
        "color-settings/web",
        "menu",
        "popups",
        "channel-bootstrap-data",
        "geo",
        "pages",
        "pages/1",
        "slides/web",
        "faq",
        "custom-forms/contact",
        "participants",
        "participant-groups",
        "participant-group-properties",
        "events",
        "events/1",
        "events-categories",
        "events-locations",
        "events-for-homepage",
        "events/favorite",
        "events/with_clip",
        "download-event/1",
        "packages",
        "packages/1",
        "subscriptions",
        "subscriptions/1",
        "vod-media-items",
        "vod-media-items/1",
        "vod-media-categories",
        "vod-media-rails",
        "vod-media/search",
    ] {
        for key in ["", "?api_key=", "?api_key=wrong"] {
            let refused = app.fetch(&format!("/api/{call}{key}"), None).await;
            refused.fails(400, "api_key");
            refused.blames("api_key");
        }
    }
}
