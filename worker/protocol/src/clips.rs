//! Clips, cut from videos by viewers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::catalogue::{Event, VodMediaItem};

/// Request body of `POST /clip`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "event_id": 25, "event_media_id": 253, "name": "The winning goal", "start_time": 4.0, "duration": 8.0, "tags": ["goal"],
    "visibility": "link"
}))]
pub struct MakeClip {
    /// ID of the event to cut from: its recording, or the DVR window of its live stream. Absent for a video of the
    /// library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 25)]
    pub event_id: Option<i64>,
    /// ID of the library video to cut from. Exactly one of `event_id` and `vod_id` is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 2)]
    pub vod_id: Option<i64>,
    /// Name, 1 to 100 characters.
    #[schema(min_length = 1, max_length = 100, example = "The winning goal")]
    pub name: String,
    /// Start, in seconds from the start of the media.
    #[schema(minimum = 0.0, example = 4.0)]
    pub start_time: f64,
    /// Duration in seconds. At most 600, and not beyond the end of the media.
    #[schema(exclusive_minimum = 0.0, maximum = 600.0, example = 8.0)]
    pub duration: f64,
    /// 1 to 10 tags of 1 to 50 characters.
    #[schema(min_items = 1, max_items = 10, example = json!(["goal"]))]
    pub tags: Vec<String>,
    /// ID of the event's or video's media to cut from; see [`crate::catalogue::Media`].
    #[schema(example = 253)]
    pub event_media_id: i64,
    /// For a live stream, the media sequence number of the segment that `start_time` is relative to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 512)]
    pub from_segment: Option<u64>,
    /// Visibility of the clip. Defaults to `link`.
    #[serde(default)]
    pub visibility: ClipVisibility,
}

/// The visibility of a clip.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "link")]
pub enum ClipVisibility {
    /// Anyone with the link.
    #[default]
    Link,
    /// Public. The clip is listed with its event or video.
    Public,
}

/// The status of a clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "ready")]
pub enum ClipStatus {
    /// Waiting to be processed. This may take up to 5 minutes.
    Queued,
    /// Being processed.
    Processing,
    /// Ready to watch and download.
    Ready,
    /// Processing failed.
    Failed,
}

/// A clip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Clip {
    /// Unique identifier.
    #[schema(example = 1)]
    pub id: i64,
    /// Secret of the shared clip, whose page is `/share/{id}/{uuid}`.
    #[schema(example = "9f6a2c1e-3d0b-4a57-8e21-c4b7d9f0a135")]
    pub uuid: String,
    /// ID of the event that the clip comes from. Absent for a video of the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 25)]
    pub event_id: Option<i64>,
    /// ID of the library video that the clip comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 2)]
    pub vod_id: Option<i64>,
    /// Name.
    #[schema(example = "The winning goal")]
    pub name: String,
    /// Start, in seconds from the start of the media.
    #[schema(example = 4.0)]
    pub start_time: f64,
    /// Duration, in seconds.
    #[schema(example = 8.0)]
    pub duration: f64,
    /// Tags.
    #[schema(example = json!(["goal"]))]
    pub tags: Vec<String>,
    /// ID of the media that the clip comes from.
    #[schema(example = 253)]
    pub event_media_id: i64,
    /// The clip's status.
    pub status: ClipStatus,
    /// The clip's visibility.
    #[serde(default)]
    pub visibility: ClipVisibility,
    /// Whether the channel's operator has hidden the clip. A hidden clip can't be watched.
    #[serde(default)]
    #[schema(example = false)]
    pub is_hidden: bool,
    /// URL of the playlist, once the clip is ready. It contains the `uuid`, so anyone with the URL can watch the clip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "/media/northfield/c/9f6a2c1e-3d0b-4a57-8e21-c4b7d9f0a135/index.m3u8")]
    pub url: Option<String>,
    /// Time at which the clip was requested, RFC 3339 UTC.
    #[schema(example = "2026-11-21T18:00:00.000Z")]
    pub created_at: String,
    /// Version of the clip. It increases with every change.
    #[schema(example = 3)]
    pub version: i64,
    /// The event that the clip comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<Box<Event>>,
    /// The library video that the clip comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video: Option<Box<VodMediaItem>>,
}
