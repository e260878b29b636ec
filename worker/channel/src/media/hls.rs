//! HLS playlists line by line: what the worker does not know of a playlist goes through as it stands.
//!
//! A parser that makes a tree of a playlist and writes it again loses the tags that it has no name for (parts, hints,
//! date ranges, what an encoder's maker added), so only the attributes that are changed are taken apart here.

use touchline_protocol::limits::Limit;

/// The most bytes that a playlist of an encoder or of another host may have.
pub const MAX_PLAYLIST_BYTES: u64 = 4 << 20;
/// The most playlists that one stream may name.
pub const MAX_PLAYLISTS: usize = 32;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::bytes("media.playlist", MAX_PLAYLIST_BYTES, "A playlist of an encoder or of another host."),
    Limit::count("media.playlists", MAX_PLAYLISTS as u64, "playlists", "Playlists that a live stream names."),
];

/// A line of a playlist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    /// A tag: its name without `#`, and what stands behind the colon.
    Tag(&'a str, &'a str),
    /// What the tags before it speak of.
    Uri(&'a str),
}

/// The lines of a playlist, without empty ones and comments.
pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).filter_map(line_of)
}

/// What a line is; nothing for a comment.
pub fn line_of(line: &str) -> Option<Line<'_>> {
    let Some(rest) = line.strip_prefix('#') else { return Some(Line::Uri(line)) };
    let (name, value) = rest.split_once(':').unwrap_or((rest, ""));
    name.starts_with("EXT").then_some(Line::Tag(name, value))
}

/// Whether a text is an HLS playlist at all.
pub fn is_playlist(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').starts_with("#EXTM3U")
}

/// Whether a playlist names others, and no segments.
pub fn is_master(text: &str) -> bool {
    lines(text).any(|line| matches!(line, Line::Tag("EXT-X-STREAM-INF", _)))
}

/// Where the value of an attribute stands within an attribute list, without its quotes.
pub fn attribute_span(list: &str, name: &str) -> Option<std::ops::Range<usize>> {
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

/// The value of an attribute, without its quotes.
pub fn attribute<'a>(list: &'a str, name: &str) -> Option<&'a str> {
    attribute_span(list, name).map(|span| &list[span])
}

/// A tag with the address that it holds replaced by what `change` makes of it; as it stands where it holds none.
/// Nothing where `change` gives nothing.
pub fn with_uri(name: &str, list: &str, change: impl FnOnce(&str) -> Option<String>) -> Option<String> {
    let Some(span) = attribute_span(list, "URI") else { return Some(format!("#{name}:{list}")) };
    let changed = change(&list[span.clone()])?;
    Some(format!("#{name}:{}{changed}{}", &list[..span.start], &list[span.end..]))
}

/// A byte range as `EXT-X-BYTERANGE` has it: its length, and where it begins when that is said.
pub fn byte_range(value: &str) -> Option<(u64, Option<u64>)> {
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
    fn attributes_are_found_among_others_quoted_or_not() {
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
    fn a_comment_is_no_line_and_a_tag_is_no_address() {
        let text = "#EXTM3U\n# a comment\n\n#EXTINF:4.0,\nseg.ts\n";
        let found: Vec<_> = lines(text).collect();
        assert_eq!(found, [Line::Tag("EXTM3U", ""), Line::Tag("EXTINF", "4.0,"), Line::Uri("seg.ts")]);
        assert!(is_playlist(text) && !is_master(text) && !is_playlist("<html>"));
    }

    #[test]
    fn byte_ranges_may_leave_out_where_they_begin() {
        assert_eq!(byte_range("100@20"), Some((100, Some(20))));
        assert_eq!(byte_range("100"), Some((100, None)));
        assert_eq!(byte_range("x@1"), None);
    }
}
