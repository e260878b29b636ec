//! The I-frame playlist that the worker adds for encoders that write none. Players use it for seek previews.

use bytes::Bytes;

use super::rendition::Rendition;
use crate::media::hls::{Line, attribute, lines};
use crate::media::stream::resolve;

/// Suffix of the I-frame playlist's name, after its rendition's name.
const SUFFIX: &str = "-pictures.m3u8";
/// Prefixes of video codecs (RFC 6381).
const VIDEO_CODECS: [&str; 7] = ["avc", "hvc", "hev", "av01", "vp0", "dvh", "dva"];

/// Returns the rendition of an I-frame playlist.
pub(super) fn rendition_of(path: &str) -> Option<String> {
    path.strip_suffix(SUFFIX).map(|stem| format!("{stem}.m3u8"))
}

/// Returns the master playlist with an I-frame playlist of the lowest quality. It stays unchanged if it already has one
/// or if no frames are known.
pub(super) fn with_key_frames(master: &Bytes, entry: &str, renditions: &[Rendition]) -> Bytes {
    let line = std::str::from_utf8(master).ok().and_then(|text| Some((text, line_for(text, entry, renditions)?)));
    line.map_or_else(|| master.clone(), |(text, line)| format!("{}\n{line}\n", text.trim_end()).into())
}

fn line_for(text: &str, entry: &str, renditions: &[Rendition]) -> Option<String> {
    let mut smallest: Option<(u64, &str, &str)> = None;
    let mut attributes = "";
    for line in lines(text) {
        match line {
            Line::Tag("EXT-X-I-FRAME-STREAM-INF", _) => return None,
            Line::Tag("EXT-X-STREAM-INF", list) => attributes = list,
            Line::Uri(uri) => {
                let bandwidth =
                    attribute(attributes, "BANDWIDTH").and_then(|bits| bits.parse().ok()).unwrap_or(u64::MAX);
                let has_frames = resolve(entry, uri).is_some_and(|path| has_frames(renditions, &path));
                if has_frames && smallest.is_none_or(|(least, ..)| bandwidth < least) {
                    smallest = Some((bandwidth, attributes, uri));
                }
            }
            Line::Tag(..) => {}
        }
    }
    let (_, attributes, uri) = smallest?;
    let path = resolve(entry, uri)?;
    let bits = renditions.iter().find(|rendition| rendition.path == path).map_or(0, bits_per_second);
    let size = attribute(attributes, "RESOLUTION").map_or_else(String::new, |size| format!(",RESOLUTION={size}"));
    let codecs_named = attribute(attributes, "CODECS").into_iter().flat_map(|all| all.split(',').map(str::trim));
    let codec = codecs_named.into_iter().find(|codec| VIDEO_CODECS.iter().any(|name| codec.starts_with(name)));
    let codecs = codec.map_or_else(String::new, |codec| format!(",CODECS=\"{codec}\""));
    let stem = uri.strip_suffix(".m3u8")?;
    Some(format!("#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH={bits}{size}{codecs},URI=\"{stem}{SUFFIX}\""))
}

fn has_frames(renditions: &[Rendition], path: &str) -> bool {
    let mut matching = renditions.iter().filter(|rendition| rendition.path == path);
    matching.any(|rendition| rendition.entries.iter().any(|entry| entry.picture_bytes.is_some()))
}

/// Returns the peak bit rate of the I-frames.
fn bits_per_second(rendition: &Rendition) -> u64 {
    let bits = |(bytes, length_ms): (u64, u64)| (bytes * 8000).div_ceil(length_ms.max(1));
    let sizes = rendition.entries.iter().filter_map(|entry| Some((entry.picture_bytes?, entry.length_ms)));
    sizes.map(bits).max().unwrap_or(0)
}
