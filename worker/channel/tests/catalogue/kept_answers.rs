use std::io::Read;

use axum::http::header;
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
    let (visitor, person) = (app.visitor().await, app.person("ann", &["watch"]).await);
    let owner = app.person("owner", &["watch"]).await;
    app.buys(&owner, OrderType::Event, 1, &[], None).await;
    let accesses = async |viewer, country| {
        let events = app.call_from(viewer, "events?ids=1,3,4", country, &[]).await.data();
        let mut open: Vec<_> = events.as_array().unwrap().iter().filter(|event| event["has_access"] == true).collect();
        open.sort_by_key(|event| event["id"].as_i64());
        open.into_iter().map(|event| event["id"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    for _ in 0..2 {
        assert_eq!(accesses(&owner, None).await, [1, 3, 4]);
        assert_eq!(accesses(&person, None).await, [3, 4]);
        assert_eq!(accesses(&visitor, None).await, [4]);
        assert_eq!(accesses(&visitor, Some("KP")).await, [0; 0]);
        assert_eq!(accesses(&person, Some("KP")).await, [0; 0]);
    }
}

#[tokio::test]
async fn a_kept_answer_is_given_up_when_a_status_moves() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let status = async || app.call(&viewer, "events/2").await.data()["stream_status"].clone();
    assert_eq!(status().await, "upcoming");
    app.clock.advance_ms(3_599_000);
    assert_eq!(status().await, "upcoming");
    app.clock.advance_ms(1000);
    assert_eq!(status().await, "live");
}
