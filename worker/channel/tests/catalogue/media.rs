use std::fs::{self, File};
use std::time::Duration;

use axum::http::header;
use serde_json::Value;
use touchline_channel::http::{Caller, Client};
use touchline_channel::media::Purpose;
use touchline_protocol::purchases::OrderType;

use crate::app::{App, ChannelFolder, NOW, Person};

/// Address of the first medium of this type.
async fn address(app: &App, key: &str, event: i64, kind: i64) -> String {
    app.playback(key, event, kind).await.data()["playback_url"].as_str().unwrap().to_owned()
}

async fn owner(app: &App) -> Person {
    let viewer = app.person_with_rights("owner", &["watch"]).await;
    app.owns(&viewer, OrderType::Event, 1, &[], None).await;
    viewer
}

/// The caller as handlers get it.
async fn caller(app: &App, key: &str) -> Caller {
    let identity = app.state.authenticate(key).await.unwrap().unwrap();
    let channel = app.state.channels.by_key("meadow").unwrap();
    let (key_id, user_id, person_id) = (identity.key_id, identity.user_id, identity.person_id);
    Caller { channel, key_id, user_id, person_id, client: Client::default(), browser: None }
}

fn beside(url: &str, file: &str) -> String {
    format!("{}/{file}", url.rsplit_once('/').unwrap().0)
}

#[tokio::test]
async fn a_signed_address_gives_access_to_the_playlist_and_its_files() {
    let app = App::new().await;
    let url = address(&app, &owner(&app).await.key, 1, 2).await;
    let master = app.fetch(&url, None).await;
    assert_eq!(master.header(header::CONTENT_TYPE), "application/vnd.apple.mpegurl");
    assert!(master.body.starts_with(b"#EXTM3U"));
    let live = app.fetch(&beside(&url, "v0/index.m3u8"), None).await;
    let text = String::from_utf8(live.body.to_vec()).unwrap();
    // Ten minutes are 150 segments of 4 s; a loop has three.
    assert!(text.contains("#EXT-X-MEDIA-SEQUENCE:150\n"), "{text}");
    assert_eq!(live.header(header::CACHE_CONTROL), "no-store");
    assert_eq!(text.matches("#EXTINF").count(), 6);
    assert!(!text.contains("#EXT-X-ENDLIST"), "{text}");
    assert_eq!(app.fetch(&beside(&url, "v0/seg_1.m4s"), None).await.body, "v0 segment 1;");
    assert_eq!(app.fetch(&beside(&url, "v1/init.mp4"), None).await.body, "v1 init;");
}

#[tokio::test]
async fn the_live_window_moves_with_the_clock_and_ends_with_the_event() {
    let app = App::new().await;
    let url = beside(&address(&app, &owner(&app).await.key, 1, 2).await, "v1/index.m3u8");
    let text = async || String::from_utf8(app.fetch(&url, None).await.body.to_vec()).unwrap();
    let before = text().await;
    app.clock.advance_ms(4000);
    let after = text().await;
    assert_ne!(before, after);
    assert!(after.contains("#EXT-X-MEDIA-SEQUENCE:151\n"), "{after}");
    app.clock.advance_ms(7_200_000);
    assert!(text().await.contains("#EXT-X-ENDLIST"));
}

#[tokio::test]
async fn unsigned_altered_foreign_and_expired_addresses_are_rejected() {
    let app = App::new().await;
    let url = address(&app, &owner(&app).await.key, 1, 2).await;
    let pass = url.split('/').nth(5).unwrap();
    app.fetch(&url.replace(pass, "open"), None).await.fails(403, "media_unsigned");
    app.fetch(&url.replace(pass, "1900000000000-1-1-AAAA"), None).await.fails(403, "media_unsigned");
    app.fetch(&url.replace(&format!("{pass}/"), ""), None).await.fails(403, "media_unsigned");
    app.fetch("/media/meadow/s/nosuch/master.m3u8", None).await.fails(404, "not_found");
    app.fetch(&url.replace("/l12/", "/l22/"), None).await.fails(403, "media_unsigned");
    app.fetch(&url.replace("/l12/", "/e13/"), None).await.fails(403, "media_unsigned");
    app.fetch("/media/meadow/hls/court/master.m3u8", None).await.fails(404, "not_found");
    app.fetch("/media/meadow/hls/court/v0/seg_0.m4s", None).await.fails(404, "not_found");
    app.clock.advance_ms(6 * 3_600_000 - 1);
    assert_eq!(app.fetch(&url, None).await.status, 200);
    app.clock.advance_ms(1);
    app.fetch(&url, None).await.fails(403, "media_expired");
}

