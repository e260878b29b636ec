//! A channel of another channel API, in the shape from which pages are described (`UP-11`).

use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;
use touchline_domain::categories::Categories;
use touchline_domain::regions::GeoRules;
use touchline_protocol::catalogue::{
    Event, EventCategory, LANGUAGES, Media, Menu, Package, PublicChannel, VodMediaItem,
};

use super::records::{ChannelConfig, EventRecord, MediaKind, MediaLocation, MediaRecord, VodRecord};
use super::snapshot::{ChannelSnapshot, SnapshotIndex};
use crate::media::MediaIndex;

/// Highest price, in minor units.
const MAX_PRICE: i64 = 1_000_000_000_000;
const MAX_DURATION_S: i64 = 366 * 86_400;
/// Versions above this one are Unix seconds (2001).
const MIN_TIMESTAMP_S: i64 = 1_000_000_000;

impl ChannelSnapshot {
    /// This folder's channel as another API describes it to a visitor from one country. Content that is blocked there
    /// is omitted, and so are duplicate ids and external pages. Files, forms and rules stay with the API, since no
    /// viewer is served from the result.
    #[must_use]
    pub fn described_by(&self, public: PublicChannel, generation: u64, now_s: i64) -> Self {
        let PublicChannel {
            mut settings, mut pages, faq, categories, locations, groups, participants, packages, ..
        } = public;
        if !LANGUAGES.contains(&settings.language.as_str()) {
            settings.language.clone_from(&self.settings.language);
        }
        pages.retain(|page| page.url.starts_with('/') && !page.url.starts_with("//"));
        // If everything is blocked, a package gives access to nothing.
        let is_open = public.events.iter().any(|event| !event.is_geo_blocked)
            || public.videos.iter().any(|video| !video.is_geo_blocked)
            || (public.events.is_empty() && public.videos.is_empty());
        let open_events = public.events.into_iter().filter(|event| !event.is_geo_blocked);
        let mut events: Vec<_> = unique(open_events, |event| event.id).map(|event| event_of(event, now_s)).collect();
        events.sort_by_key(|event| (event.starts_at, event.id));
        let open_videos = public.videos.into_iter().filter(|video| !video.is_geo_blocked);
        let mut vod: Vec<_> = unique(open_videos, |video| video.id).filter_map(video_of).collect();
        vod.sort_by(|a, b| b.date.cmp(&a.date));
        let packages = packages.into_iter().filter(|_| is_open);
        let packages = unique(packages, |package| package.id).map(package_of).collect();
        let index = SnapshotIndex::of(&events, &participants, &locations, &vod);
        Self {
            config: ChannelConfig { geo: GeoRules::default(), ..self.config.clone() },
            settings,
            colors: self.colors.clone(),
            menu: Menu::default(),
            pages,
            slides: Vec::new(),
            categories: Categories::new(unique_tree(categories, &mut HashSet::new())),
            locations,
            groups,
            group_properties: Vec::new(),
            participants,
            faq,
            forms: Vec::new(),
            popups: Vec::new(),
            packages,
            hidden_products: Vec::new(),
            subscriptions: Vec::new(),
            events,
            vod_categories: Vec::new(),
            vod,
            rails: Vec::new(),
            files: MediaIndex::default(),
            generation,
            search: Arc::default(),
            pictures: Arc::default(),
            index,
        }
    }
}

/// The first item of each id.
fn unique<T>(things: impl Iterator<Item = T>, id: impl Fn(&T) -> i64) -> impl Iterator<Item = T> {
    let mut seen = HashSet::new();
    things.filter(move |thing| seen.insert(id(thing)))
}

/// The tree with the first category of each id, since positions are looked up by id.
fn unique_tree(tree: Vec<EventCategory>, seen: &mut HashSet<i64>) -> Vec<EventCategory> {
    let first: Vec<_> = tree.into_iter().filter(|node| seen.insert(node.id)).collect();
    first.into_iter().map(|node| EventCategory { children: unique_tree(node.children, seen), ..node }).collect()
}

fn event_of(event: Event, now_s: i64) -> EventRecord {
    // Versions that are not Unix seconds say nothing about the time.
    let changed_at = if (MIN_TIMESTAMP_S..=now_s).contains(&event.version) { event.version } else { 0 };
    EventRecord {
        id: event.id,
        name: event.name,
        kind: event.kind,
        access_type: event.access_type,
        starts_at: event.event_utc_ts,
        time_zone: event.time_zone,
        duration_s: event.duration_s.clamp(0, MAX_DURATION_S),
        event_category_id: event.event_category_id,
        location_id: event.location_id,
        home_team_id: event.home_team_id,
        base_price: event.base_price.clamp(0, MAX_PRICE),
        service_fee: event.service_fee.clamp(0, MAX_PRICE),
        single_event_package_id: event.single_event_package_id,
        description: event.description,
        participants: event.participants,
        media: event.media.into_iter().filter_map(medium_of).collect(),
        geo: GeoRules::default(),
        folder_score: event.score,
        operator_score: None,
        changed_at,
    }
}

