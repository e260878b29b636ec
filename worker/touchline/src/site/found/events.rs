//! An event: its metadata, and schema.org's `SportsEvent`.

use serde_json::{Value, json};
use touchline_channel::catalogue::EventRecord;
use touchline_channel::catalogue::records::{MediaKind, MediaLocation};
use touchline_protocol::catalogue::{AccessType, Participant, StreamStatus};
use touchline_protocol::isolated::isolated;

use super::general::DESCRIPTION;
use super::structured::{breadcrumbs, moment, offer};
use super::{ICON, PageContext, PageFacts, shortened, title_of};

/// Picture formats that other sites display, with their media types.
const PICTURES: [(&str, &str); 4] =
    [(".jpg", "image/jpeg"), (".jpeg", "image/jpeg"), (".png", "image/png"), (".webp", "image/webp")];

/// The media type of a picture; `None` if other sites may not display it.
pub(super) fn picture_type(url: &str) -> Option<&'static str> {
    let path = url.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    PICTURES.iter().find(|(ending, _)| path.ends_with(ending)).map(|(_, media_type)| *media_type)
}

pub(super) fn is_picture(url: &str) -> bool {
    picture_type(url).is_some()
}

impl PageContext<'_> {
    /// Whether an event is blocked in the visitor's country (`GEO-1`).
    pub(in crate::site) fn is_closed(&self, event: &EventRecord) -> bool {
        self.channel.is_geo_blocked(self.country) || event.geo.blocks(self.country)
    }

    /// "away @ home" for two teams, otherwise its own name (`EVENT-2`).
    pub(super) fn event_title(&self, event: &EventRecord) -> String {
        match teams(event) {
            Some((away, home)) => format!("{} @ {}", isolated(&away.short_name), isolated(&home.short_name)),
            None => isolated(&event.name).into_owned(),
        }
    }

    pub(in crate::site) fn event_kind(&self, event: &EventRecord) -> String {
        let categories = &self.channel.categories;
        let top = categories.line(event.event_category_id).last().and_then(|id| categories.get(id));
        let Some(sport) = top.map(|node| node.name.as_str()) else { return String::new() };
        let mut genders = event.participants.iter().map(|team| team.properties.get("gender").map(String::as_str));
        let first = genders.next().flatten();
        self.texts().kind(sport, first.filter(|_| genders.all(|gender| gender == first)))
    }

    /// A title that distinguishes an event from others of the same teams, even on the same day: `Owls @ Kestrels · Women’s
    /// basketball · Nov 21, 2026 · 7:00 PM`.
    fn event_page_title(&self, event: &EventRecord) -> String {
        let day = self.texts().day(event.starts_at, &event.time_zone);
        let time = self.texts().time_of_day(event.starts_at, &event.time_zone);
        title_of(&[&self.event_title(event), &self.event_kind(event), &day, &time])
    }

    /// The picture or still of an event, or the channel's icon.
    pub(super) fn event_picture(&self, event: &EventRecord) -> String {
        let of = |kind: MediaKind| {
            event.media.iter().filter(|medium| medium.kind == kind).find_map(|medium| match &medium.location {
                MediaLocation::File(path) => Some(self.url(&format!("/media/{}/{path}", self.channel.key()))),
                MediaLocation::Url(url) => Some(self.url(url)),
                MediaLocation::Mount => None,
            })
        };
        let picture = of(MediaKind::Image).filter(|url| is_picture(url));
        let still = || of(MediaKind::Thumbnails).filter(|url| is_picture(url));
        picture.or_else(still).unwrap_or_else(|| self.url(ICON))
    }

    /// The meta description of an event.
    pub(super) fn event_description(&self, event: &EventRecord) -> String {
        if !event.description.is_empty() {
            return shortened(&event.description, DESCRIPTION);
        }
        let date = moment(event.starts_at, &event.time_zone);
        let location = self.channel.location(event.location_id);
        let location = location
            .map(|location| format!(", {}, {}", isolated(&location.name), isolated(&location.city)))
            .unwrap_or_default();
        let (event, channel) = (isolated(&event.name), isolated(self.name()));
        shortened(&format!("{event}, {}{location}. {channel}.", &date[..10]), DESCRIPTION)
    }

    pub(super) fn event(&self, event: &EventRecord, path: &str) -> PageFacts {
        if self.is_closed(event) {
            return self.closed();
        }
        let (title, canonical) = (self.event_title(event), format!("/watch/{}", event.id));
        let facts = PageFacts::listed(Some(self.event_page_title(event)), self.event_description(event), &canonical);
        let trail = breadcrumbs(&[
            (self.texts().home.to_owned(), self.url("/")),
            (self.texts().schedule.to_owned(), self.url("/upcoming")),
            (title, self.url(&canonical)),
        ]);
        PageFacts {
            picture: Some((self.event_picture(event), event.name.clone())),
            kind: "video.other",
            // The embedded player is part of another page.
            structured: if super::routes::is_embeddable(path) {
                Vec::new()
            } else {
                vec![self.sports_event(event), trail]
            },
            ..facts
        }
    }

    fn sports_event(&self, event: &EventRecord) -> Value {
        let url = self.url(&format!("/watch/{}", event.id));
        let at = |moment_s| moment(moment_s, &event.time_zone);
        let mut object = json!({
            "@context": "https://schema.org", "@type": "SportsEvent", "@id": url, "url": url,
            "name": event.name, "description": self.event_description(event), "image": [self.event_picture(event)],
            "startDate": at(event.starts_at), "endDate": at(event.ends_at()),
            "eventStatus": "https://schema.org/EventScheduled",
            "eventAttendanceMode": "https://schema.org/MixedEventAttendanceMode",
            "organizer": { "@type": "Organization", "name": self.name(), "url": self.url("/") },
            "offers": self.event_offers(event, &url),
        });
        let online = json!({ "@type": "VirtualLocation", "url": url });
        object["location"] = match self.channel.location(event.location_id) {
            Some(location) => json!([{
                "@type": "Place", "name": location.name,
                "address": {
                    "@type": "PostalAddress", "addressLocality": location.city, "addressRegion": location.state,
                    "addressCountry": location.country_code,
                },
            }, online]),
            None => online,
        };
        let line: Vec<i64> = self.channel.categories.line(event.event_category_id).collect();
        let sport = line.iter().filter_map(|&id| self.channel.categories.get(id)).find(|node| !node.sport.is_empty());
        if let Some(sport) = sport {
            object["sport"] = json!(sport.sport);
        }
        if let Some((away, home)) = teams(event) {
            object["awayTeam"] = team(away);
            object["homeTeam"] = team(home);
        }
        if !event.participants.is_empty() {
            object["competitor"] = event.participants.iter().map(team).collect();
        }
        if self.has_video(event) {
            object["subjectOf"] = self.broadcast(event, &url);
        }
        object
    }

    /// Whether there is or will be something to watch: a finished event may have no recording.
    pub(super) fn has_video(&self, event: &EventRecord) -> bool {
        let videos = [MediaKind::Live, MediaKind::Vod, MediaKind::Embedded];
        event.status_at(self.now_s) != StreamStatus::Finished
            || event.media.iter().any(|medium| videos.contains(&medium.kind))
    }

    /// The video of an event: a broadcast, later a recording.
    fn broadcast(&self, event: &EventRecord, url: &str) -> Value {
        let at = |moment_s| moment(moment_s, &event.time_zone);
        let status = event.status_at(self.now_s);
        json!({
            "@type": "VideoObject", "name": event.name, "description": self.event_description(event), "url": url,
            "thumbnailUrl": [self.event_picture(event)], "uploadDate": at(event.starts_at),
            "embedUrl": self.url(&format!("/watch_embed/{}", event.id)),
            "isAccessibleForFree": event.access_type == AccessType::Free,
            "publication": [{
                "@type": "BroadcastEvent", "name": event.name,
                "isLiveBroadcast": status != StreamStatus::Finished,
                "startDate": at(event.starts_at), "endDate": at(event.ends_at()),
            }],
        })
    }

    /// The event itself, and packages that include it.
    fn event_offers(&self, event: &EventRecord, url: &str) -> Vec<Value> {
        let currency = &self.channel.settings.currency;
        let mut offers = Vec::new();
        match event.access_type {
            AccessType::Free | AccessType::Register => offers.push(offer(None, 0, currency, url)),
            AccessType::Paid | AccessType::Ppv => {
                if event.single_event_package_id.is_some() {
                    offers.push(offer(Some(&event.name), event.base_price + event.service_fee, currency, url));
                }
            }
        }
        if event.access_type == AccessType::Paid {
            let covers = |&&category: &&i64| self.channel.categories.covers(category, event.event_category_id);
            let packages =
                self.channel.packages.iter().filter(|package| package.event_categories.iter().any(|id| covers(&id)));
            offers.extend(packages.filter(|package| !package.is_team_pass).map(|package| {
                let url = self.url(&format!("/select-package/{}", package.id));
                offer(Some(&package.name), package.price, &package.currency, &url)
            }));
        }
        offers
    }
}

/// Away and home, if there are two teams (`EVENT-2`).
pub(in crate::site) fn teams(event: &EventRecord) -> Option<(&Participant, &Participant)> {
    let [first, second] = &event.participants[..] else { return None };
    Some(if Some(first.id) == event.home_team_id { (second, first) } else { (first, second) })
}

fn team(team: &Participant) -> Value {
    json!({ "@type": "SportsTeam", "name": team.name })
}
