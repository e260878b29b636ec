//! Choice of a response's encoding, and conditional requests (RFC 9110, sections 12.5.3 and 13.1.2).

use http::{HeaderMap, header};

/// Encoding of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// The body itself.
    Plain,
    /// `gzip`
    Gzip,
    /// `br`
    Brotli,
}

impl Encoding {
    /// Returns the client's preferred encoding among those `offered`, best first. Of equal ones, the first is chosen,
    /// and any before the plain body.
    pub fn best(headers: &HeaderMap, offered: &[Self]) -> Self {
        let weight = |coding: Self| weight_of(headers, coding.names());
        let mut best = (Self::Plain, weight(Self::Plain).unwrap_or(0.0));
        for &coding in offered {
            let weight = weight(coding).unwrap_or(0.0);
            if weight > best.1 || weight > 0.0 && best.0 == Self::Plain && weight >= best.1 {
                best = (coding, weight);
            }
        }
        best.0
    }

    /// Value of `Content-Encoding`.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Gzip => Some("gzip"),
            Self::Brotli => Some("br"),
        }
    }

    fn names(self) -> &'static [&'static str] {
        match self {
            // `*` does not make a plain body preferred.
            Self::Plain => &["identity"],
            Self::Gzip => &["gzip", "x-gzip", "*"],
            Self::Brotli => &["br", "*"],
        }
    }
}

/// Returns the weight of the first of `names` in all lines of `Accept-Encoding`.
fn weight_of(headers: &HeaderMap, names: &[&str]) -> Option<f32> {
    let weight = |name: &&str| {
        members(headers, &header::ACCEPT_ENCODING).find_map(|member| {
            let (coding, parameters) = member.split_once(';').unwrap_or((member, ""));
            coding.trim().eq_ignore_ascii_case(name).then(|| quality(parameters))
        })
    };
    names.iter().find_map(weight)
}

/// Returns the weight among parameters: 1 without one, 0 for an invalid one.
fn quality(parameters: &str) -> f32 {
    let named = parameters.split(';').filter_map(|parameter| parameter.split_once('='));
    let value =
        named.into_iter().find(|(name, _)| name.trim().eq_ignore_ascii_case("q")).map(|(_, value)| value.trim());
    value.map_or(1.0, |value| value.parse().ok().filter(|weight| (0.0..=1.0).contains(weight)).unwrap_or(0.0))
}

/// Returns the members of a header's list, over all its lines.
fn members<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> impl Iterator<Item = &'a str> {
    headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','))
}

/// Returns whether the client already has the body with this tag (`If-None-Match`, compared weakly).
pub fn is_unchanged(headers: &HeaderMap, etag: &str) -> bool {
    let etag = opaque(etag);
    members(headers, &header::IF_NONE_MATCH).any(|tag| tag.trim() == "*" || opaque(tag) == etag)
}

/// Returns a tag without the mark of a weak one.
fn opaque(tag: &str) -> &str {
    let tag = tag.trim();
    tag.strip_prefix("W/").unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    fn with(name: HeaderName, lines: &[&'static str]) -> HeaderMap {
        lines.iter().map(|line| (name.clone(), HeaderValue::from_static(line))).collect()
    }

    #[test]
    fn the_best_accepted_encoding_is_chosen() {
        let both = [Encoding::Brotli, Encoding::Gzip];
        let cases: [(&[&str], Encoding); 17] = [
            (&["gzip, deflate, br"], Encoding::Brotli),
            (&["gzip, deflate"], Encoding::Gzip),
            (&["gzip;q=1.0"], Encoding::Gzip),
            (&["gzip;q=1.0, br;q=0.5"], Encoding::Gzip),
            (&["br;q=0, gzip;q=0.5"], Encoding::Gzip),
            (&["br ; Q=0.000, GZIP ; q=0.5"], Encoding::Gzip),
            (&["deflate", "gzip"], Encoding::Gzip),
            (&["gzip", "br"], Encoding::Brotli),
            (&["BR;q=0.1"], Encoding::Brotli),
            (&["*"], Encoding::Brotli),
            (&["*, br;q=0"], Encoding::Gzip),
            (&["*;q=0"], Encoding::Plain),
            (&["identity"], Encoding::Plain),
            (&["gzip;q=0.5, identity"], Encoding::Plain),
            (&["gzip;q=x"], Encoding::Plain),
            (&["", "brotli"], Encoding::Plain),
            (&[], Encoding::Plain),
        ];
        for (lines, best) in cases {
            assert_eq!(Encoding::best(&with(header::ACCEPT_ENCODING, lines), &both), best, "{lines:?}");
        }
        let all = with(header::ACCEPT_ENCODING, &["br, gzip"]);
        assert_eq!(Encoding::best(&all, &[Encoding::Gzip]), Encoding::Gzip);
    }

    #[test]
    fn matching_tags_are_recognised_weak_or_strong_and_in_lists() {
        let cases: [(&[&str], bool); 8] = [
            (&["\"a\""], true),
            (&["W/\"a\""], true),
            (&["\"b\", \"a\""], true),
            (&["\"b\"", "W/\"a\""], true),
            (&["*"], true),
            (&["\"b\""], false),
            (&["a"], false),
            (&[], false),
        ];
        for (lines, expected) in cases {
            for etag in ["\"a\"", "W/\"a\""] {
                assert_eq!(is_unchanged(&with(header::IF_NONE_MATCH, lines), etag), expected, "{lines:?} {etag}");
            }
        }
    }
}
