//! Rewrites another host's playlist with sealed addresses. Unknown tags are removed rather than passed on, and the
//! host's name appears nowhere in the result.

use std::time::Duration;

use url::Url;

use super::sealed::Kind;
use crate::media::hls::{Line, attribute_span, is_master, is_playlist, lines, with_uri};

/// Lifetime of an ended playlist in the cache.
const ENDED_LIFETIME: Duration = Duration::from_secs(60);

/// Tags passed on unchanged (RFC 8216bis, 4.4). Vendor extensions and date ranges may refer to hosts that the channel
/// does not name.
const PLAIN: &[&str] = &[
    "EXTM3U",
    "EXT-X-VERSION",
    "EXT-X-INDEPENDENT-SEGMENTS",
    "EXT-X-START",
    "EXT-X-TARGETDURATION",
    "EXT-X-MEDIA-SEQUENCE",
    "EXT-X-DISCONTINUITY-SEQUENCE",
    "EXT-X-PLAYLIST-TYPE",
    "EXT-X-I-FRAMES-ONLY",
    "EXT-X-PART-INF",
    "EXT-X-SERVER-CONTROL",
    "EXT-X-SKIP",
    "EXT-X-STREAM-INF",
    "EXT-X-BYTERANGE",
    "EXT-X-DISCONTINUITY",
    "EXT-X-PROGRAM-DATE-TIME",
    "EXT-X-GAP",
    "EXT-X-BITRATE",
    "EXT-X-ENDLIST",
];

/// A playlist for viewers.
#[derive(Debug, PartialEq)]
pub(super) struct Rewritten {
    pub(super) text: String,
    /// Time for which it may be cached for all viewers.
    pub(super) lifetime: Duration,
}

/// Rewrites a playlist that was fetched from `base`. `seal` returns the replacement of an address.
///
/// # Errors
/// The reason why it cannot be served, as a predicate without any address.
pub(super) fn rewrite(
    text: &str,
    base: &Url,
    seal: impl Fn(Kind, &Url) -> Option<String>,
) -> Result<Rewritten, &'static str> {
    if !is_playlist(text) {
        return Err("is not an HLS playlist");
    }
    let master = is_master(text);
    let uri_kind = if master { Kind::Playlist } else { Kind::File };
    let sealed = |kind: Kind, uri: &str| {
        // Inline keys and key identifiers are not addresses.
        if uri.starts_with("data:") || uri.starts_with("skd:") {
            return Some(uri.to_owned());
        }
        let url = base.join(uri).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.host().is_some())?;
        seal(kind, &url)
    };
    let host = hidden_host(base);
    let named = |list: &str| match attribute_span(list, "URI") {
        Some(uri) => {
            format!("{}{}{}", masked(&list[..uri.start], host), &list[uri.clone()], masked(&list[uri.end..], host))
        }
        None => masked(list, host),
    };
    let (mut out, mut target_s, mut is_ended) = (String::with_capacity(text.len() * 2), 6u64, master);
    for line in lines(text) {
        let line = match line {
            Line::Uri(uri) => sealed(uri_kind, uri),
            Line::Tag("EXT-X-DEFINE", _) => return Err("uses variables (EXT-X-DEFINE), which are not supported"),
            Line::Tag(name @ ("EXT-X-MEDIA" | "EXT-X-I-FRAME-STREAM-INF" | "EXT-X-RENDITION-REPORT"), list) => {
                with_uri(name, &named(list), |uri| sealed(Kind::Playlist, uri))
            }
            Line::Tag(
                name @ ("EXT-X-KEY" | "EXT-X-SESSION-KEY" | "EXT-X-MAP" | "EXT-X-PART" | "EXT-X-PRELOAD-HINT"),
                list,
            ) => with_uri(name, &named(list), |uri| sealed(Kind::File, uri)),
            // The text after the comma is a title, which nobody needs.
            Line::Tag("EXTINF", value) => Some(format!("#EXTINF:{},", value.split(',').next().unwrap_or_default())),
            Line::Tag(name, _) if !PLAIN.contains(&name) => continue,
            Line::Tag(name, value) => {
                match name {
                    "EXT-X-TARGETDURATION" => target_s = value.trim().parse().unwrap_or(target_s),
                    "EXT-X-ENDLIST" => is_ended = true,
                    _ => {}
                }
                Some(if value.is_empty() { format!("#{name}") } else { format!("#{name}:{}", masked(value, host)) })
            }
        };
        out.push_str(&line.ok_or("contains an invalid URL")?);
        out.push('\n');
    }
    let half = Duration::from_millis((target_s * 500).clamp(300, 2_000));
    Ok(Rewritten { text: out, lifetime: if is_ended && !master { ENDED_LIFETIME } else { half } })
}

/// Returns the host name to be removed. A name without a dot is unreachable outside its network, and may be an ordinary
/// word in the playlist, such as `vod`.
fn hidden_host(base: &Url) -> Option<&str> {
    base.host_str().filter(|host| host.contains(['.', ':']))
}

