//! Events, who plays, where, and what is watched.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An event: one game, meet or show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// Its id.
    pub id: i64,
    /// Its name. With two participants the site shows "away short name @ home short name" instead.
    pub name: String,
    /// What its listing says it is; see [`EventType`].
    #[serde(rename = "type")]
    pub kind: EventType,
    /// What a viewer needs to watch it.
    pub access_type: AccessType,
    /// Whether the asking viewer may watch it now.
    pub has_access: bool,
    /// When it starts, Unix seconds.
    pub event_utc_ts: i64,
    /// IANA time zone of its place.
    pub time_zone: String,
    /// How long it lasts (or lasted), seconds.
    pub duration_s: i64,
    /// Its category.
    pub event_category_id: i64,
    /// Its place.
    pub location_id: i64,
    /// Which of the participants is at home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home_team_id: Option<i64>,
    /// Where it stands.
    pub stream_status: StreamStatus,
    /// Minor units; 0 when it is not sold singly.
    pub base_price: i64,
    /// Minor units.
    pub service_fee: i64,
    /// ISO 4217.
    pub currency: String,
    /// What buying it singly is called with; absent when it is not sold singly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single_event_package_id: Option<i64>,
    /// A few sentences.
    #[serde(default)]
    pub description: String,
    /// The teams, away first.
    pub participants: Vec<Participant>,
    /// Pictures and videos. A URL of paid media is signed, and there only with access.
    pub media: Vec<Media>,
    /// Since when the event is as it is, Unix seconds: it grows with each move by the clock and each change.
    pub version: i64,
}

/// What a listing says an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventType {
    /// Sold.
    Paid,
    /// Anything else.
    Other,
}

/// What a viewer needs to watch an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
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
    pub id: i64,
    /// E.g. `Northfield Kestrels`.
    pub name: String,
    /// E.g. `Northfield`.
    pub short_name: String,
    /// For links.
    pub alias: String,
    /// URLs; the first one is the crest.
    pub images: Vec<String>,
    /// `#rrggbb`.
    pub color: String,
    /// The second colour of its kit, `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_color: Option<String>,
    /// The school that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_id: Option<i64>,
    /// Such as `gender` (`male`, `female`), `sport`, `league`, `nickname`.
    #[serde(default)]
    pub properties: BTreeMap<String, String>,
}

/// A school: a group of participants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ParticipantGroup {
    /// Its id.
    pub id: i64,
    /// E.g. `Northfield`.
    pub name: String,
    /// For links.
    pub alias: String,
    /// URLs; the first one is the crest.
    pub images: Vec<String>,
    /// `#rrggbb`.
    pub color: String,
    /// What its teams are called, e.g. `Kestrels`.
    #[serde(default)]
    pub nickname: String,
    /// Such as `league`, `city`, `state`.
    #[serde(default)]
    pub properties: BTreeMap<String, String>,
}

/// A property that participant groups have, and the values it takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ParticipantGroupProperty {
    /// Its key in `properties`.
    pub key: String,
    /// Its name on the site.
    pub name: String,
    /// The values that occur.
    pub values: Vec<String>,
}

/// A node of the category tree; a top one is a sport.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventCategory {
    /// Its id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// For links.
    pub alias: String,
    /// Which floor markings its posters have: `basketball`, `hockey`, `volleyball`, `soccer`, `football`, `wrestling`, …
    #[serde(default)]
    pub sport: String,
    /// The nodes below it.
    #[serde(default)]
    #[schema(no_recursion)]
    pub children: Vec<EventCategory>,
}

/// A place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventLocation {
    /// Its id.
    pub id: i64,
    /// E.g. `Kestrel Fieldhouse`.
    pub name: String,
    /// E.g. `Northfield`.
    pub city: String,
    /// E.g. `MN`.
    pub state: String,
    /// ISO 3166-1 alpha-2.
    pub country_code: String,
    /// IANA name.
    pub time_zone: String,
}

/// A picture or a video.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Media {
    /// Its id (`event_media_id` of a clip).
    pub id: i64,
    /// 1 image, 2 live, 3 vod, 4 embedded, 5 thumbnails, 6 preview, 7 preview_alt, 8 embedded_preview.
    #[serde(rename = "type")]
    #[schema(minimum = 1, maximum = 8)]
    pub kind: u8,
    /// Where it is. Absent where the viewer has no access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Until when a signed URL works, Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<i64>,
    /// How long it is, seconds; 0 for a picture or a live stream.
    #[serde(default)]
    pub duration_s: f64,
}
