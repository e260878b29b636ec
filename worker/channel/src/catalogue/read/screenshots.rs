//! Pictures of the site that a browser shows where it offers to install it (`PWA-1`).

use super::folder::fields::Fields;
use crate::catalogue::records::Screenshot;

/// What browsers show of a picture: each side within these, pixels.
const SIDE: std::ops::RangeInclusive<u32> = 320..=3840;
/// How much longer one side may be than the other, tenths.
const LONGEST: u32 = 23;
/// How many a channel has.
const MOST: usize = 8;

/// The pictures of `screenshots`, with their sizes.
pub(super) fn screenshots(fields: &Fields<'_>) -> Vec<Screenshot> {
    let listed = fields.values("screenshots");
    if listed.len() > MOST {
        fields.fault("screenshots", format!("has too many pictures: at most {MOST}"));
        return Vec::new();
    }
    listed.into_iter().filter_map(|(place, value)| one(fields, &place, value.as_str())).collect()
}

fn one(fields: &Fields<'_>, place: &str, path: Option<&str>) -> Option<Screenshot> {
    let Some(path) = path else {
        fields.fault(place, "must be the path of a picture");
        return None;
    };
    if !crate::pictures::resize::is_resizable(path) {
        fields.fault(place, format!("`{path}` is not a JPEG or a PNG"));
        return None;
    }
    let url = fields.image_url(place, path)?;
    let bytes = fields.folder.bytes(&format!("media/{path}"))?;
    let is_png = matches!(image::guess_format(&bytes), Ok(image::ImageFormat::Png));
    let Ok((width, height)) = crate::pictures::resize::size(&bytes) else {
        fields.fault(place, format!("media/{path} is no picture that can be read"));
        return None;
    };
    let (long, short) = (width.max(height), width.min(height));
    if !SIDE.contains(&width) || !SIDE.contains(&height) || long * 10 > short * LONGEST {
        fields.fault(
            place,
            format!("media/{path} has {width} by {height} pixels: a browser shows 320 to 3840, no side over 2.3 times the other"),
        );
        return None;
    }
    Some(Screenshot { url, width, height, media_type: if is_png { "image/png" } else { "image/jpeg" } })
}