#[tokio::test]
async fn a_pass_is_checked_without_a_file() {
    let folder = ChannelFolder::copied();
    let app = App::of(&folder).await;
    let url = address(&app, &owner(&app).await.key, 1, 2).await;
    let (stream, _) = url.rsplit_once('/').unwrap();
    let pass = stream.rsplit_once('/').unwrap().1;
    let answer = app.fetch(stream, None).await;
    assert_eq!((answer.status.as_u16(), answer.header(header::CACHE_CONTROL)), (204, "no-store"));
    assert_eq!(app.head(stream).await.status, 204);
    assert_eq!(app.fetch("/media/meadow/s/p1/open", None).await.status, 204);
    app.fetch("/media/meadow/s/p1/index.m3u8", None).await.fails(403, "media_unsigned");
    app.fetch(&stream.replace(pass, "open"), None).await.fails(403, "media_unsigned");
    app.fetch(&stream.replace("/l12/", "/nosuch/"), None).await.fails(404, "not_found");
    app.fetch(stream, Some("KP")).await.fails(403, "geo_blocked");
    let visitor = caller(&app, &app.visitor().await).await;
    let early = app.state.media.issue(Purpose::Watch, "meadow", "e13", &visitor.grant(NOW * 1000));
    app.fetch(&format!("/media/meadow/s/e13/{}", early.segment), None).await.fails(404, "not_found");

    // The headers of a segment are known without its file.
    let segment = beside(&url, "v0/seg_1.m4s");
    fs::remove_file(folder.path().join("meadow/media/hls/court/v0/seg_1.m4s")).unwrap();
    let answer = app.head(&segment).await;
    assert_eq!((answer.status.as_u16(), answer.header(header::CONTENT_LENGTH)), (200, "13"));
    app.clock.advance_ms(6 * 3_600_000);
    app.fetch(stream, None).await.fails(403, "media_expired");
    assert_eq!(app.head(&segment).await.status, 403);
}

