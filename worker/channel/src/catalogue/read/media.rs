//! Media of events and of the library: their sources, and the mounts that serve them.

use std::sync::Arc;

use serde_json::Value;
use touchline_domain::regions::GeoRules;

use super::addresses::{address, is_address};
use super::folder::Folder;
use super::folder::fields::Fields;
use crate::catalogue::records::{MediaKind, MediaLocation, MediaRecord};
use crate::media::stream::is_playlist;
use crate::media::{Feed, Ingest, Mount, Pull, Timing};

/// Longest medium, in seconds.
const MAX_DURATION_S: f64 = 366.0 * 86_400.0;
/// Range of a live stream's seekable window, in seconds.
const WINDOWS_S: std::ops::RangeInclusive<i64> = 30..=86_400;
/// Range of the silence that ends a live stream, in seconds.
const SILENCES_S: std::ops::RangeInclusive<i64> = 10..=86_400;

/// The channel's defaults for live streams (`live` in `channel.json`), and the limit of its recordings (`disk`).
#[derive(Debug, Clone, Copy)]
pub(super) struct LiveRules {
    window_s: i64,
    silence_s: i64,
    is_recorded: bool,
    recordings_bytes: Option<u64>,
}

impl Default for LiveRules {
    fn default() -> Self {
        Self { window_s: 7_200, silence_s: 60, is_recorded: true, recordings_bytes: None }
    }
}

impl LiveRules {
    /// Reads the defaults first. [`LiveRules::check`] reports faults when the whole file is read.
    pub(super) fn read_defaults(folder: &Folder<'_>) -> Self {
        let bytes = folder.files.get("channel.json").and_then(|file| folder.source.read(&file.path).ok());
        let value: Value = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        let number = |field: &str| value.pointer(field).and_then(Value::as_i64);
        let default = Self::default();
        Self {
            window_s: number("/live/dvr_s").unwrap_or(default.window_s),
            silence_s: number("/live/silence_s").unwrap_or(default.silence_s),
            is_recorded: value.pointer("/live/record").and_then(Value::as_bool).unwrap_or(default.is_recorded),
            recordings_bytes: number("/disk/recordings_bytes").map(i64::unsigned_abs),
        }
    }

    /// Reports the faults of `live`.
    pub(super) fn check(live: &Fields<'_>) {
        live.maybe_integer("dvr_s", WINDOWS_S);
        live.maybe_integer("silence_s", SILENCES_S);
        live.flag("record");
    }
}

/// Fields that media inherit from their event or video.
pub(super) struct Owner<'a> {
    /// Start and end in Unix seconds; `None` for a library video.
    pub(super) span: Option<(i64, i64)>,
    /// Whether anyone anywhere may fetch its video.
    pub(super) is_open: bool,
    pub(super) geo: &'a GeoRules,
    pub(super) is_paid: bool,
    /// Whether its video is blocked for some locations.
    pub(super) is_local: bool,
    pub(super) live: LiveRules,
}

impl Owner<'_> {
    /// Mount prefixes of a medium, with their times and whether they are public.
    fn mounts(&self, kind: MediaKind) -> Vec<(&'static str, Timing, bool)> {
        let always = Timing::OnDemand { from: i64::MIN };
        let Some((starts_at, ends_at)) = self.span else { return vec![("v", always, self.is_open)] };
        let afterwards = ("e", Timing::OnDemand { from: ends_at }, self.is_open);
        match kind {
            MediaKind::Live => vec![("l", Timing::Live { starts_at, ends_at }, self.is_open), afterwards],
            MediaKind::Vod => vec![afterwards],
            _ => vec![("e", always, true)],
        }
    }

    fn mount(&self, fields: &Fields<'_>, id: i64, kind: MediaKind, feed: &Feed) {
        for (prefix, timing, is_open) in self.mounts(kind) {
            let mount = Mount { feed: feed.clone(), timing, is_open, geo: self.geo.clone() };
            fields.folder.mount(format!("{prefix}{id}"), mount);
        }
    }
}

/// Source of a medium's bytes (`source`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// A file of the channel.
    File,
    /// A folder written by an encoder.
    Folder,
    /// An address that the worker fetches.
    Pull,
    /// An address that browsers fetch themselves.
    Direct,
}

pub(super) fn medium(fields: &Fields<'_>, id: Option<i64>, owner: &Owner<'_>) -> Option<MediaRecord> {
    let kind = fields.integer("type", 1..=8).and_then(MediaKind::from_code);
    let path = fields.line("path");
    let duration_s = fields.maybe_number("duration_s", 0.0..=MAX_DURATION_S);
    let sources =
        [("file", Source::File), ("folder", Source::Folder), ("pull", Source::Pull), ("direct", Source::Direct)];
    let source = fields.maybe_one_of("source", &sources);
    let (id, kind, path) = (id?, kind?, path?);
    let is_protected = fields.flag("host_protects");
    let location = match source.unwrap_or(if is_address(&path) { Source::Direct } else { Source::File }) {
        Source::Direct => direct(fields, kind, path, owner, is_protected),
        Source::Pull => {
            let pull = Arc::new(pull(fields, id, kind, &path, owner)?);
            owner.mount(fields, id, kind, &Feed::Pull(pull));
            MediaLocation::Mount
        }
        Source::Folder => {
            let ingest = Arc::new(ingest(fields, id, kind, &path, owner)?);
            owner.mount(fields, id, kind, &Feed::Ingest(Arc::clone(&ingest)));
            fields.folder.ingest(ingest);
            MediaLocation::Mount
        }
        Source::File => file(fields, id, kind, path, owner)?,
    };
    let of_file = || match (&location, kind) {
        (MediaLocation::File(path), MediaKind::Vod) => fields.folder.duration_s(path),
        _ => None,
    };
    let duration_s = duration_s.or_else(of_file).unwrap_or(0.0);
    Some(MediaRecord { id, kind, location, duration_s })
}

