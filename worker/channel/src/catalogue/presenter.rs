//! What a viewer gets: the channel's records with the status of this moment, this viewer's access, and the addresses that
//! are everyone's. One that is for this viewer alone is asked for by itself ([`Presenter::event_playback`]).

use std::collections::HashMap;

use touchline_domain::entitlements::{
    Entitlements, disabled_categories, disabled_participants, event_access, vod_access,
};
use touchline_protocol::catalogue::{AccessType, Event, Media, Package, StreamStatus, VodAsset, VodMediaItem, VodRail};

use super::records::{EventRecord, MediaKind, MediaPlace, MediaRecord, VodRecord};
use super::snapshot::ChannelSnapshot;
use crate::media::{Feed, MediaIndex, Mount};

impl ChannelSnapshot {
    /// An event as whoever has no account sees it.
    pub fn event_for_visitors(&self, record: &EventRecord, now_s: i64) -> Event {
        Presenter::new(self, &Entitlements::default(), now_s).event(record)
    }

    /// Goes on from what was told of its events, by id: the version, and the event when it can still be read.
    pub(crate) fn recall(&mut self, told: &HashMap<i64, (i64, Option<Event>)>, now_s: i64) {
        let visitor = Entitlements::default();
        let presenter = Presenter::new(self, &visitor, now_s);
        let recalled: Vec<i64> = self
            .events
            .iter()
            .map(|record| {
                let Some((version, event)) = told.get(&record.id) else { return 0 };
                let shown = Event { version: *version, ..presenter.event(record).without_pictures() };
                if event.clone().map(Event::without_pictures) == Some(shown) {
                    *version
                } else {
                    now_s.max(version + 1)
                }
            })
            .collect();
        for (event, changed_at) in self.events.iter_mut().zip(recalled) {
            event.changed_at = changed_at;
        }
    }
}

/// Presents one channel to one viewer at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Presenter<'a> {
    channel: &'a ChannelSnapshot,
    viewer: &'a Entitlements,
    now_s: i64,
}

impl<'a> Presenter<'a> {
    /// For someone who asks.
    pub fn new(channel: &'a ChannelSnapshot, viewer: &'a Entitlements, now_s: i64) -> Self {
        Self { channel, viewer, now_s }
    }

