//! The live playlist of an event whose stream is a folder: a window that moves over the segments by the clock and
//! starts over after the last one, with a discontinuity. All workers return the same playlist at the same time.

use m3u8_rs::{ExtTag, MediaPlaylist};

use super::stream::{Stream, Variant, length_ms};

pub(crate) const WINDOW: u64 = 6;

/// Returns the playlist of `variant` at `now_ms`, for an event from `starts_ms` to `ends_ms`. The segment lengths of
/// the best quality are the schedule of all, so that qualities stay in step.
pub(crate) fn playlist(stream: &Stream, variant: &Variant, starts_ms: i64, ends_ms: i64, now_ms: i64) -> String {
    let schedule = stream.variants.first().unwrap_or(variant);
    let lengths: Vec<u64> = schedule.playlist.segments.iter().map(length_ms).collect();
    let segments = &variant.playlist.segments;
    let count = segments.len().min(lengths.len()).max(1) as u64;
    let elapsed = now_ms.min(ends_ms).saturating_sub(starts_ms).max(0).unsigned_abs();

    // A player that joins at the start gets a full window, as if the stream had started a little earlier.
    let end = ended_by(&lengths[..lengths.len().min(count as usize)], elapsed) + WINDOW;
    let first = end - WINDOW;
    let mut live = MediaPlaylist {
        version: Some(variant.playlist.version.unwrap_or(7).max(6)),
        target_duration: variant.playlist.target_duration,
        media_sequence: first,
        independent_segments: variant.playlist.independent_segments,
        i_frames_only: variant.playlist.i_frames_only,
        end_list: now_ms >= ends_ms,
        // A discontinuity before the first segment in the window does not count as passed.
        discontinuity_sequence: (first / count).saturating_sub(u64::from(first.is_multiple_of(count))),
        ..MediaPlaylist::default()
    };
    // Init section and key apply until the next ones. The window may start after their tags, so they are named at its
    // start, and again only when they change, since a player would reload them at each round.
    let (mut map, mut key) = (None, None);
    for number in first..end {
        let index = (number % count) as usize;
        let mut segment = segments[index].clone();
        segment.discontinuity = index == 0 && number > 0;
        let mut applicable = segments[..=index].iter().rev();
        let current_map = applicable.clone().find_map(|earlier| earlier.map.clone());
        let current_key = applicable.find_map(|earlier| earlier.key.clone());
        segment.map = current_map.clone().filter(|_| current_map != map);
        segment.key = current_key.clone().filter(|_| current_key != key);
        // Players derive the dates of the later ones.
        segment.program_date_time = None;
        if number == first {
            segment.unknown_tags.extend(date_tag(&lengths, starts_ms, number));
        }
        (map, key) = (current_map, current_key);
        live.segments.push(segment);
    }
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    drop(live.write_to(&mut text));
    String::from_utf8_lossy(&text).into_owned()
}

/// Returns the tag with the date of a segment, as if the first window had been recorded before the start.
fn date_tag(lengths: &[u64], starts_ms: i64, number: u64) -> Option<ExtTag> {
    let before_start = start_of(lengths, WINDOW);
    let ms = starts_ms.checked_add_unsigned(start_of(lengths, number))?.checked_sub_unsigned(before_start)?;
    let date = jiff::Timestamp::from_millisecond(ms).ok()?;
    Some(ExtTag { tag: "X-PROGRAM-DATE-TIME".to_owned(), rest: Some(format!("{date:.3}")) })
}

/// Returns the start of a segment, in milliseconds since the start of the stream.
fn start_of(lengths: &[u64], number: u64) -> u64 {
    let count = lengths.len().max(1) as u64;
    number / count * lengths.iter().sum::<u64>() + lengths.iter().take((number % count) as usize).sum::<u64>()
}

/// Returns the start of a segment and the end of the newest visible one, in milliseconds since the start of the stream.
/// Returns `None` for a segment that is not visible yet.
pub(crate) fn span_from(stream: &Stream, starts_ms: i64, now_ms: i64, number: u64) -> Option<(u64, u64)> {
    let lengths: Vec<u64> = stream.variants.first()?.playlist.segments.iter().map(length_ms).collect();
    let newest = ended_by(&lengths, now_ms.saturating_sub(starts_ms).max(0).unsigned_abs()) + WINDOW;
    (number < newest).then(|| (start_of(&lengths, number), start_of(&lengths, newest)))
}

/// Returns the number of segments that have ended `elapsed` milliseconds after the start.
fn ended_by(lengths: &[u64], elapsed: u64) -> u64 {
    let round: u64 = lengths.iter().sum::<u64>().max(1);
    let mut rest = elapsed % round;
    let mut ended = elapsed / round * lengths.len() as u64;
    for length in lengths {
        if rest < *length {
            break;
        }
        rest -= length;
        ended += 1;
    }
    ended
}

