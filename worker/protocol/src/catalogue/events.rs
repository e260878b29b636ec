//! Events, who plays, where, and what is watched.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::PictureFacts;

/// An event: one game, meet or show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// Its id.
    #[schema(example = 25)]
    pub id: i64,
    /// Its name. With two participants the site shows "away short name @ home short name" instead.
    #[schema(example = "Bell Harbor Comets at Harbor City Gulls")]
    pub name: String,
    /// What its listing says it is; see [`EventType`].
    #[serde(rename = "type")]
    pub kind: EventType,
    /// What a viewer needs to watch it.
    pub access_type: AccessType,
    /// Whether the asking viewer may watch it now.
    #[schema(example = true)]
    pub has_access: bool,
    /// Whether it is closed to where the asking viewer is: it is neither shown nor sold to them. In a status frame, which
    /// goes to everyone, it is as for a viewer of whom nobody knows where they are.
    #[serde(default)]
    #[schema(example = false)]
    pub is_geo_blocked: bool,
    /// When it starts, Unix seconds.
    #[schema(example = 1_795_110_300)]
    pub event_utc_ts: i64,
    /// IANA time zone of its place.
    #[schema(example = "America/Chicago")]
    pub time_zone: String,
    /// How long it lasts (or lasted), seconds.
    #[schema(example = 7627)]
    pub duration_s: i64,
    /// Its category.
    #[schema(example = 11)]
    pub event_category_id: i64,
    /// Its place.
    #[schema(example = 1)]
    pub location_id: i64,
    /// Which of the participants is at home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 102)]
    pub home_team_id: Option<i64>,
    /// Where it stands.
    pub stream_status: StreamStatus,
    /// Minor units; 0 when it is not sold singly.
    #[schema(example = 0)]
    pub base_price: i64,
    /// Minor units.
    #[schema(example = 0)]
    pub service_fee: i64,
    /// ISO 4217.
    #[schema(example = "USD")]
    pub currency: String,
    /// What buying it singly is called with; absent when it is not sold singly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single_event_package_id: Option<i64>,
    /// A few sentences.
    #[serde(default)]
    #[schema(example = "Women’s basketball, Lakeshore Conference. Bell Harbor travel to Harbor City.")]
    pub description: String,
    /// The teams, away first.
    pub participants: Vec<Participant>,
    /// Pictures and videos. A URL of paid media is signed, and there only with access.
    pub media: Vec<Media>,
    /// How it stands, or ended; absent where nobody says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<EventScore>,
    /// Since when the event is as it is, Unix seconds: it grows with each move by the clock and each change.
    #[schema(example = 1_795_117_927)]
    pub version: i64,
}

/// How an event of two teams stands, or ended (`SCORE-1`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventScore {
    /// Of the team that is not at home: the first of the participants, or the second where the first is at home.
    #[schema(example = 2, minimum = 0, maximum = 9999)]
    pub away: i64,
    /// Of the team at home.
    #[schema(example = 3, minimum = 0, maximum = 9999)]
    pub home: i64,
    /// Which part of the game it is of, in the channel's words; empty when nothing is said.
    #[serde(default)]
    #[schema(example = "3rd period", max_length = 40)]
    pub period: String,
}

/// When the events of a list start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventStarts {
    /// Unix seconds, one for each event, ascending.
    #[schema(example = json!([1_795_110_300, 1_795_117_500]))]
    pub starts: Vec<i64>,
}

/// What a listing says an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "other")]
pub enum EventType {
    /// Sold.
    Paid,
    /// Anything else.
    Other,
}

/// What a viewer needs to watch an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "free")]
pub enum AccessType {
    /// Nothing.
    Free,
    /// A package or subscription that covers it, or the event itself.
    Paid,
    /// An account.
    Register,
    /// The event itself, bought singly.
    Ppv,
}

/// Where an event stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "finished")]
pub enum StreamStatus {
    /// It has not begun.
    Upcoming,
    /// It is on.
    Live,
    /// It is over, and can be watched on demand.
    Finished,
}

/// A team, or whoever else takes part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Participant {
    /// Its id.
    #[schema(example = 102)]
    pub id: i64,
    /// E.g. `Northfield Kestrels`.
    #[schema(example = "Harbor City Gulls")]
    pub name: String,
    /// E.g. `Northfield`.
    #[schema(example = "Harbor City")]
    pub short_name: String,
    /// For links.
    #[schema(example = "harbor-city-womens-basketball")]
    pub alias: String,
    /// URLs; the first one is the crest.
    #[schema(example = json!(["/media/northfield/crests/harbor-city.svg"]))]
    pub images: Vec<String>,
    /// `#rrggbb`.
    #[schema(example = "#0f7c70")]
    pub color: String,
    /// The second colour of its kit, `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "#f5f0e6")]
    pub second_color: Option<String>,
    /// The school that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 2)]
    pub group_id: Option<i64>,
    /// Such as `gender` (`male`, `female`), `sport`, `league`, `nickname`.
    #[serde(default)]
    #[schema(example = json!({"gender": "female", "sport": "basketball", "league": "Lakeshore Conference", "nickname": "Gulls"}))]
    pub properties: BTreeMap<String, String>,
}

