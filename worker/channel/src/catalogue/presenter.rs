//! A viewer's data: the channel's records with the current status, this viewer's access, and the public addresses. The
//! viewer's private addresses are requested separately ([`Presenter::event_playback`]).

use std::collections::HashMap;

use touchline_domain::entitlements::{
    Entitlements, disabled_categories, disabled_participants, event_access, vod_access,
};
use touchline_protocol::catalogue::{AccessType, Event, Media, Package, StreamStatus, VodAsset, VodMediaItem, VodRail};

use super::records::{EventRecord, MediaKind, MediaLocation, MediaRecord, VodRecord};
use super::snapshot::ChannelSnapshot;
use crate::media::{Feed, MediaIndex, Mount};

impl ChannelSnapshot {
    /// An event as seen without an account.
    pub fn event_for_visitors(&self, record: &EventRecord, now_s: i64) -> Event {
        Presenter::new(self, &Entitlements::default(), now_s).event(record)
    }

    /// Restores the last published events, by id: the version, and the event if it can still be parsed.
    pub(crate) fn restore_versions(&mut self, announced: &HashMap<i64, (i64, Option<Event>)>, now_s: i64) {
        let visitor = Entitlements::default();
        let presenter = Presenter::new(self, &visitor, now_s);
        let versions: Vec<i64> = self
            .events
            .iter()
            .map(|record| {
                let Some((version, event)) = announced.get(&record.id) else { return 0 };
                let current = Event { version: *version, ..presenter.event(record).without_pictures() };
                if event.clone().map(Event::without_pictures) == Some(current) {
                    *version
                } else {
                    now_s.max(version + 1)
                }
            })
            .collect();
        for (event, changed_at) in self.events.iter_mut().zip(versions) {
            event.changed_at = changed_at;
        }
    }
}

/// Presents one channel to one viewer at one time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Presenter<'a> {
    channel: &'a ChannelSnapshot,
    viewer: &'a Entitlements,
    now_s: i64,
}

impl<'a> Presenter<'a> {
    pub(crate) fn new(channel: &'a ChannelSnapshot, viewer: &'a Entitlements, now_s: i64) -> Self {
        Self { channel, viewer, now_s }
    }

