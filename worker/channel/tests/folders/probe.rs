//! What `touchline check --media` tells of media that come from elsewhere (`LIVE-6`).

use serde_json::{Value, json};
use touchline_channel::catalogue::FolderSource;
use touchline_channel::probe::{ProbeOptions, probe};

use crate::app::{ChannelFolder, Host, NOW, Says};

/// What is told of one medium of an event on the air.
async fn told(medium: Value, private: bool) -> Vec<String> {
    let channel = ChannelFolder::without_regions();
    let mut own = json!({ "id": 42, "type": 2 });
    own.as_object_mut().unwrap().extend(medium.as_object().unwrap().clone());
    channel.set("events.json", "/3/media", json!([own]));
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

/// Exactly one line, which says this and what to do.
fn says(lines: &[String], wanted: &[&str]) {
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(wanted.iter().all(|part| lines[0].contains(part)), "{lines:?}");
}

#[tokio::test]
async fn each_thing_that_is_wrong_with_a_source_is_one_line_that_says_what_to_do() {
    let host = Host::start().await;
    let sound = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9,CODECS=\"avc1.42c01e,mp4a.40.2\"\nv/index.m3u8\n";
    host.puts("/live/master.m3u8", sound);
    host.puts("/live/v/index.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.m4s\n");
    says(&told(pulled(&host, "/live/master.m3u8"), true).await, &["(pull): plays"]);
    // A browser of another site is given nothing.
    says(&told(direct(&host, "/live/master.m3u8"), true).await, &["(direct)", "CORS", "or use `pull`"]);
    // A directly played stream that leads elsewhere.
    let other = Host::start().await;
    let away = sound.replace("v/index", &format!("http://{}/live/v/index", other.address));
    host.puts("/live/away.m3u8", &away);
    let lines = told(direct(&host, "/live/away.m3u8"), true).await;
    assert!(lines.iter().any(|line| line.contains("add it to media_hosts")), "{lines:?}");

    says(&told(pulled(&host, "/none.m3u8"), true).await, &["the host returned 404", "encoder is live"]);
    host.says.lock().insert("/live/v/a.m4s".into(), Says::Status(403));
    says(
        &told(pulled(&host, "/live/master.m3u8"), true).await,
        &["its newest segment", "403", "allow access from this machine"],
    );
    host.puts("/live/v/index.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:9,\nb.m4s\n");
    host.says.lock().insert("/live/v/b.m4s".into(), Says::Text("video/mp4", "b".into()));
    says(
        &told(pulled(&host, "/live/master.m3u8"), true).await,
        &["9.0 s, longer than its target duration of 2 s", "keyframe"],
    );
    host.puts("/live/codecs.m3u8", &sound.replace("avc1.42c01e", "hvc1.1.6"));
    host.puts("/live/v/index.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nb.m4s\n");
    says(&told(pulled(&host, "/live/codecs.m3u8"), true).await, &["hvc1", "add a quality with H.264 and AAC"]);
    host.says.lock().insert("/page.m3u8".into(), Says::Text("text/html", "<html>".into()));
    says(&told(pulled(&host, "/page.m3u8"), true).await, &["is an HTML page", "open the URL in a browser"]);
    // TLS is asked of a host that speaks none; nobody listens; a network that is not allowed.
    let port = host.address.port();
    let tls = json!({ "source": "pull", "path": format!("https://127.0.0.1:{port}/live/master.m3u8") });
    says(&told(tls.clone(), true).await, &["certificate"]);
    says(&told(tls, false).await, &["private network", "media.private_networks"]);
    let closed = json!({ "source": "pull", "path": "http://127.0.0.1:1/x.m3u8" });
    says(&told(closed, true).await, &["is unreachable", "name and port"]);
}

#[tokio::test]
async fn a_player_that_may_not_be_framed_and_an_encoder_that_does_not_write_are_told() {
    let host = Host::start().await;
    host.says.lock().insert("/player".into(), Says::Text("text/html", "a player".into()));
    let player = json!({ "type": 4, "path": format!("http://{}/player", host.address) });
    says(&told(player.clone(), true).await, &["(player): plays"]);
    host.says.lock().insert("/player".into(), Says::Unframed);
    says(&told(player, true).await, &["X-Frame-Options: DENY", "embed URL"]);
    let folder = json!({ "source": "folder", "path": "court/master.m3u8" });
    says(&told(folder, true).await, &["(folder)", "court/master.m3u8 does not exist", "start the encoder"]);
}
