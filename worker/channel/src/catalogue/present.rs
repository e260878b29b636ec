//! What a viewer gets: the channel's records with the status of this moment, this viewer's access, and addresses that
//! work for them.

use std::collections::HashMap;

use touchline_protocol::catalogue::{Event, Media, Package, StreamStatus, VodMediaItem, VodRail};

use super::access::{Entitlements, disabled_categories, disabled_participants, event_access, vod_access};
use super::records::{EventRecord, MediaKind, MediaPlace, MediaRecord, VodRecord};
use super::snapshot::ChannelSnapshot;
use crate::media::MediaSigner;

/// Presents one channel to one viewer at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Presenter<'a> {
    channel: &'a ChannelSnapshot,
    viewer: &'a Entitlements,
    now_s: i64,
    signer: Option<&'a MediaSigner>,
}

impl<'a> Presenter<'a> {
    /// For someone who asks.
    pub fn new(channel: &'a ChannelSnapshot, viewer: &'a Entitlements, now_s: i64, signer: &'a MediaSigner) -> Self {
        Self { channel, viewer, now_s, signer: Some(signer) }
    }

    /// For everyone at once: no address that had to be signed is in it.
    pub fn for_visitor(channel: &'a ChannelSnapshot, visitor: &'a Entitlements, now_s: i64) -> Self {
        Self { channel, viewer: visitor, now_s, signer: None }
    }

    /// The channel.
    pub fn channel(&self) -> &'a ChannelSnapshot {
        self.channel
    }

    /// The moment, Unix seconds.
    pub fn now_s(&self) -> i64 {
        self.now_s
    }

    /// The event.
    pub fn event(&self, record: &EventRecord) -> Event {
        let has_access = event_access(self.viewer, record, &self.channel.categories);
        let status = record.status_at(self.now_s);
        Event {
            id: record.id,
            name: record.name.clone(),
            kind: record.kind,
            access_type: record.access_type,
            has_access,
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
            version: record.version_at(self.now_s),
        }
    }

    /// A live medium has an address while the event is on, a recording once it is over. A live stream without a
    /// recording beside it is its own, afterwards.
    fn event_media(&self, record: &EventRecord, status: StreamStatus, has_access: bool) -> Vec<Media> {
        let has_recording = record.media.iter().any(|medium| medium.kind == MediaKind::Vod);
        let shown = |medium: &MediaRecord| {
            let becomes_recording =
                medium.kind == MediaKind::Live && status == StreamStatus::Finished && !has_recording;
            let kind = if becomes_recording { MediaKind::Vod } else { medium.kind };
            let is_on = match kind {
                MediaKind::Live => status == StreamStatus::Live,
                MediaKind::Vod => status == StreamStatus::Finished,
                MediaKind::Embedded => status != StreamStatus::Upcoming,
                _ => true,
            };
            let is_shown = is_on && (has_access || !kind.needs_access());
            let prefix = if kind == MediaKind::Live { "l" } else { "e" };
            let (url, expires) = if is_shown { self.address(medium, prefix) } else { (None, None) };
            let duration_s = if kind == MediaKind::Live { 0.0 } else { medium.duration_s };
            Media { id: medium.id, kind: kind as u8, url, expires, duration_s }
        };
        record.media.iter().map(shown).collect()
    }

    /// The video of the library.
    pub fn video(&self, record: &VodRecord) -> VodMediaItem {
        let has_access = vod_access(self.viewer, record);
        let (url, expires) = if has_access { self.address(&record.media, "v") } else { (None, None) };
        VodMediaItem {
            id: record.id,
            title: record.title.clone(),
            date: record.date.clone(),
            description: record.description.clone(),
            category_id: record.category_id,
            access_type: record.access_type,
            has_access,
            duration_s: record.duration_s,
            figure: record.figure.clone(),
            color: record.color.clone(),
            assets: record.assets.clone(),
            media: Some(Media {
                id: record.media.id,
                kind: record.media.kind as u8,
                url,
                expires,
                duration_s: record.media.duration_s,
            }),
        }
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

    /// Where to download a finished event from: one file of its best quality. `None` when it has none.
    pub fn download(&self, record: &EventRecord) -> Option<(String, i64)> {
        let files = &self.channel.files;
        let recording = record.media.iter().find(|medium| medium.kind == MediaKind::Vod);
        let medium = recording.or_else(|| record.media.iter().find(|medium| medium.kind == MediaKind::Live))?;
        let mount = format!("e{}", medium.id);
        let stream = &files.mounts.get(&mount)?.stream;
        let name = if stream.variants.is_empty() { stream.entry.as_str() } else { stream.download_name()? };
        let expires = MediaSigner::expiry(self.now_s);
        let pass = self.signer?.pass(self.channel.key(), &mount, expires);
        Some((format!("/media/{}/s/{mount}/{pass}/{name}", self.channel.key()), expires))
    }

    fn address(&self, medium: &MediaRecord, prefix: &str) -> (Option<String>, Option<i64>) {
        let key = self.channel.key();
        match &medium.place {
            MediaPlace::Url(url) => (Some(url.clone()), None),
            MediaPlace::File(path) if matches!(medium.kind, MediaKind::Image | MediaKind::Thumbnails) => {
                (Some(format!("/media/{key}/{path}")), None)
            }
            MediaPlace::File(_) => {
                let mount = format!("{prefix}{}", medium.id);
                match self.channel.files.address(key, &mount, self.signer, self.now_s) {
                    Some((url, expires)) => (Some(url), expires),
                    None => (None, None),
                }
            }
        }
    }
}
