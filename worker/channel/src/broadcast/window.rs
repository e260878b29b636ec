//! Playlists for viewers: a window of the latest segments while a broadcast is live, and all of them afterwards.

use std::fmt::Write;

use super::entry::Entry;
use super::listing::Init;
use super::rendition::Rendition;
use crate::media::hls::attribute;

const MIN_SEGMENTS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contents {
    Segments,
    /// The I-frames of the segments.
    KeyFrames,
}

/// Returns the live playlist of a rendition.
pub(super) fn live(rendition: &Rendition, of: Contents, window_ms: u64, is_ended: bool) -> String {
    let entries = &rendition.entries;
    let (mut first, mut length) = (entries.len(), 0);
    while first > 0 && (length < window_ms || entries.len() - first < MIN_SEGMENTS) {
        first -= 1;
        length += entries[first].length_ms;
    }
    // The last segment made it longer than the window.
    if length > window_ms && entries.len() - first > MIN_SEGMENTS {
        first += 1;
    }
    let before = entries.range(..first).filter(|entry| entry.is_discontinuous).count() as u64;
    let has_parts = of == Contents::Segments && rendition.last.part_inf.is_some();
    let mut text = head(rendition, of, has_parts);
    let sequence = entries.get(first).map_or(0, |entry| entry.number);
    let _ = writeln!(text, "#EXT-X-MEDIA-SEQUENCE:{sequence}");
    let _ = writeln!(text, "#EXT-X-DISCONTINUITY-SEQUENCE:{}", rendition.expired_discontinuities + before);
    if let Some(parts) = rendition.last.part_inf.as_ref().filter(|_| has_parts && !is_ended) {
        let _ = writeln!(text, "#EXT-X-SERVER-CONTROL:{}", control(rendition.last.server_control.as_deref(), parts));
        let _ = writeln!(text, "#EXT-X-PART-INF:{parts}");
    }
    segments(&mut text, entries.range(first..), |entry| entry.is_discontinuous, (of, has_parts && !is_ended));
    if is_ended {
        text.push_str("#EXT-X-ENDLIST\n");
    } else if has_parts {
        for tag in &rendition.tail {
            let _ = writeln!(text, "{tag}");
        }
    }
    text
}

/// Returns the playlist of a rendition's recording, or `None` if nothing was recorded.
pub(super) fn recording(rendition: &Rendition, of: Contents) -> Option<String> {
    let mut recorded = rendition.entries.iter().filter(|entry| entry.is_recorded).peekable();
    recorded.peek()?;
    let mut text = head(rendition, of, false);
    text.push_str("#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-MEDIA-SEQUENCE:0\n");
    let mut before: Option<u64> = None;
    let breaks = |entry: &Entry| {
        let follows = before.replace(entry.number).is_none_or(|number| number + 1 == entry.number);
        entry.is_discontinuous || !follows
    };
    segments(&mut text, recorded, breaks, (of, false));
    text.push_str("#EXT-X-ENDLIST\n");
    Some(text)
}

fn head(rendition: &Rendition, of: Contents, has_parts: bool) -> String {
    let last = &rendition.last;
    let version = last.version.max(if has_parts { 9 } else { 6 });
    let target_s = rendition.entries.iter().map(|entry| (entry.length_ms + 500) / 1000).max().unwrap_or(0);
    let mut text =
        format!("#EXTM3U\n#EXT-X-VERSION:{version}\n#EXT-X-TARGETDURATION:{}\n", last.target_s.max(target_s));
    for tag in &last.header {
        let _ = writeln!(text, "{tag}");
    }
    if of == Contents::KeyFrames {
        text.push_str("#EXT-X-I-FRAMES-ONLY\n");
    }
    text
}

/// Returns the server control attributes. Players may block; delta updates are not offered.
fn control(encoders: Option<&str>, part_inf: &str) -> String {
    let hold_back = encoders.and_then(|list| attribute(list, "PART-HOLD-BACK").map(str::to_owned));
    // The minimum allowed by the specification.
    let minimum = attribute(part_inf, "PART-TARGET").and_then(|target| target.parse::<f64>().ok()).unwrap_or(1.0) * 3.0;
    let back = hold_back.unwrap_or_else(|| format!("{minimum:.3}"));
    format!("CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK={back}")
}

fn segments<'a>(
    text: &mut String,
    entries: impl Iterator<Item = &'a Entry>,
    mut breaks: impl FnMut(&Entry) -> bool,
    (of, has_parts): (Contents, bool),
) {
    let (mut init, mut keys): (Option<&Init>, &[String]) = (None, &[]);
    let mut next_date_ms = None;
    for entry in entries {
        if breaks(entry) {
            text.push_str("#EXT-X-DISCONTINUITY\n");
        }
        if entry.keys != keys {
            if entry.keys.is_empty() && !entry.file.is_empty() {
                text.push_str("#EXT-X-KEY:METHOD=NONE\n");
            }
            for key in &entry.keys {
                let _ = writeln!(text, "{key}");
            }
            keys = &entry.keys;
        }
        if let Some(changed) = entry.init.as_ref().filter(|changed| init != Some(*changed)) {
            let range = changed.range.map_or_else(String::new, |(len, from)| format!(",BYTERANGE=\"{len}@{from}\""));
            let _ = writeln!(text, "#EXT-X-MAP:URI=\"{}\"{range}", changed.uri);
            init = Some(changed);
        }
        // Players derive the dates of other segments.
        if let Some(date_ms) = entry.date_ms.filter(|&date_ms| next_date_ms != Some(date_ms))
            && let Ok(date) = jiff::Timestamp::from_millisecond(date_ms)
        {
            let _ = writeln!(text, "#EXT-X-PROGRAM-DATE-TIME:{date:.3}");
        }
        next_date_ms = entry.date_ms.map(|date_ms| date_ms.saturating_add_unsigned(entry.length_ms));
        for part in entry.parts.iter().filter(|_| has_parts) {
            let _ = writeln!(text, "{part}");
        }
        for tag in &entry.tags {
            let _ = writeln!(text, "{tag}");
        }
        match (of, entry.range, entry.picture_bytes) {
            (Contents::Segments, Some((len, from)), _) => drop(writeln!(text, "#EXT-X-BYTERANGE:{len}@{from}")),
            (Contents::Segments, None, _) => {}
            (Contents::KeyFrames, _, Some(len)) => drop(writeln!(text, "#EXT-X-BYTERANGE:{len}@0")),
            (Contents::KeyFrames, _, None) => text.push_str("#EXT-X-GAP\n"),
        }
        let _ = writeln!(text, "{}", if entry.file.is_empty() { "gap" } else { &entry.file });
    }
}
