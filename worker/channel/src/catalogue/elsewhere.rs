//! A channel as a channel API elsewhere tells of it, in the shape that its pages are described by (`UP-11`).

use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;
use touchline_domain::categories::Categories;
use touchline_domain::regions::GeoRules;
use touchline_protocol::catalogue::{
    Event, EventCategory, LANGUAGES, Media, Menu, Package, PublicChannel, VodMediaItem,
};

use super::records::{ChannelConfig, EventRecord, MediaKind, MediaPlace, MediaRecord, VodRecord};
use super::snapshot::{ChannelSnapshot, Known};
use crate::media::MediaIndex;

/// What no price is above, minor units.
const PRICE_MAX: i64 = 1_000_000_000_000;
/// What no event lasts longer than, seconds.
const LASTS_AT_MOST_S: i64 = 366 * 86_400;
/// Versions that are Unix seconds are past this one (2001).
const FIRST_MOMENT_S: i64 = 1_000_000_000;

impl ChannelSnapshot {
    /// This folder's channel as an API elsewhere describes it to whoever is not logged in and asks from one country. What is
    /// closed there is left out, and so is what nothing can be told of: two things of one id, a page elsewhere. Files,
    /// forms, rules and whatever else is the API's own are not in it: nothing is presented to a viewer from it.
    #[must_use]
    pub fn described_by(&self, public: PublicChannel, generation: u64, now_s: i64) -> Self {
        let PublicChannel {
            mut settings, mut pages, faq, categories, locations, groups, participants, packages, ..
        } = public;
        if !LANGUAGES.contains(&settings.language.as_str()) {
            settings.language.clone_from(&self.settings.language);
        }
        pages.retain(|page| page.url.starts_with('/') && !page.url.starts_with("//"));
        // Where everything is closed, a package opens nothing.
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
        let known = Known::of(&events, &participants, &locations, &vod);
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
            subscriptions: Vec::new(),
            events,
            vod_categories: Vec::new(),
            vod,
            rails: Vec::new(),
            files: MediaIndex::default(),
            generation,
            search: Arc::default(),
            pictures: Arc::default(),
            known,
        }
    }
}

/// The first thing of each id.
fn unique<T>(things: impl Iterator<Item = T>, id: impl Fn(&T) -> i64) -> impl Iterator<Item = T> {
    let mut seen = HashSet::new();
    things.filter(move |thing| seen.insert(id(thing)))
}

/// The tree with the first category of each id: where each one stands is looked up by it.
fn unique_tree(tree: Vec<EventCategory>, seen: &mut HashSet<i64>) -> Vec<EventCategory> {
    let first: Vec<_> = tree.into_iter().filter(|node| seen.insert(node.id)).collect();
    first.into_iter().map(|node| EventCategory { children: unique_tree(node.children, seen), ..node }).collect()
}

fn event_of(event: Event, now_s: i64) -> EventRecord {
    // An API that counts its versions otherwise tells no moment by them.
    let changed_at = if (FIRST_MOMENT_S..=now_s).contains(&event.version) { event.version } else { 0 };
    EventRecord {
        id: event.id,
        name: event.name,
        kind: event.kind,
        access_type: event.access_type,
        starts_at: event.event_utc_ts,
        time_zone: event.time_zone,
        duration_s: event.duration_s.clamp(0, LASTS_AT_MOST_S),
        event_category_id: event.event_category_id,
        location_id: event.location_id,
        home_team_id: event.home_team_id,
        base_price: event.base_price.clamp(0, PRICE_MAX),
        service_fee: event.service_fee.clamp(0, PRICE_MAX),
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

/// A medium; its place is told to nobody but those who may watch it.
fn medium_of(medium: Media) -> Option<MediaRecord> {
    let kind = MediaKind::of_code(medium.kind.into())?;
    let place = medium.url.map_or(MediaPlace::Mount, MediaPlace::Url);
    Some(MediaRecord { id: medium.id, kind, place, duration_s: medium.duration_s })
}

/// A video; nothing where nobody can tell when it was published.
fn video_of(video: VodMediaItem) -> Option<VodRecord> {
    let _published: Timestamp = video.date.parse().ok()?;
    let nowhere = MediaRecord { id: 0, kind: MediaKind::Vod, place: MediaPlace::Mount, duration_s: video.duration_s };
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
        media: video.media.and_then(medium_of).unwrap_or(nowhere),
    })
}

fn package_of(package: Package) -> Package {
    Package { price: package.price.clamp(0, PRICE_MAX), ..package }
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
    fn what_is_closed_or_there_twice_is_left_out_and_odd_numbers_are_bounded() {
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
        let made = folder.described_by(public_channel(&folder, events), 7, NOW);
        let ids: Vec<_> = made.events.iter().map(|event| (event.id, event.name.as_str())).collect();
        assert_eq!(ids, [(1, "A game"), (2, "A game")]);
        assert_eq!((made.event(3), made.event(1).unwrap().changed_at), (None, NOW - 5));
        let odd = made.event(2).unwrap();
        assert_eq!((odd.ends_at(), odd.changed_at), (i64::MAX, 0));
        assert!(odd.base_price.checked_add(odd.service_fee).is_some());
        assert!(made.event(1).unwrap().media.is_empty());
    }

    #[test]
    fn a_tree_whose_ids_come_twice_has_an_end_and_an_unknown_language_is_the_folders() {
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
        let made = folder.described_by(answers, 7, NOW);
        assert_eq!(made.categories.line(2).collect::<Vec<_>>(), [2, 1]);
        assert_eq!((&made.settings.language, made.generation), (&folder.settings.language, 7));
    }
}