    pub(crate) fn channel(&self) -> &'a ChannelSnapshot {
        self.channel
    }

    pub(crate) fn viewer(&self) -> &'a Entitlements {
        self.viewer
    }

    /// Unix seconds.
    pub(crate) fn now_s(&self) -> i64 {
        self.now_s
    }

    pub(crate) fn event(&self, record: &EventRecord) -> Event {
        let has_access = event_access(self.viewer, &record.terms(), &self.channel.categories);
        let status = record.status_at(self.now_s);
        Event {
            id: record.id,
            name: record.name.clone(),
            kind: record.kind,
            access_type: record.access_type,
            has_access,
            is_geo_blocked: self.viewer.is_event_blocked(&record.geo),
            event_utc_ts: record.starts_at,
            time_zone: record.time_zone.clone(),
            duration_s: record.duration_s,
            event_category_id: record.event_category_id,
            location_id: record.location_id,
            home_team_id: record.home_team_id,
            stream_status: status,
            base_price: record.base_price,
            service_fee: record.service_fee,
            currency: self.channel.settings.currency.clone(),
            single_event_package_id: record.single_event_package_id,
            description: record.description.clone(),
            participants: record.participants.clone(),
            media: self.event_media(record, status, has_access),
            score: record.score().cloned(),
            version: record.version_at(self.now_s),
        }
    }

    /// Whether a pass or a purchase of the viewer includes the event (`LIST-4`).
    pub(crate) fn is_owned(&self, record: &EventRecord) -> bool {
        matches!(record.access_type, AccessType::Paid | AccessType::Ppv)
            && event_access(self.viewer, &record.terms(), &self.channel.categories)
    }

    fn event_media(&self, record: &EventRecord, status: StreamStatus, has_access: bool) -> Vec<Media> {
        let present = |medium: &MediaRecord| {
            let kind = kind_at(record, medium, status);
            let is_visible = is_on(kind, status) && self.may_see(record, kind, has_access);
            let address = if is_visible {
                self.address(medium, event_mount(kind), record.access_type)
            } else {
                MediaAddress::None
            };
            let duration_s = if kind == MediaKind::Live { 0.0 } else { medium.duration_s };
            let uses = self.uses(medium, kind, 'e');
            let is_file = matches!(kind, MediaKind::Vod)
                && recording_of(record).is_some_and(|recording| recording.id == medium.id);
            let media =
                address.media(medium.id, kind, duration_s, StreamUses { is_file: uses.is_file && is_file, ..uses });
            let picture = media.url.as_ref().and_then(|url| self.channel.pictures.get(url)).cloned();
            Media { picture, ..media }
        };
        record.media.iter().map(present).collect()
    }

    /// Whether the viewer may see a medium of this kind. A preview needs no access, but is blocked where its event is.
    fn may_see(&self, record: &EventRecord, kind: MediaKind, has_access: bool) -> bool {
        let is_closed = kind.is_video() && self.viewer.is_event_blocked(&record.geo);
        has_access || !(kind.needs_access() || is_closed)
    }

    /// The viewer's playback of an event's medium; `None` without access, or while the medium is not on.
    pub(crate) fn event_playback(&self, record: &EventRecord, media_id: i64) -> Option<Playback<'a>> {
        let medium = record.media.iter().find(|medium| medium.id == media_id)?;
        let status = record.status_at(self.now_s);
        let kind = kind_at(record, medium, status);
        let has_access = event_access(self.viewer, &record.terms(), &self.channel.categories);
        (self.may_see(record, kind, has_access) && is_on(kind, status))
            .then(|| self.playback(medium, event_mount(kind)))?
    }

    /// The viewer's playback of a library video; `None` without access.
    pub(crate) fn video_playback(&self, record: &VodRecord) -> Option<Playback<'a>> {
        vod_access(self.viewer, record.access_type).then(|| self.playback(&record.media, "v"))?
    }

    pub(crate) fn video(&self, record: &VodRecord) -> VodMediaItem {
        let has_access = vod_access(self.viewer, record.access_type);
        let medium = &record.media;
        let address = if has_access { self.address(medium, "v", record.access_type) } else { MediaAddress::None };
        let uses = self.uses(medium, medium.kind, 'v');
        VodMediaItem {
            id: record.id,
            title: record.title.clone(),
            date: record.date.clone(),
            description: record.description.clone(),
            category_id: record.category_id,
            access_type: record.access_type,
            has_access,
            is_geo_blocked: self.viewer.geo_blocked,
            duration_s: record.duration_s,
            figure: record.figure.clone(),
            color: record.color.clone(),
            assets: self.assets(record),
            media: Some(address.media(
                medium.id,
                medium.kind,
                medium.duration_s,
                StreamUses { is_file: false, ..uses },
            )),
        }
    }

    /// The video's pictures, and its previews unless the channel's video is blocked.
    fn assets(&self, record: &VodRecord) -> Vec<VodAsset> {
        let is_visible = |asset: &&VodAsset| asset.kind == "image" || !self.viewer.geo_blocked;
        record.assets.iter().filter(is_visible).cloned().collect()
    }

    /// The package, with the parts the viewer already owns.
    pub(crate) fn package(&self, package: &Package) -> Package {
        Package {
            disabled_categories: disabled_categories(self.viewer, package, &self.channel.categories),
            disabled_participants: disabled_participants(self.viewer, package),
            ..package.clone()
        }
    }

    pub(crate) fn rails(&self) -> Vec<VodRail> {
        let videos: HashMap<i64, &VodRecord> = self.channel.vod.iter().map(|video| (video.id, video)).collect();
        let items = |ids: &[i64]| ids.iter().filter_map(|id| videos.get(id)).map(|video| self.video(video)).collect();
        let rail = |rail: &super::records::RailRecord| VodRail {
            id: rail.id,
            title: rail.title.clone(),
            vod_media_items: items(&rail.item_ids),
        };
        self.channel.rails.iter().map(rail).collect()
    }

    /// Mount and name of a finished event's recording.
    pub(crate) fn download(&self, record: &EventRecord) -> Option<(String, &'a Mount)> {
        let medium = recording_of(record)?;
        let mount = format!("e{}", medium.id);
        let recorded = self.channel.files.mounts.get(&mount)?;
        Some((mount, recorded))
    }

    /// Other uses of a medium's stream than watching it.
    fn uses(&self, medium: &MediaRecord, kind: MediaKind, prefix: char) -> StreamUses {
        let is_stream = matches!(kind, MediaKind::Live | MediaKind::Vod);
        let mount = self.channel.files.mounts.get(&format!("{prefix}{}", medium.id)).filter(|_| is_stream);
        match mount.map(|mount| &mount.feed) {
            Some(Feed::Files(stream)) => {
                StreamUses { is_clippable: stream.clippable().is_some(), is_file: stream.file_name().is_some() }
            }
            Some(Feed::Ingest(ingest)) => StreamUses { is_clippable: ingest.is_recorded, is_file: ingest.is_recorded },
            Some(Feed::Pull(_)) | None => StreamUses::default(),
        }
    }

    /// Address of a medium that is on, for a viewer with access.
    fn address(&self, medium: &MediaRecord, prefix: &str, access: AccessType) -> MediaAddress {
        match &medium.location {
            MediaLocation::Url(_) if medium.kind.needs_access() && access != AccessType::Free => {
                MediaAddress::Protected
            }
            MediaLocation::Url(url) => MediaAddress::Open(url.clone()),
            MediaLocation::File(_) | MediaLocation::Mount => match self.playback(medium, prefix) {
                Some(Playback::Open(url)) => MediaAddress::Open(url),
                Some(Playback::Signed { .. }) => MediaAddress::Protected,
                None => MediaAddress::None,
            },
        }
    }

    fn playback(&self, medium: &MediaRecord, prefix: &str) -> Option<Playback<'a>> {
        let key = self.channel.key();
        match &medium.location {
            MediaLocation::Url(url) => Some(Playback::Open(url.clone())),
            MediaLocation::File(path) if matches!(medium.kind, MediaKind::Image | MediaKind::Thumbnails) => {
                Some(Playback::Open(format!("/media/{key}/{path}")))
            }
            MediaLocation::File(_) | MediaLocation::Mount => {
                let files = &self.channel.files;
                let mount = format!("{prefix}{}", medium.id);
                match files.open_address(key, &mount) {
                    Some(url) => Some(Playback::Open(url)),
                    None => files.mounts.contains_key(&mount).then_some(Playback::Signed { files, mount }),
                }
            }
        }
    }
}

