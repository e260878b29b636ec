//! Playback positions (`PLAYBACK-1`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The type of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WatchedKind {
    /// The recording of an event.
    Event,
    /// A video of the library.
    Vod,
}

/// The viewer's position in a recording. Returned by `GET /playback` and sent to `POST /playback`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlaybackPosition {
    /// Type of the recording.
    pub kind: WatchedKind,
    /// ID of the event or the library video.
    #[schema(example = 25)]
    pub id: i64,
    /// Position, in milliseconds from the start.
    #[schema(example = 61_500, minimum = 0, maximum = 604_800_000)]
    pub position_ms: i64,
    /// Total duration, in milliseconds.
    #[schema(example = 5_400_000, minimum = 1, maximum = 604_800_000)]
    pub duration_ms: i64,
    /// Time of the position by the device's clock, in Unix milliseconds. A time in the future counts as now.
    #[schema(example = 1_767_225_600_000_i64, minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    pub at: i64,
}