/// A medium written by an encoder; `path` names the playlist, `court/master.m3u8`.
fn ingest(fields: &Fields<'_>, id: i64, kind: MediaKind, path: &str, owner: &Owner<'_>) -> Option<Ingest> {
    let window_s = fields.maybe_integer("dvr_s", WINDOWS_S).unwrap_or(owner.live.window_s);
    let is_recorded = if fields.has("record") { fields.flag("record") } else { owner.live.is_recorded };
    let (starts_at, ends_at) = owner.span.filter(|_| kind == MediaKind::Live).or_else(|| {
        fields.fault("source", "can be `folder` only for an event's live medium");
        None
    })?;
    let is_plain = path.split('/').all(|step| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        !step.is_empty() && !step.starts_with('.') && step.bytes().all(fits)
    });
    let Some((folder, entry)) = path.rsplit_once('/').filter(|_| is_plain && is_playlist(path)) else {
        fields.fault("path", "must be a folder and a playlist, like `court/master.m3u8`");
        return None;
    };
    Some(Ingest {
        channel_key: fields.folder.key.to_owned(),
        media_id: id,
        folder: folder.to_owned(),
        entry: entry.to_owned(),
        window_s: window_s.unsigned_abs(),
        silence_s: owner.live.silence_s.unsigned_abs(),
        is_recorded,
        recordings_bytes: owner.live.recordings_bytes,
        starts_at,
        ends_at,
    })
}

/// A medium that the worker fetches from another host.
fn pull(fields: &Fields<'_>, id: i64, kind: MediaKind, path: &str, owner: &Owner<'_>) -> Option<Pull> {
    if !matches!(kind, MediaKind::Live | MediaKind::Vod | MediaKind::Preview | MediaKind::PreviewAlt) {
        fields.fault("source", "must not be `pull`, since the medium is not a stream");
        return None;
    }
    let url = address(fields, "path", path)?;
    Some(Pull {
        channel_key: fields.folder.key.to_owned(),
        of: if owner.span.is_some() { 'e' } else { 'v' },
        media_id: id,
        url,
        entry: "index.m3u8".to_owned(),
    })
}

/// A medium that browsers fetch from another host. Anyone with the address can watch unless that host protects it.
fn direct(fields: &Fields<'_>, kind: MediaKind, path: String, owner: &Owner<'_>, is_protected: bool) -> MediaLocation {
    let _ = address(fields, "path", &path);
    let is_closed = owner.is_paid && kind.needs_access() || owner.is_local && kind.is_video();
    if is_closed && !is_protected {
        let why = "must not be `direct`: the medium is paid or blocked in some regions, and anyone with the address \
                   could watch. Use `pull`, or set `host_protects: true` if that host restricts access itself";
        fields.fault("source", why);
    }
    if matches!(kind, MediaKind::Image | MediaKind::Thumbnails) {
        fields.fault("path", "must be a file in the channel folder");
    }
    MediaLocation::Url(path)
}

fn file(fields: &Fields<'_>, id: i64, kind: MediaKind, path: String, owner: &Owner<'_>) -> Option<MediaLocation> {
    match kind {
        MediaKind::Embedded | MediaKind::EmbeddedPreview => {
            fields.fault("path", "must be an https address, since the player is on another site");
        }
        MediaKind::Image => drop(fields.image_url("path", &path)),
        MediaKind::Thumbnails => drop(fields.is_file("path", &path)),
        MediaKind::Live | MediaKind::Vod | MediaKind::Preview | MediaKind::PreviewAlt => {
            let stream = fields.folder.stream(fields, "path", &path)?;
            if kind == MediaKind::Live {
                check_loop(fields, &stream);
            }
            owner.mount(fields, id, kind, &Feed::Files(stream));
        }
    }
    Some(MediaLocation::File(path))
}

/// Checks that a live medium can loop by the clock.
fn check_loop(fields: &Fields<'_>, stream: &crate::media::Stream) {
    let Some(first) = stream.variants.first() else {
        fields.fault("path", "must be an HLS stream or an https address, since the medium is live");
        return;
    };
    if stream
        .variants
        .iter()
        .chain(&stream.extras)
        .any(|other| other.playlist.segments.len() != first.playlist.segments.len())
    {
        fields.fault("path", "must have the same number of segments in every quality of a live stream");
    }
}
