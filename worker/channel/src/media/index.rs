//! What of a channel's files can be served, and under which address.

use std::collections::HashMap;
use std::sync::Arc;

use touchline_domain::regions::GeoRules;

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
}

/// A stream under an address of its own: the same folder may be free in one event and sold in another.
#[derive(Debug, Clone)]
pub struct Mount {
    /// What is served.
    pub stream: Arc<Stream>,
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

impl MediaIndex {
    /// The address of a mount's entry, where anyone may have it.
    pub fn open_address(&self, channel: &str, mount: &str) -> Option<String> {
        let Mount { stream, is_open, .. } = self.mounts.get(mount)?;
        is_open.then(|| format!("/media/{channel}/s/{mount}/{OPEN}/{}", stream.entry))
    }

    /// The address of a mount's entry under a pass.
    pub fn signed_address(&self, channel: &str, mount: &str, pass: &str) -> Option<String> {
        let entry = &self.mounts.get(mount)?.stream.entry;
        Some(format!("/media/{channel}/s/{mount}/{pass}/{entry}"))
    }
}
