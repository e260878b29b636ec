//! Playback positions.

use async_trait::async_trait;
use touchline_protocol::playback::PlaybackPosition;

use super::StoreResult;

/// Storage of playback positions.
#[async_trait]
pub trait PlaybackPositions {
    /// Stores a position unless a newer one exists, and returns the current one. Beyond `limit`, the oldest are
    /// deleted.
    async fn store_position(
        &self,
        user_id: i64,
        position: &PlaybackPosition,
        limit: i64,
    ) -> StoreResult<PlaybackPosition>;
    /// Returns a user's positions, newest first.
    async fn positions(&self, user_id: i64) -> StoreResult<Vec<PlaybackPosition>>;
}
