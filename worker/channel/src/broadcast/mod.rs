//! Live broadcasts from playlists and segments that an encoder writes to a folder. They are served while they grow and
//! stored as the event's recording ([ADR 16](../../../../docs/adr/0016-live-from-a-folder.md), `LIVE`).
//!
//! | module | contents |
//! |---|---|
//! | [`listing`] | parser of an encoder's media playlist |
//! | [`rendition`] | the segments of one playlist, with numbers that continue over encoder restarts |
//! | [`window`] | playlists for viewers |
//! | [`encoder_folder`] | the encoder's files, read without following links |
//! | [`files`], [`notes`] | files of a broadcast, and its persisted state |
//! | [`entry`] | a segment |
//! | [`key_frame`], [`key_frames`] | I-frames for seek previews, and their playlist |
//! | [`state`] | state of a broadcast, and lookup of its paths |
//! | [`event`] | a single broadcast |
//! | [`watcher`] | the task that reads the folders of live broadcasts |

mod encoder_folder;
mod entry;
mod event;
mod files;
mod key_frame;
mod key_frames;
mod listing;
mod notes;
mod rendition;
mod state;
mod watcher;
mod window;

pub use event::{Broadcast, BroadcastFile};
pub use state::ReloadParams;
pub use watcher::{BroadcastOptions, Broadcasts, RECORDINGS_BYTES};

use touchline_protocol::limits::Limit;

pub(crate) const LIMITS: &[Limit] = &[
    Limit::count(
        "live.segments",
        listing::MAX_SEGMENTS as u64,
        "segments",
        "Segments in an encoder's playlist: a day of 2 s segments.",
    ),
    Limit::millis("live.blocked", event::LONGEST_WAIT_MS, "How long a player waits for the next segment or part."),
    Limit::bytes(
        "live.recordings_bytes",
        RECORDINGS_BYTES,
        "A channel's recordings of broadcasts, unless it has its own limit; above it recording stops and live playback continues (`live.recordings_bytes`).",
    ),
];
