//! A picture's bytes in another width.

use std::io::Cursor;

use image::codecs::jpeg::JpegDecoder;
use image::codecs::png::PngDecoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, Limits};

/// A file of more bytes is not opened.
pub const MAX_BYTES: u64 = 32 << 20;
/// A picture of more pixels is not opened: one takes up to eight bytes while it is made smaller.
pub const MAX_PIXELS: u64 = 32_000_000;
/// Of WebP: 0 to 100.
const QUALITY: f32 = 78.0;

/// Why a picture is not made smaller.
#[derive(Debug, thiserror::Error)]
pub enum ResizeError {
    /// It is not what its name says, or damaged.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] image::ImageError),
    /// See [`MAX_PIXELS`].
    #[error("it has {width} by {height} pixels")]
    TooLarge {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// The encoder refused it.
    #[error("it cannot be written")]
    Unwritable,
}

/// Whether a file is a photograph, by its name. Drawings have no size, and animations would stand still.
pub fn is_resizable(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["jpg", "jpeg", "png"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// The picture as WebP, at most `width` pixels wide; nothing when that is no smaller than it is already. A photograph that
/// a camera held sideways stands upright. It takes the time and the memory of opening the whole picture: it blocks.
///
/// # Errors
/// [`ResizeError`]
pub fn resize(file: &[u8], width: u32) -> Result<Option<Vec<u8>>, ResizeError> {
    let picture = open(file)?;
    let (had, high) = (picture.width().max(1), picture.height());
    let picture = if had > width {
        let height = (u64::from(high) * u64::from(width)).div_ceil(u64::from(had)).max(1);
        picture.resize_exact(width, u32::try_from(height).unwrap_or(u32::MAX), FilterType::CatmullRom)
    } else {
        picture
    };
    let (wide, high) = (picture.width(), picture.height());
    let written = if picture.color().has_alpha() {
        let pixels = picture.into_rgba8();
        webp::Encoder::from_rgba(&pixels, wide, high).encode_simple(false, QUALITY)
    } else {
        let pixels = picture.into_rgb8();
        webp::Encoder::from_rgb(&pixels, wide, high).encode_simple(false, QUALITY)
    };
    let written = written.map_err(|_| ResizeError::Unwritable)?;
    Ok((written.len() < file.len()).then(|| written.to_vec()))
}

/// Its pixels. What it says of its size is looked at before any of them is read.
fn open(file: &[u8]) -> Result<DynamicImage, ResizeError> {
    let bytes = Cursor::new(file);
    let decoder: Box<dyn ImageDecoder + '_> = match image::guess_format(file)? {
        image::ImageFormat::Png => Box::new(PngDecoder::new(bytes)?),
        _ => Box::new(JpegDecoder::new(bytes)?),
    };
    let mut decoder = decoder;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(ResizeError::TooLarge { width, height });
    }
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_PIXELS * 8);
    decoder.set_limits(limits)?;
    let orientation = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    picture.apply_orientation(orientation);
    Ok(picture)
}

#[cfg(test)]
mod tests {
    use image::{ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

    use super::*;

    /// A picture with something to see in it.
    fn photograph(width: u32, height: u32) -> RgbImage {
        RgbImage::from_fn(width, height, |x, y| {
            let noise = (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503)) >> 27;
            Rgb([(x * 255 / width) as u8, (y * 255 / height) as u8, noise as u8 * 8])
        })
    }

    fn encoded(picture: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Vec::new();
        picture.into().write_to(&mut Cursor::new(&mut bytes), format).unwrap();
        bytes
    }

    fn size_of(webp: &[u8]) -> (u32, u32) {
        let picture = webp::Decoder::new(webp).decode().unwrap();
        (picture.width(), picture.height())
    }

    #[test]
    fn a_photograph_becomes_smaller_and_the_same_each_time() {
        for format in [ImageFormat::Jpeg, ImageFormat::Png] {
            let file = encoded(photograph(900, 601), format);
            let made = resize(&file, 320).unwrap().unwrap();
            assert_eq!(size_of(&made), (320, 214), "{format:?}");
            assert!(made.len() * 4 < file.len(), "{format:?}: {} of {}", made.len(), file.len());
            assert_eq!(resize(&file, 320).unwrap().unwrap(), made, "{format:?}");
            assert_eq!(size_of(&resize(&file, 1920).unwrap().unwrap()), (900, 601), "{format:?}: never larger");
        }
    }

    #[test]
    fn what_is_see_through_stays_so() {
        let file =
            encoded(RgbaImage::from_fn(700, 700, |x, _| Rgba([200, x as u8, 9, (x % 256) as u8])), ImageFormat::Png);
        let made = resize(&file, 320).unwrap().unwrap();
        let picture = webp::Decoder::new(&made).decode().unwrap();
        assert!(picture.is_alpha());
        assert!(picture.chunks(4).any(|pixel| pixel[3] < 64));
    }

    #[test]
    fn one_that_would_not_become_smaller_is_left_alone() {
        let tiny = encoded(RgbImage::from_pixel(1, 1, Rgb([0; 3])), ImageFormat::Png);
        let as_webp = webp::Encoder::from_rgb(&[0; 3], 1, 1).encode(QUALITY);
        assert_eq!(resize(&tiny, 320).unwrap().is_none(), as_webp.len() >= tiny.len());
        // What holds nothing but noise is larger at this quality than at a poor one.
        let noise = RgbImage::from_fn(64, 64, |x, y| {
            Rgb([0u32, 1, 2].map(|c| ((x * 7919 + y * 104_729 + c * 31).wrapping_mul(2_654_435_761) >> 24) as u8))
        });
        let mut poor = Vec::new();
        image::codecs::jpeg::JpegEncoder::new_with_quality(&mut poor, 1).encode_image(&noise).unwrap();
        assert!(resize(&poor, 320).unwrap().is_none());
    }

    #[test]
    fn damaged_large_and_other_files_are_refused() {
        let whole = encoded(photograph(400, 300), ImageFormat::Png);
        for file in [&b""[..], b"GIF89a", b"<svg xmlns='http://www.w3.org/2000/svg'/>", &whole[..whole.len() / 2]] {
            assert!(matches!(resize(file, 320), Err(ResizeError::Unreadable(_))), "{:?}", file.len());
        }
        // A header that promises more than there is.
        let mut bomb = whole;
        bomb[16..20].copy_from_slice(&60_000u32.to_be_bytes());
        let mut crc = flate2::Crc::new();
        crc.update(&bomb[12..29]);
        bomb[29..33].copy_from_slice(&crc.sum().to_be_bytes());
        bomb[20..24].copy_from_slice(&60_000u32.to_be_bytes());
        let mut crc = flate2::Crc::new();
        crc.update(&bomb[12..29]);
        bomb[29..33].copy_from_slice(&crc.sum().to_be_bytes());
        assert!(matches!(resize(&bomb, 320), Err(ResizeError::TooLarge { width: 60_000, height: 60_000 })));
    }

    #[test]
    fn a_photograph_that_was_taken_sideways_stands_upright() {
        let upright = encoded(photograph(800, 400), ImageFormat::Jpeg);
        // APP1 with EXIF, whose one entry says: turn it by a quarter.
        let exif: &[u8] = &[
            0xff, 0xe1, 0, 34, b'E', b'x', b'i', b'f', 0, 0, b'M', b'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0,
            0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
        ];
        let sideways = [&upright[..2], exif, &upright[2..]].concat();
        assert_eq!(size_of(&resize(&sideways, 320).unwrap().unwrap()), (320, 640));
    }
}
