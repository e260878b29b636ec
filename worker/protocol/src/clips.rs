//! Clips that viewers cut out of videos.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::catalogue::{Event, VodMediaItem};

/// Body of `POST /clip`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "event_id": 25, "event_media_id": 253, "name": "The winning goal", "start_time": 4.0, "duration": 8.0, "tags": ["goal"],
    "visibility": "link"
}))]
pub struct MakeClip {
    /// The event that the clip is cut from: its recording, or the window of its live stream. Absent for the library's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 25)]
    pub event_id: Option<i64>,
    /// The video of the library that the clip is cut from. Exactly one of the two is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 2)]
    pub vod_id: Option<i64>,
    /// 1 to 100 characters.
    #[schema(min_length = 1, max_length = 100, example = "The winning goal")]
    pub name: String,
    /// Seconds from the start of the media.
    #[schema(minimum = 0.0, example = 4.0)]
    pub start_time: f64,
    /// Seconds; at most 600, and not past the media's end.
    #[schema(exclusive_minimum = 0.0, maximum = 600.0, example = 8.0)]
    pub duration: f64,
    /// 1 to 10 tags of 1 to 50 characters.
    #[schema(min_items = 1, max_items = 10, example = json!(["goal"]))]
    pub tags: Vec<String>,
    /// The event's or the video's media (see [`crate::catalogue::Media`]) that is cut.
    #[schema(example = 253)]
    pub event_media_id: i64,
    /// Of a live stream: the number (media sequence) of the segment that `start_time` counts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 512)]
    pub from_segment: Option<u64>,
    /// Who may find it; by link when absent.
    #[serde(default)]
    pub visibility: ClipVisibility,
}

/// Who may find a clip.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "link")]
pub enum ClipVisibility {
    /// Whoever has its link.
    #[default]
    Link,
    /// Everyone: it stands among the clips of its event or video.
    Public,
}

/// How far a clip has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "ready")]
pub enum ClipStatus {
    /// Waiting to be cut; may take up to 5 minutes.
    Queued,
    /// Being cut.
    Processing,
    /// Can be watched and downloaded.
    Ready,
    /// Could not be cut.
    Failed,
}

/// A clip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Clip {
    /// Its id.
    #[schema(example = 1)]
    pub id: i64,
    /// The shared clip's address is `/share/{id}/{uuid}`.
    #[schema(example = "9f6a2c1e-3d0b-4a57-8e21-c4b7d9f0a135")]
    pub uuid: String,
    /// The event that it is cut from; absent for the library's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 25)]
    pub event_id: Option<i64>,
    /// The video of the library that it is cut from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 2)]
    pub vod_id: Option<i64>,
    /// Its name.
    #[schema(example = "The winning goal")]
    pub name: String,
    /// Seconds from the start of the media.
    #[schema(example = 4.0)]
    pub start_time: f64,
    /// Seconds.
    #[schema(example = 8.0)]
    pub duration: f64,
    /// Its tags.
    #[schema(example = json!(["goal"]))]
    pub tags: Vec<String>,
    /// The media it is cut from.
    #[schema(example = 253)]
    pub event_media_id: i64,
    /// How far it has come.
    pub status: ClipStatus,
    /// Who may find it.
    #[serde(default)]
    pub visibility: ClipVisibility,
    /// Whether the channel's operator hid it: nobody is shown its video.
    #[serde(default)]
    #[schema(example = false)]
    pub is_hidden: bool,
    /// The address of the playlist, when ready. It holds the `uuid`, which opens it: whoever has the link may watch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "/media/northfield/c/9f6a2c1e-3d0b-4a57-8e21-c4b7d9f0a135/index.m3u8")]
    pub url: Option<String>,
    /// When it was asked for, RFC 3339 UTC.
    #[schema(example = "2026-11-21T18:00:00.000Z")]
    pub created_at: String,
    /// Grows with each change.
    #[schema(example = 3)]
    pub version: i64,
    /// The event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<Box<Event>>,
    /// The video of the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video: Option<Box<VodMediaItem>>,
}
