//! Video on demand: the library's videos, rails and categories.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AccessType, Media, PictureFacts};

/// A rail of videos.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct VodRail {
    /// Unique identifier.
    #[schema(example = 1)]
    pub id: i64,
    /// Title.
    #[schema(example = "Plays")]
    pub title: String,
    /// Videos of the rail.
    pub vod_media_items: Vec<VodMediaItem>,
}

/// A video of the library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct VodMediaItem {
    /// Unique identifier.
    #[schema(example = 1)]
    pub id: i64,
    /// Title.
    #[schema(example = "Ten plays of the week")]
    pub title: String,
    /// Publication date, RFC 3339 UTC.
    #[schema(example = "2026-11-17T18:00:00.000Z")]
    pub date: String,
    /// Description, a few sentences.
    #[serde(default)]
    #[schema(example = "The ten best plays of the week, chosen by the coaches.")]
    pub description: String,
    /// ID of the library category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 1)]
    pub category_id: Option<i64>,
    /// The access required to watch the video.
    pub access_type: AccessType,
    /// Whether the viewer can watch the video now.
    #[schema(example = true)]
    pub has_access: bool,
    /// Whether the video is blocked in the viewer's country.
    #[serde(default)]
    #[schema(example = false)]
    pub is_geo_blocked: bool,
    /// Duration, in seconds.
    #[schema(example = 40.0)]
    pub duration_s: f64,
    /// Large figure on the poster of a video without an image, such as `10`.
    #[serde(default)]
    #[schema(example = "10")]
    pub figure: String,
    /// Colour of that poster, `#rrggbb`.
    #[serde(default)]
    #[schema(example = "#1f4a96")]
    pub color: String,
    /// Images and previews.
    pub assets: Vec<VodAsset>,
    /// The video itself. Its URL is signed, and present only if the viewer has access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media: Option<Media>,
}

/// An image or preview of a video.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VodAsset {
    /// `image` or `preview`.
    #[serde(rename = "type")]
    #[schema(example = "preview")]
    pub kind: String,
    /// URL.
    #[schema(example = "/media/northfield/s/a1-1/open/master.m3u8")]
    pub path: String,
    /// Metadata for displaying the image before it loads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<PictureFacts>,
}

/// A category of the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VodMediaCategory {
    /// Unique identifier.
    #[schema(example = 1)]
    pub id: i64,
    /// Title.
    #[schema(example = "Plays")]
    pub title: String,
}
