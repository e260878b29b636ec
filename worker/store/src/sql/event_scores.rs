//! Scores of events.

use std::collections::HashMap;

use async_trait::async_trait;
use touchline_protocol::catalogue::EventScore;

use super::SqlStore;
use crate::StoreResult;
use crate::event_scores::EventScores;

#[async_trait]
impl EventScores for SqlStore {
    async fn set_event_score(
        &self,
        channel_key: &str,
        event_id: i64,
        score: Option<&EventScore>,
        at: i64,
    ) -> StoreResult<()> {
        let mut write = self.write().await?;
        let query = match score {
            None => sqlx::query("DELETE FROM event_scores WHERE channel_key = $1 AND event_id = $2")
                .bind(channel_key)
                .bind(event_id),
            // The mark increases even if two changes fall into the same millisecond.
            Some(EventScore { away, home, period }) => sqlx::query(
                "INSERT INTO event_scores (channel_key, event_id, away, home, period, changed_at)
                 SELECT $1, $2, $3, $4, $5, CASE WHEN COALESCE(MAX(changed_at), 0) >= $6
                     THEN MAX(changed_at) + 1 ELSE $6 END
                 FROM event_scores WHERE 1 = 1
                 ON CONFLICT (channel_key, event_id) DO UPDATE SET away = excluded.away, home = excluded.home,
                     period = excluded.period, changed_at = excluded.changed_at",
            )
            .bind(channel_key)
            .bind(event_id)
            .bind(*away)
            .bind(*home)
            .bind(period)
            .bind(at),
        };
        query.execute(&mut *write).await?;
        write.commit().await
    }

    async fn event_scores(&self, channel_key: &str) -> StoreResult<HashMap<i64, EventScore>> {
        let rows: Vec<(i64, i64, i64, String)> =
            sqlx::query_as("SELECT event_id, away, home, period FROM event_scores WHERE channel_key = $1")
                .bind(channel_key)
                .fetch_all(self.readers())
                .await?;
        Ok(rows.into_iter().map(|(id, away, home, period)| (id, EventScore { away, home, period })).collect())
    }

    async fn event_scores_mark(&self) -> StoreResult<(i64, i64)> {
        Ok(sqlx::query_as("SELECT COUNT(*), COALESCE(MAX(changed_at), 0) FROM event_scores")
            .fetch_one(self.readers())
            .await?)
    }
}
