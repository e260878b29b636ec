//! Resizing of photographs.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegDecoder;
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::error::{UnsupportedError, UnsupportedErrorKind};
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, Limits};
use touchline_protocol::catalogue::PictureFacts;

use super::essential::essential;

/// Maximum size of a file.
pub const MAX_BYTES: u64 = 32 << 20;
/// Maximum number of pixels. Decoding takes up to eight bytes per pixel.
pub const MAX_PIXELS: u64 = 64_000_000;
/// Larger pictures are resized one at a time.
pub(super) const LARGE_PIXELS: u64 = 32_000_000;
/// Maximum width and height. A decoder allocates a line before reading it.
pub const MAX_SIDE: u32 = 65_535;
/// Memory that a PNG decoder may use before the pixels: a line, and camera data.
const MAX_HEADER_BYTES: u64 = 2 << 20;
/// WebP quality, 0 to 100.
const QUALITY: f32 = 78.0;
/// Maximum height of a WebP, in pixels.
const MAX_WEBP_HEIGHT: u64 = 16_383;
/// Maximum number of pixels halfway, at the original's width and the new height. They take 16 bytes each.
const MAX_RESIZED: u64 = 32_000_000;
/// Width of a placeholder, in pixels.
const PLACEHOLDER_WIDTH: u32 = 16;
const PLACEHOLDER_QUALITY: f32 = 40.0;
/// Maximum ratio of height to width for a placeholder.
const MAX_ASPECT: u32 = 4;

/// Reasons why a picture is not resized.
#[derive(Debug, thiserror::Error)]
pub enum ResizeError {
    /// The file is damaged or not an image.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] ImageError),
    /// The image exceeds [`MAX_PIXELS`].
    #[error("it is too large: {width} by {height} pixels")]
    TooLarge {
        /// Width, in pixels.
        width: u32,
        /// Height, in pixels.
        height: u32,
    },
    /// The encoder failed.
    #[error("it cannot be encoded")]
    Unwritable,
}

/// Returns whether a file is a photograph, by its name. Drawings have no size, and animations would stop moving.
pub fn is_resizable(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["jpg", "jpeg", "png", "webp"].iter().any(|extension| ending.eq_ignore_ascii_case(extension))
}

/// A decoded photograph, upright. Opening and resizing take time and memory in proportion to its pixels, and block.
#[derive(Debug)]
pub struct Photograph {
    picture: DynamicImage,
    /// Size of the file.
    len: usize,
}

impl Photograph {
    /// Decodes a file.
    ///
    /// # Errors
    /// [`ResizeError`]
    pub fn open(file: &[u8]) -> Result<Self, ResizeError> {
        Ok(Self { picture: open(file)?, len: file.len() })
    }

    /// Returns the picture as WebP, at most `width` pixels wide, or `None` if that is not smaller than the original.
    ///
    /// # Errors
    /// [`ResizeError::Unwritable`]
    pub fn in_width(&self, width: u32) -> Result<Option<Vec<u8>>, ResizeError> {
        let written = self.webp(width, QUALITY)?;
        Ok((written.len() < self.len).then_some(written))
    }

    /// Returns the facts that pages need before the image has loaded.
    ///
    /// # Errors
    /// [`ResizeError::Unwritable`]
    pub fn facts(&self) -> Result<PictureFacts, ResizeError> {
        let (width, height) = (self.picture.width(), self.picture.height());
        // The placeholder of a tall image would be large, and it is part of every response.
        let has_placeholder = !self.picture.color().has_alpha() && height <= width.saturating_mul(MAX_ASPECT);
        let written = has_placeholder.then(|| self.webp(PLACEHOLDER_WIDTH, PLACEHOLDER_QUALITY)).transpose()?;
        let placeholder = written.map(|bytes| format!("data:image/webp;base64,{}", STANDARD.encode(bytes)));
        Ok(PictureFacts { width, height, placeholder })
    }

    fn webp(&self, width: u32, quality: f32) -> Result<Vec<u8>, ResizeError> {
        let (original_width, high) = (self.picture.width().max(1), self.picture.height());
        let width = width.min(original_width);
        let height = (u64::from(high) * u64::from(width)).div_ceil(u64::from(original_width)).max(1);
        if height > MAX_WEBP_HEIGHT || u64::from(original_width) * height > MAX_RESIZED {
            return Err(ResizeError::Unwritable);
        }
        let smaller = (original_width > width).then(|| {
            self.picture.resize_exact(width, u32::try_from(height).unwrap_or(u32::MAX), FilterType::CatmullRom)
        });
        let picture = smaller.as_ref().unwrap_or(&self.picture);
        let (wide, high) = (picture.width(), picture.height());
        let written = if picture.color().has_alpha() {
            webp::Encoder::from_rgba(&picture.to_rgba8(), wide, high).encode_simple(false, quality)
        } else {
            webp::Encoder::from_rgb(&picture.to_rgb8(), wide, high).encode_simple(false, quality)
        };
        Ok(written.map_err(|_| ResizeError::Unwritable)?.to_vec())
    }
}

