//! Selects the segments of a clip. Segments are not split: a clip starts with the segment of its first moment, ends
//! with that of its last, and its playlist has the exact start.

use m3u8_rs::{MediaPlaylist, MediaPlaylistType, MediaSegment, Start};

use crate::media::stream::{Variant, is_gap, length_ms, resolve};

/// A clip ready to be written: its playlist and the source of each file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClipFiles {
    pub playlist: MediaPlaylist,
    /// Pairs of a file's path in the recording and its name in the clip, in the order of a joined download.
    pub files: Vec<(String, String)>,
}

/// Cuts `duration_ms` from `start_ms` out of one quality of a recording. `None` if the recording has no segment in that
/// range. A looping stream (`rounds`) restarts after its end.
pub(crate) fn cut(variant: &Variant, start_ms: u64, duration_ms: u64, rounds: bool) -> Option<ClipFiles> {
    let total_ms = variant.length_ms().max(1);
    let end_ms = start_ms + duration_ms;
    let mut files: Vec<(String, String)> = Vec::new();
    let mut segments = Vec::new();
    let count = variant.playlist.segments.len().max(1);
    // Skips whole loops before the clip.
    let skipped_ms = if rounds { start_ms / total_ms * total_ms } else { 0 };
    let max_segments = if rounds { usize::try_from((end_ms - skipped_ms) / total_ms + 1).ok()? * count } else { count };
    let (mut map, mut position, mut first) = (None, skipped_ms, None);
    for (index, segment) in variant.playlist.segments.iter().cycle().take(max_segments).enumerate() {
        // An init section applies until the next one.
        map = segment.map.as_ref().or(map);
        let segment_start = position;
        position += length_ms(segment);
        if position <= start_ms || segment_start >= end_ms {
            continue;
        }
        first.get_or_insert(segment_start);
        let uri = if is_gap(segment) { "gap".to_owned() } else { clip_name(&mut files, variant, &segment.uri, "seg")? };
        let mut clip_segment = MediaSegment {
            uri,
            map: match map {
                None => None,
                Some(map) => {
                    Some(m3u8_rs::Map { uri: clip_name(&mut files, variant, &map.uri, "init")?, ..map.clone() })
                }
            },
            ..segment.clone()
        };
        clip_segment.discontinuity |= index > 0 && index % count == 0;
        clip_segment.discontinuity &= !segments.is_empty();
        segments.push(clip_segment);
    }
    // The init section comes before its segments.
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
        segments: without_repeated_maps(segments),
        ..MediaPlaylist::default()
    };
    Some(ClipFiles { playlist, files })
}

/// Name in the clip for a file of the recording.
fn clip_name(files: &mut Vec<(String, String)>, variant: &Variant, uri: &str, prefix: &str) -> Option<String> {
    let source = resolve(&variant.path, uri)?;
    if let Some((_, name)) = files.iter().find(|(existing, _)| *existing == source) {
        return Some(name.clone());
    }
    let ending = source.rsplit_once('.').map_or("bin", |(_, ending)| ending);
    let name = format!("{prefix}_{}.{ending}", files.len());
    files.push((source, name.clone()));
    Some(name)
}

/// Players expect an init section only where it changes.
fn without_repeated_maps(mut segments: Vec<MediaSegment>) -> Vec<MediaSegment> {
    let mut previous = None;
    for segment in &mut segments {
        let map = segment.map.clone();
        if map == previous {
            segment.map = None;
        }
        previous = map;
    }
    segments
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

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
    fn a_clip_consists_of_exactly_the_segments_it_overlaps() {
        assert_eq!(sources(4_000, 4_000), ["init.mp4", "b.m4s"]);
        assert_eq!(sources(3_999, 4_002), ["init.mp4", "a.m4s", "b.m4s", "c.m4s"]);
        assert_eq!(sources(0, 1), ["init.mp4", "a.m4s"]);
        assert_eq!(sources(12_000, 9_000), ["init.mp4", "d.m4s"]);
        assert_eq!(cut(&recording(), 14_500, 1_000, false), None, "there is nothing at that time");
    }

    #[test]
    fn a_missing_segment_stays_a_gap_of_the_clip() {
        let text = RECORDING.replace("#EXTINF:4.0,\nb.m4s", "#EXT-X-GAP\n#EXTINF:4.0,\nb.m4s");
        let read = |path: &str| if path == "x.m3u8" { Some(text.clone().into()) } else { Some(Bytes::new()) };
        let cut = cut(&Stream::read("x.m3u8", read).unwrap().variants[0], 2_000, 8_000, false).unwrap();
        let sources: Vec<_> = cut.files.iter().map(|(source, _)| source.as_str()).collect();
        assert_eq!(sources, ["init.mp4", "a.m4s", "c.m4s"]);
        assert!(is_gap(&cut.playlist.segments[1]), "{:?}", cut.playlist.segments);
    }

    #[test]
    fn a_looping_stream_is_cut_across_its_end() {
        let cut = cut(&recording(), 29_000 + 12_500, 4_000, true).unwrap();
        let sources: Vec<_> = cut.files.iter().map(|(source, _)| source.as_str()).collect();
        assert_eq!(sources, ["init.mp4", "d.m4s", "a.m4s"]);
        let breaks: Vec<_> = cut.playlist.segments.iter().map(|segment| segment.discontinuity).collect();
        assert_eq!((breaks, cut.playlist.start.unwrap().time_offset), (vec![false, true], 0.5));
    }

    #[test]
    fn a_clips_playlist_is_complete_and_starts_at_the_requested_time() {
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
