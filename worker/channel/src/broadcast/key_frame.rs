//! Finds the end of the first frame in a fragmented MP4 segment (ISO/IEC 14496-12), for encoders that write no I-frame
//! playlist.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Boxes with frame positions are within this many leading bytes of a segment or an init section.
pub(super) const MAX_HEAD_BYTES: u64 = 256 << 10;

/// Flags of a `trun` box: data offset, flags of the first sample, and per-sample durations and sizes.
const HAS_OFFSET: u32 = 0x1;
const HAS_FIRST_FLAGS: u32 = 0x4;
const HAS_DURATIONS: u32 = 0x100;
const HAS_SIZES: u32 = 0x200;

/// Returns the top-level boxes of `bytes`. The last one may be truncated.
fn boxes(bytes: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let head = bytes.get(at..at + 8)?;
        let size = number(head, 0)? as usize;
        let end = at.checked_add(size).filter(|_| size >= 8)?;
        let body = bytes.get(at + 8..end.min(bytes.len()))?;
        at = end;
        Some((head.get(4..8)?, body))
    })
}

/// Returns the first box at this path of nested names.
fn within<'a>(bytes: &'a [u8], path: &[&[u8; 4]]) -> Option<&'a [u8]> {
    path.iter().try_fold(bytes, |inner, name| boxes(inner).find(|(kind, _)| kind == *name).map(|(_, body)| body))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Returns the id of the video track in an init section.
fn video_track(init: &[u8]) -> Option<u32> {
    let moov = within(init, &[b"moov"])?;
    let tracks = boxes(moov).filter(|(kind, _)| *kind == b"trak");
    tracks.into_iter().find_map(|(_, track)| {
        let kind = within(track, &[b"mdia", b"hdlr"])?.get(8..12)?;
        let head = within(track, &[b"tkhd"])?;
        // The timestamps before the track id are longer in version 1.
        let at = if head.first() == Some(&1) { 20 } else { 12 };
        (kind == b"vide").then(|| number(head, at))?
    })
}

/// Returns the number of leading bytes that contain the first frame.
fn end_in(init: &[u8], segment: &[u8]) -> Option<u64> {
    let video = video_track(init)?;
    let before: usize = boxes(segment).take_while(|(kind, _)| *kind != b"moof").map(|(_, body)| body.len() + 8).sum();
    let moof = within(segment, &[b"moof"])?;
    let mut fragments = boxes(moof).filter(|(kind, _)| *kind == b"traf").map(|(_, body)| body);
    let fragment = fragments.find(|traf| within(traf, &[b"tfhd"]).and_then(|head| number(head, 4)) == Some(video))?;
    let run = within(fragment, &[b"trun"])?;
    let flags = number(run, 0)? & 0x00ff_ffff;
    if flags & (HAS_OFFSET | HAS_SIZES) != HAS_OFFSET | HAS_SIZES || number(run, 4)? == 0 {
        return None;
    }
    let skipped = if flags & HAS_FIRST_FLAGS == 0 { 0 } else { 4 } + if flags & HAS_DURATIONS == 0 { 0 } else { 4 };
    let (offset, size) = (number(run, 8)?, number(run, 12 + skipped)?);
    // Offsets are signed. A negative one points outside a self-contained segment.
    i32::try_from(offset).ok()?;
    Some(before as u64 + u64::from(offset) + u64::from(size))
}

/// Returns the number of leading bytes that contain the first frame, or `None` if the container does not specify it.
pub(super) fn end(init: &Path, segment: &Path) -> Option<u64> {
    end_in(&head(init)?, &head(segment)?)
}

fn head(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_HEAD_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The demo's I-frame playlists were written by another program.
    #[test]
    fn the_first_frame_ends_where_the_i_frame_playlist_says() {
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/channels/northfield/media/hls/court/v1");
        let frames = std::fs::read_to_string(folder.join("iframes.m3u8")).unwrap();
        let mut ranges = frames.lines().filter_map(|line| line.strip_prefix("#EXT-X-BYTERANGE:")?.strip_suffix("@0"));
        let files: Vec<_> = frames.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        assert_eq!(files.len(), 10);
        for file in files {
            let found = end(&folder.join("init_1.mp4"), &folder.join(file));
            assert_eq!(found, ranges.next().and_then(|len| len.parse().ok()), "{file}");
        }
    }

    #[test]
    fn truncated_or_invalid_files_have_no_frame() {
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/channels/northfield/media/hls/court/v1");
        let (init, segment) = (head(&folder.join("init_1.mp4")).unwrap(), head(&folder.join("seg_000.m4s")).unwrap());
        for len in 0..1_000.min(segment.len()) {
            let _ = end_in(&init, &segment[..len]);
            let _ = end_in(&init[..len.min(init.len())], &segment);
        }
        assert_eq!(end_in(b"", &segment), None);
        assert_eq!(end_in(&init, b"\0\0\0\x08moof"), None);
        assert_eq!(end_in(&init, &[0xff; 64]), None);
    }
}
