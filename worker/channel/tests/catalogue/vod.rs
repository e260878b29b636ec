use serde_json::{Value, json};
use touchline_protocol::purchases::OrderType;

use crate::app::App;

#[tokio::test]
async fn a_video_has_all_its_fields_and_plays_when_it_is_free() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let video = app.get(&viewer, "vod-media-items/1").await.data();
    assert_eq!(
        video,
        json!({
            "id": 1, "title": "Ten plays", "date": "2027-01-11T08:00:00.000Z", "description": "The best ten.",
            "category_id": 1, "access_type": "free", "has_access": true, "is_geo_blocked": false,
            "duration_s": 12.0, "figure": "10", "color": "#1f4a96",
            "assets": [
                { "type": "image", "path": "/media/meadow/posters/court.svg" },
                { "type": "preview", "path": "/media/meadow/s/a1-1/open/index.m3u8" },
            ],
            "media": video["media"]
        })
    );
    assert_eq!((&video["media"]["url"], &video["media"]["is_protected"]), (&json!(null), &json!(true)));
    let playback = app.get(&viewer, "vod-media-items/1/playback").await.data();
    assert!(playback["playback_url"].as_str().unwrap().starts_with("/media/meadow/s/v90001/"));
    app.get(&viewer, "vod-media-items/2/playback").await.fails(403, "forbidden");
    app.get(&viewer, "vod-media-items/9/playback").await.fails(404, "not_found");
    app.get_from(Some("KP"), &viewer, "vod-media-items/1/playback").await.fails(403, "geo_blocked");
    app.get(&viewer, "vod-media-items/9").await.fails(404, "not_found");
}

#[tokio::test]
async fn videos_require_an_account_a_right_or_a_subscription() {
    let app = App::new().await;
    let opens = async |key: &str, country: Option<&str>| {
        let videos = app.get_from(country, key, "vod-media-items?sort_field=title").await.data();
        let opens = |id: i64| {
            let video = videos.as_array().unwrap().iter().find(|video| video["id"] == id).unwrap();
            assert_eq!(video["has_access"] == true, video["media"]["is_protected"] == true);
            video["has_access"] == true
        };
        [1, 2, 3].map(opens)
    };
    assert_eq!(opens(&app.visitor().await, None).await, [true, false, false]);
    let person = app.person_with_rights("ann", &["vod_media"]).await;
    assert_eq!(opens(&person.key, None).await, [true, true, false]);
    app.owns(&person, OrderType::Subscription, 1, &[], None).await;
    assert_eq!(opens(&person.key, None).await, [true, true, true]);
    assert_eq!(opens(&person.key, Some("KP")).await, [false, false, false]);
    let restricted = app.person_with_rights("bob", &["watch"]).await;
    app.owns(&restricted, OrderType::Subscription, 1, &[], None).await;
    assert_eq!(opens(&restricted.key, None).await, [true, false, false]);
}

/// `CALL-7`, `VOD-1`, `VOD-2`.
#[tokio::test]
async fn the_library_is_listed_searched_and_grouped_in_rails() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let list = async |call: &str| app.get(&viewer, call).await;
    assert_eq!(list("vod-media-items").await.ids(), [1, 3, 2]);
    assert_eq!(list("vod-media-items?category_id=2").await.ids(), [2]);
    assert_eq!(list("vod-media-items").await.json()["meta"]["limit"], 24);
    let search = list("vod-media/search?title=te").await;
    assert_eq!(
        (search.ids(), search.json()["meta"].clone()),
        (vec![1, 3], json!({ "total": 2, "limit": 10, "offset": 0 }))
    );
    assert_eq!(list("vod-media/search?sort_field=date&sort_direction=asc&limit=1").await.ids(), [2]);
    list("vod-media/search?sort_field=id").await.fails(400, "invalid");
    assert_eq!(
        list("vod-media-categories").await.data(),
        json!([{ "id": 1, "title": "Plays" }, { "id": 2, "title": "Coaching" }])
    );
    let rails = list("vod-media-rails").await.data();
    let ids: Vec<&Value> = rails[0]["vod_media_items"].as_array().unwrap().iter().map(|item| &item["id"]).collect();
    assert_eq!(ids, [3, 1], "in the order of the rail");
}
