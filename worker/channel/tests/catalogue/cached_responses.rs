use std::io::Read;

use axum::http::header;
use touchline_protocol::ambient::Clock;
use touchline_protocol::purchases::OrderType;

use crate::app::{App, ChannelFolder};

#[tokio::test]
async fn an_unchanged_response_is_not_sent_again() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let first = app.get(&viewer, "channel-bootstrap-data").await;
    let etag = first.header(header::ETAG).to_owned();
    assert_eq!(first.header(header::CACHE_CONTROL), "private, no-cache");
    let again = app.get_with(&[("if-none-match", &etag)], &viewer, "channel-bootstrap-data").await;
    assert_eq!((again.status.as_u16(), again.body.len(), again.header(header::ETAG)), (304, 0, etag.as_str()));
    let other = app.get_with(&[("if-none-match", &etag)], &viewer, "events").await;
    assert_eq!(other.status, 200);
}

#[tokio::test]
async fn responses_are_compressed_for_clients_that_accept_it() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let plain = app.get(&viewer, "events").await;
    assert_eq!(plain.header(header::CONTENT_ENCODING), "");
    assert_eq!(plain.header(header::VARY), "accept-encoding");
    let packed = app.get_with(&[("accept-encoding", "gzip, br")], &viewer, "events").await;
    assert_eq!(packed.header(header::CONTENT_ENCODING), "br");
    let mut unpacked = Vec::new();
    brotli::BrotliDecompress(&mut &packed.body[..], &mut unpacked).unwrap();
    assert_eq!(unpacked, plain.body);
    let packed = app.get_with(&[("accept-encoding", "gzip")], &viewer, "events").await;
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&packed.body[..]).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain.body);
}

#[tokio::test]
async fn nobody_gets_another_viewers_response() {
    let app = App::new().await;
    let owner = app.person_with_rights("owner", &["watch", "vod_media"]).await;
    app.owns(&owner, OrderType::Event, 1, &[], None).await;
    let viewers = [
        (owner.key, None, vec![1, 3, 4], vec![1, 2]),
        (app.person_with_rights("ann", &["watch"]).await.key, None, vec![3, 4], vec![1]),
        (app.person_with_rights("bob", &["vod_media"]).await.key, None, vec![4], vec![1, 2]),
        (app.visitor().await, None, vec![4], vec![1]),
        (app.person_with_rights("cat", &["watch"]).await.key, Some("CA"), vec![4], vec![1]),
        (app.person_with_rights("dan", &["watch"]).await.key, Some("US"), vec![3, 4], vec![1]),
        (app.person_with_rights("eve", &["watch", "vod_media"]).await.key, Some("KP"), vec![], vec![]),
    ];
    let opens = async |viewer, country, call: &str| {
        let list = app.get_from(country, viewer, call).await.data();
        let open = list.as_array().unwrap().iter().filter(|item| item["has_access"] == true);
        let mut ids: Vec<_> = open.map(|item| item["id"].as_i64().unwrap()).collect();
        ids.sort_unstable();
        ids
    };
    for _ in 0..2 {
        for (viewer, country, events, videos) in &viewers {
            assert_eq!(opens(viewer, *country, "events?ids=1,3,4").await, *events, "{viewer:?} {country:?}");
            assert_eq!(opens(viewer, *country, "vod-media-items").await, *videos, "{viewer:?} {country:?}");
        }
    }
}

/// `GEO-1`: even for a response that was built for a viewer elsewhere.
#[tokio::test]
async fn events_and_videos_report_the_callers_blocked_region() {
    let app = App::new().await;
    let visitor = app.visitor().await;
    let owner = app.person_with_rights("owner", &["watch", "vod_media"]).await;
    app.owns(&owner, OrderType::Event, 1, &[], None).await;
    let closed = async |viewer, country, call: &str| {
        let list = app.get_from(country, viewer, call).await.data();
        let ids = list.as_array().unwrap().iter().filter(|item| item["is_geo_blocked"] == true);
        ids.map(|item| item["id"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    // Event 3 is blocked in Canada, event 5 is only for the United States, and nobody in North Korea sees anything.
    let cases = [
        (Some("US"), vec![], vec![]),
        (Some("CA"), vec![5, 3], vec![]),
        (None, vec![5], vec![]),
        (Some("KP"), vec![5, 3, 4, 1, 2], vec![3, 2, 1]),
    ];
    for _ in 0..2 {
        for viewer in [&visitor, &owner.key] {
            for (country, events, videos) in &cases {
                assert_eq!(closed(viewer, *country, "events").await, *events, "{viewer:?} {country:?}");
                let mut found = closed(viewer, *country, "vod-media-items").await;
                found.sort_unstable_by(|a, b| b.cmp(a));
                assert_eq!(found, *videos, "{viewer:?} {country:?}");
                for (id, is_closed) in [(3, events.contains(&3)), (1, events.contains(&1))] {
                    let event = app.get_from(*country, viewer, &format!("events/{id}")).await.data();
                    assert_eq!(event["is_geo_blocked"], is_closed, "{viewer:?} {country:?} {id}");
                }
                let video = app.get_from(*country, viewer, "vod-media-items/1").await.data();
                assert_eq!(video["is_geo_blocked"], !videos.is_empty(), "{viewer:?} {country:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_status_change_invalidates_cached_responses() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let status = async || app.get(&viewer, "events/1").await.data()["stream_status"].clone();
    assert_eq!(status().await, "live");
    app.clock.advance_ms(6_599_000);
    assert_eq!(status().await, "live");
    app.clock.advance_ms(1000);
    assert_eq!(status().await, "finished");
}

#[tokio::test]
async fn cached_responses_contain_no_signed_addresses() {
    let app = App::new().await;
    let viewer = app.person_with_rights("ann", &["watch", "vod_media"]).await;
    app.owns(&viewer, OrderType::Event, 1, &[], None).await;
    for call in ["events", "events/1", "events/3", "events-for-homepage", "vod-media-items", "channel-bootstrap-data"] {
        let text = String::from_utf8(app.get(&viewer.key, call).await.body.to_vec()).unwrap();
        let mut addresses = text.split('"').filter(|part| part.starts_with("/media/meadow/s/"));
        assert!(addresses.all(|url| url.contains("/open/")), "{call}: {text}");
    }
    let expires = app.playback(&viewer.key, 3, 3).await.data()["expires"].as_i64().unwrap();
    assert_eq!(expires, app.clock.now_s() + 6 * 3600);
}

#[tokio::test]
async fn a_channel_change_invalidates_cached_responses() {
    let folder = ChannelFolder::without_regions();
    let app = App::of(&folder).await;
    let viewer = app.visitor().await;
    assert_eq!(app.get(&viewer, "settings").await.data()["name"], "Meadow Sports");
    folder.replace("settings.json", "Meadow Sports", "Meadow Plus");
    app.reload();
    assert_eq!(app.get(&viewer, "settings").await.data()["name"], "Meadow Plus");
}
