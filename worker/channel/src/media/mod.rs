//! The channel's files: public pictures, and video under mounts whose addresses are signed when access is restricted.
//!
//! | module | contents |
//! |---|---|
//! | [`index`] | the files that can be served: files by name, mounts by id |
//! | [`hls`] | line-by-line reading of playlists |
//! | [`stream`] | a checked HLS stream: its playlists and all their files |
//! | [`live`] | the live playlist of an event: a window that moves over a stream by the clock |
//! | [`mp4`] | the length of an MP4 file |
//! | [`memory`] | files in memory, and the bytes of responses in progress |
//! | [`signing`] | signed, expiring addresses |
//! | [`passes`] | issuing of addresses, and checks of requests |
//! | [`revocations`], [`networks`] | addresses revoked early, and sharing limits |

pub(crate) mod hls;
pub mod index;
pub(crate) mod live;
pub mod memory;
pub(crate) mod mp4;
pub mod networks;
pub mod passes;
pub mod revocations;
pub mod signing;
pub mod stream;

pub use index::{Feed, Ingest, MediaIndex, Mount, Pull, Timing};
pub use passes::{MediaPasses, Pass};
pub use signing::Purpose;
pub use stream::Stream;
