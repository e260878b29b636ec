//! Which widths there are, and how a page names them. The site has the same in `components/picture/sizes.ts`; both are
//! held to `fixtures/contracts/picture-sizes.json`.

use super::resize;

/// The widths that a photograph is made in, pixels.
pub const WIDTHS: [u32; 5] = [320, 640, 960, 1280, 1920];

/// The parameter of an address that asks for a width.
pub const PARAMETER: &str = "width";

/// What an address asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// The picture as it is.
    Own,
    /// One of [`WIDTHS`].
    Of(u32),
    /// A width that there is not.
    Unknown,
}

/// The width that a query asks for; what else stands in it says nothing of pictures.
pub fn asked_for(query: Option<&str>) -> Width {
    let query = query.unwrap_or_default();
    let Some((_, width)) = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == PARAMETER) else {
        return Width::Own;
    };
    // One address for one picture: `0640` would be another one of the same.
    WIDTHS.into_iter().find(|known| known.to_string() == width).map_or(Width::Unknown, Width::Of)
}

/// The `srcset` of a photograph at `address`; nothing where the worker does not make it in other sizes: drawings, and what
/// another host serves.
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
    fn worker_and_site_name_the_same_sizes() {
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
    fn a_width_is_one_of_those_that_there_are() {
        for (query, asked) in [
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
            assert_eq!(asked_for(query), asked, "{query:?}");
        }
    }
}
