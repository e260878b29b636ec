//! What of a channel the pages of its site are described by.

use super::{
    ContentPage, Event, EventCategory, EventLocation, Faq, Package, Participant, ParticipantGroup, Settings,
    VodMediaItem,
};

/// What a channel's calls answer to whoever is not logged in, as far as the pages of its site are described by it.
#[derive(Debug, Clone, PartialEq)]
pub struct PublicChannel {
    /// `GET /settings`
    pub settings: Settings,
    /// `GET /pages`, with the content that `GET /pages/{id}` has.
    pub pages: Vec<ContentPage>,
    /// `GET /faq`
    pub faq: Vec<Faq>,
    /// `GET /events-categories`
    pub categories: Vec<EventCategory>,
    /// `GET /events-locations`
    pub locations: Vec<EventLocation>,
    /// `GET /participant-groups`
    pub groups: Vec<ParticipantGroup>,
    /// `GET /participants`
    pub participants: Vec<Participant>,
    /// `GET /packages`
    pub packages: Vec<Package>,
    /// `GET /events`, of every time.
    pub events: Vec<Event>,
    /// `GET /vod-media-items`
    pub videos: Vec<VodMediaItem>,
}