/// Replaces the host's name with a dash.
fn masked(text: &str, host: Option<&str>) -> String {
    let Some(host) = host else { return text.to_owned() };
    let lower = text.to_ascii_lowercase();
    let (mut output, mut from) = (String::with_capacity(text.len()), 0);
    for (at, found) in lower.match_indices(host) {
        output.push_str(&text[from..at]);
        output.push('-');
        from = at + found.len();
    }
    output + &text[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Rewritten, &'static str> {
        let base = Url::parse("https://up.example/live/court/index.m3u8?token=1").unwrap();
        rewrite(text, &base, |kind, url| {
            Some(format!("<{}{}>", if kind == Kind::Playlist { "p " } else { "" }, url.as_str()))
        })
    }

    #[test]
    fn every_address_of_a_media_playlist_is_sealed() {
        let text = "#EXTM3U\n# from https://up.example\n#EXT-X-TARGETDURATION:4\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x1\n\
            #EXT-X-MAP:URI=\"/init.mp4\",BYTERANGE=\"9@0\"\n#EXT-X-PART:DURATION=1,URI=\"../p.m4s\"\n#EXTINF:4,\n\
            https://cdn.example/a.ts?x=1\n#EXT-X-OWN:kept\n#EXT-X-OWN:https://up.example\n\
            #EXT-X-DATERANGE:ID=\"ad\",X-ASSET-URI=\"ad.m3u8\"\n#EXTINF:4,\nb.ts\n\
            #EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"q.m4s\"\n#EXT-X-RENDITION-REPORT:URI=\"../low/index.m3u8\",LAST-MSN=1\n";
        let wanted = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n\
            #EXT-X-KEY:METHOD=AES-128,URI=\"<https://up.example/live/court/k>\",IV=0x1\n\
            #EXT-X-MAP:URI=\"<https://up.example/init.mp4>\",BYTERANGE=\"9@0\"\n\
            #EXT-X-PART:DURATION=1,URI=\"<https://up.example/live/p.m4s>\"\n#EXTINF:4,\n\
            <https://cdn.example/a.ts?x=1>\n#EXTINF:4,\n<https://up.example/live/court/b.ts>\n\
            #EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"<https://up.example/live/court/q.m4s>\"\n\
            #EXT-X-RENDITION-REPORT:URI=\"<p https://up.example/live/low/index.m3u8>\",LAST-MSN=1\n";
        let got = of(text).unwrap();
        assert_eq!(got.text, wanted);
        assert_eq!(got.lifetime, Duration::from_secs(2));
        assert_eq!(of(&format!("{text}#EXT-X-ENDLIST\n")).unwrap().lifetime, ENDED_LIFETIME);
    }

    #[test]
    fn the_hosts_name_is_removed_from_every_attribute() {
        let media = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4.0,Up.Example/live\na.ts\n#EXT-X-OWN:up.example/path\n\
            #EXT-X-DATERANGE:ID=\"1\",X-SRC=\"//up.example/ad\"\n#EXT-X-START:TIME-OFFSET=1,X=up.example\n";
        let wanted = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4.0,\n<https://up.example/live/court/a.ts>\n\
            #EXT-X-START:TIME-OFFSET=1,X=-\n";
        assert_eq!(of(media).unwrap().text, wanted);
        let master = "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"UP.example\",URI=\"a.m3u8\",NAME=\"é up.example\"\n\
            #EXT-X-STREAM-INF:BANDWIDTH=2,AUDIO=\"UP.example\",NAME=\"up.example\"\nv.m3u8\n";
        let wanted = "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"-\",URI=\"<p https://up.example/live/court/a.m3u8>\",\
            NAME=\"é -\"\n#EXT-X-STREAM-INF:BANDWIDTH=2,AUDIO=\"-\",NAME=\"-\"\n<p https://up.example/live/court/v.m3u8>\n";
        assert_eq!(of(master).unwrap().text, wanted);
    }

    #[test]
    fn a_host_named_like_playlist_content_changes_nothing() {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-ENDLIST\n";
        let base = Url::parse("http://vod/index.m3u8").unwrap();
        assert_eq!(rewrite(text, &base, |_, _| None).unwrap().text, text);
    }

    #[test]
    fn every_playlist_of_a_master_is_sealed_as_a_playlist() {
        let text = "#EXTM3U\n#EXT-X-CONTENT-STEERING:SERVER-URI=\"s\"\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",URI=\"a.m3u8\"\n\
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"i.m3u8\"\n#EXT-X-STREAM-INF:BANDWIDTH=2\nv.m3u8\n";
        let got = of(text).unwrap().text;
        assert_eq!(got.matches("<p https://up.example/live/court/").count(), 3, "{got}");
        assert!(!got.contains("STEERING"), "{got}");
    }

    #[test]
    fn playlists_that_cannot_be_served_are_refused() {
        assert!(of("<html>").unwrap_err().contains("is not an HLS"));
        assert!(of("#EXTM3U\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"\n").unwrap_err().contains("variables"));
        assert!(of("#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n").unwrap_err().contains("invalid URL"));
        assert!(
            of("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"data:text/plain;base64,AA\"\n")
                .unwrap()
                .text
                .contains("data:")
        );
    }
}
