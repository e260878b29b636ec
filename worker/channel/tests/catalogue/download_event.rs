use axum::http::header;
use touchline_protocol::purchases::OrderType;

use crate::app::{App, ChannelFolder};

#[tokio::test]
async fn people_with_the_right_can_download_a_finished_event_as_one_file() {
    let app = App::new().await;
    let viewer = app.person_with_rights("ann", &["watch", "download"]).await;
    let link = app.get(&viewer.key, "download-event/3").await.data();
    let file = app.fetch(link["download_url"].as_str().unwrap(), None).await;
    assert_eq!(file.body, "v0 init;v0 segment 0;v0 segment 1;v0 segment 2;");
    assert_eq!(file.header(header::CONTENT_TYPE), "video/mp4");
    assert_eq!(file.header(header::CONTENT_DISPOSITION), "attachment; filename=\"meadow-download.mp4\"");
    let user = app.state.store.user(viewer.id).await.unwrap().unwrap();
    assert_eq!(user.downloads, 1);
}

#[tokio::test]
async fn everyone_else_is_refused_and_no_download_is_counted() {
    let app = App::new().await;
    let without_right = app.person_with_rights("bob", &["watch"]).await;
    let viewer = app.person_with_rights("ann", &["watch", "download"]).await;
    app.get(&app.visitor().await, "download-event/3").await.fails(401, "unauthenticated");
    app.get(&app.temporary("tom").await.key, "download-event/3").await.fails(403, "temporary_password");
    app.get(&without_right.key, "download-event/3").await.fails(403, "forbidden");
    app.get(&viewer.key, "download-event/5").await.fails(403, "geo_blocked");
    app.get_from(Some("US"), &viewer.key, "download-event/5").await.fails(403, "forbidden");
    app.get_from(Some("KP"), &viewer.key, "download-event/3").await.fails(403, "geo_blocked");
    app.get(&viewer.key, "download-event/99").await.fails(404, "not_found");
    app.get(&viewer.key, "download-event/4").await.fails(404, "not_found");
    app.owns(&viewer, OrderType::Event, 5, &[], None).await;
    app.get_from(Some("US"), &viewer.key, "download-event/5").await.data();
    let user = app.state.store.user(viewer.id).await.unwrap().unwrap();
    assert_eq!(user.downloads, 1);
}

/// `MEDIA-3`: access to watch does not include downloading.
#[tokio::test]
async fn watch_and_download_addresses_are_not_interchangeable() {
    let app = App::new().await;
    let viewer = app.person_with_rights("ann", &["watch", "download"]).await;
    let watch = app.playback(&viewer.key, 3, 3).await.data()["playback_url"].as_str().unwrap().to_owned();
    let download = app.get(&viewer.key, "download-event/3").await.data()["download_url"].as_str().unwrap().to_owned();
    let parent = |url: &str| url.rsplit_once('/').unwrap().0.to_owned();
    let moved = |url: &str, from: &str, to: &str| parent(url).replace(from, to);
    app.fetch(&format!("{}/download.mp4", parent(&watch)), None).await.fails(404, "not_found");
    app.fetch(&format!("{}/download.mp4", moved(&watch, "/s/", "/d/")), None).await.fails(403, "media_unsigned");
    app.fetch(&format!("{}/master.m3u8", moved(&download, "/d/", "/s/")), None).await.fails(403, "media_unsigned");
    app.fetch(&format!("{}/master.m3u8", parent(&download)), None).await.fails(404, "not_found");

    let folder = ChannelFolder::without_regions();
    let app = App::of(&folder).await;
    app.clock.advance_ms(24 * 3_600_000);
    let free = app.playback(&app.visitor().await, 4, 3).await.data()["playback_url"].as_str().unwrap().to_owned();
    assert!(free.contains("/open/"), "{free}");
    app.fetch(&format!("{}/download.mp4", parent(&free)), None).await.fails(404, "not_found");
    app.fetch(&format!("{}/download.mp4", moved(&free, "/s/", "/d/")), None).await.fails(403, "media_unsigned");
}
