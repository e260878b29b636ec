//! The channel's mark as an icon: the touchline in its colours, drawn here since a launcher takes no SVG.

use std::io::{Error, Result};

use super::branding::{Branding, rgb};

/// The sizes that the manifest and the shell name.
pub(crate) const SIZES: [u32; 3] = [180, 192, 512];

/// A PNG of `size` by `size`: a solid line for what is on, a dashed one for what comes. It fills the square, and its
/// marks stay within the middle 80 %, so that a launcher may cut it to any shape.
pub(crate) fn draw(branding: &Branding, size: u32) -> Result<Vec<u8>> {
    let background = rgb(&branding.colors.header_background);
    let ink = rgb(&branding.colors.header_text_color);
    let accent = rgb(&branding.colors.accent);
    let row_of = |marks: &dyn Fn(u32) -> [u8; 3]| (0..size).flat_map(marks).collect::<Vec<u8>>();
    // In hundredths of the side.
    let at = |x: u32| x * 100 / size;
    let blank = row_of(&|_| background);
    let solid = row_of(&|x| if (20..80).contains(&at(x)) { accent } else { background });
    let dashed = row_of(&|x| {
        let on = (20..80).contains(&at(x)) && (at(x) - 20) % 22 < 16;
        if on { ink } else { background }
    });
    let rows = (0..size).map(|y| match at(y) {
        34..46 => &dashed,
        56..68 => &solid,
        _ => &blank,
    });
    let pixels: Vec<u8> = rows.flatten().copied().collect();

    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, size, size);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().map_err(Error::other)?;
    writer.write_image_data(&pixels).map_err(Error::other)?;
    writer.finish().map_err(Error::other)?;
    Ok(file)
}
