//! What a channel shows (`EVENT-1`, `PKG-1`, `SUB-1`, `VOD-1`). The same for every viewer of one entitlement, and cached
//! as such.

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

/// Where the viewer is taken to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Geo {
    /// Name of the country; empty when unknown.
    #[schema(example = "United States")]
    pub country: String,
    /// ISO 3166-1 alpha-2; empty when unknown.
    #[schema(example = "US")]
    pub country_code: String,
    /// The viewer's address.
    #[schema(example = "203.0.113.7", extensions(("x-personal" = json!(true))))]
    pub ip: String,
    /// Whether the channel's video is closed to that place.
    #[schema(example = false)]
    pub is_geo_blocked: bool,
}

/// Everything static of a channel in one answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Bootstrap {
    /// As `GET /color-settings/web`.
    pub color_settings: ColorSettings,
    /// As `GET /events-categories`.
    pub events_categories: Vec<EventCategory>,
    /// As `GET /events-locations`.
    pub events_locations: Vec<EventLocation>,
    /// As `GET /faq`.
    pub faq: Vec<Faq>,
    /// As `GET /menu`.
    pub menu: Menu,
    /// As `GET /packages`.
    pub packages: Vec<Package>,
    /// As `GET /pages`.
    pub pages: Vec<ContentPage>,
    /// As `GET /participant-groups`.
    pub participant_groups: Vec<ParticipantGroup>,
    /// As `GET /settings`.
    pub settings: Settings,
    /// As `GET /slides/web`, all types.
    pub slides: Vec<Slide>,
    /// As `GET /subscriptions`.
    pub subscriptions: Vec<Subscription>,
    /// As `GET /participant-group-properties`.
    pub participant_group_properties: Vec<ParticipantGroupProperty>,
}

/// A rail of events on the home page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HomeRail {
    /// `live`, `upcoming`, `finished` or a category's alias.
    #[schema(example = "finished")]
    pub id: String,
    /// What stands above it; empty for the three statuses, which the site names itself.
    #[serde(default)]
    #[schema(example = "")]
    pub title: String,
    /// How many there are in all.
    #[schema(example = 1)]
    pub total: u64,
    /// The first of them.
    pub events: Vec<Event>,
}
