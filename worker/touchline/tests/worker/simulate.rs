//! The page that replays recorded sessions (`ROUTE-8`).

use reqwest::StatusCode;

use crate::found::page;
use crate::support::{Worker, folder};

/// Shows ROUTE-8b, ROUTE-8c.
#[tokio::test]
async fn the_replay_page_exists_by_the_channels_setting_or_qa() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    // Only the first channel's setting is on.
    let (on, off) = ("127.0.0.1:8080", "laurentides.localhost:8080");
    for (host, path, status) in [
        (on, "/simulate", StatusCode::OK),
        (off, "/simulate?qa", StatusCode::OK),
        (off, "/simulate", StatusCode::NOT_FOUND),
        (off, "/simulate?trk=qa", StatusCode::NOT_FOUND),
    ] {
        let found = page(&worker, host, path).await;
        assert_eq!(found.status, status, "{host}{path}");
        assert_eq!(found.title().starts_with("Page introuvable"), status == StatusCode::NOT_FOUND, "{}", found.title());
    }
}
