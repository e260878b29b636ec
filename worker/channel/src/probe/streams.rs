//! Faults of a stream or a player at an address, with advice.

use std::collections::BTreeSet;

use reqwest::header::{self, HeaderMap};
use url::Url;

use crate::media::hls::{Line, attribute, is_master, is_playlist, lines};
use crate::pull::{FetchOptions, Fetched, PullError, Upstream};

/// Longest recommended segment length. Viewers are about three times this behind live.
const LONG_TARGET_S: u64 = 10;
/// Codecs that every browser decodes.
const UNIVERSAL_CODECS: [&str; 4] = ["avc1", "avc3", "mp4a", "stpp"];

/// A site whose viewers' browsers request streams directly.
pub(super) struct Viewer<'a> {
    /// Origin of the channel's site.
    pub(super) site: Option<&'a str>,
    /// Origins that its pages may request.
    pub(super) hosts: &'a [String],
}

impl Viewer<'_> {
    /// Returns the reasons why a page could not read this response.
    fn faults(&self, url: &Url, headers: &HeaderMap) -> Vec<String> {
        let mut faults = Vec::new();
        let origin = url.origin().ascii_serialization();
        if !self.hosts.contains(&origin) {
            faults.push(format!(
                "its playlist is on {origin}, which the pages' security policy does not allow: add it to media_hosts in channel.json"
            ));
        }
        let allowed = headers.get(header::ACCESS_CONTROL_ALLOW_ORIGIN).and_then(|value| value.to_str().ok());
        let site = self.site.unwrap_or("every site");
        if allowed != Some("*") && allowed != self.site {
            faults.push(format!(
                "{origin} sends no Access-Control-Allow-Origin for {site}: configure CORS on that host, or use `pull`"
            ));
        }
        faults
    }
}

/// Returns the faults of a stream. `viewer` is set if browsers request it directly.
pub(super) async fn faults(upstream: &Upstream, url: &Url, viewer: Option<&Viewer<'_>>) -> Vec<String> {
    let mut faults = BTreeSet::new();
    let mut next = Some((url.clone(), "its playlist"));
    // A master playlist, one of its playlists, and the newest segment of that.
    for _ in 0..3 {
        let Some((url, what)) = next.take() else { break };
        let is_segment = what == "its newest segment";
        let options = FetchOptions {
            origin: viewer.and_then(|viewer| viewer.site),
            ..if is_segment { FetchOptions::FILE } else { FetchOptions::PLAYLIST }
        };
        let fetched = match upstream.get(&url, &options).await {
            Ok(fetched) => fetched,
            Err(error) => {
                faults.insert(format!("{what} {}", advice(&error)));
                break;
            }
        };
        if let Some(viewer) = viewer {
            faults.extend(viewer.faults(&fetched.url, &fetched.headers));
        }
        if is_segment {
            break;
        }
        next = match std::str::from_utf8(&fetched.bytes).ok().filter(|text| is_playlist(text)) {
            Some(text) if is_master(text) => {
                faults.extend(faults_of_master(text));
                next_url(text, &fetched).map(|url| (url, "one of its playlists"))
            }
            Some(text) => {
                faults.extend(faults_of_media(text));
                next_url(text, &fetched).map(|url| (url, "its newest segment"))
            }
            // Browsers play other files directly.
            None if viewer.is_some() && !url.path().ends_with(".m3u8") => None,
            None => {
                faults.insert(format!("{what} is not an HLS playlist: use the URL of the stream's .m3u8 file"));
                None
            }
        };
    }
    faults.into_iter().collect()
}

/// Returns the first playlist of a master playlist, or the newest segment of a media playlist.
fn next_url(text: &str, fetched: &Fetched) -> Option<Url> {
    let mut uris = lines(text).filter_map(|line| match line {
        Line::Uri(uri) => Some(uri),
        Line::Tag(..) => None,
    });
    let uri = if is_master(text) { uris.next() } else { uris.last() };
    fetched.url.join(uri?).ok()
}

fn faults_of_master(text: &str) -> Vec<String> {
    let variants: Vec<_> = lines(text)
        .filter_map(|line| match line {
            Line::Tag("EXT-X-STREAM-INF", list) => Some(attribute(list, "CODECS")),
            _ => None,
        })
        .collect();
    let plays = |codecs: &str| {
        codecs.split(',').all(|codec| UNIVERSAL_CODECS.contains(&codec.trim().split('.').next().unwrap_or_default()))
    };
    if variants.iter().all(Option::is_none) {
        return vec!["has no CODECS, so players have to guess: configure the packager to write them".to_owned()];
    }
    if variants.iter().flatten().any(|codecs| plays(codecs)) {
        return Vec::new();
    }
    let named: BTreeSet<_> = variants.into_iter().flatten().collect();
    let named: Vec<_> = named.into_iter().collect();
    vec![format!("has codecs that some browsers cannot play ({}): add a quality with H.264 and AAC", named.join("; "))]
}