/// A school: a group of participants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ParticipantGroup {
    /// Its id.
    #[schema(example = 2)]
    pub id: i64,
    /// E.g. `Northfield`.
    #[schema(example = "Harbor City")]
    pub name: String,
    /// For links.
    #[schema(example = "harbor-city")]
    pub alias: String,
    /// URLs; the first one is the crest.
    #[schema(example = json!(["/media/northfield/crests/harbor-city.svg"]))]
    pub images: Vec<String>,
    /// `#rrggbb`.
    #[schema(example = "#0f7c70")]
    pub color: String,
    /// What its teams are called, e.g. `Kestrels`.
    #[serde(default)]
    #[schema(example = "Gulls")]
    pub nickname: String,
    /// Such as `league`, `city`, `state`.
    #[serde(default)]
    #[schema(example = json!({"league": "Lakeshore Conference", "city": "Harbor City", "state": "WI"}))]
    pub properties: BTreeMap<String, String>,
}

/// A property that participant groups have, and the values it takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ParticipantGroupProperty {
    /// Its key in `properties`.
    #[schema(example = "league")]
    pub key: String,
    /// Its name on the site.
    #[schema(example = "Conference")]
    pub name: String,
    /// The values that occur.
    #[schema(example = json!(["Iron Range Conference", "Lakeshore Conference", "Prairie Conference"]))]
    pub values: Vec<String>,
}

/// A node of the category tree; a top one is a sport.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventCategory {
    /// Its id.
    #[schema(example = 10)]
    pub id: i64,
    /// Its name.
    #[schema(example = "Basketball")]
    pub name: String,
    /// For links.
    #[schema(example = "basketball")]
    pub alias: String,
    /// Which floor markings its posters have: `basketball`, `hockey`, `volleyball`, `soccer`, `football`, `wrestling`, …
    #[serde(default)]
    #[schema(example = "basketball")]
    pub sport: String,
    /// The nodes below it.
    #[serde(default)]
    #[schema(example = json!([{"id": 11, "name": "Women’s", "alias": "womens-basketball", "sport": "basketball", "children": []}]), no_recursion)]
    pub children: Vec<EventCategory>,
}

/// A place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventLocation {
    /// Its id.
    #[schema(example = 1)]
    pub id: i64,
    /// E.g. `Kestrel Fieldhouse`.
    #[schema(example = "Kestrel Fieldhouse")]
    pub name: String,
    /// E.g. `Northfield`.
    #[schema(example = "Northfield")]
    pub city: String,
    /// E.g. `MN`.
    #[schema(example = "MN")]
    pub state: String,
    /// ISO 3166-1 alpha-2.
    #[schema(example = "US")]
    pub country_code: String,
    /// IANA name.
    #[schema(example = "America/Chicago")]
    pub time_zone: String,
}

/// Where a viewer watches something: an address of their own, which ends with their session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Playback {
    /// For a player.
    #[schema(
        example = "/media/northfield/s/e11/1795306500000-3-7-c2lnbmF0dXJl/master.m3u8",
        extensions(("x-secret" = json!(true)))
    )]
    pub playback_url: String,
    /// Until when it works, Unix seconds; absent where it does not end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 1_795_328_100)]
    pub expires: Option<i64>,
}

/// Where a file can be had, by the viewer who asked and while their session lasts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Download {
    /// Signed.
    #[schema(
        example = "/media/northfield/d/e11/1795306500000-3-7-c2lnbmF0dXJl/download.mp4",
        extensions(("x-secret" = json!(true)))
    )]
    pub download_url: String,
    /// Until when it works, Unix seconds.
    #[schema(example = 1_795_328_100)]
    pub expires: i64,
}

impl Event {
    /// The same without what this worker found out of its pictures: that is no change of the event.
    #[must_use]
    pub fn without_pictures(mut self) -> Self {
        self.media.iter_mut().for_each(|medium| medium.picture = None);
        self
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// A picture or a video.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Media {
    /// Its id (`event_media_id` of a clip).
    #[schema(example = 253)]
    pub id: i64,
    /// 1 image, 2 live, 3 vod, 4 embedded, 5 thumbnails, 6 preview, 7 preview_alt, 8 embedded_preview.
    #[serde(rename = "type")]
    #[schema(example = 3, minimum = 1, maximum = 8)]
    pub kind: u8,
    /// Where it is, when everyone may know. Absent where the viewer has no access, and where it is protected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "/media/northfield/s/e253/open/master.m3u8")]
    pub url: Option<String>,
    /// Whether it is on and the viewer may watch it under an address of their own, which is asked for by itself.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(example = true)]
    pub is_protected: bool,
    /// Whether clips can be cut out of it, by who may (`clipping`): of a live stream, out of its window.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(example = true)]
    pub is_clippable: bool,
    /// Whether it can be had as one file, by who may (`download`).
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(example = true)]
    pub is_downloadable: bool,
    /// How long it is, seconds; 0 for a picture or a live stream.
    #[serde(default)]
    #[schema(example = 40.0)]
    pub duration_s: f64,
    /// What is known of the picture before it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<PictureFacts>,
}
