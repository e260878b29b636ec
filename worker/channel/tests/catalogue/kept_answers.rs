use std::io::Read;

use axum::http::header;
use touchline_protocol::ambient::Clock;
use touchline_protocol::purchases::OrderType;

use crate::app::App;

#[tokio::test]
async fn an_answer_that_the_asker_has_is_not_sent_again() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let first = app.call(&viewer, "channel-bootstrap-data").await;
    let etag = first.header(header::ETAG).to_owned();
    assert_eq!(first.header(header::CACHE_CONTROL), "private, no-cache");
    let again = app.call_from(&viewer, "channel-bootstrap-data", None, &[(header::IF_NONE_MATCH, &etag)]).await;
    assert_eq!((again.status.as_u16(), again.body.len(), again.header(header::ETAG)), (304, 0, etag.as_str()));
    let other = app.call_from(&viewer, "events", None, &[(header::IF_NONE_MATCH, &etag)]).await;
    assert_eq!(other.status, 200);
}

#[tokio::test]
async fn an_answer_comes_compressed_to_those_who_take_it() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let plain = app.call(&viewer, "events").await;
    assert_eq!(plain.header(header::CONTENT_ENCODING), "");
    assert_eq!(plain.header(header::VARY), "accept-encoding");
    let packed = app.call_from(&viewer, "events", None, &[(header::ACCEPT_ENCODING, "gzip, br")]).await;
    assert_eq!(packed.header(header::CONTENT_ENCODING), "br");
    let mut unpacked = Vec::new();
    brotli::BrotliDecompress(&mut &packed.body[..], &mut unpacked).unwrap();
    assert_eq!(unpacked, plain.body);
    let packed = app.call_from(&viewer, "events", None, &[(header::ACCEPT_ENCODING, "gzip")]).await;
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&packed.body[..]).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain.body);
}

#[tokio::test]
async fn nobody_gets_an_answer_that_was_made_for_someone_else() {
    let app = App::new().await;
    let owner = app.person("owner", &["watch", "vod_media"]).await;
    app.buys(&owner, OrderType::Event, 1, &[], None).await;
    let viewers = [
        (owner, None, vec![1, 3, 4], vec![1, 2]),
        (app.person("ann", &["watch"]).await, None, vec![3, 4], vec![1]),
        (app.person("bob", &["vod_media"]).await, None, vec![4], vec![1, 2]),
        (app.visitor().await, None, vec![4], vec![1]),
        (app.person("cat", &["watch"]).await, Some("CA"), vec![4], vec![1]),
        (app.person("dan", &["watch"]).await, Some("US"), vec![3, 4], vec![1]),
        (app.person("eve", &["watch", "vod_media"]).await, Some("KP"), vec![], vec![]),
    ];
    let opens = async |viewer, country, call: &str| {
        let list = app.call_from(viewer, call, country, &[]).await.data();
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

#[tokio::test]
async fn a_kept_answer_is_given_up_when_a_status_moves() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let status = async || app.call(&viewer, "events/1").await.data()["stream_status"].clone();
    assert_eq!(status().await, "live");
    app.clock.advance_ms(6_599_000);
    assert_eq!(status().await, "live");
    app.clock.advance_ms(1000);
    assert_eq!(status().await, "finished");
}

#[tokio::test]
async fn the_addresses_of_a_kept_answer_always_work_for_hours() {
    let app = App::new().await;
    let viewer = app.person("ann", &["watch"]).await;
    app.clock.advance_ms(10 * 86_400_000);
    for _ in 0..20 {
        let medium = app.call(&viewer, "events/3").await.data()["media"][0].clone();
        assert!(medium["expires"].as_i64().unwrap() >= app.clock.now_s() + 6 * 3600);
        assert_eq!(app.get(medium["url"].as_str().unwrap()).await.status, 200);
        app.clock.advance_ms(1_800_000);
    }
}

#[tokio::test]
async fn a_kept_answer_is_given_up_when_the_channel_changes() {
    let app = App::without_regions().await;
    let viewer = app.visitor().await;
    assert_eq!(app.call(&viewer, "settings").await.data()["name"], "Meadow Sports");
    app.change("settings.json", "Meadow Sports", "Meadow Plus");
    assert_eq!(app.call(&viewer, "settings").await.data()["name"], "Meadow Plus");
}