#[cfg(test)]
mod tests {
    use super::*;
    use m3u8_rs::{Playlist, parse_playlist_res};
    use proptest::prelude::*;

    const START: i64 = 1_700_000_000_000;
    const END: i64 = START + 3_600_000;

    fn stream(lengths: &[f32]) -> Stream {
        let mut text = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:4\n#EXT-X-MAP:URI=\"init.mp4\"\n".to_owned();
        for (index, length) in lengths.iter().enumerate() {
            text += &format!("#EXTINF:{length},\nseg{index}.m4s\n");
        }
        Stream::read("x.m3u8", |path| Some(if path == "x.m3u8" { text.clone() } else { String::new() }.into())).unwrap()
    }

    fn at(stream: &Stream, after_ms: i64) -> MediaPlaylist {
        let text = playlist(stream, &stream.variants[0], START, END, START + after_ms);
        match parse_playlist_res(text.as_bytes()).unwrap() {
            Playlist::MediaPlaylist(playlist) => playlist,
            Playlist::MasterPlaylist(_) => panic!("{text}"),
        }
    }

    fn names(playlist: &MediaPlaylist) -> Vec<&str> {
        playlist.segments.iter().map(|segment| segment.uri.as_str()).collect()
    }

    #[test]
    fn the_window_moves_with_the_clock_and_starts_over() {
        let stream = stream(&[4.0; 8]);
        let first = at(&stream, 0);
        assert_eq!((first.media_sequence, first.end_list), (0, false));
        assert_eq!(names(&first), ["seg0.m4s", "seg1.m4s", "seg2.m4s", "seg3.m4s", "seg4.m4s", "seg5.m4s"]);
        assert_eq!(at(&stream, 3_999), first);
        assert_eq!(at(&stream, 4_000).media_sequence, 1);
        let date = |after_ms| at(&stream, after_ms).segments[0].program_date_time.unwrap().timestamp_millis();
        assert_eq!((date(0), date(4_000)), (START - 24_000, START - 20_000), "the last one ends at the start");
        let round = at(&stream, 5 * 4_000);
        assert_eq!(names(&round), ["seg5.m4s", "seg6.m4s", "seg7.m4s", "seg0.m4s", "seg1.m4s", "seg2.m4s"]);
        assert_eq!(round.segments.iter().position(|segment| segment.discontinuity), Some(3));
        let maps: Vec<_> = round.segments.iter().map(|segment| segment.map.is_some()).collect();
        assert_eq!(
            maps,
            [true, false, false, false, false, false],
            "the init section also applies after the discontinuity"
        );
    }

    #[test]
    fn the_window_stops_and_ends_with_the_event() {
        let stream = stream(&[4.0; 8]);
        let last = at(&stream, END - START);
        assert!(last.end_list);
        assert_eq!(at(&stream, END - START + 60_000), last);
    }

    #[test]
    fn segment_times_continue_over_repetitions() {
        let stream = stream(&[4.0, 2.0, 4.0]);
        let span = |after_ms, number| span_from(&stream, START, START + after_ms, number);
        assert_eq!(span(0, 0), Some((0, 20_000)), "six segments are visible");
        assert_eq!(span(0, 5), Some((16_000, 20_000)));
        assert_eq!(span(0, 6), None, "it is not visible yet");
        assert_eq!(span(10_000, 7), Some((24_000, 30_000)));
    }

    proptest! {
        /// Players rely on this: a segment's number, name and discontinuity number never change while it is listed.
        #[test]
        fn a_listed_segment_never_changes(
            lengths in prop::collection::vec(1.0f32..6.0, 1..12), from in 0i64..3_000_000, later in 0i64..20_000,
        ) {
            let stream = stream(&lengths);
            let by_number = |playlist: &MediaPlaylist| {
                let mut round = playlist.discontinuity_sequence;
                (playlist.media_sequence..).zip(&playlist.segments).map(|(number, segment)| {
                    round += u64::from(segment.discontinuity);
                    (number, (segment.uri.clone(), round))
                }).collect::<std::collections::BTreeMap<_, _>>()
            };
            let (earlier, now) = (by_number(&at(&stream, from)), by_number(&at(&stream, from + later)));
            prop_assert_eq!(now.len() as u64, WINDOW);
            prop_assert!(now.keys().next() >= earlier.keys().next());
            for (number, segment) in &earlier {
                if let Some(same) = now.get(number) {
                    prop_assert_eq!(same, segment);
                }
            }
        }
    }
}
