//! Which segments of a recording make up a clip. Segments are not taken apart: a clip begins with the one that holds its
//! first moment and ends with the one that holds its last, and a player is told where to start.

use m3u8_rs::{MediaPlaylist, MediaPlaylistType, MediaSegment, Start};

use crate::media::stream::{Variant, length_ms, resolve};

/// A clip that can be written: its playlist, and where each of its files comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    /// The clip's own playlist.
    pub playlist: MediaPlaylist,
    /// The files of the recording, within its folder, and what the clip calls them, in the order in which they are
    /// joined for a download.
    pub files: Vec<(String, String)>,
}

/// Cuts `duration_ms` from `start_ms` on out of a quality of a recording; nothing when there is nothing at that time.
/// A stream that goes round (`rounds`) begins again after its end.
pub fn cut(variant: &Variant, start_ms: u64, duration_ms: u64, rounds: bool) -> Option<Cut> {
    let length_ms_of_all = variant.length_ms().max(1);
    let end_ms = start_ms + duration_ms;
    let mut files: Vec<(String, String)> = Vec::new();
    let mut segments = Vec::new();
    let count = variant.playlist.segments.len().max(1);
    // The first round that holds a part of it.
    let skipped_ms = if rounds { start_ms / length_ms_of_all * length_ms_of_all } else { 0 };
    let most = if rounds { usize::try_from((end_ms - skipped_ms) / length_ms_of_all + 1).ok()? * count } else { count };
    let (mut map, mut from, mut first) = (None, skipped_ms, None);
    for (place, segment) in variant.playlist.segments.iter().cycle().take(most).enumerate() {
        // An init section holds until the next one.
        map = segment.map.as_ref().or(map);
        let begins = from;
        from += length_ms(segment);
        if from <= start_ms || begins >= end_ms {
            continue;
        }
        first.get_or_insert(begins);
        let mut own = MediaSegment {
            uri: named(&mut files, variant, &segment.uri, "seg")?,
            map: match map {
                None => None,
                Some(map) => Some(m3u8_rs::Map { uri: named(&mut files, variant, &map.uri, "init")?, ..map.clone() }),
            },
            ..segment.clone()
        };
        own.discontinuity |= place > 0 && place % count == 0;
        own.discontinuity &= !segments.is_empty();
        segments.push(own);
    }
    // The init section stands before what it is for.
    files.sort_by_key(|(_, name)| name.starts_with("seg"));
    let offset = start_ms - first?;
    let playlist = MediaPlaylist {
        version: Some(variant.playlist.version.unwrap_or(7).max(7)),
        target_duration: variant.playlist.target_duration,
        playlist_type: Some(MediaPlaylistType::Vod),
        independent_segments: variant.playlist.independent_segments,
        start: (offset > 0).then(|| Start {
            time_offset: offset as f64 / 1000.0,
            precise: Some(true),
            other_attributes: Default::default(),
        }),
        end_list: true,
        segments: once_each(segments),
        ..MediaPlaylist::default()
    };
    Some(Cut { playlist, files })
}

/// What the clip calls a file of the recording.
fn named(files: &mut Vec<(String, String)>, variant: &Variant, uri: &str, word: &str) -> Option<String> {
    let source = resolve(&variant.path, uri)?;
    if let Some((_, name)) = files.iter().find(|(known, _)| *known == source) {
        return Some(name.clone());
    }
    let ending = source.rsplit_once('.').map_or("bin", |(_, ending)| ending);
    let name = format!("{word}_{}.{ending}", files.len());
    files.push((source, name.clone()));
    Some(name)
}

/// An init section is named where it changes, as players expect.
fn once_each(mut segments: Vec<MediaSegment>) -> Vec<MediaSegment> {
    let mut held = None;
    for segment in &mut segments {
        let map = segment.map.clone();
        if map == held {
            segment.map = None;
        }
        held = map;
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::Stream;

    const RECORDING: &str = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:4\n#EXT-X-MAP:URI=\"init.mp4\"\n\
        #EXTINF:4.0,\na.m4s\n#EXTINF:4.0,\nb.m4s\n#EXTINF:4.0,\nc.m4s\n#EXTINF:2.5,\nd.m4s\n#EXT-X-ENDLIST\n";

    fn recording() -> Variant {
        let read = |path: &str| Some(if path == "x.m3u8" { RECORDING } else { "" }.into());
        Stream::read("x.m3u8", read).unwrap().variants.remove(0)
    }

    fn sources(start_ms: u64, duration_ms: u64) -> Vec<String> {
        cut(&recording(), start_ms, duration_ms, false).unwrap().files.into_iter().map(|(source, _)| source).collect()
    }

    #[test]
    fn a_clip_is_the_segments_that_hold_its_moments_and_no_other() {
        assert_eq!(sources(4_000, 4_000), ["init.mp4", "b.m4s"]);
        assert_eq!(sources(3_999, 4_002), ["init.mp4", "a.m4s", "b.m4s", "c.m4s"]);
        assert_eq!(sources(0, 1), ["init.mp4", "a.m4s"]);
        assert_eq!(sources(12_000, 9_000), ["init.mp4", "d.m4s"]);
        assert_eq!(cut(&recording(), 14_500, 1_000, false), None, "there is nothing at that time");
    }

    #[test]
    fn a_stream_that_goes_round_is_cut_over_its_end() {
        let cut = cut(&recording(), 29_000 + 12_500, 4_000, true).unwrap();
        let sources: Vec<_> = cut.files.iter().map(|(source, _)| source.as_str()).collect();
        assert_eq!(sources, ["init.mp4", "d.m4s", "a.m4s"]);
        let breaks: Vec<_> = cut.playlist.segments.iter().map(|segment| segment.discontinuity).collect();
        assert_eq!((breaks, cut.playlist.start.unwrap().time_offset), (vec![false, true], 0.5));
    }

    #[test]
    fn its_playlist_is_whole_and_starts_at_the_moment_that_was_asked_for() {
        let playlist = cut(&recording(), 6_500, 3_000, false).unwrap().playlist;
        let mut text = Vec::new();
        playlist.write_to(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("#EXT-X-START:TIME-OFFSET=2.5,PRECISE=YES"), "{text}");
        assert_eq!((text.matches("#EXTINF:4").count(), text.matches("#EXT-X-MAP").count()), (2, 1), "{text}");
        assert!(text.contains("init_1.mp4") && text.contains("seg_0.m4s") && text.contains("seg_2.m4s"), "{text}");
        assert!(text.ends_with("#EXT-X-ENDLIST\n"), "{text}");
        assert_eq!(cut(&recording(), 8_000, 1_000, false).unwrap().playlist.start, None);
    }
}