/// A medium without its address, which only viewers with access receive.
fn medium_of(medium: Media) -> Option<MediaRecord> {
    let kind = MediaKind::from_code(medium.kind.into())?;
    let location = medium.url.map_or(MediaLocation::Mount, MediaLocation::Url);
    Some(MediaRecord { id: medium.id, kind, location, duration_s: medium.duration_s })
}

/// A video; `None` if its date of publication is unreadable.
fn video_of(video: VodMediaItem) -> Option<VodRecord> {
    let _published: Timestamp = video.date.parse().ok()?;
    let medium =
        MediaRecord { id: 0, kind: MediaKind::Vod, location: MediaLocation::Mount, duration_s: video.duration_s };
    Some(VodRecord {
        id: video.id,
        title: video.title,
        date: video.date,
        description: video.description,
        category_id: video.category_id,
        access_type: video.access_type,
        duration_s: video.duration_s,
        figure: video.figure,
        color: video.color,
        assets: video.assets,
        media: video.media.and_then(medium_of).unwrap_or(medium),
    })
}

fn package_of(package: Package) -> Package {
    Package { price: package.price.clamp(0, MAX_PRICE), ..package }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;
    use crate::catalogue::{FolderSource, LoadOptions, snapshots};

    const NOW: i64 = 1_800_000_000;

    fn folder() -> ChannelSnapshot {
        let source = FolderSource::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/channels"));
        snapshots(&source, &LoadOptions { anchor_s: NOW, ..LoadOptions::default() }).unwrap().remove(0)
    }

    fn event(id: i64, more: serde_json::Value) -> Event {
        let mut event = json!({
            "id": id, "name": "A game", "type": "other", "access_type": "free", "has_access": true,
            "event_utc_ts": NOW, "time_zone": "UTC", "duration_s": 60, "event_category_id": 1, "location_id": 1,
            "stream_status": "live", "base_price": 0, "service_fee": 0, "currency": "USD", "participants": [],
            "media": [], "version": 1,
        });
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(event).unwrap()
    }

    fn public_channel(folder: &ChannelSnapshot, events: Vec<Event>) -> PublicChannel {
        PublicChannel {
            settings: folder.settings.clone(),
            pages: Vec::new(),
            faq: Vec::new(),
            categories: Vec::new(),
            locations: Vec::new(),
            groups: Vec::new(),
            participants: Vec::new(),
            packages: Vec::new(),
            events,
            videos: Vec::new(),
        }
    }

    #[test]
    fn blocked_and_duplicate_content_is_omitted_and_numbers_are_clamped() {
        let folder = folder();
        let events = vec![
            event(2, json!({ "event_utc_ts": i64::MAX, "duration_s": i64::MAX, "base_price": i64::MAX })),
            event(
                1,
                json!({ "version": NOW - 5, "media": [{ "id": 1, "type": 9, "url": "/a.png", "duration_s": 0.0 }] }),
            ),
            event(1, json!({ "name": "Another game" })),
            event(3, json!({ "is_geo_blocked": true })),
        ];
        let channel = folder.described_by(public_channel(&folder, events), 7, NOW);
        let ids: Vec<_> = channel.events.iter().map(|event| (event.id, event.name.as_str())).collect();
        assert_eq!(ids, [(1, "A game"), (2, "A game")]);
        assert_eq!((channel.event(3), channel.event(1).unwrap().changed_at), (None, NOW - 5));
        let clamped = channel.event(2).unwrap();
        assert_eq!((clamped.ends_at(), clamped.changed_at), (i64::MAX, 0));
        assert!(clamped.base_price.checked_add(clamped.service_fee).is_some());
        assert!(channel.event(1).unwrap().media.is_empty());
    }

    #[test]
    fn duplicate_ids_do_not_loop_and_an_unknown_language_falls_back_to_the_folders() {
        let folder = folder();
        let node = |id, children| EventCategory {
            id,
            name: String::new(),
            alias: String::new(),
            sport: String::new(),
            children,
        };
        let mut answers = public_channel(&folder, Vec::new());
        answers.categories = vec![node(1, vec![node(2, vec![node(1, vec![])])]), node(1, vec![])];
        answers.settings.language = "tlh".to_owned();
        let channel = folder.described_by(answers, 7, NOW);
        assert_eq!(channel.categories.line(2).collect::<Vec<_>>(), [2, 1]);
        assert_eq!((&channel.settings.language, channel.generation), (&folder.settings.language, 7));
    }
}