/// Returns the dimensions of an image without decoding its pixels.
///
/// # Errors
/// [`ResizeError`]
pub fn size(file: &[u8]) -> Result<(u32, u32), ResizeError> {
    let format = image::guess_format(file)?;
    Ok(decoder(&essential(file, format), format)?.dimensions())
}

fn open(file: &[u8]) -> Result<DynamicImage, ResizeError> {
    let format = image::guess_format(file)?;
    let file = essential(file, format);
    let mut decoder = decoder(&file, format)?;
    let orientation = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    // Sixteen bits per channel would double the memory from here on, and WebP has eight.
    picture = match picture.color().has_alpha() {
        true => DynamicImage::ImageRgba8(picture.into_rgba8()),
        false => DynamicImage::ImageRgb8(picture.into_rgb8()),
    };
    picture.apply_orientation(orientation);
    Ok(picture)
}

/// Returns a decoder, if the image is within the limits. No pixels are decoded yet.
fn decoder(file: &[u8], format: ImageFormat) -> Result<Box<dyn ImageDecoder + '_>, ResizeError> {
    let bytes = Cursor::new(file);
    let mut limits = Limits::no_limits();
    (limits.max_image_width, limits.max_image_height) = (Some(MAX_SIDE), Some(MAX_SIDE));
    limits.max_alloc = Some(MAX_HEADER_BYTES);
    let decoder: Box<dyn ImageDecoder + '_> = match format {
        ImageFormat::Png => Box::new(PngDecoder::with_limits(bytes, limits)?),
        ImageFormat::Jpeg => Box::new(JpegDecoder::new(bytes)?),
        ImageFormat::WebP => {
            let decoder = WebPDecoder::new(bytes)?;
            // Only its first picture would be left.
            if decoder.has_animation() {
                return Err(unsupported(format));
            }
            Box::new(decoder)
        }
        other => return Err(unsupported(other)),
    };
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(ResizeError::TooLarge { width, height });
    }
    Ok(decoder)
}

fn unsupported(format: ImageFormat) -> ResizeError {
    let kind = UnsupportedErrorKind::Format(format.into());
    ImageError::Unsupported(UnsupportedError::from_format_and_kind(format.into(), kind)).into()
}

