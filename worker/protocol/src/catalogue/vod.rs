//! Video on demand: rails and what is on them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AccessType, Media, PictureFacts};

/// A rail of videos.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct VodRail {
    /// Its id.
    #[schema(example = 1)]
    pub id: i64,
    /// Its title.
    #[schema(example = "Plays")]
    pub title: String,
    /// The videos.
    pub vod_media_items: Vec<VodMediaItem>,
}

/// A video of the library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct VodMediaItem {
    /// Its id.
    #[schema(example = 1)]
    pub id: i64,
    /// Its title.
    #[schema(example = "Ten plays of the week")]
    pub title: String,
    /// When it was published, RFC 3339 UTC.
    #[schema(example = "2026-11-17T18:00:00.000Z")]
    pub date: String,
    /// A few sentences.
    #[serde(default)]
    #[schema(example = "The ten best plays of the week, chosen by the coaches.")]
    pub description: String,
    /// Its category in the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 1)]
    pub category_id: Option<i64>,
    /// What a viewer needs to watch it.
    pub access_type: AccessType,
    /// Whether the asking viewer may watch it now.
    #[schema(example = true)]
    pub has_access: bool,
    /// Whether it is closed to where the asking viewer is.
    #[serde(default)]
    #[schema(example = false)]
    pub is_geo_blocked: bool,
    /// How long it is, seconds.
    #[schema(example = 40.0)]
    pub duration_s: f64,
    /// A large figure for its poster, when it has no picture, e.g. `10`.
    #[serde(default)]
    #[schema(example = "10")]
    pub figure: String,
    /// `#rrggbb`, of that poster.
    #[serde(default)]
    #[schema(example = "#1f4a96")]
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
    #[schema(example = "preview")]
    pub kind: String,
    /// URL.
    #[schema(example = "/media/northfield/s/a1-1/open/master.m3u8")]
    pub path: String,
    /// What is known of the picture before it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<PictureFacts>,
}

/// A category of the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VodMediaCategory {
    /// Its id.
    #[schema(example = 1)]
    pub id: i64,
    /// Its title.
    #[schema(example = "Plays")]
    pub title: String,
}
