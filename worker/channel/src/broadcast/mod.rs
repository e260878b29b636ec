//! Broadcasts whose playlists and segments an encoder writes into a folder: served as they grow, kept as the event's
//! recording ([ADR 16](../../../../docs/adr/0016-live-from-a-folder.md), `LIVE`).
//!
//! | module | what |
//! |---|---|
//! | [`listing`] | an encoder's media playlist, read |
//! | [`rendition`] | the segments of one playlist under numbers of the worker's own, over restarts of the encoder |
//! | [`window`] | the playlists that viewers get |
//! | [`encoder_folder`] | the encoder's files, opened and linked without following a link |
//! | [`files`], [`notes`] | files of a broadcast, and the lines from which a worker goes on |
//! | [`entry`] | one segment |
//! | [`key_frame`], [`key_frames`] | pictures for whoever seeks: where they are, and the playlist of them |
//! | [`state`] | what is known of a broadcast, and what a path of it stands for |
//! | [`event`] | one broadcast, asked and waited for |
//! | [`watcher`] | looks at the folders of what is on the air |

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

pub use event::{Broadcast, Found};
pub use state::Asked;
pub use watcher::{BroadcastOptions, Broadcasts, RECORDINGS_BYTES};

use touchline_protocol::limits::Limit;

/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count(
        "live.segments",
        listing::MAX_SEGMENTS as u64,
        "segments",
        "Segments of one playlist of an encoder: a day of 2 s.",
    ),
    Limit::millis("live.blocked", event::LONGEST_WAIT_MS, "How long a player waits for a segment or part to come."),
    Limit::bytes(
        "live.recordings_bytes",
        RECORDINGS_BYTES,
        "All recordings of broadcasts; beyond it they end, and live goes on (`live.recordings_bytes`).",
    ),
];
