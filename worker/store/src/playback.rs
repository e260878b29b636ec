//! Where people stand in what they watch.

use async_trait::async_trait;
use touchline_protocol::playback::PlaybackPosition;

use super::StoreResult;

/// Keeping and listing positions.
#[async_trait]
pub trait PlaybackPositions {
    /// Keeps a position unless a newer one of the same thing is there, and at most `limit` of them: the oldest go. Gives
    /// the one that stands.
    async fn keep_position(
        &self,
        user_id: i64,
        position: &PlaybackPosition,
        limit: i64,
    ) -> StoreResult<PlaybackPosition>;
    /// The positions of a person, the newest first.
    async fn positions(&self, user_id: i64) -> StoreResult<Vec<PlaybackPosition>>;
}
