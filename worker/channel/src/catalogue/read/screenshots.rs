//! Screenshots that a browser shows in its install dialog (`PWA-1`).

use super::folder::fields::Fields;
use crate::catalogue::records::Screenshot;

/// Range of a side that browsers accept, in pixels.
const SIDE_RANGE: std::ops::RangeInclusive<u32> = 320..=3840;
/// Largest ratio of the sides that browsers accept, in tenths.
const MAX_RATIO_TENTHS: u32 = 23;
const MAX_SCREENSHOTS: usize = 8;

/// Reads `screenshots`, with the pictures' sizes.
pub(super) fn screenshots(fields: &Fields<'_>) -> Vec<Screenshot> {
    let listed = fields.values("screenshots");
    if listed.len() > MAX_SCREENSHOTS {
        fields.fault("screenshots", format!("has too many pictures: at most {MAX_SCREENSHOTS}"));
        return Vec::new();
    }
    listed.into_iter().filter_map(|(field, value)| screenshot(fields, &field, value.as_str())).collect()
}

fn screenshot(fields: &Fields<'_>, field: &str, path: Option<&str>) -> Option<Screenshot> {
    let Some(path) = path else {
        fields.fault(field, "must be the path of a picture");
        return None;
    };
    if !crate::pictures::resize::is_resizable(path) {
        fields.fault(field, format!("`{path}` is not a JPEG or PNG"));
        return None;
    }
    let url = fields.image_url(field, path)?;
    let bytes = fields.folder.bytes(&format!("media/{path}"))?;
    let is_png = matches!(image::guess_format(&bytes), Ok(image::ImageFormat::Png));
    let Ok((width, height)) = crate::pictures::resize::size(&bytes) else {
        fields.fault(field, format!("media/{path} is not a readable picture"));
        return None;
    };
    let (long, short) = (width.max(height), width.min(height));
    if !SIDE_RANGE.contains(&width) || !SIDE_RANGE.contains(&height) || long * 10 > short * MAX_RATIO_TENTHS {
        fields.fault(
            field,
            format!("media/{path} is {width} by {height} pixels: each side must be 320 to 3840, and at most 2.3 times the other"),
        );
        return None;
    }
    Some(Screenshot { url, width, height, media_type: if is_png { "image/png" } else { "image/jpeg" } })
}
