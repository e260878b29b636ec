//! Parser of an encoder's media playlist.

use crate::media::hls::{Line, attribute, byte_range, lines, with_uri};

/// Maximum number of segments in an encoder's playlist: a day of 2 s segments.
pub(super) const MAX_SEGMENTS: usize = 43_200;

/// Length and offset.
pub(super) type ByteRange = (u64, u64);

/// An encoder's media playlist.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Listing {
    /// `EXT-X-VERSION`.
    pub(super) version: u32,
    /// `EXT-X-TARGETDURATION`, seconds.
    pub(super) target_s: u64,
    /// Playlist-level tags that are passed on unchanged.
    pub(super) header: Vec<String>,
    /// Attributes of `EXT-X-PART-INF`, in a low-latency stream.
    pub(super) part_inf: Option<String>,
    /// Attributes of `EXT-X-SERVER-CONTROL`.
    pub(super) server_control: Option<String>,
    /// Media sequence number of the first segment.
    pub(super) first: u64,
    pub(super) segments: Vec<Listed>,
    /// Parts of the unfinished segment.
    pub(super) parts: Vec<Part>,
    /// `EXT-X-PRELOAD-HINT`s.
    pub(super) hints: Vec<Part>,
    /// Whether the encoder has ended the playlist.
    pub(super) is_ended: bool,
}

/// A tag of a low-latency stream that names a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) list: String,
}

impl Part {
    fn of(name: &str, list: &str) -> Self {
        Self { name: name.to_owned(), list: list.to_owned() }
    }

    pub(super) fn uri(&self) -> &str {
        attribute(&self.list, "URI").unwrap_or_default()
    }

    /// Returns the tag with another file name.
    pub(super) fn renamed(&self, name: &str) -> String {
        with_uri(&self.name, &self.list, |_| Some(name.to_owned())).unwrap_or_default()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Init {
    pub(super) uri: String,
    /// Byte range, unless it is the whole file.
    pub(super) range: Option<ByteRange>,
}

impl Init {
    /// Returns the whole file.
    pub(super) fn whole(uri: &str) -> Self {
        Self { uri: uri.to_owned(), range: None }
    }
}

/// A segment of an encoder's playlist.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Listed {
    pub(super) uri: String,
    pub(super) length_ms: u64,
    /// Byte range, unless it is the whole file.
    pub(super) range: Option<ByteRange>,
    /// Whether it is discontinuous with the previous segment.
    pub(super) is_discontinuous: bool,
    pub(super) init: Option<Init>,
    /// Its `EXT-X-KEY` tags.
    pub(super) keys: Vec<Part>,
    /// Its other tags, unchanged.
    pub(super) tags: Vec<String>,
    /// Its parts, while the encoder lists them.
    pub(super) parts: Vec<Part>,
}

impl Listing {
    /// Parses a media playlist.
    ///
    /// # Errors
    /// The fault, as a predicate that follows the file's name.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        if !crate::media::hls::is_playlist(text) {
            return Err("is not an HLS playlist".to_owned());
        }
        let mut listing = Self { version: 3, ..Self::default() };
        let mut next = Listed::default();
        let (mut init, mut keys): (Option<Init>, Vec<Part>) = (None, Vec::new());
        let (mut keys_continue, mut ends_at, mut before) = (false, 0, String::new());
        for line in lines(text) {
            match line {
                Line::Tag("EXTM3U" | "EXT-X-PLAYLIST-TYPE" | "EXT-X-ALLOW-CACHE" | "EXT-X-SKIP", _)
                | Line::Tag("EXT-X-RENDITION-REPORT" | "EXT-X-DISCONTINUITY-SEQUENCE", _) => {}
                Line::Tag("EXT-X-VERSION", value) => listing.version = value.trim().parse().unwrap_or(3),
                Line::Tag("EXT-X-TARGETDURATION", value) => {
                    let target_s = value.trim().parse::<u64>().map_err(|_| "has no target duration".to_owned())?;
                    // ffmpeg rounds the length of a short first segment down to 0.
                    listing.target_s = target_s.max(1);
                }
                Line::Tag("EXT-X-MEDIA-SEQUENCE", value) => {
                    listing.first = value.trim().parse().map_err(|_| "has an invalid media sequence".to_owned())?;
                }
                Line::Tag("EXT-X-ENDLIST", _) => listing.is_ended = true,
                Line::Tag("EXT-X-PART-INF", value) => listing.part_inf = Some(value.to_owned()),
                Line::Tag("EXT-X-SERVER-CONTROL", value) => listing.server_control = Some(value.to_owned()),
                Line::Tag(
                    name @ ("EXT-X-INDEPENDENT-SEGMENTS" | "EXT-X-I-FRAMES-ONLY" | "EXT-X-START" | "EXT-X-DEFINE"),
                    value,
                ) => listing.header.push(tag(name, value)),
                Line::Tag("EXT-X-PART", value) => next.parts.push(Part::of("EXT-X-PART", value)),
                Line::Tag("EXT-X-PRELOAD-HINT", value) => listing.hints.push(Part::of("EXT-X-PRELOAD-HINT", value)),
                Line::Tag("EXT-X-DISCONTINUITY", _) => next.is_discontinuous = true,
                Line::Tag("EXT-X-MAP", value) => {
                    let uri = attribute(value, "URI").ok_or("has an EXT-X-MAP without a URI")?.to_owned();
                    let range = attribute(value, "BYTERANGE").and_then(byte_range);
                    init = Some(Init { uri, range: range.map(|(len, from)| (len, from.unwrap_or(0))) });
                }
                Line::Tag("EXT-X-KEY", value) => {
                    // Consecutive keys apply together. The next group replaces them.
                    if !std::mem::replace(&mut keys_continue, true) {
                        keys.clear();
                    }
                    if attribute(value, "METHOD") != Some("NONE") {
                        keys.push(Part::of("EXT-X-KEY", value));
                    }
                }
                Line::Tag("EXT-X-BYTERANGE", value) => {
                    let (len, from) = byte_range(value).ok_or("has an invalid byte range")?;
                    next.range = Some((len, from.unwrap_or(u64::MAX)));
                }
                Line::Tag("EXTINF", value) => {
                    let seconds: f64 = value.split(',').next().unwrap_or_default().trim().parse().unwrap_or(0.0);
                    next.length_ms = ((seconds.clamp(0.0, 3600.0) * 1000.0).round() as u64).max(1);
                    next.tags.push(tag("EXTINF", value));
                }
                Line::Tag(name, value) => next.tags.push(tag(name, value)),
                Line::Uri(uri) => {
                    let mut segment = std::mem::take(&mut next);
                    if let Some((len, from)) = segment.range {
                        // A range without an offset starts where the previous one ended.
                        let start = match from {
                            u64::MAX if before == uri => ends_at,
                            u64::MAX => 0,
                            from => from,
                        };
                        segment.range = Some((len, start));
                        ends_at = start.saturating_add(len);
                    }
                    uri.clone_into(&mut before);
                    uri.clone_into(&mut segment.uri);
                    segment.init.clone_from(&init);
                    segment.keys.clone_from(&keys);
                    keys_continue = false;
                    listing.segments.push(segment);
                    if listing.segments.len() > MAX_SEGMENTS {
                        return Err(format!("has too many segments: at most {MAX_SEGMENTS}"));
                    }
                }
            }
        }
        listing.parts = next.parts;
        if listing.target_s == 0 {
            return Err("has no target duration".to_owned());
        }
        Ok(listing)
    }
}

