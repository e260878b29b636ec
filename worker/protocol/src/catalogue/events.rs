//! Events, their participants, locations and media.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::PictureFacts;

/// An event: one game, meet or show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// Unique identifier.
    #[schema(example = 25)]
    pub id: i64,
    /// Name. If the event has two participants, the site displays "away short name @ home short name" instead.
    #[schema(example = "Bell Harbor Comets at Harbor City Gulls")]
    pub name: String,
    /// The event's type; see [`EventType`].
    #[serde(rename = "type")]
    pub kind: EventType,
    /// The access required to watch the event.
    pub access_type: AccessType,
    /// Whether the viewer can watch the event now.
    #[schema(example = true)]
    pub has_access: bool,
    /// Whether the event is blocked in the viewer's country. A blocked event is neither displayed nor sold. In a status
    /// frame, which every viewer receives, the value is the one for an unknown country.
    #[serde(default)]
    #[schema(example = false)]
    pub is_geo_blocked: bool,
    /// Start, in Unix seconds.
    #[schema(example = 1_795_110_300)]
    pub event_utc_ts: i64,
    /// IANA time zone of the location.
    #[schema(example = "America/Chicago")]
    pub time_zone: String,
    /// Scheduled or actual duration, in seconds.
    #[schema(example = 7627)]
    pub duration_s: i64,
    /// ID of the event's category.
    #[schema(example = 11)]
    pub event_category_id: i64,
    /// ID of the event's location.
    #[schema(example = 1)]
    pub location_id: i64,
    /// ID of the home team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 102)]
    pub home_team_id: Option<i64>,
    /// The event's status.
    pub stream_status: StreamStatus,
    /// Price without the service fee, in minor units. 0 if the event isn't sold individually.
    #[schema(example = 0)]
    pub base_price: i64,
    /// Service fee, in minor units.
    #[schema(example = 0)]
    pub service_fee: i64,
    /// ISO 4217 currency code.
    #[schema(example = "USD")]
    pub currency: String,
    /// ID to buy the event individually with. Absent if it isn't sold individually.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single_event_package_id: Option<i64>,
    /// Description, a few sentences.
    #[serde(default)]
    #[schema(example = "Women’s basketball, Lakeshore Conference. Bell Harbor travel to Harbor City.")]
    pub description: String,
    /// The participants, away team first.
    pub participants: Vec<Participant>,
    /// Images and videos. URLs of paid media are signed, and present only if the viewer has access.
    pub media: Vec<Media>,
    /// Current or final score. Absent if none was reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<EventScore>,
    /// Version of the event: the Unix seconds of its latest change, including changes made by the clock.
    #[schema(example = 1_795_117_927)]
    pub version: i64,
}

/// Current or final score of an event between two teams (`SCORE-1`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventScore {
    /// Score of the away team: the first participant, or the second if the first is the home team.
    #[schema(example = 2, minimum = 0, maximum = 9999)]
    pub away: i64,
    /// Score of the home team.
    #[schema(example = 3, minimum = 0, maximum = 9999)]
    pub home: i64,
    /// Period of the game, in the channel's own words. Empty if unknown.
    #[serde(default)]
    #[schema(example = "3rd period", max_length = 40)]
    pub period: String,
}

/// Start times of the events in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventStarts {
    /// Unix seconds, one entry per event, in ascending order.
    #[schema(example = json!([1_795_110_300, 1_795_117_500]))]
    pub starts: Vec<i64>,
}

/// The type of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "other")]
pub enum EventType {
    /// The event is sold.
    Paid,
    /// Any other event.
    Other,
}

/// The access required to watch an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "free")]
pub enum AccessType {
    /// None.
    Free,
    /// A package or subscription that covers the event, or the event itself.
    Paid,
    /// An account.
    Register,
    /// The event itself, bought individually.
    Ppv,
}

/// The status of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(example = "finished")]
pub enum StreamStatus {
    /// The event hasn't started.
    Upcoming,
    /// The event is live.
    Live,
    /// The event is over and can be watched on demand.
    Finished,
}

/// A team or other participant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Participant {
    /// Unique identifier.
    #[schema(example = 102)]
    pub id: i64,
    /// Name, such as `Northfield Kestrels`.
    #[schema(example = "Harbor City Gulls")]
    pub name: String,
    /// Short name, such as `Northfield`.
    #[schema(example = "Harbor City")]
    pub short_name: String,
    /// URL alias.
    #[schema(example = "harbor-city-womens-basketball")]
    pub alias: String,
    /// URLs of images. The first one is the crest.
    #[schema(example = json!(["/media/northfield/crests/harbor-city.svg"]))]
    pub images: Vec<String>,
    /// Primary colour, `#rrggbb`.
    #[schema(example = "#0f7c70")]
    pub color: String,
    /// Secondary colour of the kit, `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "#f5f0e6")]
    pub second_color: Option<String>,
    /// ID of the school that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 2)]
    pub group_id: Option<i64>,
    /// Properties, such as `gender` (`male` or `female`), `sport`, `league` and `nickname`.
    #[serde(default)]
    #[schema(example = json!({"gender": "female", "sport": "basketball", "league": "Lakeshore Conference", "nickname": "Gulls"}))]
    pub properties: BTreeMap<String, String>,
}

