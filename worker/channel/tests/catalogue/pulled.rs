//! Media that the worker fetches from another host (`PULL-1` to `PULL-3`): a scripted host on this machine.

use std::sync::Arc;

use axum::http::{StatusCode, header};
use futures_util::future;
use serde_json::json;
use touchline_channel::catalogue::FolderSource;
use touchline_protocol::purchases::OrderType;

use crate::app::{Answer, App, ChannelFolder, Host, HostResponse, MEDIA};

/// An app that fetches event 1 from `address`.
async fn pulling(address: &str, private: bool) -> (App, String) {
    let channel = ChannelFolder::copied();
    let medium = json!({ "id": 12, "type": 2, "source": "pull", "path": address });
    let other = json!({ "id": 42, "type": 2, "source": "pull", "path": address });
    channel.set("events.json", "/0/media", json!([medium]));
    channel.set("events.json", "/3/media", json!([other]));
    let app = App::with(|options| {
        options.source = Arc::new(FolderSource::new(channel.path()));
        options.private_media = private;
    })
    .await;
    let owner = app.person_with_rights("owner", &["watch"]).await;
    app.owns(&owner, OrderType::Event, 1, &[], None).await;
    let url = app.playback(&owner.key, 1, 2).await.data()["playback_url"].as_str().unwrap().to_owned();
    (app, url)
}

fn beside(url: &str, file: &str) -> String {
    format!("{}/{file}", url.rsplit_once('/').unwrap().0)
}

/// Fetches a URL; asserts that headers and body do not name the host.
async fn fetch(app: &App, host: &Host, url: &str) -> Answer {
    let answer = app.fetch(url, None).await;
    let all = format!("{:?}\n{}", answer.headers, String::from_utf8_lossy(&answer.body));
    for secret in [host.address.port().to_string().as_str(), "127.0.0.1", "/live/"] {
        assert!(!all.contains(secret), "{secret}: {all}");
    }
    answer
}

async fn text(app: &App, host: &Host, url: &str) -> String {
    let answer = fetch(app, host, url).await;
    assert_eq!(answer.status, 200, "{url}");
    String::from_utf8(answer.body.to_vec()).unwrap()
}

/// The content of a playlist in order: lines, and addresses in tags.
fn named(playlist: &str) -> Vec<&str> {
    fn of(line: &str) -> Option<&str> {
        match line.split_once("URI=\"") {
            Some((_, rest)) => rest.split('"').next(),
            None => Some(line).filter(|line| !line.starts_with('#')),
        }
    }
    playlist.lines().filter_map(of).collect()
}

#[tokio::test]
async fn playlist_files_are_fetched_once_under_opaque_addresses() {
    let host = Host::start().await;
    let (app, url) = pulling(&format!("http://{}/live/master.m3u8?token=1", host.address), true).await;
    let master = text(&app, &host, &url).await;
    let [variant, frames] = named(&master)[..] else { panic!("{master}") };
    let (variant, frames) = (beside(&url, variant), beside(&url, frames));
    assert!(text(&app, &host, &frames).await.contains("#EXT-X-I-FRAMES-ONLY"));
    let media = text(&app, &host, &variant).await;
    let files = named(&media);
    let contents: Vec<_> = future::join_all(files.iter().map(async |file| {
        let answer = fetch(&app, &host, &beside(&variant, file)).await;
        (answer.status, String::from_utf8(answer.body.to_vec()).unwrap())
    }))
    .await;
    let wanted = ["the key.bin", "the init.mp4", "the a.m4s", "the p.m4s"];
    assert_eq!(contents, wanted.map(|content| (StatusCode::OK, content.to_owned())));
    host.take_request_count();

    // Twenty concurrent viewers cause one request for each changing file, and none for a cached one.
    host.responses.lock().insert("/live/v/a.m4s".into(), HostResponse::Text("video/mp4", "another".into()));
    let segment = beside(&variant, files[2]);
    let all = future::join_all((0..20).map(|_| text(&app, &host, &segment))).await;
    assert!(all.iter().all(|content| content == "the a.m4s"));
    assert_eq!(host.take_request_count(), 0);
    let range = [("range", "bytes=4-4")];
    let part = app.fetch_with(&range, &segment).await;
    assert_eq!((part.status.as_u16(), &part.body[..]), (206, &b"a"[..]), "served from the cached file");
    assert_eq!((part.header(header::CONTENT_RANGE), host.take_request_count()), ("bytes 4-4/9", 0));

    let (app, url) = pulling(&format!("http://{}/live/v/index.m3u8", host.address), true).await;
    let segment = beside(&url, named(&text(&app, &host, &url).await)[2]);
    let part = app.fetch_with(&range, &segment).await;
    assert_eq!((part.status.as_u16(), &part.body[..]), (206, &b"h"[..]), "the host returns the whole file");
    assert_eq!(part.header(header::CONTENT_RANGE), "bytes 4-4/7");
}

#[tokio::test]
async fn the_headers_of_a_pulled_segment_need_no_request_to_its_host() {
    let host = Host::start().await;
    let (app, url) = pulling(&format!("http://{}/live/v/index.m3u8", host.address), true).await;
    let segment = beside(&url, named(&text(&app, &host, &url).await)[2]);
    host.take_request_count();
    let answer = app.head(&segment).await;
    assert_eq!((answer.status.as_u16(), answer.header(header::CONTENT_TYPE)), (200, "video/mp4"));
    assert!(!answer.headers.contains_key(header::CONTENT_LENGTH), "{:?}", answer.headers);
    assert_eq!(host.take_request_count(), 0);
    assert_eq!(app.head(&beside(&url, "u/AAAA.ts")).await.status, 404);
}

