//! What is said of a photograph before it is there.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What is known of a photograph of the channel's (`FAST-9`): once the worker has made it smaller for somebody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PictureFacts {
    /// Pixels, as it stands upright.
    #[schema(example = 854, minimum = 1)]
    pub width: u32,
    /// Pixels.
    #[schema(example = 480, minimum = 1)]
    pub height: u32,
    /// The whole of it in 16 pixels, as a `data:` address, to stand blurred in its place. Absent where one can see through it,
    /// and where it is more than four times as high as wide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "data:image/webp;base64,UklGRjwAAABXRUJQVlA4IDAAAADQAQCdASoQAAkAAUAmJaQAA3AA/v3AgAA=")]
    pub placeholder: Option<String>,
}
