//! The available widths and their addresses. The site has the same in `components/picture/sizes.ts`. Both are tested
//! against `fixtures/contracts/picture-sizes.json`.

use super::resize;

/// Available widths of a photograph, in pixels.
pub const WIDTHS: [u32; 5] = [320, 640, 960, 1280, 1920];

/// Query parameter for the width.
pub const PARAMETER: &str = "width";

/// Width requested by an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// The original.
    Own,
    /// One of [`WIDTHS`].
    Of(u32),
    /// An unavailable width.
    Unknown,
}

/// Returns the width in a query. Other parameters are ignored.
pub fn requested_width(query: Option<&str>) -> Width {
    let query = query.unwrap_or_default();
    let Some((_, width)) = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == PARAMETER) else {
        return Width::Own;
    };
    // Each picture has a single address: `0640` would be a second one.
    WIDTHS.into_iter().find(|known| known.to_string() == width).map_or(Width::Unknown, Width::Of)
}

/// Returns the `srcset` of a photograph at `address`, or `None` if it has no other sizes: drawings, and pictures of
/// other hosts.
pub fn srcset(address: &str) -> Option<String> {
    let (_, path) = address.strip_prefix("/media/")?.split_once('/')?;
    let is_stream = ["s/", "c/", "d/"].iter().any(|room| path.starts_with(room));
    if is_stream || path.contains(['?', '#', ' ', ',']) || !resize::is_resizable(path) {
        return None;
    }
    Some(WIDTHS.map(|width| format!("{address}?{PARAMETER}={width} {width}w")).join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worker_and_site_use_the_same_sizes() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/contracts/picture-sizes.json");
        let contract: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let cases = contract["cases"].as_array().unwrap();
        assert!(cases.len() > 5);
        for case in cases {
            let address = case["address"].as_str().unwrap();
            assert_eq!(srcset(address).as_deref(), case["srcset"].as_str(), "{address}");
        }
    }

    #[test]
    fn only_available_widths_are_accepted() {
        for (query, expected) in [
            (None, Width::Own),
            (Some(""), Width::Own),
            (Some("v=3"), Width::Own),
            (Some("width=640"), Width::Of(640)),
            (Some("v=3&width=1920"), Width::Of(1920)),
            (Some("width=641"), Width::Unknown),
            (Some("width=0640"), Width::Unknown),
            (Some("width=-1"), Width::Unknown),
            (Some("width=99999999999999999999"), Width::Unknown),
            (Some("width="), Width::Unknown),
        ] {
            assert_eq!(requested_width(query), expected, "{query:?}");
        }
    }
}
