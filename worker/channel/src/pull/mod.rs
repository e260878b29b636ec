//! Media that the worker pulls from an address elsewhere: fetched once for all viewers, kept for a while, served under our
//! addresses and rights. The address itself is in no answer, no log and no page (`PULL`,
//! [ADR 4](../../../../docs/adr/0004-media-signature-in-the-path.md)).
//!
//! | module | what |
//! |---|---|
//! | [`sealed`] | addresses as viewers see them: sealed, for one medium |
//! | [`rewrite`] | playlists with every address in them sealed |
//! | [`upstream`] | asking the other host, within limits |
//! | [`cache`] | what was fetched, in memory and on the disk |
//! | [`pulls`] | a path of a pulled medium, from request to bytes |

mod cache;
mod pulls;
mod rewrite;
mod sealed;
mod upstream;

pub use cache::DISK_BYTES;
pub use pulls::{PullOptions, Pulled, Pulls};
pub use upstream::PullError;
pub(crate) use upstream::{Ask, Fetched, Upstream};

use touchline_protocol::limits::Limit;

/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::bytes("pull.file", upstream::MAX_FILE_BYTES, "A file that is pulled from another host."),
    Limit::millis(
        "pull.playlist_within",
        upstream::PLAYLIST_WITHIN.as_millis() as u64,
        "How long a pulled playlist may take.",
    ),
    Limit::millis("pull.file_within", upstream::FILE_WITHIN.as_millis() as u64, "How long a pulled file may take."),
    Limit::count("pull.redirects", upstream::MAX_REDIRECTS as u64, "redirects", "Redirects that are followed."),
    Limit::count("pull.requests", upstream::AT_ONCE as u64, "requests", "Requests to other hosts at a time."),
    Limit::bytes("pull.memory", cache::MEMORY_BYTES, "Pulled media that are kept in memory."),
    Limit::bytes("pull.disk_bytes", DISK_BYTES, "Pulled media that are kept on the disk (`pull.disk_bytes`)."),
];