#[cfg(test)]
mod tests {
    use image::{ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

    use super::*;

    fn resize(file: &[u8], width: u32) -> Result<Option<Vec<u8>>, ResizeError> {
        Photograph::open(file)?.in_width(width)
    }

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
    fn resizing_makes_a_photograph_smaller_and_is_deterministic() {
        for format in [ImageFormat::Jpeg, ImageFormat::Png] {
            let file = encoded(photograph(900, 601), format);
            let resized = resize(&file, 320).unwrap().unwrap();
            assert_eq!(size_of(&resized), (320, 214), "{format:?}");
            assert!(resized.len() * 4 < file.len(), "{format:?}: {} of {}", resized.len(), file.len());
            assert_eq!(resize(&file, 320).unwrap().unwrap(), resized, "{format:?}");
            assert_eq!(size_of(&resize(&file, 1920).unwrap().unwrap()), (900, 601), "{format:?}: never larger");
        }
    }

    #[test]
    fn a_webp_is_resized_upright_unless_it_is_an_animation() {
        let picture = photograph(900, 601);
        let original = webp::Encoder::from_rgb(&picture, 900, 601).encode(95.0).to_vec();
        let resized = resize(&original, 320).unwrap().unwrap();
        assert_eq!((size(&original).unwrap(), size_of(&resized)), ((900, 601), (320, 214)));
        // An extended file with Exif, whose only entry rotates the image by 90 degrees.
        let chunk = |kind: &[u8; 4], data: &[u8]| {
            let padding = vec![0; data.len() % 2];
            [&kind[..], &(data.len() as u32).to_le_bytes(), data, &padding].concat()
        };
        let exif = [b'M', b'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0];
        let extended = |flags: u8| {
            let header = [flags, 0, 0, 0, 0x83, 3, 0, 0x58, 2, 0];
            let chunks = [chunk(b"VP8X", &header), original[12..].to_vec(), chunk(b"EXIF", &exif)].concat();
            [b"RIFF", &(chunks.len() as u32 + 4).to_le_bytes()[..], b"WEBP", &chunks].concat()
        };
        assert_eq!(size_of(&resize(&extended(0x08), 320).unwrap().unwrap()), (320, 480));
        assert!(matches!(resize(&extended(0x02), 320), Err(ResizeError::Unreadable(_))));
        assert!(matches!(resize(&original[..original.len() / 2], 320), Err(ResizeError::Unreadable(_))));
    }

    /// A phone's camera.
    #[test]
    fn a_photograph_of_63_megapixels_is_resized() {
        let file = encoded(RgbImage::from_pixel(9_168, 6_876, Rgb([200, 30, 30])), ImageFormat::Jpeg);
        assert_eq!(size_of(&resize(&file, 320).unwrap().unwrap()), (320, 240));
    }

    #[test]
    fn a_picture_that_is_too_tall_is_refused_before_it_is_resized() {
        let deep = image::ImageBuffer::<Rgba<u16>, _>::from_pixel(60, 40_000, Rgba([9, 9, 9, u16::MAX]));
        let tall = Photograph::open(&encoded(deep, ImageFormat::Png)).unwrap();
        assert!(matches!(tall.in_width(59), Err(ResizeError::Unwritable)));
        assert!(tall.in_width(20).is_ok());
        let wide = Photograph::open(&encoded(RgbImage::new(8_000, 8_000), ImageFormat::Png)).unwrap();
        assert!(matches!(wide.in_width(7_900), Err(ResizeError::Unwritable)));
    }

    #[test]
    fn transparency_is_preserved() {
        let file =
            encoded(RgbaImage::from_fn(700, 700, |x, _| Rgba([200, x as u8, 9, (x % 256) as u8])), ImageFormat::Png);
        let resized = resize(&file, 320).unwrap().unwrap();
        let picture = webp::Decoder::new(&resized).decode().unwrap();
        assert!(picture.is_alpha());
        assert!(picture.chunks(4).any(|pixel| pixel[3] < 64));
    }

    #[test]
    fn a_picture_that_would_not_shrink_stays_unchanged() {
        let tiny = encoded(RgbImage::from_pixel(1, 1, Rgb([0; 3])), ImageFormat::Png);
        let as_webp = webp::Encoder::from_rgb(&[0; 3], 1, 1).encode(QUALITY);
        assert_eq!(resize(&tiny, 320).unwrap().is_none(), as_webp.len() >= tiny.len());
        // Pure noise is larger at this quality than at a low one.
        let noise = RgbImage::from_fn(64, 64, |x, y| {
            Rgb([0u32, 1, 2].map(|c| ((x * 7919 + y * 104_729 + c * 31).wrapping_mul(2_654_435_761) >> 24) as u8))
        });
        let mut poor = Vec::new();
        image::codecs::jpeg::JpegEncoder::new_with_quality(&mut poor, 1).encode_image(&noise).unwrap();
        assert!(resize(&poor, 320).unwrap().is_none());
    }

    #[test]
    fn damaged_oversized_and_other_files_are_refused() {
        let whole = encoded(photograph(400, 300), ImageFormat::Png);
        for file in [&b""[..], b"GIF89a", b"<svg xmlns='http://www.w3.org/2000/svg'/>", &whole[..whole.len() / 2]] {
            assert!(matches!(resize(file, 320), Err(ResizeError::Unreadable(_))), "{:?}", file.len());
        }
        // A header that announces more pixels than there are.
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
    fn exif_orientation_is_applied() {
        let upright = encoded(photograph(800, 400), ImageFormat::Jpeg);
        // APP1 with Exif, whose only entry rotates the image by 90 degrees.
        let exif: &[u8] = &[
            0xff, 0xe1, 0, 34, b'E', b'x', b'i', b'f', 0, 0, b'M', b'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0,
            0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
        ];
        let sideways = [&upright[..2], exif, &upright[2..]].concat();
        assert_eq!(size_of(&resize(&sideways, 320).unwrap().unwrap()), (320, 640));
    }

    /// `FAST-9`
    #[test]
    fn a_placeholder_shows_the_whole_photograph_in_few_bytes() {
        let facts =
            |picture: DynamicImage| Photograph::open(&encoded(picture, ImageFormat::Png)).unwrap().facts().unwrap();
        let half = RgbImage::from_fn(1600, 900, |x, _| if x < 800 { Rgb([220, 30, 30]) } else { Rgb([20, 40, 200]) });
        let PictureFacts { width, height, placeholder } = facts(half.into());
        assert_eq!((width, height), (1600, 900));
        let written = STANDARD.decode(placeholder.unwrap().strip_prefix("data:image/webp;base64,").unwrap()).unwrap();
        assert!(written.len() < 200, "{}", written.len());
        let picture = webp::Decoder::new(&written).decode().unwrap();
        assert_eq!((picture.width(), picture.height()), (16, 9));
        let at = |x: usize| &picture[(4 * 16 + x) * 3..][..3];
        assert!(at(1)[0] > 150 && at(1)[2] < 100 && at(14)[2] > 130 && at(14)[0] < 100, "{:?} {:?}", at(1), at(14));

        assert_eq!(facts(RgbaImage::from_pixel(40, 30, Rgba([1, 2, 3, 9])).into()).placeholder, None);
        assert_eq!(facts(photograph(20, 81).into()).placeholder, None, "too tall");
    }
}
