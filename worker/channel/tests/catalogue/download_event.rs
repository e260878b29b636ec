use axum::http::header;
use touchline_protocol::purchases::OrderType;

use crate::app::App;

#[tokio::test]
async fn a_finished_event_can_be_downloaded_as_one_file_by_those_who_may() {
    let app = App::new().await;
    let viewer = app.person("ann", &["watch", "download"]).await;
    let link = app.call(&viewer, "download-event/3").await.data();
    let file = app.get(link["url"].as_str().unwrap()).await;
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
