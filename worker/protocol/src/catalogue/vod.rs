//! Video on demand: rails and what is on them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AccessType, Media};

/// A rail of videos.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct VodRail {
    /// Its id.
    pub id: i64,
    /// Its title.
    pub title: String,
    /// The videos.
    pub vod_media_items: Vec<VodMediaItem>,
}

/// A video of the library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct VodMediaItem {
    /// Its id.
    pub id: i64,
    /// Its title.
    pub title: String,
    /// When it was published, RFC 3339 UTC.
    pub date: String,
    /// A few sentences.
    #[serde(default)]
    pub description: String,
    /// Its category in the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category_id: Option<i64>,
    /// What a viewer needs to watch it.
    pub access_type: AccessType,
    /// Whether the asking viewer may watch it now.
    pub has_access: bool,
    /// How long it is, seconds.
    pub duration_s: f64,
    /// A large figure for its poster, when it has no picture, e.g. `10`.
    #[serde(default)]
    pub figure: String,
    /// `#rrggbb`, of that poster.
    #[serde(default)]
    pub color: String,
    /// Pictures and previews.
    pub assets: Vec<VodAsset>,
    /// The video; its URL is signed, and there only with access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media: Option<Media>,
}

/// A picture or a preview of a video.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VodAsset {
    /// `image` or `preview`.
    #[serde(rename = "type")]
    pub kind: String,
    /// URL.
    pub path: String,
}

/// A category of the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VodMediaCategory {
    /// Its id.
    pub id: i64,
    /// Its title.
    pub title: String,
}
