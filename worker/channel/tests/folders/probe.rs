//! `touchline check --media` reports on external media (`LIVE-6`).

use serde_json::{Value, json};
use touchline_channel::catalogue::FolderSource;
use touchline_channel::probe::{ProbeOptions, probe};

use crate::app::{ChannelFolder, Host, HostResponse, NOW};

/// The report on one medium of a live event.
async fn report(medium: Value, private: bool) -> Vec<String> {
    let channel = ChannelFolder::without_regions();
    let mut record = json!({ "id": 42, "type": 2 });
    record.as_object_mut().unwrap().extend(medium.as_object().unwrap().clone());
    channel.set("events.json", "/3/media", json!([record]));
    channel.set("events.json", "/5/media", json!([]));
    let live = channel.path().join("live");
    let options = ProbeOptions { private, live, now_s: NOW };
    let lines = probe(&FolderSource::new(channel.path()), &options).await.unwrap();
    let about = |line: &String| line.strip_prefix("meadow: medium 42 ").map(str::to_owned);
    lines.iter().map(|line| about(line).unwrap_or_else(|| panic!("{line}"))).collect()
}

fn pulled(host: &Host, path: &str) -> Value {
    json!({ "source": "pull", "path": format!("http://{}{path}", host.address) })
}

fn direct(host: &Host, path: &str) -> Value {
    json!({ "source": "direct", "path": format!("http://{}{path}", host.address) })
}

/// Asserts that exactly one line contains these texts.
fn assert_report(lines: &[String], wanted: &[&str]) {
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(wanted.iter().all(|part| lines[0].contains(part)), "{lines:?}");
}

#[tokio::test]
async fn each_fault_of_a_source_is_one_line_with_a_remedy() {
    let host = Host::start().await;
    let sound = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9,CODECS=\"avc1.42c01e,mp4a.40.2\"\nv/index.m3u8\n";
    host.set_playlist("/live/master.m3u8", sound);
    host.set_playlist("/live/v/index.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.m4s\n");
    assert_report(&report(pulled(&host, "/live/master.m3u8"), true).await, &["(pull): plays"]);
    // A browser on another site gets nothing.
    assert_report(&report(direct(&host, "/live/master.m3u8"), true).await, &["(direct)", "CORS", "or use `pull`"]);
    // A direct stream that redirects.
    let other = Host::start().await;
    let away = sound.replace("v/index", &format!("http://{}/live/v/index", other.address));
    host.set_playlist("/live/away.m3u8", &away);
    let lines = report(direct(&host, "/live/away.m3u8"), true).await;
    assert!(lines.iter().any(|line| line.contains("add it to media_hosts")), "{lines:?}");

    assert_report(&report(pulled(&host, "/none.m3u8"), true).await, &["the host returned 404", "encoder is live"]);
    host.responses.lock().insert("/live/v/a.m4s".into(), HostResponse::Status(403));
    assert_report(
        &report(pulled(&host, "/live/master.m3u8"), true).await,
        &["its newest segment", "403", "allow access from this machine"],
    );
    host.set_playlist("/live/v/index.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:9,\nb.m4s\n");
    host.responses.lock().insert("/live/v/b.m4s".into(), HostResponse::Text("video/mp4", "b".into()));
    assert_report(
        &report(pulled(&host, "/live/master.m3u8"), true).await,
        &["9.0 s, longer than its target duration of 2 s", "keyframe"],
    );
    host.set_playlist("/live/codecs.m3u8", &sound.replace("avc1.42c01e", "hvc1.1.6"));
    host.set_playlist("/live/v/index.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nb.m4s\n");
    assert_report(
        &report(pulled(&host, "/live/codecs.m3u8"), true).await,
        &["hvc1", "add a quality with H.264 and AAC"],
    );
    host.responses.lock().insert("/page.m3u8".into(), HostResponse::Text("text/html", "<html>".into()));
    assert_report(&report(pulled(&host, "/page.m3u8"), true).await, &["is an HTML page", "open the URL in a browser"]);
    // A host without TLS, a port without a listener, and a network that is not allowed.
    let port = host.address.port();
    let tls = json!({ "source": "pull", "path": format!("https://127.0.0.1:{port}/live/master.m3u8") });
    assert_report(&report(tls.clone(), true).await, &["certificate"]);
    assert_report(&report(tls, false).await, &["private network", "media.private_networks"]);
    let closed = json!({ "source": "pull", "path": "http://127.0.0.1:1/x.m3u8" });
    assert_report(&report(closed, true).await, &["is unreachable", "name and port"]);
}

#[tokio::test]
async fn unframeable_players_and_silent_encoders_are_reported() {
    let host = Host::start().await;
    host.responses.lock().insert("/player".into(), HostResponse::Text("text/html", "a player".into()));
    let player = json!({ "type": 4, "path": format!("http://{}/player", host.address) });
    assert_report(&report(player.clone(), true).await, &["(player): plays"]);
    host.responses.lock().insert("/player".into(), HostResponse::Unframed);
    assert_report(&report(player, true).await, &["X-Frame-Options: DENY", "embed URL"]);
    let folder = json!({ "source": "folder", "path": "court/master.m3u8" });
    assert_report(&report(folder, true).await, &["(folder)", "court/master.m3u8 does not exist", "start the encoder"]);
}
