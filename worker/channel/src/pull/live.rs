//! The end of a live playlist, and the requests that may wait for more of it (RFC 8216bis, 6.2.5.2).

use url::{Url, form_urlencoded};

use crate::media::hls::{Line, lines};

/// Maximum distance between the last segment and one that a player may wait for.
const MAX_AHEAD: u64 = 2;

/// A segment, or a part of it counted from 0, that the playlist must contain before it is sent (`_HLS_msn`,
/// `_HLS_part`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reload {
    segment: u64,
    part: Option<u64>,
}

impl Reload {
    /// Parses it from a request's query.
    pub fn of(query: Option<&str>) -> Option<Self> {
        let number = |wanted: &str| {
            let mut pairs = form_urlencoded::parse(query?.as_bytes());
            pairs.find(|(name, _)| name == wanted)?.1.parse().ok()
        };
        Some(Self { segment: number("_HLS_msn")?, part: number("_HLS_part") })
    }

    /// Returns the URL that makes the other host wait for it.
    pub(super) fn at(self, mut url: Url) -> Url {
        let mut query = url.query_pairs_mut();
        query.append_pair("_HLS_msn", &self.segment.to_string());
        if let Some(part) = self.part {
            query.append_pair("_HLS_part", &part.to_string());
        }
        drop(query);
        url
    }
}

/// The end of a media playlist.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Live {
    /// Number of the segment after the last complete one.
    pub(super) end: u64,
    /// Parts of that segment.
    parts: u64,
    has_parts: bool,
    /// Whether its host supports blocking requests and the stream has not ended.
    can_block: bool,
}

impl Live {
    /// Parses the end of a playlist; `None` for a master playlist.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut live = Self::default();
        for line in lines(text) {
            match line {
                Line::Tag("EXT-X-STREAM-INF", _) => return None,
                Line::Tag("EXT-X-MEDIA-SEQUENCE", value) => live.end = value.trim().parse().ok()?,
                Line::Tag("EXT-X-SERVER-CONTROL", list) => {
                    live.can_block = list.split(',').any(|pair| pair.trim() == "CAN-BLOCK-RELOAD=YES");
                }
                Line::Tag("EXT-X-PART-INF", _) => live.has_parts = true,
                Line::Tag("EXT-X-PART", _) => live.parts += 1,
                Line::Tag("EXT-X-ENDLIST", _) => return Some(Self { can_block: false, ..live }),
                Line::Tag(..) => {}
                Line::Uri(_) => (live.end, live.parts) = (live.end.saturating_add(1), 0),
            }
        }
        Some(live)
    }

    fn has(&self, reload: Reload) -> bool {
        let has_part = reload.part.is_some_and(|part| part < self.parts);
        reload.segment < self.end || (reload.segment == self.end && has_part)
    }

    /// Returns whether a player may wait until the playlist contains it.
    pub(super) fn may_wait_for(&self, reload: Reload) -> bool {
        self.can_block && !self.has(reload) && reload.segment < self.end.saturating_add(MAX_AHEAD)
    }

    /// Returns the next segment or part.
    pub(super) fn next(&self) -> Reload {
        Reload { segment: self.end, part: self.has_parts.then_some(self.parts) }
    }

    /// Returns whether it is ahead of another end.
    pub(super) fn is_past(&self, other: &Self) -> bool {
        (self.end, self.parts) > (other.end, other.parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: &str = "#EXTM3U\n#EXT-X-SERVER-CONTROL:PART-HOLD-BACK=1,CAN-BLOCK-RELOAD=YES\n#EXT-X-MEDIA-SEQUENCE:7\n\
        #EXT-X-PART-INF:PART-TARGET=0.5\n#EXT-X-PART:DURATION=0.5,URI=\"7.0\"\n#EXTINF:1,\n7\n\
        #EXT-X-PART:DURATION=0.5,URI=\"8.0\"\n#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"8.1\"\n";

    fn reload(query: &str) -> Reload {
        Reload::of(Some(query)).unwrap()
    }

    #[test]
    fn a_player_may_wait_only_for_the_next_segments() {
        let live = Live::of(WINDOW).unwrap();
        assert_eq!(live.next(), reload("_HLS_msn=8&_HLS_part=1"));
        for there in ["_HLS_msn=7", "_HLS_msn=8&_HLS_part=0", "_HLS_msn=0&_HLS_part=99"] {
            assert!(!live.may_wait_for(reload(there)), "{there} is there");
        }
        for next in ["_HLS_msn=8", "_HLS_msn=8&_HLS_part=1", "_HLS_msn=8&_HLS_part=99", "_HLS_msn=9&_HLS_part=0"] {
            assert!(live.may_wait_for(reload(next)), "{next}");
        }
        for far in ["_HLS_msn=10", "_HLS_msn=18446744073709551615"] {
            assert!(!live.may_wait_for(reload(far)), "{far}");
        }
        for silent in
            [WINDOW.replace("=YES", "=NO"), format!("{WINDOW}#EXT-X-ENDLIST\n"), WINDOW.replace("SERVER-", "")]
        {
            assert!(!Live::of(&silent).unwrap().may_wait_for(reload("_HLS_msn=8")), "{silent}");
        }
        assert_eq!(Live::of("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na\n"), None);
    }

    #[test]
    fn a_query_without_a_number_requests_nothing() {
        for query in [None, Some(""), Some("_HLS_part=1"), Some("_HLS_msn="), Some("_HLS_msn=-1"), Some("_HLS_msn=1e3")]
        {
            assert_eq!(Reload::of(query), None, "{query:?}");
        }
        let url = Url::parse("https://up.example/a.m3u8?token=1").unwrap();
        let waiting = reload("_HLS_part=2&_HLS_msn=9&other=1").at(url);
        assert_eq!(waiting.as_str(), "https://up.example/a.m3u8?token=1&_HLS_msn=9&_HLS_part=2");
    }
}
