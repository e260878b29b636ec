//! Line-by-line reading of HLS playlists. Unknown lines are passed on unchanged.
//!
//! A parser that builds a tree and writes it again would lose unknown tags (parts, hints, date ranges, vendor
//! extensions), so only the attributes that change are parsed here.

use touchline_protocol::limits::Limit;

/// Maximum size of a playlist from an encoder or another host.
pub(crate) const MAX_PLAYLIST_BYTES: u64 = 4 << 20;
/// Maximum number of playlists in a stream.
pub(crate) const MAX_PLAYLISTS: usize = 32;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::bytes("media.playlist", MAX_PLAYLIST_BYTES, "A playlist from an encoder or another host."),
    Limit::count("media.playlists", MAX_PLAYLISTS as u64, "playlists", "Playlists in a live stream."),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A tag: its name without `#`, and the value after the colon.
    Tag(&'a str, &'a str),
    /// The file that the preceding tags describe.
    Uri(&'a str),
}

/// Returns the lines of a playlist without empty lines and comments.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).filter_map(line_of)
}

/// Parses a line. Returns `None` for a comment.
pub(crate) fn line_of(line: &str) -> Option<Line<'_>> {
    let Some(rest) = line.strip_prefix('#') else { return Some(Line::Uri(line)) };
    let (name, value) = rest.split_once(':').unwrap_or((rest, ""));
    name.starts_with("EXT").then_some(Line::Tag(name, value))
}

pub(crate) fn is_playlist(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').starts_with("#EXTM3U")
}

pub(crate) fn is_master(text: &str) -> bool {
    lines(text).any(|line| matches!(line, Line::Tag("EXT-X-STREAM-INF", _)))
}

/// Returns whether a playlist lists segments. A master playlist without qualities does not.
pub(crate) fn is_media(text: &str) -> bool {
    lines(text).any(|line| matches!(line, Line::Tag("EXTINF" | "EXT-X-TARGETDURATION", _)))
}

/// Returns the position of an attribute's value in an attribute list, without quotes.
pub(crate) fn attribute_span(list: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let mut from = 0;
    while from < list.len() {
        let (key, rest) = list[from..].split_once('=')?;
        let begin = from + key.len() + 1;
        let (value, next) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let end = begin + 1 + quoted.find('"')?;
                (begin + 1..end, end + 1)
            }
            None => {
                let end = begin + rest.find(',').unwrap_or(rest.len());
                (begin..end, end)
            }
        };
        if key.trim_matches([',', ' ']) == name {
            return Some(value);
        }
        from = next;
    }
    None
}

/// Returns an attribute's value, without quotes.
pub(crate) fn attribute<'a>(list: &'a str, name: &str) -> Option<&'a str> {
    attribute_span(list, name).map(|span| &list[span])
}

/// Returns the tag with its URI replaced by the result of `change`. A tag without a URI stays unchanged. Returns `None`
/// if `change` does.
pub(crate) fn with_uri(name: &str, list: &str, change: impl FnOnce(&str) -> Option<String>) -> Option<String> {
    let Some(span) = attribute_span(list, "URI") else { return Some(format!("#{name}:{list}")) };
    let changed = change(&list[span.clone()])?;
    Some(format!("#{name}:{}{changed}{}", &list[..span.start], &list[span.end..]))
}

/// Parses the value of `EXT-X-BYTERANGE` into length and optional offset.
pub(crate) fn byte_range(value: &str) -> Option<(u64, Option<u64>)> {
    let (len, from) = match value.split_once('@') {
        Some((len, from)) => (len, Some(from.trim().parse().ok()?)),
        None => (value, None),
    };
    Some((len.trim().parse().ok()?, from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_found_with_and_without_quotes() {
        let list = r#"METHOD=AES-128,URI="key,1=a.bin",IV=0x12,X-URI="other""#;
        assert_eq!(attribute(list, "METHOD"), Some("AES-128"));
        assert_eq!(attribute(list, "URI"), Some("key,1=a.bin"));
        assert_eq!(attribute(list, "IV"), Some("0x12"));
        assert_eq!(attribute(list, "KEYFORMAT"), None);
        let changed = with_uri("EXT-X-KEY", list, |uri| Some(format!("u/{}", uri.len()))).unwrap();
        assert_eq!(changed, r#"#EXT-X-KEY:METHOD=AES-128,URI="u/11",IV=0x12,X-URI="other""#);
        assert_eq!(with_uri("EXT-X-KEY", "METHOD=NONE", |_| None).unwrap(), "#EXT-X-KEY:METHOD=NONE");
        assert_eq!(with_uri("EXT-X-KEY", list, |_| None), None);
        for broken in ["", "URI", "URI=\"a", "=", ",,,", "A=\"", "URI=\"é"] {
            assert_eq!(attribute(broken, "URI"), None, "{broken}");
        }
    }

    #[test]
    fn comments_are_skipped_and_tags_are_not_uris() {
        let text = "#EXTM3U\n# a comment\n\n#EXTINF:4.0,\nseg.ts\n";
        let found: Vec<_> = lines(text).collect();
        assert_eq!(found, [Line::Tag("EXTM3U", ""), Line::Tag("EXTINF", "4.0,"), Line::Uri("seg.ts")]);
        assert!(is_playlist(text) && !is_master(text) && !is_playlist("<html>"));
    }

    #[test]
    fn byte_ranges_may_omit_their_offset() {
        assert_eq!(byte_range("100@20"), Some((100, Some(20))));
        assert_eq!(byte_range("100"), Some((100, None)));
        assert_eq!(byte_range("x@1"), None);
    }
}
