//! Where a person stands in what they watch (`PLAYBACK-1`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What kind of thing is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WatchedKind {
    /// The recording of an event.
    Event,
    /// A video of the library.
    Vod,
}

/// Where a person stands in one recording: an answer of `GET /playback`, and the body of `POST /playback`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlaybackPosition {
    /// What kind of thing is watched.
    pub kind: WatchedKind,
    /// The id of the event or of the library's video.
    #[schema(example = 25)]
    pub id: i64,
    /// Where it stands, milliseconds from the start.
    #[schema(example = 61_500, minimum = 0, maximum = 604_800_000)]
    pub position_ms: i64,
    /// How long all of it is, milliseconds.
    #[schema(example = 5_400_000, minimum = 1, maximum = 604_800_000)]
    pub duration_ms: i64,
    /// When it stood there, Unix milliseconds by the device's clock; one that is ahead of the worker's counts as now.
    #[schema(example = 1_767_225_600_000_i64, minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    pub at: i64,
}
