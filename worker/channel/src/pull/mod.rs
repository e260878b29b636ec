//! Media that the worker pulls from another host: fetched once for all viewers, cached, and served under our addresses
//! and access rules. The original address appears in no response, log or page (`PULL`, [ADR
//! 4](../../../../docs/adr/0004-media-signature-in-the-path.md)).
//!
//! | module | contents |
//! |---|---|
//! | [`sealed`] | addresses for viewers: encrypted and bound to one medium |
//! | [`rewrite`] | playlists with sealed addresses |
//! | [`live`] | the end of a live playlist |
//! | [`blocks`] | parts of files |
//! | [`upstream`] | requests to the other host, within limits |
//! | [`slots`] | limits on concurrent requests |
//! | [`cache`] | cached responses, in memory and on disk |
//! | [`content`] | files in pieces |
//! | [`pulls`] | requests for paths of a pulled medium |

mod blocks;
mod cache;
mod content;
mod live;
mod pulls;
mod rewrite;
mod sealed;
mod slots;
mod upstream;

pub use blocks::ByteRange;
pub use cache::DISK_BYTES;
pub use content::Content;
pub use live::Reload;
pub use pulls::{PullOptions, PullRequest, Pulled, Pulls};
pub use upstream::PullError;
pub(crate) use upstream::{FetchOptions, Fetched, Upstream};

use touchline_protocol::limits::Limit;

pub(crate) const LIMITS: &[Limit] = &[
    Limit::bytes("pull.file", upstream::MAX_FILE_BYTES, "A file pulled from another host."),
    Limit::millis(
        "pull.playlist_within",
        upstream::PLAYLIST_TIMEOUT.as_millis() as u64,
        "Timeout for fetching a pulled playlist.",
    ),
    Limit::millis("pull.file_within", upstream::FILE_TIMEOUT.as_millis() as u64, "Timeout for fetching a pulled file."),
    Limit::count("pull.redirects", upstream::MAX_REDIRECTS as u64, "redirects", "Redirects followed when pulling."),
    Limit::count("pull.requests", slots::MAX_REQUESTS as u64, "requests", "Concurrent requests to other hosts."),
    Limit::count(
        "pull.requests_per_medium",
        slots::MAX_REQUESTS_OF_MEDIUM as u64,
        "requests",
        "Concurrent requests per medium; further requests are queued.",
    ),
    Limit::count(
        "pull.requests_per_address",
        slots::MAX_REQUESTS_OF_ADDRESS as u64,
        "requests",
        "Concurrent requests per viewer's address.",
    ),
    Limit::count(
        "pull.waiting",
        slots::MAX_WAITING as u64,
        "requests",
        "Concurrent requests waiting for a live playlist update (one per playlist, regardless of viewers).",
    ),
    Limit::count(
        "pull.waiting_per_medium",
        slots::MAX_WAITING_OF_MEDIUM as u64,
        "requests",
        "Concurrent waiting requests per medium.",
    ),
    Limit::bytes(
        "pull.fetching",
        (slots::MAX_BLOCKS * slots::MEMORY_BLOCK) as u64,
        "Memory for files while they are fetched; at most a quarter per viewer's address and half per medium.",
    ),
    Limit::bytes("pull.block", blocks::BLOCK, "Block size for pulling and caching parts of a file."),
    Limit::bytes("pull.playlists", cache::PLAYLISTS_BYTES, "Pulled playlists in memory."),
    Limit::bytes("pull.disk_bytes", DISK_BYTES, "Pulled media cached on disk (`pull.disk_bytes`)."),
    Limit::count("pull.disk_files", cache::DISK_FILES, "files", "Pulled files cached on disk."),
];