/// A school: a group of participants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ParticipantGroup {
    /// Unique identifier.
    #[schema(example = 2)]
    pub id: i64,
    /// Name, such as `Northfield`.
    #[schema(example = "Harbor City")]
    pub name: String,
    /// URL alias.
    #[schema(example = "harbor-city")]
    pub alias: String,
    /// URLs of images. The first one is the crest.
    #[schema(example = json!(["/media/northfield/crests/harbor-city.svg"]))]
    pub images: Vec<String>,
    /// Primary colour, `#rrggbb`.
    #[schema(example = "#0f7c70")]
    pub color: String,
    /// Nickname of its teams, such as `Kestrels`.
    #[serde(default)]
    #[schema(example = "Gulls")]
    pub nickname: String,
    /// Properties, such as `league`, `city` and `state`.
    #[serde(default)]
    #[schema(example = json!({"league": "Lakeshore Conference", "city": "Harbor City", "state": "WI"}))]
    pub properties: BTreeMap<String, String>,
}

/// A property of participant groups, with its possible values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ParticipantGroupProperty {
    /// Key in `properties`.
    #[schema(example = "league")]
    pub key: String,
    /// Display name.
    #[schema(example = "Conference")]
    pub name: String,
    /// Values in use.
    #[schema(example = json!(["Iron Range Conference", "Lakeshore Conference", "Prairie Conference"]))]
    pub values: Vec<String>,
}

/// A category of events. Top-level categories are sports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventCategory {
    /// Unique identifier.
    #[schema(example = 10)]
    pub id: i64,
    /// Name.
    #[schema(example = "Basketball")]
    pub name: String,
    /// URL alias.
    #[schema(example = "basketball")]
    pub alias: String,
    /// The floor markings on the category's posters: `basketball`, `hockey`, `volleyball`, `soccer`, `football`,
    /// `wrestling`, …
    #[serde(default)]
    #[schema(example = "basketball")]
    pub sport: String,
    /// Subcategories.
    #[serde(default)]
    #[schema(example = json!([{"id": 11, "name": "Women’s", "alias": "womens-basketball", "sport": "basketball", "children": []}]), no_recursion)]
    pub children: Vec<EventCategory>,
}

/// A venue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventLocation {
    /// Unique identifier.
    #[schema(example = 1)]
    pub id: i64,
    /// Name, such as `Kestrel Fieldhouse`.
    #[schema(example = "Kestrel Fieldhouse")]
    pub name: String,
    /// City, such as `Northfield`.
    #[schema(example = "Northfield")]
    pub city: String,
    /// State or province, such as `MN`.
    #[schema(example = "MN")]
    pub state: String,
    /// Country, ISO 3166-1 alpha-2.
    #[schema(example = "US")]
    pub country_code: String,
    /// IANA time zone.
    #[schema(example = "America/Chicago")]
    pub time_zone: String,
}

/// A playback URL for one viewer. It stops working when their session ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Playback {
    /// URL for a player.
    #[schema(
        example = "/media/northfield/s/e11/1795306500000-3-7-c2lnbmF0dXJl/master.m3u8",
        extensions(("x-secret" = json!(true)))
    )]
    pub playback_url: String,
    /// Expiry of the URL, in Unix seconds. Absent if it doesn't expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 1_795_328_100)]
    pub expires: Option<i64>,
}

/// A download URL for one viewer. It stops working when their session ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Download {
    /// Signed URL.
    #[schema(
        example = "/media/northfield/d/e11/1795306500000-3-7-c2lnbmF0dXJl/download.mp4",
        extensions(("x-secret" = json!(true)))
    )]
    pub download_url: String,
    /// Expiry of the URL, in Unix seconds.
    #[schema(example = 1_795_328_100)]
    pub expires: i64,
}

impl Event {
    /// Returns the event without the image metadata computed by this worker, which doesn't count as a change of the
    /// event.
    #[must_use]
    pub fn without_pictures(mut self) -> Self {
        self.media.iter_mut().for_each(|medium| medium.picture = None);
        self
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// An image or a video.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Media {
    /// Unique identifier. Clips refer to it as `event_media_id`.
    #[schema(example = 253)]
    pub id: i64,
    /// Type of media: 1 image, 2 live, 3 vod, 4 embedded, 5 thumbnails, 6 preview, 7 preview_alt, 8 embedded_preview.
    #[serde(rename = "type")]
    #[schema(example = 3, minimum = 1, maximum = 8)]
    pub kind: u8,
    /// URL, if public. Absent if the viewer has no access or the media is protected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "/media/northfield/s/e253/open/master.m3u8")]
    pub url: Option<String>,
    /// Whether the media needs a personal playback URL. `true` only if the viewer has access and the media is
    /// available.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(example = true)]
    pub is_protected: bool,
    /// Whether viewers with the `clipping` capability can create clips of it. For a live stream, within its DVR window.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(example = true)]
    pub is_clippable: bool,
    /// Whether viewers with the `download` capability can download it as a single file.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(example = true)]
    pub is_downloadable: bool,
    /// Duration, in seconds. 0 for an image or a live stream.
    #[serde(default)]
    #[schema(example = 40.0)]
    pub duration_s: f64,
    /// Metadata for displaying the image before it loads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<PictureFacts>,
}
