//! Playback positions.

use async_trait::async_trait;
use touchline_protocol::playback::PlaybackPosition;

use super::{SqlStore, Subject, from_text, to_text};
use crate::{PlaybackPositions, StoreResult};

type Row = (String, i64, i64, i64, i64);

fn position_of((kind, id, position_ms, duration_ms, at): Row) -> StoreResult<PlaybackPosition> {
    Ok(PlaybackPosition { kind: from_text(kind)?, id, position_ms, duration_ms, at })
}

#[async_trait]
impl PlaybackPositions for SqlStore {
    async fn store_position(
        &self,
        user_id: i64,
        position: &PlaybackPosition,
        limit: i64,
    ) -> StoreResult<PlaybackPosition> {
        let mut write = self.write_about(Subject::Person(user_id)).await?;
        sqlx::query(
            "INSERT INTO playback_positions (user_id, kind, watched_id, position_ms, duration_ms, at)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (user_id, kind, watched_id) DO UPDATE
             SET position_ms = excluded.position_ms, duration_ms = excluded.duration_ms, at = excluded.at
             WHERE excluded.at > playback_positions.at",
        )
        .bind(user_id)
        .bind(to_text(&position.kind)?)
        .bind(position.id)
        .bind(position.position_ms)
        .bind(position.duration_ms)
        .bind(position.at)
        .execute(&mut *write)
        .await?;
        let current: Row = sqlx::query_as(
            "SELECT kind, watched_id, position_ms, duration_ms, at FROM playback_positions
             WHERE user_id = $1 AND kind = $2 AND watched_id = $3",
        )
        .bind(user_id)
        .bind(to_text(&position.kind)?)
        .bind(position.id)
        .fetch_one(&mut *write)
        .await?;
        sqlx::query(
            "DELETE FROM playback_positions WHERE user_id = $1 AND (kind, watched_id) NOT IN (
                 SELECT kind, watched_id FROM playback_positions WHERE user_id = $1
                 ORDER BY at DESC, kind, watched_id LIMIT $2)",
        )
        .bind(user_id)
        .bind(limit)
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        position_of(current)
    }

    async fn positions(&self, user_id: i64) -> StoreResult<Vec<PlaybackPosition>> {
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT kind, watched_id, position_ms, duration_ms, at FROM playback_positions
             WHERE user_id = $1 ORDER BY at DESC, kind, watched_id",
        )
        .bind(user_id)
        .fetch_all(self.readers())
        .await?;
        rows.into_iter().map(position_of).collect()
    }
}
