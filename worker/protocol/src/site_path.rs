//! The path of a request, decoded and checked in one place (`UP-12`).

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Characters that are percent-encoded in a segment of a path.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The reason a path is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathFault {
    /// The path doesn't start with a slash.
    Relative,
    /// A segment isn't UTF-8.
    NotUtf8,
    /// A segment is `.` or `..`, or contains a separator (`/` or `\`) or a control character.
    Ambiguous,
}

/// A path from the root of a site. Even a lenient parser finds the same segments in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePath<'a>(Vec<Cow<'a, str>>);

impl<'a> SitePath<'a> {
    /// Parses the raw path of a request. Empty segments are preserved: `/a//b/` has four.
    ///
    /// # Errors
    /// Fails if the path is relative, isn't UTF-8, or could resolve to a different path.
    pub fn parse(path: &'a str) -> Result<Self, PathFault> {
        let segments_text = path.strip_prefix('/').ok_or(PathFault::Relative)?;
        let segment = |segment: &'a str| {
            let text = percent_decode_str(segment).decode_utf8().map_err(|_| PathFault::NotUtf8)?;
            let is_ambiguous =
                matches!(&*text, "." | "..") || text.chars().any(|c| matches!(c, '/' | '\\') || c.is_control());
            if is_ambiguous { Err(PathFault::Ambiguous) } else { Ok(text) }
        };
        segments_text.split('/').map(segment).collect::<Result<_, _>>().map(Self)
    }

    /// The first segment, decoded.
    #[must_use]
    pub fn first(&self) -> &str {
        self.0.first().map_or("", |segment| segment)
    }

    /// The path without its leading slash, encoded again. Only letters, digits and `-_.~` stay unencoded.
    #[must_use]
    pub fn encoded(&self) -> String {
        let segments = self.0.iter().map(|segment| utf8_percent_encode(segment, ENCODED).to_string());
        segments.collect::<Vec<_>>().join("/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_a_lenient_parser_would_resolve_are_rejected() {
        for path in [
            "/media/..\\demo/mail",
            "/media/..%5cdemo/mail",
            "/media/..%5Cdemo/mail",
            "/media/%2e%2e/demo/mail",
            "/media/.%2E/demo",
            "/media/../demo",
            "/media/./x",
            "/media/..%2fdemo",
            "/media/a%2Fb",
            "/media/a\\b",
            "/media/a%00",
            "/media/a%0d%0ab",
            "/media/a%7f",
            "/media/a%c2%85",
        ] {
            assert_eq!(SitePath::parse(path), Err(PathFault::Ambiguous), "{path}");
        }
        assert_eq!(SitePath::parse("/media/%ff"), Err(PathFault::NotUtf8));
        assert_eq!(SitePath::parse("media/x"), Err(PathFault::Relative));
    }

    #[test]
    fn other_paths_are_parsed_into_segments() {
        for (path, encoded) in [
            ("/", ""),
            ("/a//b/", "a//b/"),
            ("/media/north/v0/seg_1.m4s", "media/north/v0/seg_1.m4s"),
            ("/pages/contact%20us", "pages/contact%20us"),
            ("/équipes/%C3%A9t%C3%A9", "%C3%A9quipes/%C3%A9t%C3%A9"),
            ("/media/...x/a%252fb", "media/...x/a%252fb"),
        ] {
            assert_eq!(SitePath::parse(path).map(|path| path.encoded()).as_deref(), Ok(encoded), "{path}");
        }
        assert_eq!(SitePath::parse("/media/x").map(|path| path.first().to_owned()).as_deref(), Ok("media"));
    }
}
