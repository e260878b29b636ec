//! The channel's files: pictures for everyone, video under mounts whose addresses are signed where access is asked for.
//!
//! | module | what |
//! |---|---|
//! | [`index`] | what can be served: files by name, mounts by id |
//! | [`hls`] | playlists line by line |
//! | [`stream`] | an HLS stream as it was checked: its playlists and every file they name |
//! | [`live`] | the playlist of a live event: a window that slides over a stream by the clock |
//! | [`signing`] | signed, expiring addresses |
//! | [`passes`] | giving them out, and holding each request against what has happened since |
//! | [`revocations`], [`networks`] | which stopped working before their time, and how many use one at once |

pub mod hls;
pub mod index;
pub mod live;
pub mod networks;
pub mod passes;
pub mod revocations;
pub mod signing;
pub mod stream;

pub use index::{Feed, Ingest, MediaIndex, Mount, Pull, Timing};
pub use passes::{MediaPasses, Pass};
pub use signing::Purpose;
pub use stream::Stream;