fn faults_of_media(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let number = |wanted: &str| {
        lines(text).find_map(|line| match line {
            Line::Tag(name, value) if name == wanted => value.trim().parse::<u64>().ok(),
            _ => None,
        })
    };
    let longest = lines(text).filter_map(|line| match line {
        Line::Tag("EXTINF", value) => value.split(',').next()?.trim().parse::<f64>().ok(),
        _ => None,
    });
    let longest = longest.fold(0.0, f64::max);
    match number("EXT-X-TARGETDURATION") {
        None => faults.push("has no EXT-X-TARGETDURATION, which players need: fix the packager".to_owned()),
        Some(target_s) => {
            if longest.round() > target_s as f64 {
                faults.push(format!(
                    "has segments of {longest:.1} s, longer than its target duration of {target_s} s, so players stall: set the \
                     encoder's keyframe interval to a divisor of the segment length"
                ));
            }
            if target_s > LONG_TARGET_S {
                faults.push(format!(
                    "has a target duration of {target_s} s, so viewers are more than half a minute behind: use segments of 2 to 6 s"
                ));
            }
        }
    }
    faults
}

/// Returns the reasons why a page could not embed a player of another site.
pub(super) async fn faults_of_player(upstream: &Upstream, url: &Url, site: Option<&str>) -> Vec<String> {
    let fetched = match upstream.get(url, &FetchOptions { allows_page: true, ..FetchOptions::FILE }).await {
        Ok(fetched) => fetched,
        Err(error) => return vec![format!("the player {}", advice(&error))],
    };
    let text = |name: &str| fetched.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let ancestors = text("content-security-policy")
        .split(';')
        .find_map(|part| part.trim().strip_prefix("frame-ancestors").map(str::to_owned));
    let is_allowed = |list: &str| list.split_whitespace().any(|one| one == "*" || one == "https:" || Some(one) == site);
    match ancestors {
        Some(list) if !is_allowed(&list) => {
            vec![format!(
                "its host can only be embedded by{list}: add {} to its frame-ancestors",
                site.unwrap_or("your site")
            )]
        }
        None if !text("x-frame-options").is_empty() => {
            vec![format!(
                "its host forbids embedding (X-Frame-Options: {}): use the player's embed URL",
                text("x-frame-options")
            )]
        }
        _ => Vec::new(),
    }
}

/// Returns a failure with advice.
fn advice(error: &PullError) -> String {
    let what = match error {
        PullError::Status(401 | 403) => {
            "allow access from this machine (and from viewers for `direct`), or renew the token in the URL"
        }
        PullError::Status(404 | 410) => "check that the encoder is live and the path is correct",
        PullError::Status(_) => "check that host's log",
        PullError::TimedOut => "check that the host is up and its port can be reached from here",
        PullError::Broken(cause) if is_of_tls(cause) => "renew or complete that host's certificate",
        PullError::Broken(_) => "check the host's name and port, and that it is up",
        PullError::Private => "turn on media.private_networks if the network is yours, or use a public host",
        PullError::TooLarge(_) => "check that the URL is a playlist",
        PullError::Wrong(_) | PullError::NoSlot | PullError::NoMemory => "open the URL in a browser",
    };
    format!("cannot be fetched: {error}: {what}")
}

fn is_of_tls(cause: &str) -> bool {
    ["certificate", "tls", "handshake", "corrupt message"].iter().any(|word| cause.to_ascii_lowercase().contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unplayable_codecs_and_lengths_are_reported() {
        let master = |codecs: &str| format!("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1{codecs}\na.m3u8\n");
        assert_eq!(faults_of_master(&master(",CODECS=\"avc1.42c01e,mp4a.40.2\"")), [""; 0]);
        assert!(faults_of_master(&master(",CODECS=\"hvc1.1.6,mp4a.40.2\""))[0].contains("H.264"));
        assert!(faults_of_master(&master(""))[0].contains("no CODECS"));
        let media = |target: u64, length: f64| {
            faults_of_media(&format!("#EXTM3U\n#EXT-X-TARGETDURATION:{target}\n#EXTINF:{length},\na.ts\n"))
        };
        assert_eq!(media(4, 4.4), [""; 0]);
        assert!(media(4, 5.6)[0].contains("keyframe"));
        assert!(media(12, 12.0)[0].contains("2 to 6 s"));
        assert!(faults_of_media("#EXTM3U\n")[0].contains("no EXT-X-TARGETDURATION"));
    }

    #[test]
    fn reasons_that_block_a_pages_request_are_reported() {
        let hosts = ["https://a.example".to_owned()];
        let viewer = Viewer { site: Some("https://tv.example"), hosts: &hosts };
        let faults = |url: &str, allowed: &str| {
            let headers = HeaderMap::from_iter([(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed.parse().unwrap())]);
            viewer.faults(&Url::parse(url).unwrap(), &headers)
        };
        assert_eq!(faults("https://a.example/x", "*"), [""; 0]);
        assert_eq!(faults("https://a.example/x", "https://tv.example"), [""; 0]);
        assert!(faults("https://a.example/x", "https://other.example")[0].contains("CORS"));
        assert!(faults("https://b.example/x", "*")[0].contains("media_hosts"));
    }
}
