//! Search results.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::catalogue::{ContentPage, Event, Participant, ParticipantGroup, VodMediaItem};
use crate::clips::Clip;
use crate::envelope::Page;

/// Search results, one list per type, best match first. `meta.total` of each list counts all matches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchResults {
    /// Events.
    pub events: Page<Event>,
    /// Teams.
    pub participants: Page<Participant>,
    /// Schools.
    pub participant_groups: Page<ParticipantGroup>,
    /// Videos of the library.
    pub vod_media_items: Page<VodMediaItem>,
    /// Content pages, without their content.
    pub pages: Page<ContentPage>,
    /// Public clips, among the newest 500.
    pub clips: Page<Clip>,
}
