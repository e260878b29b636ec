//! Clips.

use async_trait::async_trait;
use touchline_domain::clips::ClipSource;
use touchline_protocol::clips::{Clip, ClipStatus, ClipVisibility};

use super::{IdempotencyClaim, StoreResult};

/// A clip that is asked for.
#[derive(Debug, Clone)]
pub struct NewClip {
    /// The shared address's secret.
    pub uuid: String,
    /// The channel.
    pub channel_key: String,
    /// Whose it is.
    pub user_id: i64,
    /// What it is cut from.
    pub source: ClipSource,
    /// Its medium.
    pub event_media_id: i64,
    /// Its name.
    pub name: String,
    /// Milliseconds from the start of the medium.
    pub start_ms: i64,
    /// Milliseconds.
    pub duration_ms: i64,
    /// Its tags.
    pub tags: Vec<String>,
    /// Who may find it.
    pub visibility: ClipVisibility,
    /// When.
    pub at: i64,
}

/// A clip as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct ClipRecord {
    /// What its owner is shown, but for the event or video.
    pub clip: Clip,
    /// The channel.
    pub channel_key: String,
    /// Whose it is.
    pub user_id: i64,
    /// Milliseconds from the start of the medium.
    pub start_ms: i64,
    /// Milliseconds.
    pub duration_ms: i64,
    /// When it was asked for.
    pub created_at: i64,
}

impl ClipRecord {
    /// What it is cut out of.
    pub fn source(&self) -> ClipSource {
        ClipSource::named(self.clip.event_id, self.clip.vod_id).unwrap_or(ClipSource::Event(0))
    }
}

/// Which public clips.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublicClips {
    /// Of an event or a video.
    Of(ClipSource),
    /// All of the channel.
    All,
}

/// A clip that is still to be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingClip {
    /// Its id.
    pub id: i64,
    /// Whose it is.
    pub user_id: i64,
}

/// What asking for a clip gave.
#[derive(Debug, Clone, PartialEq)]
pub enum MadeClip {
    /// The clip, `queued`.
    Clip(Box<Clip>),
    /// The person has as many as the limit allows.
    TooMany,
}

/// Asking for clips, cutting them, reading and deleting them.
#[async_trait]
pub trait Clips {
    /// Puts a clip in the queue and counts it, with its answer when it was claimed.
    async fn make_clip(&self, new: NewClip, limit: i64, claim: Option<IdempotencyClaim>) -> StoreResult<MadeClip>;
    /// The clips of a person, newest first; of one event or video alone when it is named.
    async fn clips(&self, user_id: i64, of: Option<ClipSource>) -> StoreResult<Vec<ClipRecord>>;
    /// Public clips of a channel that are ready and not hidden, whose owners are not blocked, newest first.
    async fn public_clips(&self, channel_key: &str, which: PublicClips, limit: u32) -> StoreResult<Vec<ClipRecord>>;
    /// The events that there are such clips of.
    async fn public_clip_event_ids(&self, channel_key: &str) -> StoreResult<Vec<i64>>;
    /// A channel's clips as its operator lists them, newest first.
    async fn channel_clips(&self, channel_key: &str, public_only: bool, limit: u32) -> StoreResult<Vec<ClipRecord>>;
    /// Hides a clip, or shows it again; nothing when it is gone. One that is so already stays as it is.
    async fn hide_clip(&self, id: i64, hidden: bool, at: i64) -> StoreResult<Option<Clip>>;
    /// A clip, whoever's it is.
    async fn clip(&self, id: i64) -> StoreResult<Option<ClipRecord>>;
    /// Every clip that is neither ready nor failed, oldest first.
    async fn waiting_clips(&self) -> StoreResult<Vec<WaitingClip>>;
    /// Clips with an id above `after` that are ready, oldest first.
    async fn ready_clips(&self, after: i64, limit: u32) -> StoreResult<Vec<ClipRecord>>;
    /// What a clip that somebody shared was cut from; nothing when it is hidden or its owner blocked.
    async fn clip_source(&self, channel_key: &str, uuid: &str) -> StoreResult<Option<ClipSource>>;
    /// Moves a clip on: forward, and never from its end. Nothing when it is gone or as far already.
    async fn move_clip(&self, id: i64, to: ClipStatus, at: i64) -> StoreResult<Option<Clip>>;
    /// A ready clip is `failed` after all: its files are gone and cannot be cut anew. Nothing when it is not ready.
    async fn lose_clip(&self, id: i64, at: i64) -> StoreResult<Option<Clip>>;
    /// Deletes a clip of this person; gives what it was.
    async fn delete_clip(&self, user_id: i64, id: i64) -> StoreResult<Option<ClipRecord>>;
    /// The uuids of all clips of a channel.
    async fn clip_uuids(&self, channel_key: &str) -> StoreResult<Vec<String>>;
    /// The events that this person made clips of.
    async fn clip_event_ids(&self, user_id: i64) -> StoreResult<Vec<i64>>;
}