/// Address of a medium.
#[derive(Debug)]
pub(crate) enum Playback<'a> {
    /// A public, unsigned address.
    Open(String),
    /// A mount with signed addresses.
    Signed {
        /// Files of the channel.
        files: &'a MediaIndex,
        /// Name of the mount.
        mount: String,
    },
}

/// Address of a medium in a response.
enum MediaAddress {
    Open(String),
    /// The viewer gets the address from the playback call.
    Protected,
    None,
}

impl MediaAddress {
    fn media(self, id: i64, kind: MediaKind, duration_s: f64, uses: StreamUses) -> Media {
        let is_protected = matches!(self, Self::Protected);
        let has_address = !matches!(self, Self::None);
        let url = if let Self::Open(url) = self { Some(url) } else { None };
        let StreamUses { is_clippable, is_file } = uses;
        Media {
            id,
            kind: kind as u8,
            url,
            is_protected,
            is_clippable: is_clippable && has_address,
            is_downloadable: is_file && has_address,
            duration_s,
            picture: None,
        }
    }
}

/// Other uses of a stream than watching it. Only uses that their calls would allow are offered.
#[derive(Debug, Clone, Copy, Default)]
struct StreamUses {
    /// Clips.
    is_clippable: bool,
    /// Download as one file.
    is_file: bool,
}

/// The medium that serves as the recording of a finished event.
fn recording_of(record: &EventRecord) -> Option<&MediaRecord> {
    let of = |kind| record.media.iter().find(move |medium| medium.kind == kind);
    of(MediaKind::Vod).or_else(|| of(MediaKind::Live))
}

/// After the event, a live stream without a separate recording is its own recording.
fn kind_at(record: &EventRecord, medium: &MediaRecord, status: StreamStatus) -> MediaKind {
    let is_over = medium.kind == MediaKind::Live && status == StreamStatus::Finished;
    let has_recording = record.media.iter().any(|medium| medium.kind == MediaKind::Vod);
    if is_over && !has_recording { MediaKind::Vod } else { medium.kind }
}

/// A live medium is on during the event, a recording afterwards.
fn is_on(kind: MediaKind, status: StreamStatus) -> bool {
    match kind {
        MediaKind::Live => status == StreamStatus::Live,
        MediaKind::Vod => status == StreamStatus::Finished,
        MediaKind::Embedded => status != StreamStatus::Upcoming,
        _ => true,
    }
}

fn event_mount(kind: MediaKind) -> &'static str {
    if kind == MediaKind::Live { "l" } else { "e" }
}
