//! Public data of a channel, for rendering the pages of its site.

use super::{
    ContentPage, Event, EventCategory, EventLocation, Faq, Package, Participant, ParticipantGroup, Settings,
    VodMediaItem,
};

/// Public responses of a channel, as far as the pages of its site need them.
#[derive(Debug, Clone, PartialEq)]
pub struct PublicChannel {
    /// The response of `GET /settings`.
    pub settings: Settings,
    /// The response of `GET /pages`, with the content from `GET /pages/{id}`.
    pub pages: Vec<ContentPage>,
    /// The response of `GET /faq`.
    pub faq: Vec<Faq>,
    /// The response of `GET /events-categories`.
    pub categories: Vec<EventCategory>,
    /// The response of `GET /events-locations`.
    pub locations: Vec<EventLocation>,
    /// The response of `GET /participant-groups`.
    pub groups: Vec<ParticipantGroup>,
    /// The response of `GET /participants`.
    pub participants: Vec<Participant>,
    /// The response of `GET /packages`.
    pub packages: Vec<Package>,
    /// The response of `GET /events`, past and future.
    pub events: Vec<Event>,
    /// The response of `GET /vod-media-items`.
    pub videos: Vec<VodMediaItem>,
}
