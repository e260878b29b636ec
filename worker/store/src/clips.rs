//! Clips.

use async_trait::async_trait;
use touchline_protocol::clips::{Clip, ClipStatus};

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
    pub event_id: i64,
    /// The event's medium.
    pub event_media_id: i64,
    /// Its name.
    pub name: String,
    /// Milliseconds from the start of the medium.
    pub start_ms: i64,
    /// Milliseconds.
    pub duration_ms: i64,
    /// Its tags.
    pub tags: Vec<String>,
    /// When.
    pub at: i64,
}

/// A clip as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct ClipRecord {
    /// What its owner is shown, but for the event.
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
    /// The clips of a person, newest first; of one event alone when it is named.
    async fn clips(&self, user_id: i64, event_id: Option<i64>) -> StoreResult<Vec<ClipRecord>>;
    /// A clip, whoever's it is.
    async fn clip(&self, id: i64) -> StoreResult<Option<ClipRecord>>;
    /// Every clip that is neither ready nor failed, oldest first.
    async fn waiting_clips(&self) -> StoreResult<Vec<WaitingClip>>;
    /// Clips with an id above `after` that are ready, oldest first.
    async fn ready_clips(&self, after: i64, limit: u32) -> StoreResult<Vec<ClipRecord>>;
    /// What a clip that somebody shared was cut from; nothing when its owner is blocked.
    async fn clip_event_id(&self, channel_key: &str, uuid: &str) -> StoreResult<Option<i64>>;
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