    /// The channel.
    pub fn channel(&self) -> &'a ChannelSnapshot {
        self.channel
    }

    /// What the viewer has.
    pub fn viewer(&self) -> &'a Entitlements {
        self.viewer
    }

    /// The moment, Unix seconds.
    pub fn now_s(&self) -> i64 {
        self.now_s
    }

    /// The event.
    pub fn event(&self, record: &EventRecord) -> Event {
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

    /// Whether a pass or a purchase of the viewer opens the event (`LIST-4`).
    pub fn is_owned(&self, record: &EventRecord) -> bool {
        matches!(record.access_type, AccessType::Paid | AccessType::Ppv)
            && event_access(self.viewer, &record.terms(), &self.channel.categories)
    }

    fn event_media(&self, record: &EventRecord, status: StreamStatus, has_access: bool) -> Vec<Media> {
        let shown = |medium: &MediaRecord| {
            let kind = kind_at(record, medium, status);
            let is_shown = is_on(kind, status) && self.may_see(record, kind, has_access);
            let place =
                if is_shown { self.place(medium, event_mount(kind), record.access_type) } else { Place::Nowhere };
            let duration_s = if kind == MediaKind::Live { 0.0 } else { medium.duration_s };
            let pieces = self.pieces(medium, kind, 'e');
            let is_file = matches!(kind, MediaKind::Vod) && recording_of(record).is_some_and(|own| own.id == medium.id);
            let media =
                place.media(medium.id, kind, duration_s, Pieces { is_file: pieces.is_file && is_file, ..pieces });
            let picture = media.url.as_ref().and_then(|url| self.channel.pictures.get(url)).cloned();
            Media { picture, ..media }
        };
        record.media.iter().map(shown).collect()
    }

    /// Whether this viewer may see a medium of this kind: a preview takes no access, and is closed where its event is.
    fn may_see(&self, record: &EventRecord, kind: MediaKind, has_access: bool) -> bool {
        let is_closed = kind.is_video() && self.viewer.is_event_blocked(&record.geo);
        has_access || !(kind.needs_access() || is_closed)
    }

    /// Where a medium of the event is watched by this viewer: nothing while it is not on, or without access.
    pub fn event_playback(&self, record: &EventRecord, media_id: i64) -> Option<Playback<'a>> {
        let medium = record.media.iter().find(|medium| medium.id == media_id)?;
        let status = record.status_at(self.now_s);
        let kind = kind_at(record, medium, status);
        let has_access = event_access(self.viewer, &record.terms(), &self.channel.categories);
        (self.may_see(record, kind, has_access) && is_on(kind, status))
            .then(|| self.playback(medium, event_mount(kind)))?
    }

    /// Where the video of the library is watched by this viewer: nothing without access.
    pub fn video_playback(&self, record: &VodRecord) -> Option<Playback<'a>> {
        vod_access(self.viewer, record.access_type).then(|| self.playback(&record.media, "v"))?
    }

    /// The video of the library.
    pub fn video(&self, record: &VodRecord) -> VodMediaItem {
        let has_access = vod_access(self.viewer, record.access_type);
        let medium = &record.media;
        let place = if has_access { self.place(medium, "v", record.access_type) } else { Place::Nowhere };
        let pieces = self.pieces(medium, medium.kind, 'v');
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
            media: Some(place.media(medium.id, medium.kind, medium.duration_s, Pieces { is_file: false, ..pieces })),
        }
    }

    /// The video's pictures, and its previews where the channel's video is open.
    fn assets(&self, record: &VodRecord) -> Vec<VodAsset> {
        let is_shown = |asset: &&VodAsset| asset.kind == "image" || !self.viewer.geo_blocked;
        record.assets.iter().filter(is_shown).cloned().collect()
    }

    /// The package, with what of it the viewer owns already.
    pub fn package(&self, package: &Package) -> Package {
        Package {
            disabled_categories: disabled_categories(self.viewer, package, &self.channel.categories),
            disabled_participants: disabled_participants(self.viewer, package),
            ..package.clone()
        }
    }

    /// The library's rails.
    pub fn rails(&self) -> Vec<VodRail> {
        let videos: HashMap<i64, &VodRecord> = self.channel.vod.iter().map(|video| (video.id, video)).collect();
        let items = |ids: &[i64]| ids.iter().filter_map(|id| videos.get(id)).map(|video| self.video(video)).collect();
        let rail = |rail: &super::records::RailRecord| VodRail {
            id: rail.id,
            title: rail.title.clone(),
            vod_media_items: items(&rail.item_ids),
        };
        self.channel.rails.iter().map(rail).collect()
    }

    /// The mount of a finished event's recording, with its name.
    pub fn download(&self, record: &EventRecord) -> Option<(String, &'a Mount)> {
        let medium = recording_of(record)?;
        let mount = format!("e{}", medium.id);
        let recorded = self.channel.files.mounts.get(&mount)?;
        Some((mount, recorded))
    }

    /// What can be had of a medium's stream beside watching it.
    fn pieces(&self, medium: &MediaRecord, kind: MediaKind, prefix: char) -> Pieces {
        let is_stream = matches!(kind, MediaKind::Live | MediaKind::Vod);
        let mount = self.channel.files.mounts.get(&format!("{prefix}{}", medium.id)).filter(|_| is_stream);
        match mount.map(|mount| &mount.feed) {
            Some(Feed::Files(stream)) => {
                Pieces { is_clippable: stream.cuttable().is_some(), is_file: stream.file_name().is_some() }
            }
            Some(Feed::Ingest(ingest)) => Pieces { is_clippable: ingest.is_recorded, is_file: ingest.is_recorded },
            Some(Feed::Pull(_)) | None => Pieces::default(),
        }
    }

    /// Where a medium is that is on, and that the viewer may watch.
    fn place(&self, medium: &MediaRecord, prefix: &str, access: AccessType) -> Place {
        match &medium.place {
            MediaPlace::Url(_) if medium.kind.needs_access() && access != AccessType::Free => Place::Protected,
            MediaPlace::Url(url) => Place::Open(url.clone()),
            MediaPlace::File(_) | MediaPlace::Mount => match self.playback(medium, prefix) {
                Some(Playback::Open(url)) => Place::Open(url),
                Some(Playback::Signed { .. }) => Place::Protected,
                None => Place::Nowhere,
            },
        }
    }

    fn playback(&self, medium: &MediaRecord, prefix: &str) -> Option<Playback<'a>> {
        let key = self.channel.key();
        match &medium.place {
            MediaPlace::Url(url) => Some(Playback::Open(url.clone())),
            MediaPlace::File(path) if matches!(medium.kind, MediaKind::Image | MediaKind::Thumbnails) => {
                Some(Playback::Open(format!("/media/{key}/{path}")))
            }
            MediaPlace::File(_) | MediaPlace::Mount => {
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

/// Where a medium is watched.
#[derive(Debug)]
pub enum Playback<'a> {
    /// Under an address without a signature.
    Open(String),
    /// Under this mount, whose addresses are signed.
    Signed {
        /// The channel's.
        files: &'a MediaIndex,
        /// Its name.
        mount: String,
    },
}

/// What an answer says of where a medium is.
enum Place {
    Open(String),
    /// Whoever asks for it by itself is given an address.
    Protected,
    Nowhere,
}

impl Place {
    fn media(self, id: i64, kind: MediaKind, duration_s: f64, pieces: Pieces) -> Media {
        let is_protected = matches!(self, Self::Protected);
        let is_somewhere = !matches!(self, Self::Nowhere);
        let url = if let Self::Open(url) = self { Some(url) } else { None };
        let Pieces { is_clippable, is_file } = pieces;
        Media {
            id,
            kind: kind as u8,
            url,
            is_protected,
            is_clippable: is_clippable && is_somewhere,
            is_downloadable: is_file && is_somewhere,
            duration_s,
            picture: None,
        }
    }
}

/// What can be had of a stream beside watching it: nobody is offered what its call would refuse.
#[derive(Debug, Clone, Copy, Default)]
struct Pieces {
    /// Clips of it.
    is_clippable: bool,
    /// The whole as one file.
    is_file: bool,
}

/// The medium that is an event's recording once it is over.
fn recording_of(record: &EventRecord) -> Option<&MediaRecord> {
    let of = |kind| record.media.iter().find(move |medium| medium.kind == kind);
    of(MediaKind::Vod).or_else(|| of(MediaKind::Live))
}

/// A live stream without a recording beside it is its own, afterwards.
fn kind_at(record: &EventRecord, medium: &MediaRecord, status: StreamStatus) -> MediaKind {
    let is_over = medium.kind == MediaKind::Live && status == StreamStatus::Finished;
    let has_recording = record.media.iter().any(|medium| medium.kind == MediaKind::Vod);
    if is_over && !has_recording { MediaKind::Vod } else { medium.kind }
}

/// A live medium is on during the event, a recording once it is over.
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
