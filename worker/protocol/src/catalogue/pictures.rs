//! Image metadata.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Metadata of an image (`FAST-9`). Available once the worker has resized the image for the first time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PictureFacts {
    /// Width in pixels, upright.
    #[schema(example = 854, minimum = 1)]
    pub width: u32,
    /// Height in pixels, upright.
    #[schema(example = 480, minimum = 1)]
    pub height: u32,
    /// Preview of the image as a `data:` URL, 16 pixels wide, to display blurred while the image loads. Absent if
    /// the image is transparent, or more than four times as high as wide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "data:image/webp;base64,UklGRjwAAABXRUJQVlA4IDAAAADQAQCdASoQAAkAAUAmJaQAA3AA/v3AgAA=")]
    pub placeholder: Option<String>,
}
