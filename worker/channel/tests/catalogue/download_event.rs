use axum::http::header;
use touchline_protocol::purchases::OrderType;

use crate::app::App;

#[tokio::test]
async fn a_finished_event_can_be_downloaded_as_one_file_by_those_who_may() {
    let app = App::new().await;
    let viewer = app.person("ann", &["watch", "download"]).await;
    let link = app.call(&viewer, "download-event/3").await.data();
    let file = app.get(link["download_url"].as_str().unwrap()).await;
    assert_eq!(file.body, "v0 init;v0 segment 0;v0 segment 1;v0 segment 2;");
    assert_eq!(file.header(header::CONTENT_TYPE), "video/mp4");
    assert_eq!(file.header(header::CONTENT_DISPOSITION), "attachment; filename=\"meadow-download.mp4\"");
    let user = app.state.store.user(viewer.user_id.unwrap()).await.unwrap().unwrap();
    assert_eq!(user.downloads, 1);
}

#[tokio::test]
async fn everyone_else_is_refused_and_nothing_is_counted() {
    let app = App::new().await;
    let without_right = app.person("bob", &["watch"]).await;
    let viewer = app.person("ann", &["watch", "download"]).await;
    app.call(&app.visitor().await, "download-event/3").await.fails(401, "unauthenticated");
    app.call(&app.temporary("tom").await, "download-event/3").await.fails(403, "temporary_password");
    app.call(&without_right, "download-event/3").await.fails(403, "forbidden");
    app.call(&viewer, "download-event/5").await.fails(403, "geo_blocked");
    app.call_from(&viewer, "download-event/5", Some("US"), &[]).await.fails(403, "forbidden");
    app.call_from(&viewer, "download-event/3", Some("KP"), &[]).await.fails(403, "geo_blocked");
    app.call(&viewer, "download-event/99").await.fails(404, "not_found");
    app.call(&viewer, "download-event/4").await.fails(404, "not_found");
    app.buys(&viewer, OrderType::Event, 5, &[], None).await;
    app.call_from(&viewer, "download-event/5", Some("US"), &[]).await.data();
    let user = app.state.store.user(viewer.user_id.unwrap()).await.unwrap().unwrap();
    assert_eq!(user.downloads, 1);
}

/// `MEDIA-3`: the right to watch is no right to take the file along.
#[tokio::test]
async fn an_address_for_watching_opens_no_download_and_the_other_way_round() {
    let app = App::new().await;
    let viewer = app.person("ann", &["watch", "download"]).await;
    let watch = app.playback(&viewer, 3, 3).await.data()["playback_url"].as_str().unwrap().to_owned();
    let download = app.call(&viewer, "download-event/3").await.data()["download_url"].as_str().unwrap().to_owned();
    let folder = |url: &str| url.rsplit_once('/').unwrap().0.to_owned();
    let moved = |url: &str, from: &str, to: &str| folder(url).replace(from, to);
    app.get(&format!("{}/download.mp4", folder(&watch))).await.fails(404, "not_found");
    app.get(&format!("{}/download.mp4", moved(&watch, "/s/", "/d/"))).await.fails(403, "media_unsigned");
    app.get(&format!("{}/master.m3u8", moved(&download, "/d/", "/s/"))).await.fails(403, "media_unsigned");
    app.get(&format!("{}/master.m3u8", folder(&download))).await.fails(404, "not_found");

    let app = App::without_regions().await;
    app.clock.advance_ms(24 * 3_600_000);
    let free = app.playback(&app.visitor().await, 4, 3).await.data()["playback_url"].as_str().unwrap().to_owned();
    assert!(free.contains("/open/"), "{free}");
    app.get(&format!("{}/download.mp4", folder(&free))).await.fails(404, "not_found");
    app.get(&format!("{}/download.mp4", moved(&free, "/s/", "/d/"))).await.fails(403, "media_unsigned");
}
