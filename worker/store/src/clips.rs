//! Clips.

use async_trait::async_trait;
use touchline_domain::clips::ClipSource;
use touchline_protocol::clips::{Clip, ClipStatus, ClipVisibility};

use super::{ChangeContext, IdempotencyClaim, StoreResult};

/// A clip to create.
#[derive(Debug, Clone)]
pub struct NewClip {
    /// Secret of the shared URL.
    pub uuid: String,
    /// Key of the channel.
    pub channel_key: String,
    /// ID of the owner.
    pub user_id: i64,
    /// The event or video to cut from.
    pub source: ClipSource,
    /// ID of the media to cut from.
    pub event_media_id: i64,
    /// Name.
    pub name: String,
    /// Start in milliseconds from the start of the media.
    pub start_ms: i64,
    /// Duration in milliseconds.
    pub duration_ms: i64,
    /// Tags.
    pub tags: Vec<String>,
    /// Visibility.
    pub visibility: ClipVisibility,
    /// The circumstances, if analytics record them.
    pub context: Option<ChangeContext>,
    /// Time in Unix milliseconds.
    pub at: i64,
}

/// A stored clip.
#[derive(Debug, Clone, PartialEq)]
pub struct ClipRecord {
    /// The clip as its owner sees it, without the event or video.
    pub clip: Clip,
    /// Key of the channel.
    pub channel_key: String,
    /// ID of the owner.
    pub user_id: i64,
    /// Start in milliseconds from the start of the media.
    pub start_ms: i64,
    /// Duration in milliseconds.
    pub duration_ms: i64,
    /// Time of creation in Unix milliseconds.
    pub created_at: i64,
}

impl ClipRecord {
    /// The event or video that the clip comes from.
    pub fn source(&self) -> ClipSource {
        ClipSource::named(self.clip.event_id, self.clip.vod_id).unwrap_or(ClipSource::Event(0))
    }
}

/// A selection of public clips.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublicClips {
    /// Clips of one event or video.
    Of(ClipSource),
    /// All clips of the channel.
    All,
}

/// A clip waiting to be processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingClip {
    /// ID of the clip.
    pub id: i64,
    /// ID of the owner.
    pub user_id: i64,
}

/// The result of creating a clip.
#[derive(Debug, Clone, PartialEq)]
pub enum CreateClipResult {
    /// The clip, `queued`.
    Clip(Box<Clip>),
    /// The user has reached the limit.
    TooMany,
}

/// Storage of clips.
#[async_trait]
pub trait Clips {
    /// Queues a clip, counts it and records it. The response is stored with it if claimed.
    async fn create_clip(
        &self,
        new: NewClip,
        limit: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<CreateClipResult>;
    /// Returns a user's clips, newest first, optionally of one event or video.
    async fn clips(&self, user_id: i64, of: Option<ClipSource>) -> StoreResult<Vec<ClipRecord>>;
    /// Returns a channel's public clips, newest first. Clips that aren't ready, are hidden or belong to blocked users
    /// are left out.
    async fn public_clips(&self, channel_key: &str, which: PublicClips, limit: u32) -> StoreResult<Vec<ClipRecord>>;
    /// Returns the events that have such clips.
    async fn public_clip_event_ids(&self, channel_key: &str) -> StoreResult<Vec<i64>>;
    /// Returns a channel's clips for its operator, newest first.
    async fn channel_clips(&self, channel_key: &str, public_only: bool, limit: u32) -> StoreResult<Vec<ClipRecord>>;
    /// Hides a clip or shows it again. `None` if it doesn't exist. Repeating the call has no effect.
    async fn hide_clip(&self, id: i64, hidden: bool, at: i64) -> StoreResult<Option<Clip>>;
    /// Returns a clip of any user.
    async fn clip(&self, id: i64) -> StoreResult<Option<ClipRecord>>;
    /// Returns all clips that are neither ready nor failed, oldest first.
    async fn waiting_clips(&self) -> StoreResult<Vec<WaitingClip>>;
    /// Returns ready clips with an id above `after`, oldest first.
    async fn ready_clips(&self, after: i64, limit: u32) -> StoreResult<Vec<ClipRecord>>;
    /// Returns the event or video of a shared clip. `None` if the clip is hidden or its owner is blocked.
    async fn clip_source(&self, channel_key: &str, uuid: &str) -> StoreResult<Option<ClipSource>>;
    /// Advances a clip to a later status. `None` if it doesn't exist, or already has that status or a final one.
    async fn advance_clip(&self, id: i64, to: ClipStatus, at: i64) -> StoreResult<Option<Clip>>;
    /// Marks a ready clip as `failed`, because its files are lost and can't be created again. `None` if it isn't ready.
    async fn mark_clip_lost(&self, id: i64, at: i64) -> StoreResult<Option<Clip>>;
    /// Deletes a user's clip and returns it.
    async fn delete_clip(&self, user_id: i64, id: i64) -> StoreResult<Option<ClipRecord>>;
    /// Returns the uuids of all clips of a channel.
    async fn clip_uuids(&self, channel_key: &str) -> StoreResult<Vec<String>>;
    /// Returns the events that a user created clips of.
    async fn clip_event_ids(&self, user_id: i64) -> StoreResult<Vec<i64>>;
}
