//! What of a channel's files can be served, and under which address.

use std::collections::HashMap;
use std::sync::Arc;

use touchline_domain::regions::GeoRules;
use url::Url;

use super::signing::OPEN;
use super::stream::Stream;
use crate::source::SourceFile;

/// The files of one channel that can be served. A request's path is looked up here and nowhere else.
#[derive(Debug, Clone, Default)]
pub struct MediaIndex {
    /// By path within the channel's folder: `media/…` and `storage/settings/…`.
    pub files: HashMap<String, SourceFile>,
    /// By name: `e13`, `l12`, `v90001`, `p1`.
    pub mounts: HashMap<String, Mount>,
    /// What encoders write.
    pub ingests: Vec<Arc<Ingest>>,
}

/// Where a mount's bytes come from.
#[derive(Debug, Clone)]
pub enum Feed {
    /// Files of the channel.
    Files(Arc<Stream>),
    /// A folder that an encoder writes.
    Ingest(Arc<Ingest>),
    /// An address elsewhere, which the worker asks.
    Pull(Arc<Pull>),
}

impl Feed {
    /// What a player is given, within the mount.
    pub fn entry(&self) -> &str {
        match self {
            Self::Files(stream) => &stream.entry,
            Self::Ingest(ingest) => &ingest.entry,
            Self::Pull(pull) => &pull.entry,
        }
    }

    /// The files of the channel, where it is of them.
    pub fn files(&self) -> Option<&Arc<Stream>> {
        match self {
            Self::Files(stream) => Some(stream),
            Self::Ingest(_) | Self::Pull(_) => None,
        }
    }
}

/// A live medium whose playlists and segments an encoder writes into a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ingest {
    /// The channel.
    pub channel_key: String,
    /// The medium's id.
    pub media_id: i64,
    /// The folder, within that of the channel's encoders.
    pub folder: String,
    /// The playlist that a player is given, within the folder.
    pub entry: String,
    /// How far back a viewer may go while it is live, seconds.
    pub window_s: u64,
    /// After how many seconds without a segment the stream is over, until there is another.
    pub silence_s: u64,
    /// Whether the event's recording is made of it.
    pub is_recorded: bool,
    /// When the event starts, Unix seconds.
    pub starts_at: i64,
    /// When the event ends, Unix seconds.
    pub ends_at: i64,
}

/// A stream under an address of its own: the same folder may be free in one event and sold in another.
#[derive(Debug, Clone)]
pub struct Mount {
    /// What is served.
    pub feed: Feed,
    /// When, and whether as a recording or live.
    pub timing: Timing,
    /// Whether anyone may fetch it without a signature.
    pub is_open: bool,
    /// Where its owner may be watched, beside what the channel says of all its video.
    pub geo: GeoRules,
}

impl Mount {
    /// Whether it is closed to this country (upper case; `None` when unknown), by the channel's rules or its own: an address
    /// is for whoever it was given to, and does not open the stream to those whom they pass it on to elsewhere (`GEO-1`).
    pub fn is_closed_to(&self, channel: &GeoRules, country: Option<&str>) -> bool {
        channel.blocks(country) || self.geo.blocks(country)
    }

    /// Whether it is closed to anybody: a cache that many share does not know where its readers are.
    pub fn is_restricted(&self, channel: &GeoRules) -> bool {
        channel.is_restricting() || self.geo.is_restricting()
    }
}

/// When a mount's stream can be watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// On demand, from this moment on (Unix seconds; `i64::MIN` for always).
    OnDemand {
        /// Before it there is nothing yet.
        from: i64,
    },
    /// Live, as a sliding window.
    Live {
        /// Unix seconds.
        starts_at: i64,
        /// Unix seconds.
        ends_at: i64,
    },
}

/// A medium that the worker asks another host for.
#[derive(Clone, PartialEq, Eq)]
pub struct Pull {
    /// The channel.
    pub channel_key: String,
    /// What its media ids are of: an event's media, or the library's.
    pub of: char,
    /// The medium's id.
    pub media_id: i64,
    /// Where its playlist is: told to nobody.
    pub url: Url,
    /// The playlist that a player is given.
    pub entry: String,
}

impl Pull {
    /// The medium, as no other is called: `tv/e12`.
    pub fn name(&self) -> String {
        format!("{}/{}{}", self.channel_key, self.of, self.media_id)
    }
}

// The address must not reach a log.
impl std::fmt::Debug for Pull {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Pull").field(&self.name()).finish()
    }
}

impl MediaIndex {
    /// The address of a mount's entry, where anyone may have it.
    pub fn open_address(&self, channel: &str, mount: &str) -> Option<String> {
        let Mount { feed, is_open, .. } = self.mounts.get(mount)?;
        is_open.then(|| format!("/media/{channel}/s/{mount}/{OPEN}/{}", feed.entry()))
    }

    /// The address of a mount's entry under a pass.
    pub fn signed_address(&self, channel: &str, mount: &str, pass: &str) -> Option<String> {
        let entry = self.mounts.get(mount)?.feed.entry();
        Some(format!("/media/{channel}/s/{mount}/{pass}/{entry}"))
    }
}
