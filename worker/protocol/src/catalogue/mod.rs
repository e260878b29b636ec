//! The catalogue of a channel (`EVENT-1`, `PKG-1`, `SUB-1`, `VOD-1`). It is the same for all viewers with the same
//! access, and cached that way.

mod events;
mod pictures;
mod public;
mod sales;
mod site;
mod vod;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use events::{
    AccessType, Download, Event, EventCategory, EventLocation, EventScore, EventStarts, EventType, Media, Participant,
    ParticipantGroup, ParticipantGroupProperty, Playback, StreamStatus,
};
pub use pictures::PictureFacts;
pub use public::PublicChannel;
pub use sales::{Package, PackageContent, Subscription};
pub use site::{
    AnalyticsSettings, AuthSettings, ClipSettings, ColorSettings, ContentPage, CustomForm, CustomFormField, Faq,
    FormSubmission, LANGUAGES, Menu, MenuItem, MenuLink, Popup, Preroll, Seller, Settings, Slide,
};
pub use vod::{VodAsset, VodMediaCategory, VodMediaItem, VodRail};

/// The viewer's country and whether the channel's video is blocked there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Geo {
    /// Name of the country. Empty if unknown.
    #[schema(example = "United States")]
    pub country: String,
    /// ISO 3166-1 alpha-2 country code. Empty if unknown.
    #[schema(example = "US")]
    pub country_code: String,
    /// The viewer's IP address.
    #[schema(example = "203.0.113.7", extensions(("x-personal" = json!(true))))]
    pub ip: String,
    /// Whether the channel's video is blocked in that country.
    #[schema(example = false)]
    pub is_geo_blocked: bool,
}

/// All static resources of a channel in one response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Bootstrap {
    /// The response of `GET /color-settings/web`.
    pub color_settings: ColorSettings,
    /// The response of `GET /events-categories`.
    pub events_categories: Vec<EventCategory>,
    /// The response of `GET /events-locations`.
    pub events_locations: Vec<EventLocation>,
    /// The response of `GET /faq`.
    pub faq: Vec<Faq>,
    /// The response of `GET /menu`.
    pub menu: Menu,
    /// The response of `GET /packages`.
    pub packages: Vec<Package>,
    /// The response of `GET /pages`.
    pub pages: Vec<ContentPage>,
    /// The response of `GET /participant-groups`.
    pub participant_groups: Vec<ParticipantGroup>,
    /// The response of `GET /settings`.
    pub settings: Settings,
    /// The response of `GET /slides/web`, for all types.
    pub slides: Vec<Slide>,
    /// The response of `GET /subscriptions`.
    pub subscriptions: Vec<Subscription>,
    /// The response of `GET /participant-group-properties`.
    pub participant_group_properties: Vec<ParticipantGroupProperty>,
}

/// A rail of events on the home page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HomeRail {
    /// `live`, `upcoming`, `finished` or a category's alias.
    #[schema(example = "finished")]
    pub id: String,
    /// Title of the rail. Empty for the three statuses, which the site names itself.
    #[serde(default)]
    #[schema(example = "")]
    pub title: String,
    /// Total number of events.
    #[schema(example = 1)]
    pub total: u64,
    /// The first events.
    pub events: Vec<Event>,
}