#[tokio::test]
async fn concurrent_viewers_cause_one_request() {
    let host = Host::start().await;
    let (app, url) = pulling(&format!("http://{}/live/v/index.m3u8", host.address), true).await;
    let all = future::join_all((0..20).map(|_| text(&app, &host, &url))).await;
    assert!(all.iter().all(|playlist| *playlist == all[0]));
    assert_eq!(host.take_request_count(), 1);
    let segment = beside(&url, named(&all[0])[2]);
    future::join_all((0..20).map(|_| text(&app, &host, &segment))).await;
    assert_eq!(host.take_request_count(), 1);
}

/// `MEDIA-1`, `GEO-1`, `PULL-2`.
#[tokio::test]
async fn viewers_without_access_get_nothing_of_a_pulled_stream() {
    let host = Host::start().await;
    let (app, url) = pulling(&format!("http://{}/live/master.m3u8", host.address), true).await;
    let variant = beside(&url, named(&text(&app, &host, &url).await)[0]);
    let segment = beside(&variant, named(&text(&app, &host, &variant).await)[2]);
    let pass = url.split('/').nth(5).unwrap().to_owned();
    for address in [&url, &variant, &segment] {
        app.fetch(&address.replace(&pass, "open"), None).await.fails(403, "media_unsigned");
        app.fetch(&address.replace("/l12/", "/l42/"), None).await.fails(403, "media_unsigned");
        app.fetch(address, Some("KP")).await.fails(403, "geo_blocked");
    }
    // A sealed address belongs to its medium: it opens nothing with access to another one.
    let visitor = app.visitor().await;
    let free = app.playback(&visitor, 4, 2).await.data()["playback_url"].as_str().unwrap().to_owned();
    assert_eq!(app.fetch(&free, None).await.status, 200);
    let (_, sealed) = segment.rsplit_once("/u/").unwrap();
    app.fetch(&beside(&free, &format!("u/{sealed}")), None).await.fails(404, "not_found");
    app.fetch(&beside(&url, "u/AAAA.ts"), None).await.fails(404, "not_found");
    app.fetch(&beside(&url, "master.m3u8"), None).await.fails(404, "not_found");
    app.clock.advance_ms(6 * 3600 * 1000);
    for address in [&url, &variant, &segment] {
        app.fetch(address, None).await.fails(403, "media_expired");
    }
}

/// A restarted encoder reuses file names: cached files are not mistaken for the new ones.
#[tokio::test]
async fn a_restarted_encoders_files_are_not_mixed_with_older_ones() {
    let host = Host::start().await;
    let (app, url) = pulling(&format!("http://{}/live/v/index.m3u8", host.address), true).await;
    let window =
        |first: u64| format!("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:{first}\n#EXTINF:1,\na.m4s\n");
    host.set_playlist("/live/v/index.m3u8", &window(7));
    let first = text(&app, &host, &url).await;
    assert_eq!(text(&app, &host, &beside(&url, named(&first)[0])).await, "the a.m4s");
    host.responses.lock().insert("/live/v/a.m4s".into(), HostResponse::Text("video/mp4", "another life".into()));
    host.set_playlist("/live/v/index.m3u8", &window(0));
    let mut again = first.clone();
    while named(&again) == named(&first) {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        again = text(&app, &host, &url).await;
    }
    assert_eq!(text(&app, &host, &beside(&url, named(&again)[0])).await, "another life");
}

/// `PULL-3`.
#[tokio::test]
async fn a_hosts_failure_is_reported_and_not_cached() {
    let host = Host::start().await;
    let (app, url) = pulling(&format!("http://{}/live/v/index.m3u8", host.address), true).await;
    let segment = beside(&url, named(&text(&app, &host, &url).await)[2]);
    let away = format!("http://{}/live/v/a.m4s", host.address);
    let page = || HostResponse::Text("text/html", "<html>sorry".into());
    for response in [
        HostResponse::Status(404),
        HostResponse::Status(500),
        HostResponse::Half,
        page(),
        HostResponse::To(away),
        HostResponse::To("ftp://a/b".into()),
    ] {
        host.responses.lock().insert("/live/v/a.m4s".into(), response.clone());
        let answer = fetch(&app, &host, &segment).await;
        assert_eq!(answer.header(header::RETRY_AFTER), "1", "{response:?}");
        answer.fails(502, "media_unavailable");
    }
    host.responses.lock().insert("/elsewhere.m4s".into(), HostResponse::Text("video/mp4", "the whole".into()));
    host.responses.lock().insert("/live/v/a.m4s".into(), HostResponse::To("/elsewhere.m4s".into()));
    assert_eq!(text(&app, &host, &segment).await, "the whole", "failures are not cached, and redirects are followed");

    let (app, url) = pulling(&format!("http://{}/live/none.m3u8", host.address), true).await;
    for response in
        [page(), HostResponse::Text("text/plain", "no playlist".into()), HostResponse::Half, HostResponse::Status(503)]
    {
        host.responses.lock().insert("/live/none.m3u8".into(), response);
        fetch(&app, &host, &url).await.fails(502, "media_unavailable");
    }
    host.set_playlist("/live/none.m3u8", MEDIA);
    text(&app, &host, &url).await;
}

#[tokio::test]
async fn private_networks_are_not_reached_unless_the_operator_allows_it() {
    // Not even a connection is made, since a service there may not need TLS.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    // By number, and by a name that resolves to it.
    for name in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"] {
        let (app, url) = pulling(&format!("https://{name}:{port}/live/master.m3u8"), false).await;
        app.fetch(&url, None).await.fails(502, "media_unavailable");
        assert!(listener.accept().is_err(), "{name} was reached");
    }
}
