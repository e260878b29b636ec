//! The files of a channel that can be served, and their addresses.

use std::collections::HashMap;
use std::sync::Arc;

use touchline_domain::regions::GeoRules;
use url::Url;

use super::signing::OPEN;
use super::stream::Stream;
use crate::source::SourceFile;

/// The files of one channel that can be served. Every request path is looked up here.
#[derive(Debug, Clone, Default)]
pub struct MediaIndex {
    /// Files by path within the channel's folder: `media/…` and `storage/settings/…`.
    pub files: HashMap<String, SourceFile>,
    /// Mounts by name: `e13`, `l12`, `v90001`, `p1`.
    pub mounts: HashMap<String, Mount>,
    /// Media from encoders.
    pub ingests: Vec<Arc<Ingest>>,
}

/// Source of a mount's bytes.
#[derive(Debug, Clone)]
pub enum Feed {
    /// Files of the channel.
    Files(Arc<Stream>),
    /// A folder that an encoder writes to.
    Ingest(Arc<Ingest>),
    /// Another host, from which the worker pulls.
    Pull(Arc<Pull>),
}

impl Feed {
    /// Returns the playlist or file for players, relative to the mount.
    pub fn entry(&self) -> &str {
        match self {
            Self::Files(stream) => &stream.entry,
            Self::Ingest(ingest) => &ingest.entry,
            Self::Pull(pull) => &pull.entry,
        }
    }

    /// Returns the stream, if it consists of channel files.
    pub fn files(&self) -> Option<&Arc<Stream>> {
        match self {
            Self::Files(stream) => Some(stream),
            Self::Ingest(_) | Self::Pull(_) => None,
        }
    }
}

/// A live medium from an encoder that writes playlists and segments to a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ingest {
    /// Key of the channel.
    pub channel_key: String,
    /// The medium's id.
    pub media_id: i64,
    /// Folder within the channel's encoder folder.
    pub folder: String,
    /// Playlist for players, within the folder.
    pub entry: String,
    /// Seekable window while it is live, in seconds.
    pub window_s: u64,
    /// Seconds without a new segment after which the stream counts as ended until the next one.
    pub silence_s: u64,
    /// Whether it is recorded.
    pub is_recorded: bool,
    /// The channel's own limit on the size of its recordings, in bytes.
    pub recordings_bytes: Option<u64>,
    /// Start of the event, in Unix seconds.
    pub starts_at: i64,
    /// End of the event, in Unix seconds.
    pub ends_at: i64,
}

/// A stream under its own address: the same folder may be free in one event and sold in another.
#[derive(Debug, Clone)]
pub struct Mount {
    /// Source of the stream.
    pub feed: Feed,
    /// Time of the stream, and whether it is live or on demand.
    pub timing: Timing,
    /// Whether it is served without a signature.
    pub is_open: bool,
    /// Geo rules of its event or video, in addition to the channel's.
    pub geo: GeoRules,
}

impl Mount {
    /// Returns whether the channel's rules or its own block this country (upper case; `None` when unknown). An address
    /// that is passed on does not open the stream in a blocked country (`GEO-1`).
    pub fn is_closed_to(&self, channel: &GeoRules, country: Option<&str>) -> bool {
        channel.blocks(country) || self.geo.blocks(country)
    }

    /// Returns whether any country is blocked. Shared caches do not know their readers' countries.
    pub fn is_restricted(&self, channel: &GeoRules) -> bool {
        channel.is_restricting() || self.geo.is_restricting()
    }
}

/// Availability of a mount's stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// On demand, from this time (Unix seconds; `i64::MIN` for always).
    OnDemand {
        /// Start of availability.
        from: i64,
    },
    /// Live, as a sliding window.
    Live {
        /// Start, in Unix seconds.
        starts_at: i64,
        /// End, in Unix seconds.
        ends_at: i64,
    },
}

/// A medium that the worker pulls from another host.
#[derive(Clone, PartialEq, Eq)]
pub struct Pull {
    /// Key of the channel.
    pub channel_key: String,
    /// Prefix of the mount's name, which distinguishes event media from library videos.
    pub of: char,
    /// The medium's id.
    pub media_id: i64,
    /// URL of its playlist. It must not be disclosed.
    pub url: Url,
    /// Name of the playlist for players.
    pub entry: String,
}

impl Pull {
    /// Returns the unique name of the medium: `tv/e12`.
    pub fn name(&self) -> String {
        format!("{}/{}{}", self.channel_key, self.of, self.media_id)
    }
}

// The URL must not reach a log.
impl std::fmt::Debug for Pull {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Pull").field(&self.name()).finish()
    }
}

impl MediaIndex {
    /// Returns the address of a mount's playlist, if it needs no signature.
    pub fn open_address(&self, channel: &str, mount: &str) -> Option<String> {
        let Mount { feed, is_open, .. } = self.mounts.get(mount)?;
        is_open.then(|| format!("/media/{channel}/s/{mount}/{OPEN}/{}", feed.entry()))
    }

    /// Returns the address of a mount's playlist with a pass.
    pub fn signed_address(&self, channel: &str, mount: &str, pass: &str) -> Option<String> {
        let entry = self.mounts.get(mount)?.feed.entry();
        Some(format!("/media/{channel}/s/{mount}/{pass}/{entry}"))
    }
}
