//! Reduces an image file to the chunks needed for its pixels and orientation (`FAST-6`).
//!
//! Colour profiles, texts, thumbnails and animations are never passed to a decoder. A small compressed profile can
//! expand to gigabytes, and a decoder reads them all before it reports the image's size.

use std::borrow::Cow;

use image::ImageFormat;

/// Maximum size of camera data (Exif). A JPEG segment cannot contain more.
pub(super) const MAX_EXIF_BYTES: usize = 64 << 10;

/// Returns the file for the decoder, which detects damage itself.
pub(super) fn essential(file: &[u8], format: ImageFormat) -> Cow<'_, [u8]> {
    match format {
        ImageFormat::Png => Cow::Owned(png(file)),
        ImageFormat::Jpeg => Cow::Owned(jpeg(file)),
        _ => Cow::Borrowed(file),
    }
}

/// Size of a PNG chunk's length, kind and checksum.
const PNG_FRAME: usize = 12;
const PNG_SIGNATURE: usize = 8;

fn png(file: &[u8]) -> Vec<u8> {
    let (signature, mut rest) = file.split_at(PNG_SIGNATURE.min(file.len()));
    let mut reduced = signature.to_vec();
    let mut has_exif = false;
    while let Some(([length @ .., k0, k1, k2, k3], _)) = rest.split_first_chunk::<8>() {
        let length = length.iter().fold(0usize, |length, byte| length << 8 | usize::from(*byte));
        let (chunk, behind) = rest.split_at(length.saturating_add(PNG_FRAME).min(rest.len()));
        rest = behind;
        let is_essential = match &[*k0, *k1, *k2, *k3] {
            b"IHDR" | b"PLTE" | b"tRNS" | b"IDAT" | b"IEND" => true,
            b"eXIf" => length <= MAX_EXIF_BYTES && !std::mem::replace(&mut has_exif, true),
            _ => false,
        };
        if is_essential {
            reduced.extend_from_slice(chunk);
        }
    }
    reduced
}

fn jpeg(file: &[u8]) -> Vec<u8> {
    let (start, mut rest) = file.split_at(2.min(file.len()));
    let mut reduced = start.to_vec();
    // Markers seen, for those needed only once: the JFIF header, Exif and Adobe's colour information.
    let mut seen = [false; 256];
    while let Some(at) = rest.windows(2).position(is_marker) {
        let (pixels, segment) = rest.split_at(at);
        reduced.extend_from_slice(pixels);
        let marker = segment[1];
        let length = match (marker, segment.get(2..4)) {
            (0x01 | 0xd8 | 0xd9, _) | (_, None) => 2,
            (_, Some(length)) => 2 + (usize::from(length[0]) << 8 | usize::from(length[1])),
        };
        let (segment, behind) = segment.split_at(length.min(segment.len()));
        rest = behind;
        let is_essential = match marker {
            0xe0 | 0xee => !std::mem::replace(&mut seen[usize::from(marker)], true),
            0xe1 => segment[2..].get(2..8) == Some(b"Exif\0\0") && !std::mem::replace(&mut seen[0xe1], true),
            0xe2..=0xef | 0xfe => false,
            _ => true,
        };
        if is_essential {
            reduced.extend_from_slice(segment);
        }
        // Phones append further images after the first one.
        if marker == 0xd9 {
            return reduced;
        }
    }
    reduced.extend_from_slice(rest);
    reduced
}

/// Returns whether a segment starts here, rather than a pixel byte or a restart marker.
fn is_marker(pair: &[u8]) -> bool {
    pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xd0..=0xd7 | 0xff)
}