#[tokio::test]
async fn free_video_prerolls_and_previews_need_no_signature() {
    let app = App::new().await;
    let visitor = app.visitor().await;
    let free = address(&app, &visitor, 1, 6).await;
    assert_eq!(app.fetch(&beside(&free, "spot.ts"), None).await.body, "spot");
    assert!(app.fetch("/media/meadow/s/p1/open/index.m3u8", None).await.body.starts_with(b"#EXTM3U"));
    let channel = app.state.channels.by_key("meadow").unwrap();
    assert!(channel.files.mounts["p1"].is_open);
    assert!(!channel.files.mounts["l42"].is_open, "the channel has geo rules, so free video is signed too");

    let folder = ChannelFolder::without_regions();
    let app = App::of(&folder).await;
    let visitor = app.visitor().await;
    let url = address(&app, &visitor, 4, 2).await;
    assert_eq!(url, "/media/meadow/s/l42/open/master.m3u8");
    let segment = app.fetch(&beside(&url, "v0/seg_0.m4s"), None).await;
    assert_eq!(
        (&segment.body[..], segment.header(header::CACHE_CONTROL)),
        (&b"v0 segment 0;"[..], "public, max-age=3600")
    );
    app.fetch("/media/meadow/s/e33/open/master.m3u8", None).await.fails(403, "media_unsigned");
    app.fetch("/media/meadow/s/e53/open/master.m3u8", None).await.fails(403, "media_unsigned");

    // Free, and blocked in some regions only by the event's rules.
    folder.replace("events.json", r#""access_type": "register""#, r#""access_type": "free""#);
    app.reload();
    let url = address(&app, &visitor, 3, 3).await;
    assert!(!url.contains("/open/"), "{url}");
    app.fetch("/media/meadow/s/e33/open/master.m3u8", None).await.fails(403, "media_unsigned");
    assert_eq!(app.fetch(&url, None).await.status, 200);
}

#[tokio::test]
async fn a_recording_cannot_be_fetched_before_the_event_is_over() {
    let app = App::new().await;
    let viewer = app.person_with_rights("ann", &["watch", "download"]).await;
    assert_eq!(app.fetch(&address(&app, &viewer.key, 3, 3).await, None).await.status, 200);
    let caller = caller(&app, &viewer.key).await;
    for mount in ["e13", "l22"] {
        let pass = app.state.media.issue(Purpose::Watch, caller.channel_key(), mount, &caller.grant(NOW * 1000));
        let early = format!("/media/meadow/s/{mount}/{}/master.m3u8", pass.segment);
        app.fetch(&early, None).await.fails(404, "not_found");
    }
    let pass = app.state.media.issue(Purpose::Download, caller.channel_key(), "e13", &caller.grant(NOW * 1000));
    app.fetch(&format!("/media/meadow/d/e13/{}/download.mp4", pass.segment), None).await.fails(404, "not_found");

    let owner = owner(&app).await;
    let event = app.get(&owner.key, "events/1").await.data();
    let recording = event["media"].as_array().unwrap().iter().find(|medium| medium["type"] == 3).unwrap();
    assert!(recording["url"].is_null() && recording["is_protected"].is_null(), "{recording}");
    app.playback(&owner.key, 1, 3).await.fails(404, "not_found");
    app.clock.advance_ms(3 * 3_600_000);
    assert_eq!(app.fetch(&address(&app, &owner.key, 1, 3).await, None).await.status, 200);
}

#[tokio::test]
async fn no_path_reaches_files_outside_the_medium() {
    let app = App::new().await;
    let url = address(&app, &owner(&app).await.key, 1, 2).await;
    for path in [
        beside(&url, "../spot/spot.ts"),
        beside(&url, "%2e%2e/spot/spot.ts"),
        beside(&url, "v0/..%2f..%2fspot/spot.ts"),
        beside(&url, "v0//seg_0.m4s"),
        beside(&url, "v0/seg_9.m4s"),
        beside(&url, "download.mp4"),
        beside(&url, "notes.mp4"),
        beside(&url, "v0/seg_0.m4s%00"),
        "/media/meadow/../channel.json".to_owned(),
        "/media/meadow/..%2fchannel.json".to_owned(),
        "/media/meadow/%2e%2e/channel.json".to_owned(),
        "/media/meadow/crests/..%2f..%2fchannel.json".to_owned(),
        "/media/meadow//etc/passwd".to_owned(),
        "/media/other/logo.svg".to_owned(),
        "/storage/settings/..%2f..%2fchannel.json".to_owned(),
        "/storage/settings/none.json".to_owned(),
    ] {
        let answer = app.fetch(&path, None).await;
        assert_eq!(answer.status, 404, "{path}: {:?}", answer.body);
    }
    for path in ["/media/meadow/%ff%fe.svg".to_owned(), beside(&url, "%ff"), "/storage/settings/%ff".to_owned()] {
        app.fetch(&path, None).await.fails(404, "not_found");
    }
}

/// Also before the folder is loaded again.
#[tokio::test]
async fn a_segment_in_memory_is_never_older_than_its_file() {
    let folder = ChannelFolder::without_regions();
    let app = App::of(&folder).await;
    let url = beside(&address(&app, &app.visitor().await, 4, 2).await, "v0/seg_0.m4s");
    let path = folder.path().join("meadow/media/hls/court/v0/seg_0.m4s");
    let original = app.fetch(&url, None).await.body;
    for (round, is_replaced) in [false, true, false, true].into_iter().enumerate() {
        let content = vec![b'0' + u8::try_from(round).unwrap(); original.len()];
        let target = if is_replaced { path.with_extension("new") } else { path.clone() };
        fs::write(&target, &content).unwrap();
        // Writes may be closer than the clock of the file system.
        let written = fs::metadata(&target).unwrap().modified().unwrap() + Duration::from_secs(round as u64 + 1);
        File::options().write(true).open(&target).unwrap().set_modified(written).unwrap();
        if is_replaced {
            fs::rename(target, &path).unwrap();
        }
        for _ in 0..2 {
            assert_eq!(app.fetch(&url, None).await.body, content);
            let part = app.fetch_with(&[("range", "bytes=1-3")], &url).await;
            assert_eq!((part.status.as_u16(), &part.body[..]), (206, &content[1..4]));
        }
    }
    fs::remove_file(&path).unwrap();
    app.fetch(&url, None).await.fails(404, "not_found");
}

#[tokio::test]
async fn pictures_are_public_with_a_type_and_an_etag() {
    let app = App::new().await;
    let picture = app.fetch("/media/meadow/crests/meadow.svg", None).await;
    assert_eq!((picture.status.as_u16(), picture.header(header::CONTENT_TYPE)), (200, "image/svg+xml"));
    assert_eq!(picture.header(header::CACHE_CONTROL), "public, max-age=3600");
    assert!(picture.header(header::CONTENT_SECURITY_POLICY).contains("sandbox"), "a drawing cannot run scripts");
    let etag = picture.header(header::ETAG).to_owned();
    let again = app.fetch_with(&[("if-none-match", &etag)], "/media/meadow/crests/meadow.svg").await;
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
}

#[tokio::test]
async fn byte_ranges_of_a_file_are_served() {
    let app = App::new().await;
    let path = "/media/meadow/s/p1/open/spot.ts";
    let part = async |range: &str| app.fetch_with(&[("range", range)], path).await;
    let middle = part("bytes=1-2").await;
    assert_eq!((middle.status.as_u16(), &middle.body[..]), (206, &b"po"[..]));
    assert_eq!(middle.header(header::CONTENT_RANGE), "bytes 1-2/4");
    assert_eq!(part("bytes=-1").await.body, "t");
    let out_of_range = part("bytes=9-").await;
    assert_eq!((out_of_range.status.as_u16(), out_of_range.header(header::CONTENT_RANGE)), (416, "bytes */4"));
    let stale = app.fetch_with(&[("range", "bytes=1-2"), ("if-range", "\"old\"")], path).await;
    assert_eq!((stale.status.as_u16(), &stale.body[..]), (200, &b"spot"[..]));
}

#[tokio::test]
async fn public_settings_files_are_served_by_host() {
    let app = App::new().await;
    let file = app.fetch_with(&[("host", "meadow.test")], "/storage/settings/player.json").await;
    assert_eq!(file.json()["start_level"], 1);
    assert_eq!(file.header(header::CONTENT_TYPE), "application/json");
}

/// `GEO-1`: a preview is video too. No shared cache stores content that is blocked anywhere.
#[tokio::test]
async fn a_preview_is_blocked_where_its_event_is() {
    let app = App::new().await;
    let visitor = app.visitor().await;
    let preview = |event: Value| {
        event["media"].as_array().unwrap().iter().find(|medium| medium["type"] == 6).unwrap()["url"].clone()
    };
    let url = preview(app.get_from(Some("CA"), &visitor, "events/1").await.data());
    let url = url.as_str().unwrap();
    for file in [url, &beside(url, "spot.ts")] {
        let open = app.fetch(file, Some("CA")).await;
        assert_eq!(open.status, 200, "{file}");
        assert!(open.header(header::CACHE_CONTROL).starts_with("private, max-age="), "{file}");
        app.fetch(file, Some("KP")).await.fails(403, "geo_blocked");
    }
    assert!(preview(app.get_from(Some("KP"), &visitor, "events/1").await.data()).is_null());
    app.get_from(Some("KP"), &visitor, "events/1/playback/16").await.fails(403, "geo_blocked");
    app.get_from(Some("CA"), &visitor, "events/1/playback/16").await.data();
}

/// `GEO-1`: an address may be passed on or used abroad.
#[tokio::test]
async fn a_signed_address_does_not_play_where_its_video_is_blocked() {
    let app = App::new().await;
    let owner = owner(&app).await;
    let closed_in_canada = address(&app, &owner.key, 3, 3).await;
    let files = ["master.m3u8", "v0/index.m3u8", "v0/seg_1.m4s"].map(|file| beside(&closed_in_canada, file));
    for file in &files {
        app.fetch(file, Some("CA")).await.fails(403, "geo_blocked");
        assert_eq!(app.fetch(file, Some("US")).await.status, 200, "{file}");
        assert_eq!(app.fetch(file, None).await.status, 200, "{file}: the country is unknown");
    }
    // The channel blocks all of its video: live, free and in the library.
    let ann = app.person_with_rights("ann", &["watch", "vod_media"]).await;
    let item = app.get(&ann.key, "vod-media-items/1/playback").await.data();
    let closed_by_the_channel = [
        address(&app, &owner.key, 1, 2).await,
        address(&app, &owner.key, 4, 2).await,
        item["playback_url"].as_str().unwrap().to_owned(),
    ];
    for url in closed_by_the_channel {
        app.fetch(&url, Some("KP")).await.fails(403, "geo_blocked");
        assert_eq!(app.fetch(&url, Some("CA")).await.status, 200, "{url}");
    }
    // A wrong signature is reported as such everywhere.
    let pass = closed_in_canada.split('/').nth(5).unwrap();
    app.fetch(&closed_in_canada.replace(pass, "open"), Some("CA")).await.fails(403, "media_unsigned");
}
