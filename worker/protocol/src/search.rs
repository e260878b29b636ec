//! What a search finds.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::catalogue::{ContentPage, Event, Participant, ParticipantGroup, VodMediaItem};
use crate::clips::Clip;
use crate::envelope::Page;

/// What a search finds, a list a kind, best match first. `meta.total` of each counts all that was found.
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
    /// Pages, without their content.
    pub pages: Page<ContentPage>,
    /// Clips that everyone may find, of the newest 500.
    pub clips: Page<Clip>,
}
