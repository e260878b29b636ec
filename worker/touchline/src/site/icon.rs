//! The channel's icon: the touchline in its colours, drawn as PNG because launchers do not accept SVG.

use std::io::{Error, Result};

use super::branding::{Branding, rgb};

/// Name, size, and whether a launcher may crop the icon to any shape.
pub(crate) const ICONS: [(&str, u32, bool); 4] =
    [("180", 180, false), ("192", 192, false), ("512", 512, false), ("maskable-512", 512, true)];

/// A square PNG with a solid line and a dashed one. In a maskable icon the lines stay within the safe circle; in others
/// they are larger.
pub(crate) fn draw(branding: &Branding, size: u32, is_maskable: bool) -> Result<Vec<u8>> {
    // Margin and line width, in hundredths of the side.
    let (free, thick) = if is_maskable { (22, 11) } else { (14, 14) };
    let background = rgb(&branding.colors.header_background);
    let ink = rgb(&branding.colors.header_text_color);
    let accent = rgb(&branding.colors.accent);
    let row_of = |marks: &dyn Fn(u32) -> [u8; 3]| (0..size).flat_map(marks).collect::<Vec<u8>>();
    // In hundredths of the side.
    let at = |x: u32| x * 100 / size;
    let blank = row_of(&|_| background);
    let solid = row_of(&|x| if (free..100 - free).contains(&at(x)) { accent } else { background });
    let dashed = row_of(&|x| {
        let on = (free..100 - free).contains(&at(x)) && (at(x) - free) % 22 < 16;
        if on { ink } else { background }
    });
    let rows = (0..size).map(|y| match at(y) {
        row if (45 - thick..45).contains(&row) => &dashed[..],
        row if (55..55 + thick).contains(&row) => &solid,
        _ => &blank,
    });
    let pixels = rows.collect::<Vec<_>>().concat();

    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, size, size);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().map_err(Error::other)?;
    writer.write_image_data(&pixels).map_err(Error::other)?;
    writer.finish().map_err(Error::other)?;
    Ok(file)
}