fn tag(name: &str, value: &str) -> String {
    if value.is_empty() { format!("#{name}") } else { format!("#{name}:{value}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_tags_of_a_playlist_are_preserved() {
        let text = "#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:7\n\
            #EXT-X-PART-INF:PART-TARGET=0.5\n#EXT-X-INDEPENDENT-SEGMENTS\n#EXT-X-MAP:URI=\"init.mp4\"\n\
            #EXT-X-KEY:METHOD=AES-128,URI=\"k1\"\n#EXT-X-OATCLS-SCTE35:abc\n#EXT-X-PART:DURATION=0.5,URI=\"p1\"\n\
            #EXTINF:4.0,\na.m4s\n#EXT-X-KEY:METHOD=NONE\n#EXT-X-DISCONTINUITY\n#EXT-X-BYTERANGE:100@50\n\
            #EXTINF:3.5,\nb.m4s\n#EXT-X-BYTERANGE:20\n#EXTINF:1,\nb.m4s\n#EXT-X-PART:DURATION=0.5,URI=\"p2\"\n\
            #EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"p3\"\n";
        let listing = Listing::read(text).unwrap();
        assert_eq!((listing.first, listing.target_s, listing.segments.len()), (7, 4, 3));
        let [a, b, c] = &listing.segments[..] else { panic!("{listing:?}") };
        assert_eq!(a.tags, ["#EXT-X-OATCLS-SCTE35:abc", "#EXTINF:4.0,"]);
        assert_eq!((a.keys.len(), a.parts.len(), a.length_ms), (1, 1, 4000));
        assert_eq!(a.init.as_ref().unwrap().uri, "init.mp4");
        assert!(b.is_discontinuous && b.keys.is_empty());
        assert_eq!((b.range, c.range), (Some((100, 50)), Some((20, 150))));
        assert_eq!((listing.parts[0].uri(), listing.hints[0].uri()), ("p2", "p3"));
        assert_eq!(listing.parts[0].renamed("x/p2"), "#EXT-X-PART:DURATION=0.5,URI=\"x/p2\"");
        assert!(!listing.is_ended);
    }

    #[test]
    fn faults_of_a_playlist_are_reported() {
        for (text, why) in [("<html>", "is not an HLS"), ("#EXTM3U\n#EXTINF:1,\na.ts\n", "target duration")] {
            assert!(Listing::read(text).unwrap_err().contains(why), "{text}");
        }
    }
}
